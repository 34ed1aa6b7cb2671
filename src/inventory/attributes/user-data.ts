import { UnknownValue } from '../../contract/resources.ts';
import { gunzip } from '../text/inflate.ts';
import { credentialsIn } from './credentials.ts';
import type { Attribute } from './normaliser.ts';
import { isUnknown, joinAll, joinLists } from './values.ts';

/**
 * The kinds of credentials that stand in what a machine runs when it starts: as text, in base64, packed by gzip, or in
 * files that it writes so. What only the deployment fills in is not written there; a text of which nothing is known may
 * hold any.
 */
export function secretsIn(value: unknown): readonly (string | UnknownValue)[] | UnknownValue {
  if (value === undefined || value === null) return [];
  if (isUnknown(value) && value.text === undefined) {
    return new UnknownValue(value.expression, { present: false });
  }
  const written = isUnknown(value) ? value.text : value;
  if (typeof written !== 'string') return [];
  // Terraform's states keep a hash of it.
  if (/^[0-9a-f]{40}$/.test(written)) return new UnknownValue('a hash of the user data');
  const { texts, isWhole } = unpack(written.slice(0, mostCharacters));
  const found = [...new Set(texts.flatMap(credentialsIn))];
  if (written.length > mostCharacters) return joinLists(found, new UnknownValue('long user data'));
  return isWhole ? found : joinLists(found, new UnknownValue('compressed user data'));
}

/** What Google Cloud takes, which takes most. */
const mostCharacters = 262_144;
/** Text packs to a tenth; what packs better than this is looked at in part. */
const mostTimes = 32;
/**
 * The search for base64 takes memory for each character of a run, and ends in an error beyond 4 million where V8 no longer compiles
 * patterns, as in a process that has many.
 */
const mostUnpacked = 1 << 20;
const mostLayers = 3;

/** A text and what is packed in it, layer by layer, and whether this is all. */
function unpack(written: string): { readonly texts: readonly string[]; readonly isWhole: boolean } {
  const texts = [written];
  let left = Math.min(Math.max(written.length, 1_000) * mostTimes, mostUnpacked);
  let isWhole = true;
  for (let layer = written, depth = 0; layer !== '' && depth < mostLayers; depth++) {
    const packed = [...layer.matchAll(base64)].map(([run]) => fromBase64(run));
    const inside = packed.map((one) => {
      if (!isGzip(one)) return one;
      const bytes = gunzip(Uint8Array.from(one, codeOf), left);
      if (bytes === undefined || bytes.length >= left) isWhole = false;
      left -= bytes?.length ?? 0;
      return fromBytes(bytes ?? new Uint8Array());
    });
    // Windows writes commands in UTF-16.
    const plain = inside.map((one) => one.replaceAll('\0', ''));
    layer = plain.filter((one) => isText.test(one)).join('\n');
    texts.push(layer);
  }
  return { texts, isWhole };
}

/** Also over several lines, as mail and YAML fold it. */
const base64 = /[A-Za-z0-9+/]{16,}(?:[ \t]*\r?\n[ \t]*[A-Za-z0-9+/]{16,})*={0,2}/g;
const isText = /^[\t\n\r\x20-\x7e\x80-\xff]*$/;
const isGzip = (text: string): boolean => text.startsWith('\u001f\u008b\b');
const codeOf = (one: string): number => one.charCodeAt(0);

/** Characters of one byte each. */
function fromBytes(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 4_096) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 4_096)));
  }
  return parts.join('');
}

/** One digit too many is no part of it. */
function fromBase64(run: string): string {
  const digits = run.replaceAll(/[\s=]+/g, '');
  return atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits);
}

/** The same of several texts: one that is not known hides no credential of another. */
export function secretsInAll(values: readonly unknown[]): readonly unknown[] | UnknownValue {
  const found = joinAll(values.map(secretsIn));
  return isUnknown(found) ? found : [...new Set(found)];
}

export const userDataAttribute = {
  'user_data.secrets': {
    type: 'list<string>',
    meaning:
      'kinds of credentials in the startup code of the instance, including code in base64 or gzip and files that the code writes: `aws_access_key`, `aws_secret_key`, `private_key`, `github_token`, `google_api_key`, `slack_token` or `password`; missing if the input does not show it',
  },
} as const satisfies Record<string, Attribute>;
