import { GovctlError } from '../../../contract/errors.ts';
import type { ReportFormat } from '../../../contract/reports.ts';
import type { Deps } from '../../deps.ts';
import type { Rendered } from '../../render/render.ts';
import { reports } from '../collection.ts';
import type { ReportResult, StoredFile, StoredReport } from '../collection.ts';
import { notReady } from '../download/not-ready.ts';
import { readReport, reportNotFound } from '../service.ts';
import { failureOf } from './failure.ts';
import { sectionsOf } from './generate.ts';
import { makeFile } from './make-file.ts';
import type { FileMaker } from './make-file.ts';
import { blobPrefix, createScratch } from './scratch.ts';

/** Files of completed reports in formats that were not asked for at first. */
export interface FurtherFiles {
  /** One is rendered once, however many ask for it. */
  ensure(reportId: string, format: ReportFormat): Promise<StoredFile>;
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
  let stopped = false;

  const make = async (
    report: StoredReport,
    result: ReportResult,
    format: ReportFormat,
    signal: AbortSignal,
  ): Promise<StoredFile> => {
    const scratch = createScratch(deps.store.blobs);
    const job = deps.ids.next('job');
    writing.add(job);
    let kept: StoredFile | undefined;
    try {
      const { file, rendered } = await makeFile(deps, maker, {
        report,
        format,
        model: result.model,
        into: scratch,
        prefix: blobPrefix(report.id, job),
        signal,
      });
      signal.throwIfAborted();
      kept = await addFile(deps, report.id, file, rendered);
      if (kept !== file) await scratch.discard();
      return kept;
    } catch (error) {
      if (!kept) await scratch.discard().catch(() => undefined);
      throw unavailable(deps, report.id, error);
    } finally {
      writing.delete(job);
    }
  };

  const end = async (which: readonly Making[]): Promise<void> => {
    for (const { abort } of which) abort.abort(new Error('it is not wanted any more'));
    await Promise.all(which.map(({ file }) => file.catch(() => undefined)));
  };

  return {
    async ensure(reportId, format) {
      const { doc } = await readReport(deps.store, reportId);
      const { result } = doc;
      if (doc.status !== 'completed' || !result) throw notReady(doc);
      const there = result.files.find((file) => file.format === format);
      if (there) return there;
      const key = `${reportId} ${format}`;
      const known = makings.get(key);
      if (known) return known.file;
      if (stopped) throw new GovctlError('unavailable', 'The service is stopping');
      const abort = new AbortController();
      const file = make(doc, result, format, abort.signal).finally(() => makings.delete(key));
      makings.set(key, { report: reportId, abort, file });
      return file;
    },
    forget: (reportId) => end([...makings.values()].filter(({ report }) => report === reportId)),
    async stop() {
      stopped = true;
      await end([...makings.values()]);
    },
  };
}

/** @returns the file that the report has in this format from now on */
const addFile = (
  { store, clock }: Deps,
  id: string,
  file: StoredFile,
  { pages }: Rendered,
): Promise<StoredFile> =>
  store.transact(async (tx) => {
    const report = (await tx.get(reports, id))?.doc;
    if (!report?.result) throw reportNotFound(id);
    const { result } = report;
    const there = result.files.find(({ format }) => format === file.format);
    if (there) return there;
    const names = result.sections.map(({ name }) => name);
    await tx.replace(reports, {
      ...report,
      updated_at: new Date(clock.now()).toISOString(),
      result: {
        ...result,
        files: [...result.files, file],
        ...(pages ? { pages: pages.total, sections: sectionsOf(names, pages) } : {}),
      },
    });
    return file;
  });

function unavailable(deps: Deps, id: string, error: unknown): GovctlError {
  if (error instanceof GovctlError) return error;
  deps.log.error({ report_id: id, err: error }, 'a further format of a report was not made');
  return new GovctlError('unavailable', failureOf(error, id).reason, { cause: error });
}
