import { createCompose } from '../../../../src/server/reports/generation/compose-report.ts';
import { costSources } from '../../../../src/server/wiring/cost-sources.ts';
import { createAssessor } from '../../../../src/server/rightsizing/assess-all.ts';
import { methodsOf } from '../../../../src/server/prediction/service.ts';
import type { ContentOrder } from '../../../../src/report/content/order.ts';
import type { Composed } from '../../../../src/server/reports/generation/compose-report.ts';
import { testEvaluation } from '../../evaluation/test-evaluator.ts';
import type { Block, Cell, ReportModel, Row, Table } from '../../../../src/report/model.ts';
import type { TestService } from '../../test-service.ts';

/** A report of what the service has now. */
export async function composeOf(
  service: TestService,
  order: Partial<ContentOrder> = {},
  options: {
    signal?: AbortSignal;
    onProgress?: (part: number) => void;
    /** Leaves what is pending as it is. */
    isEarly?: boolean;
  } = {},
): Promise<Composed> {
  if (!options.isEarly) await service.evaluator.run();
  return createCompose(methodsOf({}), costSources(service.deps, {}, createAssessor(service.deps)))(
    service.deps,
    testEvaluation(service.deps),
    {
      id: 'rpt_1',
      name: 'A report',
      type: 'compliance',
      scope: {},
      include_executive_summary: true,
      include_detailed_findings: true,
      generated_by: 'user_1',
      at: service.deps.clock.now(),
      ...order,
    },
    {
      signal: options.signal ?? new AbortController().signal,
      onProgress: options.onProgress ?? (() => undefined),
    },
  );
}

/** What a report says, read whole: its texts, and its tables as objects by the ids of their columns. */
interface Told {
  readonly model: ReportModel;
  readonly sections: readonly string[];
  /** Paragraphs and notices of a section, or of all. */
  text(section?: string): string;
  table(id: string): readonly Readonly<Record<string, Cell>>[];
  has(table: string): boolean;
}

async function tell(model: ReportModel): Promise<Told> {
  const tables = new Map<string, readonly Readonly<Record<string, Cell>>[]>();
  for (const { blocks } of model.sections) {
    for (const block of blocks) {
      if (block.kind === 'table') tables.set(block.id, await readTable(block));
    }
  }
  return {
    model,
    sections: model.sections.map(({ id }) => id),
    text: (section) =>
      model.sections
        .filter(({ id }) => section === undefined || id === section)
        .flatMap(({ blocks }) => blocks.flatMap(textOf))
        .join('\n'),
    table(id) {
      const found = tables.get(id);
      if (!found)
        throw new Error(`there is no table ${id}; there are ${[...tables.keys()].join()}`);
      return found;
    },
    has: (id) => tables.has(id),
  };
}

const textOf = (block: Block): string[] =>
  block.kind === 'paragraph' || block.kind === 'notice' ? [block.text] : [];

async function readTable(table: Table): Promise<readonly Readonly<Record<string, Cell>>[]> {
  const rows: Row[] = [];
  for await (const batch of table.rows()) rows.push(...batch);
  if (rows.length !== table.rowCount) {
    throw new Error(`${table.id} says ${table.rowCount} rows and has ${rows.length}`);
  }
  return rows.map((row) => {
    if (row.length !== table.columns.length) throw new Error(`${table.id} has a row too short`);
    return Object.fromEntries(table.columns.map(({ id }, at) => [id, row[at] ?? null]));
  });
}

/** The report as told, with what it is read from let go of. */
export async function told(
  service: TestService,
  order: Partial<ContentOrder> = {},
): Promise<Told & { readonly composed: Composed }> {
  const composed = await composeOf(service, order);
  try {
    return { ...(await tell(composed.model)), composed };
  } finally {
    await composed.close();
  }
}
