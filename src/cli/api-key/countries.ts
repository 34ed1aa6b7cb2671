import { listOf } from '../flags/parse-words.ts';

/** ISO 3166 codes, in any case. */
export const countriesOf = (given: readonly string[]): string[] =>
  listOf(given).map((code) => code.toUpperCase());
