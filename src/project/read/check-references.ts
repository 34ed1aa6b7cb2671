import { statSync } from 'node:fs';
import path from 'node:path';
import { nearestWord } from '../../contract/nearest.ts';
import { locate, valueSpan } from './locate.ts';
import type { OtherDocument, Problem } from '../model.ts';
import { parseYaml } from './parse-yaml.ts';
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
  return others.flatMap((located) => {
    const { kind, document } = located.other;
    if (kind === 'PolicyTest') return checkTest(located, String(document.policy));
    if (kind !== 'Exemption') return [];
    return [
      ...(known ? checkPolicy(located, String(document.policy), known) : []),
      ...checkExpiry(located, String(document.expires), facts.now),
    ];
  });
}

function checkTest(located: LocatedOther, policy: string): Problem[] {
  const file = path.resolve(path.dirname(located.absolute), policy);
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return [];
  return [
    problemOf(located, 'policy', {
      code: 'missing-file',
      message: `the policy file ${JSON.stringify(policy)} does not exist`,
      hint: 'Write its path as seen from the folder of this test.',
    }),
  ];
}

function checkPolicy(located: LocatedOther, policy: string, known: ReadonlySet<string>): Problem[] {
  if (known.has(policy)) return [];
  const nearest = nearestWord(policy, known);
  return [
    problemOf(located, 'policy', {
      level: 'warning',
      code: 'unknown-policy',
      message: `no policy of these files has the name or key ${JSON.stringify(policy)}`,
      hint: nearest
        ? `Did you mean ${JSON.stringify(nearest)}?`
        : 'The exemption does nothing unless another project has this policy.',
    }),
  ];
}

const dayMs = 86_400_000;

/** The day named is the last one it holds, in UTC. */
function checkExpiry(located: LocatedOther, expires: string, now: number | undefined): Problem[] {
  if (now === undefined || now < Date.parse(`${expires}T00:00:00Z`) + dayMs) return [];
  return [
    problemOf(located, 'expires', {
      level: 'warning',
      code: 'expired-exemption',
      message: `this exemption expired: ${expires} was its last day`,
      hint: 'Remove it, or have its owner set a new date.',
    }),
  ];
}

/** Such problems are rare: reading a file again costs less than keeping it parsed. */
function problemOf({ source, index }: LocatedOther, field: string, finding: Finding): Problem {
  const raw = parseYaml(source).documents[index];
  const span = raw ? valueSpan(locate(raw, [field]), source.text) : { start: 0, end: 1 };
  return problemAt(source, span, finding);
}
