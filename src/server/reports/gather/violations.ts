import { defined } from '../../../contract/defined.ts';
import { beginning } from '../../resources/collection.ts';
import type { Reader } from '../../store/store.ts';
import { violations } from '../../violations/collection.ts';
import type { StoredViolation } from '../../violations/collection.ts';
import type {
  Replayed,
  PolicyViolations,
  StepRow,
  ViolationFacts,
  ViolationRow,
} from '../../../report/content/facts.ts';
import { ageBucketOf, ageBuckets, riskPoints } from '../../../report/content/risk-points.ts';
import { createGroups, noneBySeverity } from '../../../report/content/counters.ts';
import { describeMappings, mappingsOf } from '../../../report/content/framework.ts';
import { playBack } from './history.ts';
import { orderKey } from '../../../report/content/order-key.ts';
import { pagesOf } from './pages.ts';
import type { Pace } from '../../pace.ts';
import { isInScope, isOfFramework } from '../../../report/content/scope.ts';
import type { Scope } from '../../../report/content/scope.ts';
import type { Spool } from './spool.ts';
import { addTo, createTopResources, newViolationCounts } from './violation-counts.ts';
import { brief } from '../../../report/content/text.ts';

const hour = 3_600_000;

interface ViolationSpools {
  readonly rows?: Spool<ViolationRow> | undefined;
  /** Which rows are asked for, and the key they are ordered by; undefined: not asked for. */
  readonly keyOf: (row: ViolationRow, replayed: Replayed) => string | undefined;
  readonly steps?: Spool<StepRow> | undefined;
}

interface ViolationPass {
  readonly spools: ViolationSpools;
  /** Is told of each that is open at the end. */
  readonly onOpen?: ((row: ViolationRow) => void) | undefined;
  readonly pace: Pace;
  /** From 0 to 1. */
  readonly onProgress: (part: number) => void;
}

/** Plays back every violation that is in scope, and counts what they were. */
export async function gatherViolations(
  reader: Reader,
  scope: Scope,
  { spools, onOpen, pace, onProgress }: ViolationPass,
): Promise<Omit<ViolationFacts, 'rows' | 'steps'>> {
  const counts = newCounts(scope);
  let place: string | undefined;
  let seen = 0;
  for await (const page of pagesOf(reader, violations, { orderBy: 'resource_id' })) {
    for (const { doc } of page.rows) {
      // Ids order by their beginning: those that share it may come in turns.
      const its = beginning(doc.resource_id);
      if (its !== place) counts.top.settle();
      place = its;
      await pace.spend(2);
      const isIn = isInScope(scope, doc) && isOfFramework(scope, doc.compliance_frameworks);
      if (isIn) countOne(counts, scope, doc, { spools, onOpen });
    }
    await pace.spend(page.rows.length);
    await spools.rows?.drain();
    await spools.steps?.drain();
    seen += page.rows.length;
    onProgress(Math.min(1, seen / Math.max(1, page.total)));
  }
  counts.top.settle();
  const { top, ...facts } = counts;
  return { ...facts, topResources: top.list(), affected: top.affected() };
}

/** Of a short range, hours are told apart; else days. */
const tickOf = ({ since, until }: Scope): number =>
  since !== undefined && until - since <= 72 * hour ? hour : 24 * hour;

const newCounts = (scope: Scope) => ({
  total: newViolationCounts(),
  policies: new Map<string, PolicyViolations>(),
  environments: createGroups(newViolationCounts),
  providers: createGroups(newViolationCounts),
  accounts: createGroups(newViolationCounts),
  regions: createGroups(newViolationCounts),
  ages: ageBuckets.map(noneBySeverity),
  top: createTopResources(),
  tick: tickOf(scope),
  ticks: new Map<number, { opened: number; resolved: number; exempted: number }>(),
  resolving: {
    CRITICAL: { sum: 0, count: 0, unknown: 0 },
    HIGH: { sum: 0, count: 0, unknown: 0 },
    MEDIUM: { sum: 0, count: 0, unknown: 0 },
    LOW: { sum: 0, count: 0, unknown: 0 },
  },
  causes: new Map<string, number>(),
  cut: 0,
});

type Counts = ReturnType<typeof newCounts>;

function countOne(
  counts: Counts,
  scope: Scope,
  violation: StoredViolation,
  { spools, onOpen }: Pick<ViolationPass, 'spools' | 'onOpen'>,
): void {
  const replayed = playBack(violation, scope);
  if (replayed.isCut) counts.cut += 1;
  const row = rowOf(violation, replayed, scope);
  if (!row) return;
  const { severity, points = 0 } = row;
  for (const one of [
    counts.total,
    violationsOfPolicy(counts, scope, violation).counts,
    counts.environments.of(row.environment),
    counts.providers.of(row.provider),
    counts.accounts.of(row.account_id),
    counts.regions.of(row.region),
  ]) {
    addTo(one, replayed, severity, points);
  }
  if (row.status === 'OPEN') {
    onOpen?.(row);
    const { resource, resource_type, environment, provider, account_id, region } = row;
    const about = {
      resource,
      resource_type,
      provider,
      ...defined({ environment, account_id, region }),
    };
    counts.top.add(about, severity, points);
    const age = ageBuckets.indexOf(ageBucketOf(ageOf(row, scope)));
    const bucket = counts.ages[age];
    if (bucket) bucket[severity] += 1;
  }
  countSteps(counts, scope, row, replayed, spools.steps);
  const key = spools.keyOf(row, replayed);
  if (key !== undefined) spools.rows?.add(key, row);
}

function violationsOfPolicy(
  counts: Counts,
  { framework }: Scope,
  { policy_id: id, policy_name: name, severity, compliance_frameworks: labels }: StoredViolation,
): PolicyViolations {
  let known = counts.policies.get(id);
  if (!known) {
    const mappings = mappingsOf(labels, framework);
    known = { id, name, severity, mappings, counts: newViolationCounts() };
    counts.policies.set(id, known);
  }
  return known;
}

function countSteps(
  counts: Counts,
  scope: Scope,
  row: ViolationRow,
  { steps }: Replayed,
  spool: Spool<StepRow> | undefined,
): void {
  for (const step of steps) {
    const { at, from, to, cause, lasted } = step;
    const number = Math.floor((at - (scope.since ?? 0)) / counts.tick);
    const tick = counts.ticks.get(number) ?? { opened: 0, resolved: 0, exempted: 0 };
    counts.ticks.set(number, tick);
    if (to === 'OPEN' && from !== 'OPEN') tick.opened += 1;
    if (from === 'OPEN' && to === 'EXEMPT') tick.exempted += 1;
    if (from === 'OPEN' && to === 'RESOLVED') {
      tick.resolved += 1;
      counts.causes.set(cause, (counts.causes.get(cause) ?? 0) + 1);
      const resolving = counts.resolving[row.severity];
      if (lasted === undefined) resolving.unknown += 1;
      else {
        resolving.sum += lasted;
        resolving.count += 1;
      }
    }
    if (!spool) continue;
    const { by, reason } = step;
    const { policy, resource, severity, id } = row;
    spool.add(orderKey(severity, policy, row.policy_id), {
      at,
      policy,
      resource,
      severity,
      ...defined({ from }),
      to,
      cause,
      ...defined({ by }),
      ...(reason === undefined ? {} : { reason: brief(reason) }),
      id,
    });
  }
}

/** Milliseconds that it had been found for, at the end of the scope. */
const ageOf = ({ found_at: found }: ViolationRow, { end }: Scope): number => end - found;

function rowOf(
  violation: StoredViolation,
  { atEnd, foundAt, resolvedAt }: Replayed,
  scope: Scope,
): ViolationRow | undefined {
  // There was none yet, or it is not known what it was.
  if (atEnd === undefined) return undefined;
  const { environment, account_id: account, region } = violation;
  const row = {
    id: violation.id,
    policy: violation.policy_name,
    policy_id: violation.policy_id,
    severity: violation.severity,
    resource: violation.resource_id,
    resource_type: violation.resource_type,
    ...defined({ environment }),
    provider: violation.provider.toLowerCase(),
    ...defined({ account_id: account, region }),
    status: atEnd,
    controls: describeMappings(mappingsOf(violation.compliance_frameworks, scope.framework)),
    message: brief(violation.message),
    found_at: foundAt ?? Math.min(Date.parse(violation.detected_at), scope.until - 1),
    ...defined({ resolved_at: resolvedAt }),
  };
  if (atEnd !== 'OPEN') return row;
  return { ...row, points: riskPoints(row.severity, ageOf(row, scope), environment) };
}
