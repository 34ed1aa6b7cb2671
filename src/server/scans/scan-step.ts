import { defined } from '../../contract/defined.ts';
import type { Rule } from '../../contract/policies.ts';
import { typeKey } from '../../contract/resources.ts';
import type { KnownResource } from '../../contract/resources.ts';
import { tally } from '../../engine/score.ts';
import { createCollector } from '../../engine/standing.ts';
import { assessAll } from '../compliance/service.ts';
import type { Deps } from '../deps.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import type { StoredSubject, Verdicts } from '../evaluation/verdicts.ts';
import { enabledPolicies } from '../evaluation/judge.ts';
import type { Judge } from '../evaluation/judge.ts';
import { readAgain, recordSome } from '../evaluation/step.ts';
import type { Evaluated, RecordedSome, Step } from '../evaluation/step.ts';
import { evaluationLanes, evaluationWork, removeWork } from '../evaluation/work.ts';
import type { ScanWork } from '../evaluation/work.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { beginning, resources } from '../resources/collection.ts';
import type { StoredResource } from '../resources/collection.ts';
import type { Page, Reader, Tx, Versioned } from '../store/store.ts';
import type { Asker } from '../threads/threads.ts';
import { TimeUp } from '../threads/time-up.ts';
import { announceScan } from './announce.ts';
import { scans } from './collection.ts';
import type { StoredScan } from './collection.ts';
import { keepSamples } from './samples.ts';
import type { Passed } from './samples.ts';
import { readScan } from './service.ts';
import { completed, failed, running } from './transitions.ts';
import type { ScanCounts } from './transitions.ts';

/** Maximum resources per step, for resources with few policies or none. */
const mostResources = 500;
/** Maximum evaluations per step, except that its last resource is not split. */
const mostEvaluationsOfStep = 5_000;
/**
 * Maximum consecutive failures of a scan, and milliseconds until the first retry, doubled each time. A timeout, as on a
 * busy machine, is not a failure: the scan continues later, any number of times.
 */
const mostFailures = 3;
const retryAfter = 1_000;

/** Continues a scan. */
export async function scanStep(step: Step, work: ScanWork): Promise<void> {
  try {
    await goOn(step, work);
  } catch (error) {
    if (error instanceof TimeUp) throw error;
    if (step.asker.signal.aborted || !step.deps.store.health().writable) throw error;
    step.deps.log.error({ work: work.id, err: error }, 'background evaluation failed');
    await retryOrGiveUp(step, work);
  }
}

async function goOn(step: Step, begun: ScanWork): Promise<void> {
  const { deps, evaluation, asker } = step;
  const { store } = deps;
  const scan = (await store.get(scans, begun.id))?.doc;
  if (!scan) {
    await step.write(async ({ tx }) => {
      await removeWork(tx, begun.id);
      return {};
    });
    return;
  }
  const page = await nextResources(store, scan, begun, step.most);
  const evaluate = (subjects: readonly StoredSubject[]): Promise<Verdicts> =>
    evaluation.ofStored(asker, { now: deps.clock.now(), subjects });
  const subjects = await subjectsOf(store, scan, page.rows);
  let left: Evaluated = {
    rows: page.rows.slice(0, subjects.length),
    verdicts: await evaluate(subjects),
    repeated: new Set(),
  };
  const hasMore = page.hasMore || left.rows.length < page.rows.length;
  const pathsOf = await readPaths(evaluation, asker, subjects);
  const total = begun.total ?? page.total;
  const policiesOf = async (judge: Judge, { type }: KnownResource) =>
    (await judge.policiesOf(type)).filter(({ policy }) => isAbout(scan, type, policy.id));
  let work = begun;
  do {
    const evaluated = left;
    const written = await step.write(async (judge) => {
      const some = await recordSome(judge, evaluated, policiesOf);
      const passed = passedOf(some.found, pathsOf);
      await keepSamples(judge.tx, { scanId: scan.id, now: judge.now }, passed);
      const isPageDone = some.seen === evaluated.rows.length;
      const isLast = isPageDone && !hasMore;
      const progressed = await progress(judge, work, { some, total, isLast });
      const after = evaluated.rows[some.seen - 1]?.doc.id;
      const next: ScanWork = {
        ...progressed,
        due_at: judge.now,
        ...(after === undefined ? {} : { after }),
      };
      if (isLast) await removeWork(judge.tx, work.id);
      const goesOn = isLast ? {} : isPageDone ? { later: next } : { next };
      return { ...goesOn, work: next, some, isPageDone };
    });
    if (written === 'left' || written.isPageDone) return;
    ({ work } = written);
    left = { ...evaluated, rows: evaluated.rows.slice(written.some.seen) };
    if (written.some.isOutdated) {
      const again = await readAgain(store, left.rows);
      left = {
        ...again,
        verdicts: await evaluate(await subjectsOf(store, scan, again.rows, Infinity)),
      };
    }
  } while (left.rows.length > 0);
}

/** The attributes that the rules of each policy read. */
async function readPaths(
  evaluation: Evaluation,
  asker: Asker,
  subjects: readonly StoredSubject[],
): Promise<ReadonlyMap<unknown, readonly string[]>> {
  const paths = new Map<unknown, readonly string[]>();
  for (const { policies } of subjects) {
    for (const { doc } of policies) {
      if (paths.has(doc.rules) || doc.quarantined) continue;
      paths.set(doc.rules, (await evaluation.describe(asker, doc.rules as Rule[])).attributes);
    }
  }
  return paths;
}

/** What passed policies whose rules are those that were read. */
const passedOf = (
  found: RecordedSome['found'],
  pathsOf: ReadonlyMap<unknown, readonly string[]>,
): Passed[] =>
  found.flatMap(({ judged: { policy }, resource, finding }) => {
    const paths = pathsOf.get(policy.rules);
    return finding.status === 'PASS' && paths ? [{ policyId: policy.id, resource, paths }] : [];
  });

/** The resources of a page with their policies: as many as fit in a step, at least one. */
async function subjectsOf(
  reader: Reader,
  scan: StoredScan,
  rows: Page<StoredResource>['rows'],
  most = mostEvaluationsOfStep,
): Promise<StoredSubject[]> {
  const byType = new Map<string, readonly Versioned<StoredPolicy>[]>();
  const subjects: StoredSubject[] = [];
  let evaluations = 0;
  for (const { doc } of rows) {
    if (evaluations > most) break;
    const key = typeKey(doc.resource.type);
    let policies = byType.get(key);
    if (!policies) {
      policies = (await enabledPolicies(reader, key)).filter((row) =>
        isAbout(scan, key, row.doc.id),
      );
      byType.set(key, policies);
    }
    subjects.push({ resource: doc.resource, policies });
    evaluations += policies.length;
  }
  return subjects;
}

/** Resources can change during a scan, also to another type. */
const isAbout = (
  { resource_types: types, policy_ids: ids }: StoredScan,
  type: string,
  policyId: string,
): boolean =>
  (!types || types.some((one) => typeKey(one) === typeKey(type))) &&
  (!ids || ids.includes(policyId));

/** Stores the results, and after the last page the summary. @returns the work, with its counts */
async function progress(
  { deps, tx, now }: Judge,
  work: ScanWork,
  {
    some,
    total,
    isLast,
  }: { readonly some: RecordedSome; readonly total: number; readonly isLast: boolean },
): Promise<ScanWork> {
  const { doc: scan } = await readScan(tx, work.id);
  const collector = isWhole(scan) ? createCollector(work.standings ?? []) : undefined;
  for (const { judged, resource, finding, status } of some.found) {
    collector?.add(judged.policy, resource, finding, status);
  }
  const findings = some.found.map(({ finding }) => finding);
  const counts: ScanCounts = {
    tally: tally(work.tally, findings),
    scanned: scan.resources_scanned + some.seen,
    undecided: findings.filter(({ status }) => status === 'ERROR'),
  };
  const standings = collector?.standings();
  if (isLast) {
    const { doc } = await tx.replace(scans, completed(scan, counts, now));
    await announceScan(deps, tx, 'scan.completed', doc);
    if (standings) await assessAll(deps, tx, standings);
  } else await tx.replace(scans, running(scan, counts, { total, now }));
  const { id } = work;
  return {
    kind: 'scan',
    id,
    due_at: now,
    total,
    tally: counts.tally,
    ...defined({ after: work.after, standings }),
  };
}

async function retryOrGiveUp(step: Step, { id }: ScanWork): Promise<void> {
  const { deps, claimed } = step;
  await deps.store.transact(async (tx) => {
    const latest = (await tx.get(evaluationWork, id))?.doc;
    if (latest?.kind !== 'scan') return;
    const failures = (latest.failures ?? 0) + 1;
    if (failures >= mostFailures) {
      await giveUpScan(deps, tx, id);
      await removeWork(tx, id);
      return;
    }
    await tx.replace(evaluationWork, { ...latest, failures });
    const pause = retryAfter * 2 ** (failures - 1);
    await tx.putOff(evaluationLanes, claimed.lane, deps.clock.now() + pause);
  });
}

/** Only a scan of the whole inventory gives the standing of a framework. */
const isWhole = ({ resource_types: types, policy_ids: policyIds }: StoredScan): boolean =>
  types === undefined && policyIds === undefined;

const nextResources = async (
  reader: Reader,
  { resource_types: types }: StoredScan,
  { after }: ScanWork,
  most: number,
): Promise<Page<StoredResource>> =>
  reader.page(resources, {
    ...(types ? { where: { type: { any: types.map(typeKey) } } } : {}),
    orderBy: 'id',
    direction: 'asc',
    limit: Math.min(mostResources, most),
    ...(after === undefined ? {} : { after: { value: beginning(after), id: after } }),
  });

/** Ends a scan that cannot be finished; the cause is in the log. */
async function giveUpScan(deps: Deps, tx: Tx, id: string): Promise<void> {
  const scan = (await tx.get(scans, id))?.doc;
  if (!scan) return;
  const reason = 'an evaluation failed repeatedly; see the log of the service';
  const { doc } = await tx.replace(scans, failed(scan, reason, deps.clock.now()));
  await announceScan(deps, tx, 'scan.failed', doc);
}
