import type { Place } from './place.ts';

/** Why a row can't be read. */
export interface Rejected {
  /** Empty: it is about the whole row. */
  readonly column: string;
  readonly message: string;
  readonly place: Place;
}

/** A row of any format, with fields in the order of the header. It is valid until the next one is read. */
export interface Cells {
  readonly length: number;
  /** Why the row can't be read as one of this format, although the rows after it can. */
  readonly rejected?: Rejected;
  /** The text of a field as it is written; undefined: the row has no such field. */
  text(field: number): string | undefined;
  /** The value of a field: without spaces around it; '' where there is none, or NULL that is not in quotes, which is no name. */
  value(field: number): CellValue;
  /** Reads the amount of a field into three lanes, where that is quicker than by its value; false: its value says more. */
  amount?(field: number, lanes: Float64Array, at: number): boolean;
  /** Where a field begins. */
  place(field: number): Place;
}

/** The value of a cell. Cells of a column that have the same bytes mostly have the same one, which knows what it was read as. */
export class CellValue {
  /** Who read it, and as what. */
  reader: object | undefined;
  made: unknown;
  /** Beside what it was read as, so that the text itself need not be fetched from memory again. */
  readonly isEmpty: boolean;

  constructor(readonly text: string) {
    this.isEmpty = text === '';
  }
}

const nothing = new CellValue('');

/** The value of the first of some fields that has one. */
export function firstOf(row: Cells, fields: readonly number[]): CellValue {
  for (let at = 0; at < fields.length; at++) {
    const value = row.value(fields[at] ?? 0);
    if (!value.isEmpty) return value;
  }
  return nothing;
}
