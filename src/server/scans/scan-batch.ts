import { typeKey } from '../../contract/resources.ts';
import type { Finding } from '../../contract/findings.ts';
import { complianceScore, tally } from '../../engine/score.ts';
import type { Tally } from '../../engine/score.ts';
import { createCollector } from '../../engine/standing.ts';
import { assessAll } from '../compliance/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { costOf, judgeAndRecord } from '../evaluation/judge.ts';
import type { Judge } from '../evaluation/judge.ts';
import { putWork, removeWork } from '../evaluation/work.ts';
import type { ScanWork } from '../evaluation/work.ts';
import { beginning, resources } from '../resources/collection.ts';
import type { Page, Tx } from '../store/store.ts';
import type { StoredResource } from '../resources/collection.ts';
import { announceScan } from './announce.ts';
import { scans } from './collection.ts';
import type { StoredScan } from './collection.ts';
import { formatDuration } from '../format-duration.ts';

/** Resources in one transaction; of few policies, or none, each is quick. */
const mostResources = 500;
/** Findings that could not be decided and are kept with the scan. */
const mostUndecided = 20;

/** Goes on with a scan. @returns how many evaluations it counts for */
export async function scanBatch(judge: Judge, work: ScanWork, room: number): Promise<number> {
  const { deps, tx } = judge;
  const scan = (await tx.get(scans, work.id))?.doc;
  if (!scan) {
    await removeWork(tx, work.id);
    return 1;
  }
  const page = await nextResources(tx, scan, work);
  const total = work.total ?? page.total;
  const findings: Finding[] = [];
  const collector = isWhole(scan) ? createCollector(work.standings ?? []) : undefined;
  let cost = 1;
  let scanned = 0;
  for (const { doc } of page.rows) {
    if (cost > room) break;
    cost += 1;
    scanned += 1;
    for (const judged of await judge.policiesOf(doc.resource.type)) {
      if (scan.policy_ids && !scan.policy_ids.includes(judged.policy.id)) continue;
      const { finding, status } = await judgeAndRecord(judge, judged, doc.resource);
      findings.push(finding);
      collector?.add(judged.policy, doc.resource, finding, status);
      cost += costOf(finding);
    }
  }
  const counted = tally(work.tally, findings);
  const undecided = findings.filter(({ status }) => status === 'ERROR');
  const progressed = {
    ...withCounts(scan, counted, scan.resources_scanned + scanned, judge.now),
    ...(counted.error > 0
      ? { undecided: [...(scan.undecided ?? []), ...undecided].slice(0, mostUndecided) }
      : {}),
  };
  const standings = collector?.standings();
  if (!page.hasMore && scanned === page.rows.length) {
    const { doc } = await tx.replace(scans, completed(progressed, counted, judge.now));
    await removeWork(tx, work.id);
    await announceScan(deps, tx, 'scan.completed', doc);
    if (standings) await assessAll(deps, tx, standings);
    return cost;
  }
  const done = Math.min(99, Math.floor((100 * progressed.resources_scanned) / Math.max(1, total)));
  await tx.replace(scans, { ...progressed, progress: done });
  await putWork(tx, {
    kind: 'scan',
    id: work.id,
    due_at: judge.now,
    after: page.rows[scanned - 1]?.doc.id ?? '',
    total,
    tally: counted,
    ...(standings ? { standings } : {}),
  });
  return cost;
}

/** Only a scan of everything says how a framework stands. */
const isWhole = ({ resource_types: types, policy_ids: policyIds }: StoredScan): boolean =>
  types === undefined && policyIds === undefined;

const nextResources = async (
  tx: Tx,
  { resource_types: types }: StoredScan,
  { after }: ScanWork,
): Promise<Page<StoredResource>> =>
  tx.page(resources, {
    ...(types ? { where: { type: { any: types.map(typeKey) } } } : {}),
    orderBy: 'id',
    direction: 'asc',
    limit: mostResources,
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
export async function giveUpScan(deps: Deps, tx: Tx, id: string): Promise<void> {
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
