import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { inThrees } from '../../contract/in-threes.ts';
import type { Severity } from '../../contract/policies.ts';
import type { SummaryQuery, ViolationGroup, ViolationSummary } from '../../contract/violations.ts';
import { readLabels } from '../../engine/labels.ts';
import { weightOf } from '../../engine/score.ts';
import { ageBucketOf, ageBuckets } from '../../report/content/risk-points.ts';
import { firstOf } from '../first-of.ts';
import type { Reader } from '../store/store.ts';
import type { StoredViolation } from './collection.ts';
import type { CostSums } from './cost.ts';
import { ageOf, matching, memoized, valueBy } from './service.ts';
import type { MatchBy } from './service.ts';

/** Groups of one summary: each takes memory while it is made. */
const mostGroups = 200_000;

/** What puts a violation in a group, and how the group is shown. */
interface Kind {
  readonly key: string | null;
  readonly label?: string | undefined;
}

type KindsOf = (violation: StoredViolation) => readonly Kind[];

/** Ages as the filter `age` takes them, in the order of `ageBuckets`. */
const ageKeys = ageBuckets.map(({ days }, at) => {
  const older = ageBuckets[at - 1]?.days;
  if (older === undefined) return `>${days - 1}d`;
  return days === 0 ? `<${older}d` : `${days}d..${older - 1}d`;
});

function kindsBy(groupBy: string, { now, ownerTags }: MatchBy): KindsOf {
  switch (groupBy) {
    case 'policy':
      return ({ policy_id: key, policy_name: label }) => [{ key, label }];
    case 'resource':
      return ({ resource_id: key, resource_name: label }) => [{ key, label }];
    case 'framework': {
      const byKey = new Map<string | null, Kind>();
      // One object for all labels of a framework.
      const frameworkOf = memoized((text) => {
        const [{ key, framework: label } = { key: null, framework: undefined }] = readLabels([
          text,
        ]);
        const kind = byKey.get(key) ?? { key, label };
        byKey.set(key, kind);
        return kind;
      });
      return ({ compliance_frameworks: labels }) =>
        labels.length === 0 ? [{ key: null }] : [...new Set(labels.map(frameworkOf))];
    }
    case 'age':
      return (violation) => {
        const bucket = ageBucketOf(ageOf(violation, now));
        return [{ key: ageKeys[ageBuckets.indexOf(bucket)] ?? null, label: bucket.label }];
      };
    default: {
      const valueOf = valueBy(groupBy, ownerTags);
      return (violation) => [{ key: valueOf(violation) ?? null }];
    }
  }
}

/** Stands for all groups. */
const everything = {};

const lower = (severity: Severity) => severity.toLowerCase() as Lowercase<Severity>;

/**
 * Counts violations in groups, in turns.
 * @param costs of who may see them
 * @throws GovctlError malformed_request where there are too many groups
 */
export async function summarize(
  reader: Reader,
  { group_by: groupBy, limit, ...filter }: SummaryQuery,
  by: MatchBy,
  costs: CostSums | undefined,
): Promise<ViolationSummary> {
  const kindsOf = kindsBy(groupBy, by);
  const groups = new Map<string | null, ViolationGroup>();
  let total = 0;
  for await (const violation of matching(reader, filter, by)) {
    total += 1;
    costs?.add(everything, violation);
    for (const { key, label } of kindsOf(violation)) {
      let group = groups.get(key);
      if (!group) groups.set(key, (group = emptyGroup(key, label, violation.detected_at)));
      group[lower(violation.severity)] += 1;
      group.total += 1;
      group.weighted_risk += weightOf(violation);
      costs?.add(group, violation);
      if (violation.detected_at < group.oldest) group.oldest = violation.detected_at;
    }
    if (groups.size > mostGroups) throw tooMany();
  }
  return {
    group_by: groupBy,
    groups: (await firstOf(groups.values(), gravestFirst, limit)).map((group) => ({
      ...group,
      ...costs?.of(group),
    })),
    groups_total: groups.size,
    total,
    ...costs?.of(everything),
  };
}

const emptyGroup = (key: string | null, label: string | undefined, oldest: string) => ({
  key,
  ...defined({ label: label === key ? undefined : label }),
  critical: 0,
  high: 0,
  medium: 0,
  low: 0,
  total: 0,
  oldest,
  weighted_risk: 0,
});

const tooMany = (): GovctlError =>
  new GovctlError('malformed_request', `There are more than ${inThrees(mostGroups)} groups`, {
    hint: 'Add a filter such as severity or account_id, or group by something else.',
  });

/** Those of the highest risk first, of equal ones by key. */
const gravestFirst = (a: ViolationGroup, b: ViolationGroup): number => {
  if (a.weighted_risk !== b.weighted_risk) return b.weighted_risk - a.weighted_risk;
  if (a.key === null || b.key === null) return a.key === b.key ? 0 : a.key === null ? 1 : -1;
  return a.key < b.key ? -1 : 1;
};
