import type { Deps } from '../../deps.ts';
import { allRows } from '../../store/all-rows.ts';
import type { Tx } from '../../store/store.ts';
import { reportLanes, reports } from '../collection.ts';
import type { ReportResult, StoredReport } from '../collection.ts';
import { readBlobId } from './scratch.ts';
import { interrupted } from './transitions.ts';

export interface CleanUpOptions {
  /** The `job_…` ids of what writes blobs just now. */
  readonly writing: ReadonlySet<string>;
  /** Writes down a report that has ended. */
  readonly end: (tx: Tx, report: StoredReport) => Promise<void>;
  /** Told of it once that has lasted. */
  readonly ended: (report: StoredReport) => void;
}

/** Puts in order what a process left that went away: reports that nobody generates, and files that nobody knows. */
export async function cleanUp(deps: Deps, { writing, end, ended }: CleanUpOptions): Promise<void> {
  const cut: string[] = [];
  for await (const { doc } of allRows(deps.store, reports, { status: { any: ['generating'] } })) {
    cut.push(doc.id);
  }
  for (const id of cut) {
    const last = await putInOrder(deps, id, end);
    if (last) ended(last);
  }
  for await (const blob of deps.store.blobs.list()) {
    const named = readBlobId(blob);
    // Looked at first: what has ended by then is written down.
    if (!named || writing.has(named.attempt)) continue;
    const result = (await deps.store.get(reports, named.report))?.doc.result;
    if (!result || !blobsOf(result).includes(blob)) await deps.store.blobs.remove(blob);
  }
}

/** @returns it, where it is not begun again */
const putInOrder = (
  { store, clock, log }: Deps,
  id: string,
  end: CleanUpOptions['end'],
): Promise<StoredReport | undefined> =>
  store.transact(async (tx) => {
    const report = (await tx.get(reports, id))?.doc;
    if (report?.status !== 'generating') return undefined;
    const next = interrupted(report, clock.now());
    log.warn({ report_id: id, attempt: report.attempts }, 'a report was interrupted');
    if (next.status === 'pending') {
      await tx.replace(reports, next);
      return undefined;
    }
    await end(tx, next);
    await tx.clear(reportLanes, id);
    return next;
  });

/** The ids of all blobs of a report. */
const blobsOf = ({ model, files }: ReportResult): readonly string[] => [
  ...model,
  ...files.flatMap(({ blob, signature }) => (signature ? [blob, signature.blob] : [blob])),
];

/** Best effort: what can't be removed now is at the next start. */
export async function removeReportBlobs(deps: Deps, result: ReportResult): Promise<void> {
  for (const blob of blobsOf(result)) {
    await deps.store.blobs.remove(blob).catch((error: unknown) => {
      deps.log.warn({ blob, err: error }, 'a file of a deleted report could not be removed');
    });
  }
}
