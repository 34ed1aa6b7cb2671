import type { ReportModel } from '../../../src/report/model.ts';
import type { Render, RenderOptions } from '../../../src/report/formats/render.ts';

/** All that a renderer writes, at once. */
export async function rendered(
  render: Render,
  model: ReportModel,
  options: Partial<RenderOptions> = {},
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const all: RenderOptions = {
    format: 'html',
    random: (count) => new Uint8Array(count),
    ...options,
  };
  await render(model, all, async (chunk) => void chunks.push(chunk), new AbortController().signal);
  return Buffer.concat(chunks);
}

export interface Writing {
  /** Bytes that were written, and how many at once at most. */
  readonly bytes: number;
  readonly largest: number;
}

/** What is written, counted and let go. */
export async function counted(
  render: Render,
  model: ReportModel,
  options: Partial<RenderOptions> = {},
): Promise<Writing> {
  let bytes = 0;
  let largest = 0;
  const all: RenderOptions = {
    format: 'html',
    random: (count) => new Uint8Array(count),
    ...options,
  };
  const write = async (chunk: Uint8Array): Promise<void> => {
    bytes += chunk.byteLength;
    largest = Math.max(largest, chunk.byteLength);
  };
  await render(model, all, write, new AbortController().signal);
  return { bytes, largest };
}

/** A report of one section, for what only one block needs. */
export const reportOf = (
  model: ReportModel,
  blocks: ReportModel['sections'][number]['blocks'],
): ReportModel => ({
  ...model,
  sections: [{ id: 'only', title: 'Only', blocks }],
});

const nasty = [
  '</script><script>globalThis.hacked = 1</script>',
  '"><img src=x onerror="globalThis.hacked = 1">',
  "' onclick='globalThis.hacked = 1",
  '</style><style>body{display:none}</style>',
  '<!--<script>',
  'invoice\u202Efdp.exe',
  'a\u0000b\u0007c\u200Bd',
  'javascript:globalThis.hacked=1',
  '\\"};globalThis.hacked=1;//',
  '&lt;b&gt;',
] as const;

/** A report whose every text is out to do harm. */
export function hostileReport(): ReportModel {
  const text = (at: number): string => nasty[at % nasty.length] ?? '';
  const all = nasty.join(' ');
  return {
    head: {
      id: text(0),
      name: all,
      type: 'audit',
      framework: all,
      description: all,
      generated_at: '2026-11-02T09:30:00.000Z',
      generated_by: text(1),
      about: nasty.map((value) => ({ label: value, value })),
      period: all,
      notices: [all],
      generator: text(1),
      summary: {
        compliance_score: null,
        total_violations: 0,
        critical: 0,
        high: 0,
        medium: 0,
        low: 0,
      },
      mainTable: text(0),
    },
    sections: nasty.map((title, at) => ({
      id: `${title} ${at}`,
      title,
      blocks: [
        { kind: 'heading', text: all },
        { kind: 'paragraph', text: all },
        { kind: 'notice', tone: 'bad', text: all },
        { kind: 'figures', items: [{ label: title, value: title, note: title, tone: 'bad' }] },
        {
          kind: 'chart',
          id: title,
          title,
          description: all,
          form: 'bars',
          categories: nasty,
          series: [{ name: title, colour: 'first', values: nasty.map((_, n) => n + 1) }],
          unit: title,
        },
        {
          kind: 'table',
          id: title,
          title,
          columns: (['text', 'severity', 'status', 'id', 'timestamp', 'integer'] as const).map(
            (type, n) => ({ id: text(n), title: text(n), type, width: 1 }),
          ),
          rowCount: 10,
          rows: async function* () {
            yield nasty.map((cell) => [cell, cell, cell, cell, cell, cell]);
          },
          empty: title,
        },
      ],
    })),
  };
}

/** A report of one table, of which two columns stand under rows and one is in data alone. */
export function linedReport(model: ReportModel, rows = 8): ReportModel {
  const column = (id: string, title: string, shown?: 'below' | 'data') => ({
    id,
    title,
    type: 'text' as const,
    width: 2,
    ...(shown && { shown }),
  });
  return reportOf(model, [
    {
      kind: 'table',
      id: 'lined',
      title: 'Lined',
      columns: [
        column('policy', 'Policy'),
        column('region', 'Region', 'below'),
        column('names', 'All names', 'data'),
        column('message', 'Message'),
        column('account', 'Account', 'below'),
      ],
      rowCount: rows,
      async *rows() {
        yield Array.from({ length: rows }, (_, at) => [
          `policy-${at}`,
          `region-${at}`,
          'left-out',
          'Close the port',
          at === 0 ? null : `account-${at}`,
        ]);
      },
      empty: 'None.',
    },
  ]);
}
