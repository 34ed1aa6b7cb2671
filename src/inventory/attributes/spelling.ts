import type { UnknownValue } from '../../contract/resources.ts';
import { unlike } from './values.ts';

/**
 * How conditions see a word, whatever its case and separators in the document: all in one case, or as one of these.
 * Providers ignore the case of many, and refuse the others, so a different case never means another value. A word that is
 * none of these is unknown.
 */
export type Spelling = 'lower' | 'upper' | readonly string[] | Words;

/** Words that have other names, too. */
export interface Words {
  readonly words: readonly string[];
  /** One of the words, for any of its names. */
  readonly read: (name: string) => string | UnknownValue | undefined;
}

/** The words that there are; none where there may be any. */
export const wordsOf = (spelling: Spelling | undefined): readonly string[] =>
  spelling === undefined || typeof spelling === 'string'
    ? []
    : 'words' in spelling
      ? spelling.words
      : spelling;

/** A word as it is spelled. Of one that is none of those that are known, nothing is known. An empty one says nothing, and stays. */
export function spell(word: string, spelling: Spelling): string | UnknownValue {
  if (spelling === 'lower') return word.toLowerCase();
  if (spelling === 'upper') return word.toUpperCase();
  const words = wordsOf(spelling);
  if (word === '' || words.includes(word)) return word;
  const meant =
    'words' in spelling ? spelling.read(word) : wordsByLetters(words).get(letters(word));
  return typeof meant === 'string' && !words.includes(meant)
    ? unlike(word, 'a known value')
    : (meant ?? unlike(word, 'a known value'));
}

const lettersOfLists = new WeakMap<readonly string[], ReadonlyMap<string, string>>();

function wordsByLetters(words: readonly string[]): ReadonlyMap<string, string> {
  const known = lettersOfLists.get(words);
  if (known) return known;
  const made = new Map(words.map((word) => [letters(word), word]));
  lettersOfLists.set(words, made);
  return made;
}

/** What is the same in `PublicRead` and `public-read`. Without a letter, as in a version, everything counts. */
const letters = (word: string): string =>
  /[a-z]/i.test(word) ? word.replace(/[^a-z0-9]/gi, '').toLowerCase() : word;
