import { cellText } from '../cell-text.ts';
import type { Paper, Row, Table } from '../../model.ts';
import type { PlacedColumn } from '../reading.ts';
import { isNumeric, setCell } from './cells.ts';
import { digestOf, mostRows } from './digest.ts';
import type { Digest, Group } from './digest.ts';
import { baseline, contentWidth, left, makeRoom, styles, writeElement } from './flow.ts';
import type { Flow } from './flow.ts';
import { artifact, drawLine, fillRect, mark } from './page.ts';
import { ink } from './palette.ts';
import { endGrid, othersHaveAll, planGrid, startGrid, startOfGroup, writeAll, writeGroupHead, writeHint, writeRows } from './grid.ts'; // prettier-ignore
import type { Begin } from './grid.ts';
import { points, textBelow } from './table-row.ts';
import type { Element } from './tags.ts';
import type { Line } from './text.ts';

/** Groups that are counted one by one where not all of their rows are shown. */
const mostCounted = 100;

/**
 * The rows of a table beneath what they have in common. Of very many, some are chosen, and the rest is counted.
 * @returns whether there are any
 */
export async function writeGroups(
  flow: Flow,
  table: Table,
  paper: Paper,
  begin: Begin,
): Promise<boolean> {
  const digest = await digestOf(table, paper);
  flow.signal.throwIfAborted();
  const [firstGroup] = digest.groups;
  if (!firstGroup) return false;
  const total = digest.counts.reduce((sum, count) => sum + count.total, 0);
  const { most = mostRows } = paper;
  const main = placed(table, paper.columns);
  const once = placed(table, paper.once);
  const by = placed(table, paper.by);
  const sample = digest.groups.flatMap(({ rows }) => rows);
  const plan = planGrid(flow, table.title, { main, below: [] }, sample);
  const readingIn = (group: Group) => {
    const [first = []] = group.rows;
    const isShared = ({ at }: PlacedColumn): boolean =>
      by.length > 0 && group.rows.every((row) => row[at] === first[at]);
    const shared = once.filter(isShared);
    const below = once.filter((one) => !isShared(one));
    const head = by.length > 0 ? setHead(flow, by, shared, { group, unit: paper.unit }) : undefined;
    return { first, head, reading: { main, below } };
  };
  const { first, head, reading } = readingIn(firstGroup);
  const hint = total > most ? hintHeight : 0;
  await begin(
    hint + plan.headHeight + startOfGroup(flow, { ...plan, reading }, head?.height ?? 0, first),
  );
  if (total > most) {
    const [, many] = paper.unit;
    const counted = by.length > 0 ? ` The remaining ${many} are counted below.` : '';
    await writeHint(flow, `Showing ${most} of ${cellText(total, 'integer')} ${many}: ${paper.chosen}.${counted} ${othersHaveAll}`); // prettier-ignore
  }
  const grid = startGrid(flow, plan);
  for (const group of digest.groups) {
    const { first, head, reading } = readingIn(group);
    grid.reading = reading;
    if (head) {
      await writeGroupHead(flow, grid, { height: head.height, first }, (element) => {
        drawHead(flow, head, element);
      });
    }
    await writeAll(flow, grid, group.rows);
  }
  endGrid(flow, grid);
  if (total > most && by.length > 0) await writeCounts(flow, table, { paper, by, digest });
  return true;
}

/** Of two lines. */
const hintHeight = 28;

const placed = ({ columns }: Table, ids: readonly string[]): readonly PlacedColumn[] =>
  ids.flatMap((id) => {
    const at = columns.findIndex((column) => column.id === id);
    const column = columns[at];
    return column ? [{ column, at }] : [];
  });

const style = {
  name: { face: 'bold', size: 7.8, leading: 10.4 },
  detail: { face: 'narrow', size: 7.2, leading: 9.2 },
  across: 4,
  down: 3.4,
  gap: 6,
} as const;

/** What stands over a group: words as its severity, its name, how many rows there are; below, what else they share. */
interface Head {
  readonly words: readonly { readonly line: Line; readonly colour: string }[];
  readonly name: readonly Line[];
  readonly amount: Line;
  readonly detail: readonly Line[];
  readonly height: number;
}

function setHead(
  flow: Flow,
  [naming, ...others]: readonly PlacedColumn[],
  shared: readonly PlacedColumn[],
  {
    group: { sample, rows, total, shown },
    unit: [one, many],
  }: { readonly group: Group; readonly unit: Paper['unit'] },
): Head {
  const { name, detail, across, down, gap } = style;
  const words = others.map(({ column, at }) => {
    const { text, colour } = setCell(sample[at] ?? null, column.type);
    // A severity says what it is, a number does not.
    const said = isNumeric(column.type) ? `${column.title} ${text}` : text;
    return { line: flow.type.line(said, name.face), colour };
  });
  const count = `${cellText(total, 'integer')} ${total === 1 ? one : many}`;
  const amount = flow.type.line(shown < total ? `${shown} of ${count}` : count, name.face);
  const wordsWidth = words.reduce((sum, { line }) => sum + points(line, name.size) + gap, 0);
  const width = contentWidth(flow) - 2 * across;
  const text = naming ? cellText(sample[naming.at] ?? null, naming.column.type) : '';
  const nameWidth = width - wordsWidth - points(amount, name.size) - gap;
  const names = flow.type.lines(text, name.face, name.size, nameWidth).slice(0, 4);
  const said = textBelow({ main: [], below: shared }, rows[0] ?? sample);
  const details = said === '' ? [] : flow.type.lines(said, detail.face, detail.size, width);
  return {
    words,
    name: names,
    amount,
    detail: details.slice(0, 6),
    height: names.length * name.leading + Math.min(6, details.length) * detail.leading + 2 * down,
  };
}

/** @param element absent: it was read on an earlier page */
function drawHead(flow: Flow, head: Head, element: Element | undefined): void {
  const { sheet, y } = flow;
  const { across, down, gap } = style;
  const width = contentWidth(flow);
  artifact(sheet, 'Layout', () => {
    fillRect(sheet, ink.zebra, { x: left, y, width, height: head.height });
    fillRect(sheet, ink.rule, { x: left, y, width, height: 0.6 });
  });
  const draw = (): void => {
    let x = left + across;
    const first = y + down + baseline(style.name);
    for (const { line, colour } of head.words) {
      drawLine(sheet, line, { x, y: first, size: style.name.size, colour });
      x += points(line, style.name.size) + gap;
    }
    const put = (
      lines: readonly Line[],
      x: number,
      top: number,
      { size, leading }: { size: number; leading: number },
      colour: string,
    ): void => {
      // prettier-ignore
      for (const [n, line] of lines.entries()) {
        drawLine(sheet, line, { x, y: top + n * leading + baseline({ size, leading }), size, colour }); // prettier-ignore
      }
    };
    put(head.name, x, y + down, style.name, ink.text);
    const end = left + width - across - points(head.amount, style.name.size);
    put([head.amount], end, y + down, style.name, ink.muted);
    const below = y + down + head.name.length * style.name.leading;
    put(head.detail, left + across, below, style.detail, ink.text);
  };
  if (element) mark(sheet, element, draw);
  else artifact(sheet, 'Pagination', draw);
  flow.y += head.height;
}

/** How many rows of each group are not shown. */
async function writeCounts(
  flow: Flow,
  { title }: Table,
  {
    paper: { unit },
    by,
    digest: { counts },
  }: {
    readonly paper: Paper;
    readonly by: readonly PlacedColumn[];
    readonly digest: Digest;
  },
): Promise<void> {
  const left = counts.filter(({ total, shown }) => shown < total);
  const rows = left
    .slice(0, mostCounted)
    .map(({ sample, total, shown }): Row => [
      ...by.map(({ at }) => sample[at] ?? null),
      total,
      shown,
      total - shown,
    ]);
  const name = by[0]?.column.title.toLowerCase() ?? '';
  const number = (id: string, title: string) => ({ id, title, type: 'integer', width: 1 }) as const;
  const counted: Table = {
    kind: 'table',
    id: 'counts',
    title: `${title} not shown, by ${name}`,
    columns: [
      ...by.map(({ column: { shown: _, ...column } }) => column),
      number('total', 'All'),
      number('shown', 'Shown'),
      number('left', 'Not shown'),
    ],
    rowCount: rows.length,
    async *rows() {
      yield rows;
    },
    empty: '',
  };
  await writeRows(flow, counted, async (height) => {
    flow.y += 10;
    await makeRoom(flow, styles.title.leading + 4 + height);
    await writeElement(flow, 'H3', counted.title, styles.title);
    flow.y += 4;
  });
  const others = left.slice(mostCounted);
  if (others.length === 0) return;
  const sum = others.reduce((all, { total, shown }) => all + total - shown, 0);
  await writeHint(flow, `Also not shown: ${cellText(sum, 'integer')} ${sum === 1 ? unit[0] : unit[1]} in ${cellText(others.length, 'integer')} other groups.`); // prettier-ignore
}
