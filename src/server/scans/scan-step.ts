import { defined } from '../../contract/defined.ts';
import { typeKey } from '../../contract/resources.ts';
import type { KnownResource } from '../../contract/resources.ts';
import { complianceScore, tally } from '../../engine/score.ts';
import type { Tally } from '../../engine/score.ts';
import { createCollector } from '../../engine/standing.ts';
import { assessAll } from '../compliance/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { StoredSubject } from '../evaluation/verdicts.ts';
import { enabledPolicies } from '../evaluation/judge.ts';
import type { Judge } from '../evaluation/judge.ts';
import { recordSome } from '../evaluation/step.ts';
import type { RecordedSome, Step } from '../evaluation/step.ts';
import { evaluationLanes, evaluationWork, removeWork } from '../evaluation/work.ts';
import type { ScanWork } from '../evaluation/work.ts';
import { formatDuration } from '../format-duration.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { beginning, resources } from '../resources/collection.ts';
import type { StoredResource } from '../resources/collection.ts';
import type { Page, Reader, Tx, Versioned } from '../store/store.ts';
import { announceScan } from './announce.ts';
import { scans } from './collection.ts';
import type { StoredScan } from './collection.ts';
import { readScan } from './service.ts';

/** Resources of one step; of few policies, or none, each is quick. */
const mostResources = 500;
/** Evaluations of one step, but for those of its last resource. */
const mostEvaluationsOfStep = 5_000;
/** Findings that could not be decided and are kept with the scan. */
const mostUndecided = 20;

/** Times that a scan may fail in a row, and milliseconds until it is tried again: doubled each time. */
const mostFailures = 3;
const retryAfter = 1_000;

/** Goes on with a scan. */
export async function scanStep(step: Step, work: ScanWork): Promise<void> {
  try {
    await goOn(step, work);
  } catch (error) {
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
  const subjects = await subjectsOf(store, scan, page.rows);
  const verdicts = await evaluation.ofStored(asker, { now: deps.clock.now(), subjects });
  const total = begun.total ?? page.total;
  const policiesOf = async (judge: Judge, { type }: KnownResource) =>
    (await judge.policiesOf(type)).filter(({ policy }) => isAbout(scan, policy.id));
  let rows = page.rows.slice(0, subjects.length);
  let work = begun;
  do {
    const written = await step.write(async (judge) => {
      const some = await recordSome(judge, { rows, verdicts }, policiesOf);
      const left = rows.slice(some.seen);
      const isLast = left.length === 0 && !page.hasMore && subjects.length === page.rows.length;
      const progressed = await progress(judge, work, { some, total, isLast });
      const after = rows[some.seen - 1]?.doc.id;
      const next: ScanWork = {
        ...progressed,
        due_at: judge.now,
        ...(after === undefined ? {} : { after }),
      };
      if (isLast) {
        await removeWork(judge.tx, work.id);
        return { work: next, left, isOver: true };
      }
      const isOver = left.length === 0 || some.isOutdated;
      return { ...(isOver ? { later: next } : { next }), work: next, left, isOver };
    });
    if (written === 'left' || written.isOver) return;
    ({ work, left: rows } = written);
  } while (rows.length > 0);
}

/** The resources of a page, with the policies that are evaluated over them: as many as a step takes, one at least. */
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
      policies = (await enabledPolicies(reader, key)).filter((row) => isAbout(scan, row.doc.id));
      byType.set(key, policies);
    }
    subjects.push({ resource: doc.resource, policies });
    evaluations += policies.length;
  }
  return subjects;
}

const isAbout = ({ policy_ids: ids }: StoredScan, id: string): boolean => !ids || ids.includes(id);

/** Writes down what was found, and at the end what came of all. @returns the work, with its counts */
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
  const counted = tally(work.tally, findings);
  const undecided = findings.filter(({ status }) => status === 'ERROR');
  const progressed = {
    ...withCounts(scan, counted, scan.resources_scanned + some.seen, now),
    ...(counted.error > 0
      ? { undecided: [...(scan.undecided ?? []), ...undecided].slice(0, mostUndecided) }
      : {}),
  };
  const standings = collector?.standings();
  if (isLast) {
    const { doc } = await tx.replace(scans, completed(progressed, counted, now));
    await announceScan(deps, tx, 'scan.completed', doc);
    if (standings) await assessAll(deps, tx, standings);
  } else {
    const done = Math.min(
      99,
      Math.floor((100 * progressed.resources_scanned) / Math.max(1, total)),
    );
    await tx.replace(scans, { ...progressed, progress: done });
  }
  const { id } = work;
  return {
    kind: 'scan',
    id,
    due_at: now,
    total,
    tally: counted,
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

/** Only a scan of everything says how a framework stands. */
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

const withCounts = (
  scan: StoredScan,
  { evaluated, pass, fail, error, exempt }: Tally,
  scanned: number,
  now: number,
): StoredScan => ({
  ...scan,
  status: 'running',
  summary: { evaluated, pass, fail, error, exempt },
  resources_scanned: scanned,
  violations_found: fail,
  started_at: scan.started_at ?? timestamp(now),
});

const completed = (scan: StoredScan, counted: Tally, now: number): StoredScan => ({
  ...scan,
  status: 'completed',
  progress: 100,
  compliance_score: complianceScore(counted),
  ...endedAt(scan, now),
});

const endedAt = ({ started_at: started }: StoredScan, now: number) => ({
  completed_at: timestamp(now),
  ...(started === undefined ? {} : { duration: formatDuration(now - Date.parse(started)) }),
});

/** Ends a scan that can't be finished; the log has why. */
async function giveUpScan(deps: Deps, tx: Tx, id: string): Promise<void> {
  const scan = (await tx.get(scans, id))?.doc;
  if (!scan) return;
  const reason = 'an evaluation failed again and again; the log of the service has why';
  const { doc } = await tx.replace(scans, {
    ...scan,
    status: 'failed',
    failure: { reason },
    ...endedAt(scan, deps.clock.now()),
  });
  await announceScan(deps, tx, 'scan.failed', doc);
}
