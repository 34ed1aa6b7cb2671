import { defined } from '../../../contract/defined.ts';
import type { Deps } from '../../deps.ts';
import type { Evaluation } from '../../evaluation/evaluation.ts';
import type { ReportModel } from '../../../report/model.ts';
import type { Rendered } from '../../../report/formats/render.ts';
import { saveModel } from '../rendering/stored-model.ts';
import type { Blobs } from '../../store/store.ts';
import type { ReportResult, StoredFile, StoredReport } from '../collection.ts';
import type { Compose } from './compose-report.ts';
import { makeFile } from './make-file.ts';
import type { FileMaker } from './make-file.ts';

export interface Generator extends FileMaker {
  readonly compose: Compose;
  readonly evaluation: Evaluation;
}

export interface GenerateOptions {
  /** What takes the model and the files. */
  readonly into: Pick<Blobs, 'create'>;
  /** What the ids of the blobs begin with. */
  readonly prefix: string;
  readonly signal: AbortSignal;
  /** Percent. */
  readonly onProgress: (percent: number) => void;
}

export interface Generated {
  readonly result: ReportResult;
  readonly generatedAt: string;
}

/** Percent at which gathering ends, and keeping what was gathered. */
const [gathered, kept] = [35, 50] as const;

/** Gathers what a report tells, keeps that, and renders it in each format that was asked for. */
export async function generate(
  deps: Deps,
  generator: Generator,
  report: StoredReport,
  { into, prefix, signal, onProgress }: GenerateOptions,
): Promise<Generated> {
  const composed = await generator.compose(deps, generator.evaluation, orderOf(deps, report), {
    signal,
    onProgress: (part) => onProgress(gathered * part),
  });
  let model: readonly string[];
  try {
    model = await saveModel(composed.model, into, prefix, {
      signal,
      onProgress: (part) => onProgress(gathered + (kept - gathered) * part),
    });
  } finally {
    await composed.close();
  }
  const bytes = await sizeOf(deps.store.blobs, model);
  const files: StoredFile[] = [];
  let pages: Rendered['pages'];
  for (const [at, format] of report.formats.entries()) {
    signal.throwIfAborted();
    let read = 0;
    const { file, rendered } = await makeFile(deps, generator, {
      report,
      format,
      model,
      into,
      prefix,
      signal,
      onRead(count) {
        read += count;
        const part = Math.min(1, read / bytes);
        onProgress(kept + ((99 - kept) * (at + part)) / report.formats.length);
      },
    });
    files.push(file);
    pages ??= rendered.pages;
  }
  pages ??= await layOut(deps, generator, { report, model, signal });
  const { head } = composed.model;
  return {
    generatedAt: head.generated_at,
    result: {
      summary: head.summary,
      ...defined({ period: head.period }),
      ...(head.notices?.length ? { notices: head.notices } : {}),
      ...defined({ source_scan_id: composed.source_scan_id }),
      policies: composed.policies,
      resources: composed.resources,
      sections: sectionsOf(
        composed.model.sections.map(({ title }) => title),
        pages,
      ),
      ...(pages ? { pages: pages.total } : {}),
      model,
      files,
    },
  };
}

/** The pages that a PDF of the report has, where none was asked for. */
async function layOut(
  { store, random }: Deps,
  { render }: Generator,
  {
    report,
    model,
    signal,
  }: {
    readonly report: StoredReport;
    readonly model: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<Rendered['pages']> {
  const { pages } = await render({
    blobs: store.blobs,
    model,
    options: {
      format: 'pdf',
      filename: report.name,
      ...defined({ watermark: report.security?.watermark }),
      random,
    },
    write: () => Promise.resolve(),
    signal,
  });
  return pages;
}

const orderOf = ({ clock }: Deps, report: StoredReport): Parameters<Compose>[2] => ({
  id: report.id,
  name: report.name,
  type: report.type,
  ...defined({ framework: report.framework, description: report.description }),
  scope: report.scope,
  include_executive_summary: report.include_executive_summary,
  include_detailed_findings: report.include_detailed_findings,
  ...defined({
    include_cost: report.include_cost,
    prepared_for: report.prepared_for,
    prepared_by: report.prepared_by,
  }),
  generated_by: report.created_by,
  at: clock.now(),
});

/** What a report contains: the pages of its sections are those of the PDF, whichever formats were asked for. */
export const sectionsOf = (
  names: readonly ReportModel['sections'][number]['title'][],
  pages: Rendered['pages'],
): ReportResult['sections'] =>
  names.map((name, at) => {
    const count = pages?.sections[at];
    return count === undefined ? { name } : { name, pages: count };
  });

async function sizeOf(blobs: Blobs, ids: readonly string[]): Promise<number> {
  let size = 1;
  for (const id of ids) size += (await blobs.stat(id))?.size ?? 0;
  return size;
}
