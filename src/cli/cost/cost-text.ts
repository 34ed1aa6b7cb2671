import type { CostAnalysis, CostBlock } from '../../contract/cost.ts';
import { showMoney } from '../../contract/money.ts';
import { count, inThrees } from '../terminal/printable.ts';
import { bar, binned, sparkline } from '../terminal/sparkline.ts';
import type { Glyphs } from '../terminal/sparkline.ts';
import { formatTable } from '../terminal/table.ts';
import type { Column } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';

/** Columns of a trend, and of a full bar. */
export const trendWidth = 12;
const barWidth = 8;
const mostListed = 5;

export const signed = (amount: string): string =>
  amount.startsWith('-') ? showMoney(amount) : `+${showMoney(amount)}`;

/** `+4.2%`, `new`, `gone`. */
export function changeText(one: {
  readonly amount: string;
  readonly previous: string;
  readonly change_percent: number | null;
}): string {
  if (one.change_percent === null) return one.amount === '0' ? '' : 'new';
  if (one.amount === '0' && one.previous !== '0') return 'gone';
  const percent = Math.round(one.change_percent * 10) / 10;
  return `${percent > 0 ? '+' : ''}${Math.abs(percent) >= 1_000 ? inThrees(Math.round(percent)) : percent}%`;
}

export function percentText(share: number | null): string {
  if (share === null) return '';
  return share > 0 && share < 0.005 ? '<1%' : `${Math.round(share * 100)}%`;
}

/** Amounts from 0 on as a sparkline. */
export const trend = (series: readonly string[], glyphs: Glyphs, width = trendWidth): string =>
  sparkline(binned(series.map(Number), width), { lowest: 0, glyphs });

export interface CostRow {
  /** In the order of the titles. */
  readonly names: readonly string[];
  readonly amount: string;
  /** Its part of shared cost. */
  readonly shared?: string | undefined;
  readonly share: number | null;
  readonly change: string;
  readonly series: readonly string[];
}

/** Rows of cost: names, amount, a bar of the share, change, trend. */
export function costTable(
  titles: readonly string[],
  rows: readonly CostRow[],
  { style, columns, glyphs }: { readonly style: Style; readonly columns: number; readonly glyphs: Glyphs }, // prettier-ignore
): string {
  const largest = Math.max(...rows.map(({ share }) => share ?? 0));
  return formatTable(
    rows,
    [
      ...titles.map((title, at): Column<CostRow> => ({
        title: title.toUpperCase(),
        cell: ({ names }) => names[at] ?? '',
        shrinks: 'middle',
      })),
      { title: 'COST', cell: ({ amount }) => showMoney(amount), isRight: true },
      ...(rows.some(({ shared }) => shared !== undefined)
        ? [{ title: 'SHARED', cell: ({ shared = '0' }: CostRow) => showMoney(shared), isRight: true } as const] // prettier-ignore
        : []),
      { title: 'SHARE', cell: ({ share }) => percentText(share), isRight: true },
      {
        title: '',
        cell: ({ share }) => bar(largest > 0 ? (share ?? 0) / largest : 0, barWidth, glyphs),
        drops: 1,
      },
      { title: 'CHANGE', cell: ({ change }) => change, isRight: true },
      { title: 'TREND', cell: ({ series }) => trend(series, glyphs), drops: 2 },
    ],
    style,
    columns,
  );
}

/** The groups that are not shown, as a row. @param known entries of the series that have data */
export const otherRows = (
  { other }: Pick<CostBlock, 'other'>,
  { shareOf, known }: { readonly shareOf: (amount: string) => number | null; readonly known: number }, // prettier-ignore
): readonly CostRow[] =>
  other
    ? [
        {
          names: [`other (${inThrees(other.groups)})`],
          amount: other.amount,
          shared: other.shared,
          share: shareOf(other.amount),
          change: '',
          series: other.series.slice(0, known),
        },
      ]
    : [];

/** Which days have no data yet, and which periods lack some. */
export function gapLines(
  found: Pick<CostAnalysis, 'end' | 'data_until' | 'incomplete_periods'>,
): readonly string[] {
  const { end, data_until: until, incomplete_periods: incomplete } = found;
  const named = incomplete.slice(0, mostListed).map((one) => {
    const skipped = one.skipped_rows > 0 ? `${count(one.skipped_rows, 'row')} skipped` : '';
    const late = until !== null && one.data_until < until ? `data until ${one.data_until}` : '';
    const why = [skipped, late].filter(Boolean).join(', ');
    return `Incomplete: ${one.provider} ${one.billing_account} ${one.period}${why && `: ${why}`}`;
  });
  const more = incomplete.length - named.length;
  return [
    ...(until !== null && until < end ? [`Cost data is available until ${until}.`] : []),
    ...named,
    ...(more > 0 ? [`... and ${inThrees(more)} more incomplete`] : []),
  ];
}
