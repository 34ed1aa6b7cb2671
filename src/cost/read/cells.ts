import type { Place } from './place.ts';

/** A row of any format, with fields in the order of the header. It is valid until the next one is read. */
export interface Cells {
  readonly length: number;
  /** The text of a field; undefined: the row has no such field. */
  text(field: number): string | undefined;
  /** Whether the field was written in quotes: `NULL` in quotes is a name. */
  isQuoted(field: number): boolean;
  /** Whether a field has the same text as that of the row before: most have. */
  isSame(field: number): boolean;
  /** Where a field begins. */
  place(field: number): Place;
}
