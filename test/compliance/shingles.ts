import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Words of a shingle. */
const size = 6;
/** Bytes that are kept of a shingle's hash, and their hexadecimal digits. */
const bytes = 6;
const digits = 2 * bytes;

export interface Shingle {
  /** Lower-case hex. */
  readonly hash: string;
  /** Of its first word, counted from 1. */
  readonly line: number;
  readonly text: string;
}

/** Each six words in a row, across lines, case, punctuation and the marks of comments. */
export function* shinglesOf(text: string): Generator<Shingle> {
  const words: { word: string; line: number }[] = [];
  let line = 1;
  // In JSON and code, a line break may be written as \n.
  for (const [token] of text.matchAll(/\n|\\[nrt]|[\p{L}\p{N}]+/gu)) {
    if (token === '\n') line += 1;
    if (/^[\n\\]/.test(token)) continue;
    words.push({ word: token.toLowerCase(), line });
    if (words.length < size) continue;
    const joined = words.map(({ word }) => word).join(' ');
    const [first] = words;
    yield {
      hash: hash('sha256', joined, 'hex').slice(0, digits),
      line: first?.line ?? line,
      text: joined,
    };
    words.shift();
  }
}

/** Base64 of the hashes, one after the other. `vitest run --update=all test/compliance` writes it. */
export const shinglesFile = path.join(import.meta.dirname, 'shingles.txt');

/** The hashes of the texts of restricted bodies: nothing of the texts can be read from them. */
export function readShingles(): ReadonlySet<string> {
  const all = existsSync(shinglesFile)
    ? Buffer.from(readFileSync(shinglesFile, 'utf8'), 'base64').toString('hex')
    : '';
  return new Set(all.match(new RegExp(`.{${digits}}`, 'g')));
}

export const writtenShingles = (hashes: ReadonlySet<string>): string =>
  Buffer.from([...hashes].sort().join(''), 'hex')
    .toString('base64')
    .replace(/.{96}/g, '$&\n')
    .concat('\n');
