import { defined } from '../../../contract/defined.ts';
import type { Finding } from '../../../contract/findings.ts';
import type { KnownResource } from '../../../contract/resources.ts';
import { namesService } from '../../../contract/resources.ts';
import { policiesFor } from '../../../engine/evaluate.ts';
import type { Evaluation } from '../../evaluation/evaluation.ts';
import { concludeInTurns, createFindCover } from '../../exemptions/collection.ts';
import type { Concluded } from '../../exemptions/collection.ts';
import { resources } from '../../resources/collection.ts';
import type { Reader } from '../../store/store.ts';
import type { EvaluationFacts, EvaluationRow } from '../../../report/content/facts.ts';
import { countFinding, createGroups, newCounter } from '../../../report/content/counters.ts';
import { pagesOf } from './pages.ts';
import type { Pace } from '../../pace.ts';
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
  readonly evaluation: Evaluation;
  readonly scope: Scope;
  readonly spools: EvaluationSpools;
  readonly pace: Pace;
  readonly signal: AbortSignal;
  /** From 0 to 1. */
  readonly onProgress: (part: number) => void;
}

/** Evaluates the policies over every resource that is in scope, at the report's moment, and counts what they say. */
export async function gatherEvaluations(
  reader: Reader,
  { set }: Policies,
  { evaluation, scope, spools, pace, signal, onProgress }: EvaluationPass,
): Promise<Evaluated> {
  const counts = newCounts();
  const findCover = createFindCover(scope.at);
  let seen = 0;
  for await (const page of pagesOf(reader, resources, { orderBy: 'id' })) {
    const verdicts = await evaluation.ofStored(
      { signal },
      {
        now: scope.at,
        subjects: page.rows.flatMap(({ doc: { resource } }) =>
          isInScope(scope, resource)
            ? [{ resource, policies: policiesFor(set, resource.type).map(({ row }) => row) }]
            : [],
        ),
      },
    );
    for (const { doc } of page.rows) {
      addPlace(counts.places, scope, doc.resource);
      if (!isInScope(scope, doc.resource)) continue;
      counts.resources += 1;
      const about = policiesFor(set, doc.resource.type);
      if (about.some(({ fact }) => namesService(fact.resource_type))) counts.covered += 1;
      for (const policy of about) {
        const verdict = verdicts.of(policy.row.doc, doc.resource);
        if (!verdict) throw new Error('a policy was not evaluated');
        const known = policy.exemptions;
        const concluded = await concludeInTurns(findCover, policy, doc.resource, verdict, known);
        countOne(counts, policy.fact, doc.resource, concluded, spools);
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
  fact: CountedPolicy['fact'],
  resource: KnownResource,
  { finding, cover }: Concluded,
  spools: EvaluationSpools,
): void {
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
