import type {
  Cell,
  CellType,
  Column,
  Figures,
  Notice,
  Paragraph,
  Row,
  Table,
  Tone,
} from '../model.ts';
import type { Facts } from './facts.ts';
import { rowsOf } from './rows.ts';
import type { Rows } from './rows.ts';

export const paragraph = (text: string): Paragraph => ({ kind: 'paragraph', text });
export const notice = (tone: Tone, text: string): Notice => ({ kind: 'notice', tone, text });
export const figures = (...items: Figures['items']): Figures => ({ kind: 'figures', items });

/** A column, and what of an item is in it. */
export type ColumnOf<T> = Column & { readonly cell: (item: T) => Cell };

export const column = <T>(
  id: string,
  title: string,
  type: CellType,
  width: number,
  cell: (item: T) => Cell,
): ColumnOf<T> => ({ id, title, type, width, cell });

/** In a line under the row, where it is for reading. */
export const below = <T>(one: ColumnOf<T>): ColumnOf<T> => ({ ...one, shown: 'below' });
/** In spreadsheets, CSV and JSON alone. */
export const dataOnly = <T>(one: ColumnOf<T>): ColumnOf<T> => ({ ...one, shown: 'data' });

/** Who did something: by name, or by ID where they have none; in data also by ID. */
export const personColumns = <T>(
  { people }: Pick<Facts, 'people'>,
  id: string,
  title: string,
  of: (item: T) => string | undefined,
): { readonly named: ColumnOf<T>; readonly byId: ColumnOf<T> } => ({
  named: column(`${id}_name`, title, 'text', 2, (item) => {
    const who = of(item);
    return who === undefined ? null : (people?.get(who) ?? who);
  }),
  byId: dataOnly(column(id, `${title} (ID)`, 'id', 2, (item) => of(item) ?? null)),
});

/** A table of items, a row for each. */
export function table<T>(
  about: Pick<Table, 'id' | 'title' | 'empty' | 'paper'>,
  columns: readonly ColumnOf<T>[],
  items: readonly T[] | Rows<T>,
): Table {
  const rows = 'read' in items ? items : rowsOf(items);
  const cells = (item: T): Row => columns.map(({ cell }) => cell(item));
  return {
    kind: 'table',
    ...about,
    columns: columns.map(({ cell: _, ...column }) => column),
    rowCount: rows.count,
    async *rows() {
      for await (const batch of rows.read()) yield batch.map(cells);
    },
  };
}

/** ISO 8601, or nothing. @param ms since the epoch */
export const isoCell = (ms: number | undefined): Cell =>
  ms === undefined ? null : new Date(ms).toISOString();
