import { scryptSync } from 'node:crypto';
import { minSecretLength } from '../../contract/webhooks.ts';
import { expandReferences, referencesOf } from '../documents/reference.ts';
import type { Body, Secrets } from './kind.ts';

/**
 * How a plan holds what it must not tell. No file can say either: they are not of Latin-1, as headers are.
 * `…`: as it is live. `… (written out)`: as the file has it.
 */
export const hidden = '…';
export const writtenOut = '… (written out)';

export type Headers = Readonly<Record<string, string>>;

/** Names are compared as HTTP does. */
export const headersOf = ({ headers }: Body): Headers =>
  // A body's headers were parsed as such: from a file, an answer or a plan.
  Object.fromEntries(
    Object.entries((headers ?? {}) as Headers).map(([name, value]) => [name.toLowerCase(), value]),
  );

export const isSensitive = (header: string): boolean =>
  /auth|token|key|secret|cookie|password|signature/i.test(header);

const hasReference = (text: string): boolean => referencesOf(text).length > 0;

/** A file's value as a plan may hold it. */
export const shownValue = (written: string, isSecret: boolean): string =>
  isSecret && !hasReference(written) ? writtenOut : written;

/**
 * Live headers beside those that are wanted. A value that may be a secret is told only as what the file calls it, where
 * it is that. It may be one where its name or its file says so, and wherever it is long enough to hold the value of a
 * variable: its author and source are unknown.
 */
export function shownHeaders(live: Headers, real: Headers, shown: Headers): Headers {
  return Object.fromEntries(
    Object.entries(live).map(([name, value]) => {
      const said = own(shown, name);
      if (said !== undefined && own(real, name) === value) return [name, said];
      const isSecret =
        isSensitive(name) ||
        value.length >= minSecretLength ||
        (said !== undefined && (hasReference(said) || said === writtenOut));
      return [name, isSecret ? hidden : value];
    }),
  );
}

export const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** The values that are sent for headers as a plan holds them. */
export const revealHeaders = (
  key: string,
  shown: Headers,
  live: Headers,
  secrets: Secrets,
): Headers =>
  Object.fromEntries(
    Object.entries(shown).map(([name, text]) => [
      name,
      text === hidden
        ? (own(live, name.toLowerCase()) ?? hidden)
        : text === writtenOut
          ? (secrets.writtenOut(key, `headers.${name.toLowerCase()}`) ?? hidden)
          : secrets.expand(text),
    ]),
  );

/** Characters of a secret's beginning that give it away where a text was cut. */
const tellingStart = 6;

/** Gives the values of variables, and hides all that is secret but what is as short as a word. */
export function createSecrets(
  values: ReadonlyMap<string, string>,
  writtenOut: ReadonlyMap<string, string> = new Map(),
): Secrets {
  const known = [...values.values(), ...writtenOut.values()]
    .filter(({ length }) => length >= minSecretLength)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    .sort((a, b) => b.length - a.length);
  return {
    expand: (text) => expandReferences(text, (name) => values.get(name) ?? hidden),
    writtenOut: (key, path) => writtenOut.get(`${key}\n${path}`),
    hide: (text) => [...new Set(known)].reduce(hideOne, text),
  };
}

/** A text without a secret, and without as much of its beginning as there is. */
function hideOne(text: string, secret: string): string {
  const start = secret.slice(0, tellingStart);
  let rest = '';
  let from = 0;
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, from)) {
    let length = start.length;
    while (length < secret.length && text[at + length] === secret[length]) length++;
    rest += text.slice(from, at) + hidden;
    from = at + length;
  }
  return rest + text.slice(from);
}

/** One is hashed many times in a run, and each takes some ten milliseconds. */
const hashed = new Map<string, string>();

/**
 * A header's value for a fingerprint that is kept in a tag and in plans: slow to make, so that values can't be tried.
 * The salt is the same everywhere, as two sides have to come to the same.
 */
export function slowHash(name: string, value: string): string {
  const key = `${name}\n${value}`;
  const known = hashed.get(key);
  if (known !== undefined) return known;
  const salt = `govctl webhook ${name}`;
  const hash = scryptSync(value, salt, 16, { N: 4_096, r: 8, p: 1 }).toString('hex');
  hashed.set(key, hash);
  return hash;
}

export const noSecrets = createSecrets(new Map());
