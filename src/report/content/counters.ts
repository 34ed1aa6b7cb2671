import type { Finding } from '../../contract/findings.ts';
import type { Severity } from '../../contract/policies.ts';
import { isMet, weightOf } from '../../engine/score.ts';
import type { Tally } from '../../engine/score.ts';

/** The engine's tally, counted up in place: a report sees very many findings. */
export type Counter = { -readonly [Field in keyof Tally]: Tally[Field] };

export const newCounter = (): Counter => ({
  evaluated: 0,
  pass: 0,
  fail: 0,
  error: 0,
  exempt: 0,
  met: 0,
  all: 0,
});

const fieldOf = { PASS: 'pass', FAIL: 'fail', ERROR: 'error', EXEMPT: 'exempt' } as const;

export function countFinding(
  counter: Counter,
  finding: Pick<Finding, 'status' | 'severity'>,
): void {
  if (finding.status === 'SKIPPED') return;
  const weight = weightOf(finding);
  counter.evaluated += 1;
  counter[fieldOf[finding.status]] += 1;
  counter.all += weight;
  if (isMet(finding)) counter.met += weight;
}

/** Several as one. */
export function sumCounters(counters: Iterable<Counter>): Counter {
  const sum = newCounter();
  for (const one of counters) {
    for (const field of Object.keys(sum) as (keyof Counter)[]) sum[field] += one[field];
  }
  return sum;
}

export type BySeverity = Record<Severity, number>;
export const noneBySeverity = (): BySeverity => ({ CRITICAL: 0, HIGH: 0, MEDIUM: 0, LOW: 0 });

/** Values of a field, such as environments, that are told apart; others are counted together. */
const mostGroups = 500;

/** What has no value, and what is counted together. */
const noValue = 'not set';
const otherValues = 'all others';

/** Something for each value of a field. Values are from outside: there may be one for each resource. */
export interface Groups<T> {
  of(value: string | undefined): T;
  /** By value, so that they do not follow the order that resources came in. */
  entries(): readonly (readonly [value: string, T])[];
}

export function createGroups<T>(create: () => T): Groups<T> {
  const groups = new Map<string, T>();
  return {
    of(value = noValue) {
      const key = groups.has(value) || groups.size < mostGroups ? value : otherValues;
      let group = groups.get(key);
      if (group === undefined) groups.set(key, (group = create()));
      return group;
    },
    entries: () => [...groups].sort(([a], [b]) => (a < b ? -1 : 1)),
  };
}
