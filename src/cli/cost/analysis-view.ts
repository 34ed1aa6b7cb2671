import type { CostAnalysis, CostBlock } from '../../contract/cost.ts';
import { showMoney } from '../../contract/money.ts';
import { csvLine } from '../../report/formats/csv/csv-line.ts';
import type { View } from '../terminal/output.ts';
import { printableLine } from '../terminal/printable.ts';
import type { Glyphs } from '../terminal/sparkline.ts';
import { formatTable } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { changeText, costTable, gapLines, otherRows, percentText, signed, trend, trendWidth } from './cost-text.ts'; // prettier-ignore
import { lastDay } from './days.ts';
import { findingsTexts } from './findings-text.ts';

const mostMovers = 5;
/** Columns of the head line before its trend, and of the trend. */
const headWidth = 40;
const widestTrend = 60;

interface Shown {
  readonly glyphs: Glyphs;
  /** Columns that a table may have. */
  readonly room: number;
  /** Further lines. */
  readonly notes?: readonly string[];
  /** Without what changed most and what lacks tags. */
  readonly isShort?: true;
}

export const analysisView = (
  found: CostAnalysis,
  { glyphs, room, notes = [], isShort }: Shown,
): View => ({
  value: found,
  rows: () => blocksOf(found).flatMap(rowsOf),
  more: { csv: () => csvOf(found) },
  human(style) {
    const screen = { style, columns: room, glyphs, isShort };
    const parts = blocksOf(found).map((block) => blockText(found, block, screen));
    if (parts.length === 0) return '';
    const { start, end, compared_to: before } = found;
    const head = `${titles[found.metric]} ${start} to ${lastDay(end)}, compared with ${before.start} to ${lastDay(before.end)}`;
    const last = [...notes, ...gapLines(found)].map(printableLine);
    const text = [style.bold(head), ...parts, ...findingsTexts(found, screen), last.join('\n')]
      .filter(Boolean)
      .join('\n\n');
    return `${text.replace(/[ \t]+$/gm, '')}\n`;
  },
});

const titles = {
  effective: 'Effective cost',
  billed: 'Billed cost',
  list: 'List cost',
} as const;

const blocksOf = (found: CostAnalysis): readonly CostBlock[] =>
  found.currency === null || found.totals.length === 0 ? [] : [found, ...found.other_currencies];

interface Screen {
  readonly style: Style;
  readonly columns: number;
  readonly glyphs: Glyphs;
  readonly isShort: true | undefined;
}

function blockText(found: CostAnalysis, block: CostBlock, screen: Screen): string {
  const { style, columns, glyphs } = screen;
  const currency = block.currency ?? '';
  const total = found.totals.find((one) => one.currency === currency);
  if (!total) return '';
  const all = Number(total.amount);
  const shareOf = (amount: string) => (all === 0 ? null : Number(amount) / all);
  // Days without data yet would show as a fall.
  const until = found.data_until ?? '';
  const known = block.series.filter(({ start }) => start <= until).length;
  const amounts = block.series.slice(0, known).map(({ amount }) => amount);
  const head = `${style.bold(showMoney(total.amount, currency))}  ${changeText(total)}  ${trend(amounts, glyphs, Math.max(trendWidth, Math.min(widestTrend, columns - headWidth)))}`;
  const rows = block.groups.map((group) => ({
    names: namesOf(group.key),
    amount: group.amount,
    shared: group.shared,
    share: group.share,
    change: changeText(group),
    series: group.series.slice(0, known),
  }));
  const parts = [
    head.trimEnd(),
    rows.length === 0
      ? ''
      : costTable(found.group_by, [...rows, ...otherRows(block, { shareOf, known })], screen),
    policyText(block, screen),
    ...(screen.isShort
      ? []
      : [moversText(block, screen), untaggedText(block, total.amount, screen)]),
  ];
  return parts
    .map((part) => part.trimEnd())
    .filter(Boolean)
    .join('\n\n');
}

/** A policy is shown by its name. */
const namesOf = (key: Readonly<Record<string, string | null>>): readonly string[] =>
  key.policy_name ? [key.policy_name] : Object.values(key).map((text) => text ?? '(none)');

function policyText({ currency, non_compliant: once }: CostBlock, { columns }: Screen): string {
  if (!once) return '';
  return wrapWords(
    `A resource that fails several policies counts for each of them. Without duplicates: ${showMoney(once.amount, currency ?? '')} (${percentText(once.share) || '0%'} of the total).`,
    columns,
    0,
  );
}

function moversText({ movers }: CostBlock, { style, columns }: Screen): string {
  const shown = movers.slice(0, mostMovers);
  if (shown.length === 0) return '';
  return formatTable(
    shown,
    [
      { title: 'CHANGE', cell: ({ change }) => signed(change), isRight: true },
      { title: '', cell: changeText, isRight: true },
      { title: '', cell: ({ key }) => namesOf(key).join(', '), shrinks: 'end' },
    ],
    style,
    columns,
  );
}

function untaggedText({ untagged }: CostBlock, total: string, { style, columns }: Screen): string {
  const shown = untagged.filter(({ amount }) => amount !== '0' && amount !== total);
  const unused = untagged.filter(({ amount }) => amount === total).map(({ tag }) => tag);
  const table = formatTable(
    shown,
    [
      { title: 'WITHOUT TAG', cell: ({ tag }) => tag, shrinks: 'end' },
      { title: 'COST', cell: ({ amount }) => showMoney(amount), isRight: true },
      { title: 'SHARE', cell: ({ share }) => percentText(share), isRight: true },
    ],
    style,
    columns,
  );
  const none = unused.length === 0 ? '' : `No charge has the tags ${unused.join(', ')}.`;
  return `${shown.length > 0 ? table : ''}${wrapWords(none, columns, 0)}`;
}

/** A row for each group, or for each entry of the series where nothing is grouped. */
const rowsOf = ({ currency, groups, series }: CostBlock): readonly object[] =>
  groups.length > 0
    ? groups.map(({ series: _, ...group }) => ({ currency, ...group }))
    : series.map((one) => ({ currency, ...one }));

function csvOf(found: CostAnalysis): string {
  const { group_by: fields } = found;
  const blocks = blocksOf(found);
  if (fields.length === 0) {
    const lines = blocks.flatMap(({ currency, series }) =>
      series.map(({ start, end, amount }) => csvLine([currency, start, end, amount])),
    );
    return [csvLine(['currency', 'start', 'end', 'amount']), ...lines].join('');
  }
  const names = fields.includes('policy') ? ['policy', 'policy_name'] : fields;
  const isSplit = blocks.some(({ shared }) => shared.length > 0);
  const lines = blocks.flatMap(({ currency, groups, other }) => [
    ...groups.map(
      (one) =>
      csvLine([currency, ...Object.values(one.key), one.amount, one.previous, one.change, one.change_percent, ...(isSplit ? [one.shared ?? '0'] : [])]), // prettier-ignore
    ),
    ...(other
      ? [csvLine([currency, ...names.map((_, at) => (at === 0 ? 'other' : null)), other.amount, other.previous, null, null, ...(isSplit ? [other.shared ?? '0'] : [])])] // prettier-ignore
      : []),
  ]);
  const head = [
    ...['currency', ...names, 'amount', 'previous', 'change', 'change_percent'],
    ...(isSplit ? ['shared'] : []),
  ];
  return [csvLine(head), ...lines].join('');
}
