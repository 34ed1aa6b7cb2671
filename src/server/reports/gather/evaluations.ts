import { defined } from '../../../contract/defined.ts';
import type { Finding } from '../../../contract/findings.ts';
import type { KnownResource } from '../../../contract/resources.ts';
import { describeExemption, findingOf, isExempt, policiesFor } from '../../../engine/evaluate.ts';
import type { PreparedPolicy } from '../../../engine/evaluate.ts';
import type { StoredExemption } from '../../exemptions/collection.ts';
import { resources } from '../../resources/collection.ts';
import type { Reader } from '../../store/store.ts';
import type { EvaluationFacts, EvaluationRow } from '../../../report/content/facts.ts';
import { countFinding, createGroups, newCounter } from '../../../report/content/counters.ts';
import { pagesOf } from './pace.ts';
import type { Pace } from './pace.ts';
import type { CountedPolicy, Policies } from './policies.ts';
import { isInScope } from '../../../report/content/scope.ts';
import type { Scope } from '../../../report/content/scope.ts';
import { orderKey } from '../../../report/content/order-key.ts';
import type { Spool } from './spool.ts';
import { brief } from '../../../report/content/text.ts';

/** Examples that are kept of each policy. */
const mostExamples = 5;

interface EvaluationSpools {
  readonly all?: Spool<EvaluationRow> | undefined;
  readonly undecided?: Spool<EvaluationRow> | undefined;
}

export interface Evaluated {
  readonly facts: Omit<EvaluationFacts, 'rows' | 'undecidedRows'>;
  /** Evaluations that are EXEMPT, by the exemption's id. */
  readonly covered: ReadonlyMap<string, number>;
}

interface EvaluationPass {
  readonly scope: Scope;
  readonly spools: EvaluationSpools;
  readonly pace: Pace;
  /** From 0 to 1. */
  readonly onProgress: (part: number) => void;
}

/** Evaluates the policies over every resource that is in scope, at the report's moment, and counts what they say. */
export async function gatherEvaluations(
  reader: Reader,
  { counted, set }: Policies,
  { scope, spools, pace, onProgress }: EvaluationPass,
): Promise<Evaluated> {
  const byPrepared = new Map(counted.map((one) => [one.prepared, one]));
  const counts = newCounts();
  let seen = 0;
  for await (const page of pagesOf(reader, resources, { orderBy: 'id' })) {
    for (const { doc } of page.rows) {
      addPlace(counts.places, scope, doc.resource);
      if (!isInScope(scope, doc.resource)) continue;
      counts.resources += 1;
      const about = policiesFor(set, doc.resource.type);
      if (about.length > 0) counts.covered += 1;
      for (const prepared of about) {
        const policy = byPrepared.get(prepared);
        if (policy) countOne(counts, policy, doc.resource, scope.at, spools);
      }
      await pace.spend(about.length);
    }
    await pace.spend(page.rows.length);
    await spools.all?.drain();
    await spools.undecided?.drain();
    seen += page.rows.length;
    onProgress(Math.min(1, seen / Math.max(1, page.total)));
  }
  const { exemptions, ...facts } = counts;
  return { facts, covered: exemptions };
}

const mostPlaces = 1_000;

function addPlace(
  { environments, providers }: ReturnType<typeof newCounts>['places'],
  scope: Scope,
  { environment, provider }: KnownResource,
): void {
  const add = (into: Set<string>, one: string, asked?: ReadonlySet<string>): void => {
    if (into.size < mostPlaces || asked?.has(one)) into.add(one);
  };
  if (environment !== undefined) add(environments, environment, scope.environments);
  add(providers, provider.toLowerCase(), scope.providers);
}

const newCounts = () => ({
  places: { environments: new Set<string>(), providers: new Set<string>() },
  total: newCounter(),
  severities: {
    CRITICAL: newCounter(),
    HIGH: newCounter(),
    MEDIUM: newCounter(),
    LOW: newCounter(),
  },
  environments: createGroups(newCounter),
  providers: createGroups(newCounter),
  types: createGroups(newCounter),
  resources: 0,
  covered: 0,
  exemptions: new Map<string, number>(),
});

function countOne(
  counts: ReturnType<typeof newCounts>,
  { fact, prepared, exemptions }: CountedPolicy,
  resource: KnownResource,
  at: number,
  spools: EvaluationSpools,
): void {
  const { finding, cover } = judge(prepared, resource, exemptions, at);
  for (const counter of [
    counts.total,
    counts.severities[finding.severity],
    counts.environments.of(resource.environment),
    counts.providers.of(resource.provider.toLowerCase()),
    counts.types.of(resource.type),
    fact.counter,
  ]) {
    countFinding(counter, finding);
  }
  if (cover) counts.exemptions.set(cover.id, (counts.exemptions.get(cover.id) ?? 0) + 1);
  const { status } = finding;
  if (status === 'FAIL' && fact.failing.length < mostExamples) fact.failing.push(resource.id);
  if (status === 'ERROR' && fact.undecided.length < mostExamples) {
    fact.undecided.push(`${resource.id}: ${whyUndecided(finding)}`);
  }
  const spool = status === 'ERROR' ? spools.undecided : undefined;
  if (!spool && !spools.all) return;
  const key = orderKey(finding.severity, fact.name, fact.id);
  const row = rowOf(fact.id, finding, resource);
  spool?.add(key, row);
  spools.all?.add(key, row);
}

/** As the engine's `evaluate`, and which exemption it is that covers. */
function judge(
  prepared: PreparedPolicy,
  resource: KnownResource,
  exemptions: readonly StoredExemption[],
  at: number,
): { readonly finding: Finding; readonly cover?: StoredExemption } {
  const verdict = prepared.decide(resource, at);
  const cover =
    verdict.status === 'FAIL'
      ? exemptions.find((one) => isExempt(one, prepared, resource.id, at))
      : undefined;
  if (!cover) return { finding: findingOf(prepared, resource, verdict) };
  return { finding: findingOf(prepared, resource, verdict, describeExemption(cover)), cover };
}

const whyUndecided = ({ reason, path }: Finding): string =>
  [reason?.replaceAll('_', ' ') ?? 'undecided', path].filter(Boolean).join(' ');

function rowOf(policyId: string, finding: Finding, resource: KnownResource): EvaluationRow {
  const { environment, provider, account_id: account, region } = resource;
  return {
    policy: finding.policy,
    policy_id: policyId,
    severity: finding.severity,
    resource: resource.id,
    resource_type: resource.type,
    ...defined({ environment }),
    provider: provider.toLowerCase(),
    ...defined({ account_id: account, region }),
    // A disabled policy is not evaluated here.
    status: finding.status as EvaluationRow['status'],
    message: brief(messageOf(finding)),
  };
}

function messageOf(finding: Finding): string {
  const said = finding.rules.flatMap(({ message }) => (message ? [message] : [])).join('; ');
  switch (finding.status) {
    case 'ERROR':
      return [whyUndecided(finding), said].filter(Boolean).join(': ');
    case 'EXEMPT':
      return `exempt: ${finding.exemption ?? ''}`;
    case 'FAIL':
      return said || `violates ${finding.policy}`;
    default:
      return said;
  }
}
