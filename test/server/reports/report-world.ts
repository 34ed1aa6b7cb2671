import type { ReportModel } from '../../../src/report/model.ts';
import { openModel } from '../../../src/server/reports/rendering/stored-model.ts';
import type { RenderStored } from '../../../src/server/reports/rendering/render-stored.ts';
import type { Compose } from '../../../src/server/reports/generation/compose-report.ts';
import { startTestService } from '../test-service.ts';
import type { Got, TestService } from '../test-service.ts';

/** A report of two sections and a few rows. */
export const tinyModel = (order: Parameters<Compose>[2], rows = 3): ReportModel => ({
  head: {
    id: order.id,
    name: order.name,
    type: order.type,
    generated_at: new Date(order.at).toISOString(),
    generated_by: order.generated_by,
    about: [],
    generator: 'govctl 1.2.3',
    summary: {
      compliance_score: 87.5,
      total_violations: 6,
      critical: 1,
      high: 2,
      medium: 3,
      low: 0,
    },
    mainTable: 'findings',
  },
  sections: [
    { id: 'summary', title: 'Summary', blocks: [{ kind: 'paragraph', text: 'All is well' }] },
    {
      id: 'findings',
      title: 'Findings',
      blocks: [
        {
          kind: 'table',
          id: 'findings',
          title: 'Findings',
          columns: [{ id: 'at', title: 'At', type: 'integer', width: 1 }],
          rowCount: rows,
          rows: async function* () {
            for (let at = 0; at < rows; at += 1) yield [[at]];
          },
          empty: 'None',
        },
      ],
    },
  ],
});

export const composeTiny: Compose = (_deps, _evaluation, order) =>
  Promise.resolve({
    model: tinyModel(order),
    source_scan_id: 'scan_1',
    policies: 4,
    resources: 5,
    close: () => Promise.resolve(),
  });

/** Writes all it is given as text; a PDF has three pages. */
export const renderText: RenderStored = async ({ blobs, model, options, write, signal }) => {
  const { head, sections } = await openModel(blobs, model);
  await write(Buffer.from(`${options.format} ${head.name}\n`));
  for (const { title, blocks } of sections) {
    await write(Buffer.from(`${title}\n`));
    for (const block of blocks) {
      if (block.kind !== 'table') continue;
      for await (const batch of block.rows()) {
        signal.throwIfAborted();
        await write(Buffer.from(`${batch.map((row) => row.join(' ')).join('\n')}\n`));
      }
    }
  }
  return options.format === 'pdf' ? { pages: { total: 3, sections: [1, 2] } } : {};
};

export type ReportOptions = NonNullable<Parameters<typeof startTestService>[0]>;

/** The service, with reports that are made at once of next to nothing. */
export const startReports = (options: ReportOptions = {}): Promise<TestService> =>
  startTestService({
    ...options,
    reports: { compose: composeTiny, render: renderText, ...options.reports },
  });

export const anOrder = (fields: Readonly<Record<string, unknown>> = {}) => ({
  name: 'First quarter',
  type: 'compliance',
  scope: {},
  ...fields,
});

export const create = (
  service: TestService,
  fields?: Readonly<Record<string, unknown>>,
): Promise<Got> => service.send('POST', '/v1/reports', { body: anOrder(fields) });

export const idOf = ({ json }: Got): string => String(json.id);

export const read = async (service: TestService, id: string): Promise<Record<string, unknown>> =>
  (await service.send('GET', `/v1/reports/${id}`)).json;

export async function blobIds(service: TestService): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const id of service.deps.store.blobs.list()) ids.push(id);
  return ids.sort();
}
