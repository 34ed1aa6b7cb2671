import type { Table } from '../../model.ts';
import { addMark, makeRoom, styles, writeElement } from './flow.ts';
import type { Flow } from './flow.ts';
import { writeRows } from './grid.ts';
import { writeGroups } from './groups.ts';
import { ink } from './palette.ts';

/** Points that the start of a table takes: its title, its head, a row, and where there are groups, the heading of one. */
export const tableStart = ({ paper, rowCount }: Table): number =>
  paper && rowCount > 0 ? 150 : 90;

export async function writeTable(flow: Flow, table: Table): Promise<void> {
  await makeRoom(flow, tableStart(table));
  flow.y += 4;
  addMark(flow, 2, table.title);
  await writeElement(flow, 'H3', table.title, styles.title);
  flow.y += 4;
  const wrote = table.paper
    ? await writeGroups(flow, table, table.paper)
    : await writeRows(flow, table);
  if (!wrote) await writeElement(flow, 'P', table.empty, { ...styles.body, colour: ink.muted });
  flow.y += 16;
}
