import type { Measure } from '../focus/record.ts';

/** Rows that are written, and read, at once: some megabytes. */
export const mostRows = 65_536;

/** The kinds of numbers that a column is written as, the smallest that has them all. */
export const kinds = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f64: Float64Array,
} as const;
export type Kind = keyof typeof kinds;
export type Numbers = InstanceType<(typeof kinds)[Kind]>;

export interface ColumnPlace {
  readonly kind: Kind;
  readonly offset: number;
}

export interface Segment {
  readonly rows: number;
  readonly firstDay: number;
  readonly lastDay: number;
  /** By name: `day`, a text column, or a lane such as `billed.nanos`. Absent: 0 throughout. */
  readonly columns: Readonly<Record<string, ColumnPlace>>;
}

/** The texts of a column by code, as JSON lists one after the other. */
export interface DictionaryPlace {
  readonly texts: number;
  readonly parts: readonly { readonly offset: number; readonly size: number }[];
}

/** The sums of fewer columns, which many queries need no more of: one segment of no measure but money. */
export interface RollUp {
  /** Besides `day`. */
  readonly columns: readonly string[];
  readonly segment: Segment;
}

/** Where everything is, at the end of the file. */
export interface TableIndex {
  readonly version: 1;
  readonly dictionaries: Readonly<Record<string, DictionaryPlace>>;
  readonly segments: readonly Segment[];
  readonly rollUps: readonly RollUp[];
}

export const lanes = ['units', 'nanos', 'attos'] as const;
export const laneName = (measure: Measure, lane: (typeof lanes)[number]): string =>
  `${measure}.${lane}`;

/** Bytes after the index: its length, and which format it is. */
export const tailBytes = 8;
export const magic = 0x31_54_53_43; // `CST1`
