import type { Deps } from '../../deps.ts';
import type { CreateLaneRunner } from '../../lanes/runner.ts';
import type { LaneWork, Tx } from '../../store/store.ts';
import { StoreUnavailable } from '../../store/store.ts';
import { TimeUp } from '../../threads/time-up.ts';
import { announceAudit, announceReport } from '../announce.ts';
import { reportLanes, reports } from '../collection.ts';
import type { StoredReport } from '../collection.ts';
import { estimate, recordDuration, reportsAtOnce } from './estimate.ts';
import { describeFailure } from './failure.ts';
import { generate } from './generate.ts';
import type { Generated, Generator } from './generate.ts';
import { createFurtherFiles } from './further-files.ts';
import type { FurtherFiles } from './further-files.ts';
import { createProgress } from './progress.ts';
import { cleanUp, removeReportBlobs } from './clean-up.ts';
import { blobPrefix, createScratch, readBlobId } from './scratch.ts';
import { begun, completed, failed, interrupted, putBack, setBack } from './transitions.ts';

/** The making of reports, in the background and on demand. */
export interface ReportWork {
  /** Looks for due work, now. */
  poke(): void;
  /** Resolves when nothing is due and nothing is under way. */
  idle(): Promise<void>;
  /**
   * The file of a completed report in a format: rendered now, in the asker's turn, where it was not asked for at first.
   * @throws GovctlError report_not_found, report_not_ready, or unavailable where it can't be made
   */
  ensureFile: FurtherFiles['ensure'];
  /** Stops what is made of a report that has been deleted, and removes its files. */
  forget(report: StoredReport): Promise<void>;
  /** Whether a blob is of an attempt that is under way: its report may name it yet. */
  isBeingWritten(blob: string): boolean;
  /** Begins nothing more, and gives what is under way so many milliseconds; the rest is begun anew after the next start. */
  stop(withinMs: number): Promise<void>;
  /** Since the start. */
  readonly counts: Readonly<ReportCounts>;
}

interface ReportCounts {
  completed: number;
  failed: number;
  /** Of those completed, in seconds. */
  seconds: number;
}

/** What happens beside, in the transaction in which a report ends: completed or failed. */
type ReportEnded = (tx: Tx, report: StoredReport) => Promise<void>;

export interface ReportWorkOptions extends Generator {
  readonly createRunner: CreateLaneRunner;
  readonly ended: ReportEnded;
}

/** An attempt under way. */
interface Attempt {
  readonly report: StoredReport;
  readonly timing: string;
  /** Of the monotonic clock. */
  readonly since: number;
}

export function createReportWork(deps: Deps, options: ReportWorkOptions): ReportWork {
  const { store, clock, log } = deps;
  const counts: ReportCounts = { completed: 0, failed: 0, seconds: 0 };
  /** What ends the attempts that are under way, by report. */
  const underWay = new Map<string, AbortController>();
  /** The `job_…` ids of what writes blobs just now. */
  const writing = new Set<string>();
  const furtherFiles = createFurtherFiles(deps, options, writing);

  /** Told of what has lasted: a transaction may run more than once. */
  const countFailed = ({ status }: StoredReport): void => {
    if (status === 'failed') counts.failed += 1;
  };

  /** Without an attempt there is nothing to be done, and the lane is done with. */
  const begin = (claimed: LaneWork): Promise<{ attempt?: Attempt; ended?: StoredReport }> =>
    store.transact(async (tx) => {
      const found = (await tx.get(reports, claimed.work))?.doc;
      const now = clock.now();
      // A server that is gone left it so, after this one's start.
      const before = found?.status === 'generating' ? interrupted(found, now) : found;
      if (before?.status !== 'pending') {
        const ended = before && before !== found ? { ended: before } : {};
        if (ended.ended) await end(tx, ended.ended);
        await tx.complete(reportLanes, claimed);
        return ended;
      }
      const { ms, timing } = await estimate(tx, before);
      const report = { ...begun(before, now), estimated_ms: Math.round(ms) };
      await tx.replace(reports, report);
      if (report.type === 'audit' && before.started_at === undefined) {
        await announceAudit(deps, tx, report);
      }
      return { attempt: { report, timing, since: clock.monotonic() } };
    });

  const end = async (tx: Tx, report: StoredReport): Promise<void> => {
    await tx.replace(reports, report);
    await options.ended(tx, report);
  };

  /** What an attempt comes to, unless its report is gone or is another's by now. @returns whether it did */
  const conclude = (
    claimed: LaneWork,
    { report }: Attempt,
    write: (tx: Tx, current: StoredReport) => Promise<void>,
  ): Promise<boolean> =>
    store.transact(async (tx) => {
      const current = (await tx.get(reports, report.id))?.doc;
      if (current?.status !== 'generating' || current.attempts !== report.attempts) {
        if (!current) await tx.complete(reportLanes, claimed);
        return false;
      }
      await write(tx, current);
      return true;
    });

  const complete = (claimed: LaneWork, attempt: Attempt, made: Generated): Promise<boolean> =>
    conclude(claimed, attempt, async (tx, current) => {
      const report = completed(current, made.result, made.generatedAt, clock.now());
      await recordDuration(tx, attempt.timing, clock.monotonic() - attempt.since);
      await end(tx, report);
      await announceReport(deps, tx, report);
      await tx.complete(reportLanes, claimed);
    });

  const fail = async (claimed: LaneWork, attempt: Attempt, error: unknown): Promise<void> => {
    const { id, attempts } = attempt.report;
    const { reason, mayPass } = describeFailure(error, id);
    log.error({ report_id: id, attempt: attempts, err: error }, 'a report was not generated');
    let last: StoredReport | undefined;
    const isWritten = await conclude(claimed, attempt, async (tx, current) => {
      const now = clock.now();
      const { report, againAt } = mayPass
        ? setBack(current, reason, now)
        : { report: failed(current, reason, now) };
      last = report;
      if (againAt !== undefined) {
        await tx.replace(reports, report);
        await tx.putOff(reportLanes, claimed.lane, againAt);
        return;
      }
      await end(tx, report);
      await tx.complete(reportLanes, claimed);
    });
    if (isWritten && last) countFailed(last);
  };

  const attemptNow = async (
    claimed: LaneWork,
    attempt: Attempt,
    signal: AbortSignal,
    job: string,
  ): Promise<void> => {
    const scratch = createScratch(store.blobs);
    const progress = createProgress(deps, attempt.report);
    let isKept = false;
    try {
      const made = await generate(deps, options, attempt.report, {
        into: scratch,
        prefix: blobPrefix(attempt.report.id, job),
        signal,
        onProgress: progress.tell,
      });
      await progress.end();
      signal.throwIfAborted();
      isKept = await complete(claimed, attempt, made).catch((error: unknown) => {
        // Whether it lasted is not known: the next start looks for what nothing refers to.
        isKept = error instanceof StoreUnavailable;
        throw error;
      });
      if (!isKept) return;
      counts.completed += 1;
      counts.seconds += (clock.monotonic() - attempt.since) / 1_000;
    } finally {
      await progress.end();
      if (!isKept) await discard(scratch, attempt.report.id);
    }
  };

  const discard = async (
    scratch: { discard(): Promise<void> },
    reportId: string,
  ): Promise<void> => {
    await scratch.discard().catch((error: unknown) => {
      log.warn({ report_id: reportId, err: error }, 'files of an attempt could not be removed');
    });
  };

  const perform = async (claimed: LaneWork, stopped: AbortSignal): Promise<void> => {
    await ready();
    stopped.throwIfAborted();
    const { attempt, ended } = await begin(claimed);
    if (ended) countFailed(ended);
    if (!attempt) return;
    const { id } = attempt.report;
    const own = new AbortController();
    underWay.set(id, own);
    const job = deps.ids.next('job');
    writing.add(job);
    try {
      await attemptNow(claimed, attempt, AbortSignal.any([stopped, own.signal]), job);
    } catch (error) {
      const isOutOfTime = error instanceof TimeUp;
      if (stopped.aborted || isOutOfTime) {
        await conclude(claimed, attempt, async (tx, current) => {
          await tx.replace(reports, putBack(current, clock.now()));
        });
        // Nothing failed, as on a busy machine: its lane tries again, later each time.
        if (isOutOfTime) throw error;
      } else if (!own.signal.aborted) await fail(claimed, attempt, error);
    } finally {
      writing.delete(job);
      underWay.delete(id);
    }
  };

  /** Before anything is begun, what an earlier process left is put in order. */
  let cleaning: Promise<void> | undefined;
  const ready = (): Promise<void> =>
    (cleaning ??= cleanUp(deps, { writing, end, ended: countFailed }).catch((error: unknown) => {
      cleaning = undefined;
      throw error;
    }));
  ready().catch((error: unknown) => log.error({ err: error }, 'reports could not be recovered'));

  const runner = options.createRunner(deps, {
    lanes: reportLanes,
    most: reportsAtOnce,
    perform,
  });
  return {
    poke: () => runner.poke(),
    idle: () => runner.idle(),
    ensureFile: furtherFiles.ensure,
    async forget(report) {
      underWay.get(report.id)?.abort(new Error('the report was deleted'));
      await furtherFiles.forget(report.id);
      if (report.result) await removeReportBlobs(deps, report.result);
    },
    isBeingWritten(blob) {
      const attempt = readBlobId(blob)?.attempt;
      return attempt !== undefined && writing.has(attempt);
    },
    async stop(withinMs) {
      await runner.stop(withinMs);
      await furtherFiles.stop();
    },
    counts,
  };
}
