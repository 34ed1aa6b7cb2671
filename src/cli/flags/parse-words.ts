import { scopes } from '../../contract/endpoint.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';

/** `a,b`, repeated. */
export const listOf = (values: readonly string[]): string[] =>
  values.flatMap((text) => text.split(',').map((part) => part.trim())).filter(Boolean);

/** Scopes to ask for, separated by spaces, as OAuth has them. @param given separated by spaces or commas */
export const parseScope = (flag: string, given: string): string =>
  parseWords(flag, given.split(/\s+/), scopes).join(' ');

/** One of a few known words, for commander. @throws GovctlError usage_error, with the nearest one */
export const oneOf =
  <Word extends string>(flag: string, known: readonly Word[]) =>
  (text: string): Word => {
    const word = known.find((one) => one === text);
    if (word !== undefined) return word;
    const nearest = nearestWord(text, known);
    throw new GovctlError('usage_error', `${flag} ${text}: unknown value`, {
      hint: nearest ? `Did you mean ${nearest}?` : `Use ${known.join(', ')}.`,
    });
  };

/** `a,b`, repeated, of a few known words. @throws GovctlError usage_error, with the nearest one */
export function parseWords<Word extends string>(
  flag: string,
  given: readonly string[],
  known: readonly Word[],
): Word[] {
  const words = listOf(given).map(oneOf(flag, known));
  if (words.length === 0) {
    throw new GovctlError('usage_error', `${flag} is empty`, {
      hint: `Use ${known.join(', ')}.`,
    });
  }
  return [...new Set(words)];
}
