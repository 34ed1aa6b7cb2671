import type { Problem } from '../model.ts';
import type { Identity } from '../key.ts';
import { locate, valueSpan } from './locate.ts';
import { createReparser } from './parse-yaml.ts';
import type { Finding, Source, Span } from './source.ts';
import { problemAt } from './source.ts';

/** A document's identity, and which document of which file it is (from 0): enough to find its fields again. */
export interface LocatedIdentity extends Identity {
  readonly source: Source;
  readonly index: number;
}

/** What two of a kind can't share, beside their key, and what to do about it. */
const unique = {
  Policy: {
    field: 'name',
    noun: 'policy',
    code: 'duplicate-name',
    is: (name: string) => `is named "${name}"`,
    hint: 'Names are unique in the service; rename one of the two.',
  },
  Webhook: {
    field: 'url',
    noun: 'webhook',
    code: 'duplicate-url',
    is: (url: string) => `has the URL "${url}"`,
    hint: 'The URL identifies a webhook. Merge the events of both, or add a query such as ?for=ops to one URL.',
  },
  Schedule: {
    field: 'name',
    noun: 'schedule',
    code: 'duplicate-name',
    is: (name: string) => `is named "${name}"`,
    hint: 'The name identifies a schedule. Rename one of the two.',
  },
  Framework: {
    field: 'id',
    noun: 'framework',
    code: 'duplicate-id',
    is: (id: string) => `has the ID "${id}"`,
    hint: 'Merge the controls of both documents.',
  },
  Budget: {
    field: 'name',
    noun: 'budget',
    code: 'duplicate-name',
    is: (name: string) => `is named "${name}"`,
    hint: 'Names are unique in the service; rename one of the two.',
  },
  Exemption: {
    field: 'resources',
    noun: 'exemption',
    code: 'duplicate-exemption',
    is: (name: string) => `has this policy and these resources (${name})`,
    hint: 'Merge both with the later date, and remove expired exemptions.',
  },
} as const;

/** A name is a policy's identifier in the service, a url a webhook's, a key one's identifier in the repo: each once. */
export function findDuplicates(identities: readonly LocatedIdentity[]): Problem[] {
  const problems: Problem[] = [];
  const names = new Map<string, LocatedIdentity>();
  const keys = new Map<string, LocatedIdentity>();
  const spanOf = createSpanFinder();
  for (const one of identities) {
    const [name, key] = [`${one.kind} ${one.name}`, `${one.kind} ${one.key}`];
    const sameName = names.get(name);
    const sameKey = keys.get(key);
    if (sameName) problems.push(duplicateName(one, sameName, spanOf));
    else if (sameKey) problems.push(duplicateKey(one, sameKey, spanOf));
    if (!sameName) names.set(name, one);
    if (!sameKey) keys.set(key, one);
  }
  return problems;
}

type SpanFinder = (one: LocatedIdentity, field: string) => Span;

function createSpanFinder(): SpanFinder {
  const parseAgain = createReparser();
  return ({ source, index }, field) => {
    const raw = parseAgain(source).documents[index];
    if (!raw) return { start: 0, end: 1 };
    return valueSpan(locate(raw, [field]), source.text);
  };
}

function duplicateName(one: LocatedIdentity, other: LocatedIdentity, spanOf: SpanFinder): Problem {
  const { field, noun, code, is, hint } = unique[one.kind];
  const finding: Finding = {
    code,
    message: `another ${noun} ${is(one.name)}: ${showPlace(other.source, spanOf(other, field))}`,
    hint,
  };
  return problemAt(one.source, spanOf(one, field), finding);
}

function duplicateKey(one: LocatedIdentity, other: LocatedIdentity, spanOf: SpanFinder): Problem {
  const { source, key, keyField } = one;
  const { noun } = unique[one.kind];
  const otherPlace = showPlace(other.source, spanOf(other, other.keyField));
  const isKeyGiven = keyField === 'key';
  return problemAt(source, spanOf(one, keyField), {
    code: 'duplicate-key',
    message: isKeyGiven
      ? `another ${noun} has the key "${key}": ${otherPlace}`
      : `the ${keyField} results in the key "${key}", which another ${noun} already has: ${otherPlace}`,
    hint: isKeyGiven ? 'Change one of the two keys.' : 'Set a different key for one of the two.',
  });
}

function showPlace(source: Source, { start }: Span): string {
  const { file, line } = source.place(start);
  return `${file}:${line}`;
}
