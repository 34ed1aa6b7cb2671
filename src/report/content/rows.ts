/** Rows that are read in batches, again and again; very many of them are not in memory. */
export interface Rows<T> {
  readonly count: number;
  readonly read: () => AsyncIterable<readonly T[]>;
}

/** Those of a list. */
export const rowsOf = <T>(list: readonly T[]): Rows<T> => ({
  count: list.length,
  async *read() {
    if (list.length > 0) yield list;
  },
});
