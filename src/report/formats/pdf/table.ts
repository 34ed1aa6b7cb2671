import type { Table } from '../../model.ts';
import { addMark, contentWidth, makeRoom, styles, writeElement } from './flow.ts';
import { margin } from './page.ts';
import type { Flow } from './flow.ts';
import { startOfRows, writeRows } from './grid.ts';
import type { Begin } from './grid.ts';
import { writeGroups } from './groups.ts';
import { ink } from './palette.ts';
import type { TitlePlace } from './titles.ts';

const emptyStyle = { ...styles.body, colour: ink.muted };
const titleSpace = { above: 4, below: 4 } as const;

const titleHeight = (flow: Flow, title: string): number =>
  titleSpace.above + linesHeight(flow, title, styles.title) + titleSpace.below;

const linesHeight = (
  flow: Flow,
  text: string,
  { face, size, leading }: (typeof styles)['title' | 'body'],
): number => flow.type.lines(text, face, size, contentWidth(flow)).length * leading;

/** The points that a table in groups needs before its rows are read: title, head, heading of a group, and a row or two. */
const startOfGroups = (rowCount: number): number => Math.min(130, 80 + 25 * rowCount);

/** The points that the start of a table takes; a short table counts as a whole. */
export async function tableStart(flow: Flow, table: Table, place: TitlePlace): Promise<number> {
  const title = place === 'above' ? titleSpace.above : titleHeight(flow, table.title);
  if (table.rowCount === 0) return title + linesHeight(flow, table.empty, emptyStyle);
  return title + (table.paper ? startOfGroups(table.rowCount) : await startOfRows(flow, table));
}

/** A title that the heading above has is written anyway if a page began since. */
export async function writeTable(flow: Flow, table: Table, place: TitlePlace): Promise<void> {
  const begin: Begin = async (height) => {
    const title = place === 'above' ? titleSpace.above : titleHeight(flow, table.title);
    await makeRoom(flow, title + height);
    const isFirst = flow.y === margin.top;
    flow.y += titleSpace.above;
    if (place === 'above' && !isFirst) return;
    if (place === 'contents') addMark(flow, 2, table.title);
    await writeElement(flow, 'H3', table.title, styles.title);
    flow.y += titleSpace.below;
  };
  const wrote = table.paper
    ? await writeGroups(flow, table, table.paper, begin)
    : await writeRows(flow, table, begin);
  if (!wrote) {
    await begin(linesHeight(flow, table.empty, emptyStyle));
    await writeElement(flow, 'P', table.empty, emptyStyle);
  }
  flow.y += 16;
}
