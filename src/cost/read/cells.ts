import type { Amount } from '../amount.ts';
import type { Place } from './place.ts';

/** A row of any format, with fields in the order of the header. It is valid until the next one is read. */
export interface Cells {
  readonly length: number;
  /** The text of a field; undefined: the row has no such field. */
  text(field: number): string | undefined;
  /** The amount of a field, where that is quicker than by its text; undefined: its text says more. */
  amount?(field: number): Amount | undefined;
  /** Whether the field was written in quotes: `NULL` in quotes is a name. */
  isQuoted(field: number): boolean;
  /** Where a field begins. */
  place(field: number): Place;
}
