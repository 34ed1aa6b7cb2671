import type { Finding } from '../../contract/findings.ts';
import { isTypePattern, matchesType } from '../../contract/resources.ts';
import type { Resource } from '../../contract/resources.ts';
import type { Verdict } from '../../engine/decide.ts';
import { restoreUnknown } from '../../engine/restore-unknown.ts';
import { describeExemption, findingOf, isExempt, preparePolicy } from '../../engine/evaluate.ts';
import type { EvaluatedPolicy, PreparedPolicy } from '../../engine/evaluate.ts';
import type { Exemption } from '../../engine/exempt.ts';
import { createTypeIndex } from '../../engine/type-index.ts';
import { fitAttributes } from '../../inventory/attributes/fit.ts';
import { withoutParts } from '../../inventory/attributes/normalise.ts';
import type { Place } from '../model.ts';
import { describeSkip, doesSkip } from './inline-skips.ts';
import type { AttachedSkip, InlineSkip } from './inline-skips.ts';
import { createNamesType } from './names-type.ts';
import { sayAsSource } from './say-as-source.ts';
import { suppressionOf } from './suppression.ts';

/** How often a policy decided what. `unknown` are those of `error` that wait for values of the deployment. */
export interface PolicyTally {
  pass: number;
  fail: number;
  error: number;
  unknown: number;
  exempt: number;
  skipped: number;
}

/** What was counted over some resources; a plain value, so that a worker can send it. */
export interface Tally {
  resources: number;
  /**
   * Resources whose type no policy names, by type: a policy over a whole provider names none by its pattern alone. Also where
   * only patterns are, as the type is in another case.
   */
  readonly unmatched: Map<string, number>;
  /** By the policy's index. */
  readonly policies: readonly PolicyTally[];
  /** Findings that each exemption turned, by its index. */
  readonly exemptions: number[];
  /** Findings that each inline skip turned, also of those that turned none. */
  readonly skips: Map<InlineSkip, number>;
}

export interface CheckerOptions {
  readonly policies: readonly EvaluatedPolicy[];
  readonly exemptions: readonly Exemption[];
  /** What conditions see as `now`, in milliseconds since the epoch. */
  readonly now: number;
  /** Findings that pass or are skipped are wanted too. */
  readonly all: boolean;
  /** Only resources of these types or patterns; default or empty: all. */
  readonly types?: readonly string[];
}

/** A resource and the rules and policies that it asks to be spared. */
interface Checked {
  readonly resource: Resource;
  readonly suppressed?: readonly string[];
  readonly inlineSkips?: readonly AttachedSkip[];
}

/** A finding, and the inline skip that exempts it. */
export interface CheckedFinding extends Finding {
  readonly inline_skip?: Place & { readonly until: string };
}

/** Runs policies over resources, one after another, and counts. */
export interface Checker {
  readonly policies: readonly PreparedPolicy[];
  /** Decides every policy of the resource's type; findings go into `out` while it holds fewer than `most`. */
  check(checked: Checked, out: CheckedFinding[], most: number): void;
  /** Whether resources of a type are checked at all. */
  isWanted(type: string): boolean;
  /** Whether a policy fails a resource; nothing is counted. */
  fails(policy: string, resource: Resource): boolean;
  /** Gives what was counted since the last time, and starts again from zero. */
  takeTally(): Tally;
}

/** Types that are counted by name; a hostile input may have as many as it has resources. */
const mostTypes = 1_000;

export function emptyTally(policies: number, exemptions: number): Tally {
  return {
    resources: 0,
    unmatched: new Map(),
    policies: Array.from({ length: policies }, () => ({
      pass: 0,
      fail: 0,
      error: 0,
      unknown: 0,
      exempt: 0,
      skipped: 0,
    })),
    exemptions: new Array<number>(exemptions).fill(0),
    skips: new Map(),
  };
}

export function addTally(into: Tally, more: Tally): void {
  into.resources += more.resources;
  for (const [type, amount] of more.unmatched) countType(into.unmatched, type, amount);
  for (const [index, from] of more.policies.entries()) {
    const to = into.policies[index];
    if (!to) continue;
    for (const field of ['pass', 'fail', 'error', 'unknown', 'exempt', 'skipped'] as const) {
      to[field] += from[field];
    }
  }
  for (const [index, amount] of more.exemptions.entries()) {
    into.exemptions[index] = (into.exemptions[index] ?? 0) + amount;
  }
  for (const [skip, amount] of more.skips) countSkip(into, skip, amount);
}

const countSkip = ({ skips }: Tally, skip: InlineSkip, amount: number): void =>
  void skips.set(skip, (skips.get(skip) ?? 0) + amount);

function countType(types: Map<string, number>, type: string, amount: number): void {
  const name = types.size < mostTypes || types.has(type) ? type : 'other types';
  types.set(name, (types.get(name) ?? 0) + amount);
}

/** A policy of a type, with its counters at hand: this is looked at a hundred million times. */
interface Entry {
  readonly one: PreparedPolicy;
  readonly decide: (resource: Resource, now: number) => Verdict | typeof skipped;
  readonly counts: PolicyTally;
}

/** The policies about a type. What neither fails nor is skipped passed: it is counted by what was seen. */
interface Group {
  readonly entries: readonly Entry[];
  readonly isUnmatched: boolean;
  readonly isWanted: boolean;
  seen: number;
}

const skipped = { status: 'SKIPPED' } as const;

/** A resource as conditions see it. */
export const toEvaluate = (resource: Resource): Resource => fitAttributes(restoreUnknown(resource));

/** Why a finding is exempt, in one line, and the inline skip that it is for. */
interface Spared {
  readonly why: string;
  readonly skip?: InlineSkip;
}

const withSkip = (finding: Finding, skip: InlineSkip | undefined): CheckedFinding =>
  skip ? { ...finding, inline_skip: { ...skip.place, until: skip.until } } : finding;

/** @throws Error when a condition does not compile: callers have checked it */
export function createChecker({
  policies,
  exemptions,
  now,
  all,
  types = [],
}: CheckerOptions): Checker {
  const prepared = policies.map(preparePolicy);
  const byName = new Map(prepared.map((one) => [one.policy.name, one]));
  const namesType = createNamesType();
  let tally = emptyTally(policies.length, exemptions.length);
  let groups = createGroups(prepared, tally, namesType, types);

  const exemptionOf = (entry: Entry, checked: Checked): Spared | undefined => {
    const { one } = entry;
    const { resource, suppressed } = checked;
    const suppression = suppressed && suppressionOf(one.policy, suppressed);
    if (suppression !== undefined) return { why: suppression };
    const index = exemptions.findIndex((each) => isExempt(each, one, resource.id, now));
    const exemption = exemptions[index];
    if (exemption) {
      tally.exemptions[index] = (tally.exemptions[index] ?? 0) + 1;
      return { why: describeExemption(exemption) };
    }
    const skip = skipOf(entry, checked);
    return skip && { why: describeSkip(skip), skip };
  };

  /** The skip of the resource; or those of its parts, where it passes without these parts. */
  const skipOf = (
    { one, decide }: Entry,
    { resource, inlineSkips }: Checked,
  ): InlineSkip | undefined => {
    const its = (inlineSkips ?? []).filter(({ skip }) => doesSkip(skip, one, now));
    const whole = its.filter(({ part }) => part === undefined);
    const parts = new Set(its.flatMap(({ part }) => part ?? []));
    const used =
      whole.length > 0 || parts.size === 0
        ? whole
        : decide(withoutParts(resource, parts), now).status === 'PASS'
          ? its
          : [];
    for (const { skip } of used) countSkip(tally, skip, 1);
    return used[0]?.skip;
  };

  /** Counts what does not pass, and says why it is exempt where it is. */
  const settle = (
    entry: Entry,
    verdict: Exclude<ReturnType<Entry['decide']>, { status: 'PASS' }>,
    checked: Checked,
  ): Spared | undefined => {
    const { counts } = entry;
    const exemption = verdict.status === 'FAIL' ? exemptionOf(entry, checked) : undefined;
    if (exemption !== undefined) counts.exempt++;
    else if (verdict.status === 'FAIL') counts.fail++;
    else if (verdict.status === 'SKIPPED') counts.skipped++;
    else {
      counts.error++;
      if (verdict.reason === 'unknown_value') counts.unknown++;
    }
    return exemption;
  };

  return {
    policies: prepared,
    check(checked, out, most) {
      const group = groups.of(checked.resource.type);
      if (!group.isWanted) return;
      const resource = toEvaluate(checked.resource);
      tally.resources++;
      for (const { skip } of checked.inlineSkips ?? []) countSkip(tally, skip, 0);
      if (group.isUnmatched) countType(tally.unmatched, resource.type, 1);
      if (group.entries.length === 0) return;
      group.seen++;
      for (const entry of group.entries) {
        const verdict = entry.decide(resource, now);
        if (verdict.status === 'PASS') {
          if (all && out.length < most) out.push(findingOf(entry.one, resource, verdict));
          continue;
        }
        const exemption = settle(entry, verdict, checked);
        if (verdict.status === 'SKIPPED' && !all) continue;
        if (out.length < most) {
          const finding = findingOf(entry.one, resource, verdict, exemption?.why);
          out.push(withSkip(sayAsSource(finding, resource), exemption?.skip));
        }
      }
    },
    isWanted: (type) => groups.of(type).isWanted,
    fails: (name, resource) =>
      byName.get(name)?.decide(toEvaluate(resource), now).status === 'FAIL',
    takeTally() {
      groups.countPasses();
      const taken = tally;
      tally = emptyTally(policies.length, exemptions.length);
      groups = createGroups(prepared, tally, namesType, types);
      return taken;
    },
  };
}

/** The groups that resources have asked for. A policy with a pattern is in several. */
function createGroups(
  prepared: readonly PreparedPolicy[],
  { policies }: Tally,
  namesType: ReturnType<typeof createNamesType>,
  types: readonly string[],
) {
  const entries = policies.flatMap((counts, index): Entry[] => {
    const one = prepared[index];
    return one ? [{ one, decide: one.policy.enabled ? one.decide : () => skipped, counts }] : [];
  });
  const entriesFor = createTypeIndex(entries, ({ one }) => one.policy.resource_type);
  const anyCase = new Set(prepared.map(({ policy }) => policy.resource_type.toLowerCase()));
  const byType = new Map<string, Group>();
  return {
    of(type: string): Group {
      const known = byType.get(type);
      if (known) return known;
      const its = entriesFor(type);
      const isMeant = its.some(({ one }) => !isTypePattern(one.policy.resource_type));
      const isNamed = its.some(({ one }) => namesType(one.policy, type));
      const isUnmatched = !isNamed || (!isMeant && anyCase.has(type.toLowerCase()));
      const isWanted = types.length === 0 || types.some((wanted) => matchesType(wanted, type));
      const group = { entries: its, isUnmatched, isWanted, seen: 0 };
      byType.set(type, group);
      return group;
    },
    /** Once, after the last resource. */
    countPasses(): void {
      for (const { entries: its, seen } of byType.values()) {
        for (const { counts } of its) counts.pass += seen;
      }
      for (const { counts } of entries) {
        counts.pass -= counts.fail + counts.error + counts.exempt + counts.skipped;
      }
    },
  };
}
