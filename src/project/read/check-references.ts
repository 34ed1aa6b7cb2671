import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { createSuggester, nearestWord } from '../../contract/nearest.ts';
import { locate, valueSpan } from './locate.ts';
import type { OtherDocument, Problem } from '../model.ts';
import { createReparser } from './parse-yaml.ts';
import { problemAt } from './source.ts';
import type { Finding, Source } from './source.ts';

/** A document of another kind, and which document of which file it is (from 0). */
export interface LocatedOther {
  readonly other: OtherDocument;
  readonly source: Source;
  readonly index: number;
  /** The file's absolute path. */
  readonly absolute: string;
}

interface ReferenceFacts {
  /** Names and keys of the policies read; undefined where only a part of the project was. */
  readonly policies: readonly string[] | undefined;
  /** Milliseconds since the epoch; absent: no date is judged. */
  readonly now?: number;
}

/** What a document says of things outside itself: the policy it is about, the day it ends. */
export function checkReferences(others: readonly LocatedOther[], facts: ReferenceFacts): Problem[] {
  const known = facts.policies && new Set(facts.policies);
  const suggest = createSuggester(known ?? new Set());
  const parseAgain = createReparser();
  return others.flatMap(({ other: { kind, document }, absolute, source, index }) => {
    const findings =
      kind === 'PolicyTest'
        ? checkTest(absolute, String(document.policy))
        : kind === 'Exemption'
          ? [
              ...checkPolicy(String(document.policy), known, suggest),
              ...checkExpiry(String(document.expires), facts.now),
            ]
          : [];
    return findings.map(({ field, ...finding }) => {
      const raw = parseAgain(source).documents[index];
      const span = raw ? valueSpan(locate(raw, [field]), source.text) : { start: 0, end: 1 };
      return problemAt(source, span, finding);
    });
  });
}

/** What is wrong with a field of a document. */
interface FieldFinding extends Finding {
  readonly field: string;
}

function checkTest(absolute: string, policy: string): FieldFinding[] {
  const file = path.resolve(path.dirname(absolute), policy);
  if (isFile(file)) return [];
  const near = nearestPolicyFile(path.dirname(absolute), policy);
  return [
    {
      field: 'policy',
      code: 'missing-file',
      message: `the policy file ${JSON.stringify(policy)} does not exist`,
      hint:
        near === undefined
          ? 'Set it to the path of the policy file, relative to the directory of this test.'
          : `Did you mean ${JSON.stringify(near)}?`,
    },
  ];
}

export const isFile = (file: string): boolean =>
  statSync(file, { throwIfNoEntry: false })?.isFile() === true;

/** Of the directory of a test; a policy's key means the file of that name. */
function nearestPolicyFile(directory: string, written: string): string | undefined {
  const names = readdirSync(directory).filter(
    (name) => /\.ya?ml$/i.test(name) && !/\.test\.ya?ml$/i.test(name),
  );
  return (
    names.find((name) => name.replace(/\.ya?ml$/i, '') === written) ?? nearestWord(written, names)
  );
}

function checkPolicy(
  policy: string,
  known: ReadonlySet<string> | undefined,
  suggest: (written: string) => string | undefined,
): FieldFinding[] {
  if (!known || known.has(policy)) return [];
  const nearest = suggest(policy);
  return [
    {
      field: 'policy',
      level: 'warning',
      code: 'unknown-policy',
      message: `no policy in these files has the name or key ${JSON.stringify(policy)}`,
      hint: nearest
        ? `Did you mean ${JSON.stringify(nearest)}?`
        : 'The exemption has no effect unless another project has this policy.',
    },
  ];
}

const dayMs = 86_400_000;

/** The day named is the last one it holds, in UTC. */
function checkExpiry(expires: string, now: number | undefined): FieldFinding[] {
  if (now === undefined || now < Date.parse(`${expires}T00:00:00Z`) + dayMs) return [];
  return [
    {
      field: 'expires',
      level: 'warning',
      code: 'expired-exemption',
      message: `the exemption expired: ${expires} was its last day`,
      hint: 'Remove the exemption, or ask its owner to set a new date.',
    },
  ];
}
