import { GovctlError } from '../../../contract/errors.ts';
import type { ReportFormat } from '../../../contract/reports.ts';
import type { Deps } from '../../deps.ts';
import type { Rendered } from '../../../report/formats/render.ts';
import type { Asker } from '../../threads/threads.ts';
import { createTurns } from '../../threads/turns.ts';
import { StoreUnavailable } from '../../store/store.ts';
import type { Blobs } from '../../store/store.ts';
import { reports } from '../collection.ts';
import type { ReportResult, StoredFile, StoredReport } from '../collection.ts';
import { notReady } from '../download/not-ready.ts';
import { readReport, reportNotFound } from '../service.ts';
import { describeFailure } from './failure.ts';
import { sectionsOf } from './generate.ts';
import { makeFile } from './make-file.ts';
import type { FileMaker } from './make-file.ts';
import { blobPrefix, createScratch } from './scratch.ts';

/** Files of completed reports in formats that were not asked for at first. */
export interface FurtherFiles {
  /**
   * One is rendered at a time, in turn by owner, and each once, however many ask for it. Who leaves gives up their turn;
   * what is being rendered by then is finished, as it is asked for again.
   * @throws GovctlError as of `ReportWork`; the reason of the asker's signal
   */
  ensure(reportId: string, format: ReportFormat, asker: Asker): Promise<StoredFile>;
  /** Ends what is rendered of a report. */
  forget(reportId: string): Promise<void>;
  /** Renders no more, and ends what is under way. */
  stop(): Promise<void>;
}

interface Making {
  readonly report: string;
  readonly abort: AbortController;
  readonly file: Promise<StoredFile>;
}

/** @param writing takes the `job_…` id of each, while it writes blobs */
export function createFurtherFiles(
  deps: Deps,
  maker: FileMaker,
  writing: Set<string>,
): FurtherFiles {
  const makings = new Map<string, Making>();
  // Each takes a core, and up to minutes.
  const turns = createTurns(1);
  let stopped = false;

  const make = async (
    report: StoredReport,
    result: ReportResult,
    { format, lost }: { readonly format: ReportFormat; readonly lost: StoredFile | undefined },
    signal: AbortSignal,
  ): Promise<StoredFile> => {
    const scratch = createScratch(deps.store.blobs);
    const job = deps.ids.next('job');
    writing.add(job);
    let isKept = false;
    try {
      const { file, rendered } = await makeFile(deps, maker, {
        report,
        format,
        model: result.model,
        into: scratch,
        prefix: blobPrefix(report.id, job),
        signal,
        isAwaited: true,
      });
      signal.throwIfAborted();
      const kept = await addFile(deps, report.id, { file, rendered, lost }).catch(
        (error: unknown) => {
          // Whether it lasted is not known: the next start looks for what nothing refers to.
          isKept = error instanceof StoreUnavailable;
          throw error;
        },
      );
      isKept = kept === file;
      if (isKept && lost) await removeLost(deps.store.blobs, lost);
      return kept;
    } catch (error) {
      throw await unavailable(deps, report.id, signal.aborted ? signal.reason : error);
    } finally {
      if (!isKept) await scratch.discard().catch(() => undefined);
      writing.delete(job);
    }
  };

  const end = async (which: readonly Making[], why: GovctlError): Promise<void> => {
    for (const { abort } of which) abort.abort(why);
    await Promise.all(which.map(({ file }) => file.catch(() => undefined)));
  };

  /** The file that is there or being made; else what it is to be made of. */
  const find = async (reportId: string, format: ReportFormat) => {
    const { doc } = await readReport(deps.store, reportId);
    const { result } = doc;
    if (doc.status !== 'completed' || !result) throw notReady(doc);
    const named = result.files.find((file) => file.format === format);
    if (named && (await isThere(deps.store.blobs, named))) return { file: named };
    const known = makings.get(keyOf(reportId, format));
    return known ?? { report: doc, result, lost: named };
  };

  return {
    async ensure(reportId, format, { owner, signal }) {
      const before = await find(reportId, format);
      if ('file' in before) return before.file;
      const leave = await turns.take(signal, owner);
      try {
        if (stopped) throw stopping();
        // Somebody else may have had it made meanwhile.
        const found = await find(reportId, format);
        if ('file' in found) return await found.file;
        const { report, result, lost } = found;
        const abort = new AbortController();
        const key = keyOf(reportId, format);
        const file = make(report, result, { format, lost }, abort.signal).finally(() =>
          makings.delete(key),
        );
        makings.set(key, { report: reportId, abort, file });
        return await file;
      } finally {
        leave();
      }
    },
    forget: (reportId) =>
      end(
        [...makings.values()].filter(({ report }) => report === reportId),
        reportNotFound(reportId),
      ),
    async stop() {
      stopped = true;
      await end([...makings.values()], stopping());
    },
  };
}

const keyOf = (reportId: string, format: ReportFormat): string => `${reportId} ${format}`;

const stopping = (): GovctlError => new GovctlError('unavailable', 'The service is stopping');

/** Whether all of a file can be read. */
async function isThere(blobs: Blobs, { blob, signature }: StoredFile): Promise<boolean> {
  if (!(await blobs.stat(blob))) return false;
  return !signature || (await blobs.stat(signature.blob)) !== undefined;
}

/** What is left of it; best effort, as the next start does it, too. */
async function removeLost(blobs: Blobs, { blob, signature }: StoredFile): Promise<void> {
  for (const id of signature ? [blob, signature.blob] : [blob]) {
    await blobs.remove(id).catch(() => undefined);
  }
}

interface Made {
  readonly file: StoredFile;
  readonly rendered: Rendered;
  /** What the report names in its place, but is not there. */
  readonly lost: StoredFile | undefined;
}

/** @returns the file that the report has in this format from now on */
const addFile = (
  { store, clock }: Deps,
  id: string,
  { file, rendered: { pages }, lost }: Made,
): Promise<StoredFile> =>
  store.transact(async (tx) => {
    const report = (await tx.get(reports, id))?.doc;
    if (!report?.result) throw reportNotFound(id);
    const { result } = report;
    const there = result.files.find(({ format }) => format === file.format);
    if (there && there.blob !== lost?.blob) return there;
    const names = result.sections.map(({ name }) => name);
    await tx.replace(reports, {
      ...report,
      updated_at: new Date(clock.now()).toISOString(),
      result: {
        ...result,
        files: there
          ? result.files.map((one) => (one === there ? file : one))
          : [...result.files, file],
        ...(pages ? { pages: pages.total, sections: sectionsOf(names, pages) } : {}),
      },
    });
    return file;
  });

async function unavailable(deps: Deps, id: string, error: unknown): Promise<GovctlError> {
  if (error instanceof GovctlError) return error;
  // Its files went with it, under what was being made.
  if (!(await deps.store.get(reports, id))) return reportNotFound(id);
  deps.log.error({ report_id: id, err: error }, 'another format of a report was not generated');
  // The report is there: only its download has to be asked for once more.
  const reason =
    error instanceof StoreUnavailable
      ? 'The file could not be written: the disk of the server is full or failing. Free disk space, then download it again'
      : describeFailure(error, id).reason;
  return new GovctlError('unavailable', reason, { cause: error });
}
