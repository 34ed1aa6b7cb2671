import type { Cell, CellType } from '../../model.ts';
import type { StyleName } from './styles.ts';

/** Columns that texts of the first sheet are over: labels, then what they are of. */
export const allColumns = 7;

/** A text over some columns, or a value of a type, in one. */
export type SummaryCell =
  | {
      readonly text: string;
      readonly style: StyleName;
      readonly span: number;
      /** A cell of another sheet that it leads to. */
      readonly link?: string;
    }
  | { readonly value: Cell; readonly type: CellType };

/** A row of the first sheet: cells from the left to the right. None: a gap. */
export type Line = readonly SummaryCell[];
