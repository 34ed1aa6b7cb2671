import { GovctlError } from '../contract/errors.ts';
import { nearestWord } from '../contract/nearest.ts';

/** `a,b`, repeated. */
export const listOf = (values: readonly string[]): string[] =>
  values.flatMap((text) => text.split(',').map((part) => part.trim())).filter(Boolean);

/** `a,b`, repeated, of a few known words. @throws GovctlError usage_error, with the nearest one */
export function parseWords<Word extends string>(
  flag: string,
  given: readonly string[],
  known: readonly Word[],
): Word[] {
  const refuse = (what: string, nearest?: string): GovctlError =>
    new GovctlError('usage_error', `${flag} ${what}`, {
      hint: nearest ? `Did you mean ${nearest}?` : `There are ${known.join(', ')}.`,
    });
  const words = listOf(given).map((text) => {
    const word = known.find((one) => one === text);
    if (word === undefined)
      throw refuse(`${text}: it takes no such word`, nearestWord(text, known));
    return word;
  });
  if (words.length === 0) throw refuse('names nothing');
  return [...new Set(words)];
}
