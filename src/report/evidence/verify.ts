import type { KeyObject } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { keyIdOf, readPublicKey } from '../sign/public-key.ts';
import { bundleName, keyName, statementName } from './build.ts';
import { readContainer } from './container.ts';
import type { Entry, Unread } from './container.ts';
import { Predicate, readEnvelope, sha256 } from './statement.ts';
import type { Subject } from './statement.ts';

export interface BundleProblem {
  readonly entry?: string;
  /** Of the first byte that is wrong. */
  readonly offset?: number;
  readonly message: string;
}

/** What a bundle says of itself, once it is known to be whole. */
interface BundleSummary extends Predicate {
  readonly entries: number;
  readonly controls: number;
  readonly policies: number;
  readonly since: string;
  readonly missing: readonly string[];
}

/**
 * `valid`: it is as its signer wrote it. `invalid`: it was changed. `unreadable`: it is cut, or no bundle.
 * `signer`: `known` is one of the keys given, `other` none of them; without keys it is `unknown`.
 */
export type Verified =
  | { readonly verdict: 'unreadable'; readonly problems: readonly BundleProblem[] }
  | { readonly verdict: 'invalid'; readonly problems: readonly BundleProblem[] }
  | {
      readonly verdict: 'valid';
      readonly problems: readonly [];
      readonly signer: 'known' | 'unknown' | 'other';
      readonly summary: BundleSummary;
    };

/** Compares every byte of a bundle with what its content, written again, gives, and checks its signature. */
export function verifyBundle(bytes: Buffer, keys: readonly KeyObject[]): Verified {
  const read = readContainer(bytes);
  const unread = 'what' in read ? read : undefined;
  const problem = unread && describeUnread(unread);
  if (problem && unread?.kind === 'cut') return { verdict: 'unreadable', problems: [problem] };
  const entries = 'what' in read ? read.entries : read;
  const signed = entries && readSigned(entries);
  // What is signed says which entries were changed; the container only where the first of them is.
  const problems = signed && 'problems' in signed ? signed.problems : [];
  const isTold = problems.some(({ entry }) => entry === problem?.entry);
  const all = problem && !isTold ? [problem, ...problems] : problems;
  if (all.length > 0 || !signed || 'problems' in signed) {
    return { verdict: 'invalid', problems: all };
  }
  const { key_id: id, summary } = signed;
  return {
    verdict: 'valid',
    problems: [],
    signer:
      keys.length === 0 ? 'unknown' : keys.some((one) => keyIdOf(one) === id) ? 'known' : 'other',
    summary,
  };
}

const describeUnread = ({ entry, offset, what }: Unread): BundleProblem => ({
  ...(entry === undefined ? {} : { entry }),
  offset,
  message: what,
});

/** Bytes of a statement with as many entries as a container can have, and more than any other entry that is parsed. */
const longestText = 32 * 1024 * 1024;

type Signed =
  | { readonly problems: readonly BundleProblem[] }
  | { readonly key_id: string; readonly summary: BundleSummary };

/** What the last entry signs, compared with the others. */
function readSigned(entries: readonly Entry[]): Signed {
  const invalid = (entry: string, message: string): Signed => ({ problems: [{ entry, message }] });
  const textOf = (name: string): string | undefined => {
    const found = entries.find((entry) => entry.name === name)?.bytes;
    if (!found || found.length > longestText) return undefined;
    return Buffer.from(found.buffer, found.byteOffset, found.length).toString('utf8');
  };
  const covered = entries.slice(0, -1);
  if (entries.at(-1)?.name !== statementName) {
    const isThere = entries.some(({ name }) => name === statementName);
    return invalid(
      statementName,
      isThere ? 'the statement is not the last entry' : 'the statement was removed',
    );
  }
  const envelope = readEnvelope(textOf(statementName) ?? '');
  if (!envelope) {
    return invalid(statementName, 'the content is not a signed statement of a govctl server');
  }
  const { predicate } = envelope;
  const pem = textOf(keyName);
  const key = pem === undefined ? undefined : readPublicKey(pem);
  if (!key || key.export({ type: 'spki', format: 'pem' }).toString() !== pem) {
    return invalid(keyName, 'the content is not an Ed25519 public key');
  }
  const id = keyIdOf(key);
  if (id !== envelope.key_id || id !== predicate.key_id) {
    return invalid(statementName, `the statement names a different key than ${keyName}`);
  }
  if (!envelope.isSignedBy(key)) {
    return invalid(statementName, `the signature does not match the key in ${keyName}`);
  }
  const there = covered.map(({ name, bytes: content }) => ({ name, sha256: sha256(content) }));
  const problems = differences(envelope.subjects, there);
  if (problems.length > 0) return { problems };
  const said = readSummary(textOf(bundleName));
  if (!said || !agrees(said, predicate)) {
    return invalid(bundleName, 'the content does not match the signed statement');
  }
  const { controls, policies, since, missing } = said;
  const summary = { ...predicate, entries: entries.length, controls, policies, since, missing };
  return { key_id: id, summary };
}

/** Problems after which nothing more is told. */
const mostProblems = 20;

/** Where the entries are not those that were signed, in their order. */
function differences(signed: readonly Subject[], there: readonly Subject[]): BundleProblem[] {
  const namesSigned = new Map(signed.map(({ name, sha256: hash }) => [name, hash]));
  const namesThere = new Set(there.map(({ name }) => name));
  const problems = [
    ...there.flatMap(({ name, sha256: hash }) => {
      const expected = namesSigned.get(name);
      if (expected === hash) return [];
      const message = expected === undefined ? 'the entry was added' : 'the content was changed';
      return [{ entry: name, message }];
    }),
    ...signed.flatMap(({ name }) =>
      namesThere.has(name) ? [] : [{ entry: name, message: 'the entry was removed' }],
    ),
  ];
  if (problems.length > 0) return problems.slice(0, mostProblems);
  const moved = there.find(({ name }, at) => signed[at]?.name !== name);
  if (moved) return [{ entry: moved.name, message: 'the entries are in a different order' }];
  return there.length === signed.length
    ? []
    : [{ entry: statementName, message: 'the statement lists an entry twice' }];
}

/** `bundle.json`, as a server writes it. */
const Summary = z.strictObject({
  format_version: z.literal(1),
  cut: Predicate.shape.cut,
  server: z.strictObject({
    base_url: z.string(),
    local: z.boolean(),
    version: z.string(),
    key_id: z.string(),
  }),
  framework: z.strictObject({ name: z.string(), version: z.string().optional() }),
  since: z.string(),
  controls: z.int(),
  policies: z.int(),
  missing: z.array(z.string()),
});
type Summary = z.infer<typeof Summary>;

function readSummary(text: string | undefined): Summary | undefined {
  try {
    return Summary.safeParse(JSON.parse(text ?? '')).data;
  } catch {
    // No JSON.
    return undefined;
  }
}

const agrees = ({ cut, server, framework }: Summary, predicate: Predicate): boolean =>
  isDeepStrictEqual(
    {
      cut,
      framework: framework.name,
      base_url: server.base_url,
      local: server.local,
      key_id: server.key_id,
    },
    predicate,
  );
