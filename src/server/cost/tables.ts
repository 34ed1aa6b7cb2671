import { Table } from '../../cost/table/read.ts';
import type { FileOf } from '../module.ts';
import { Recent } from '../recent.ts';
import { rangesOf } from '../store/blob-ranges.ts';
import type { Blobs } from '../store/store.ts';

/** Bytes of memory for what was read of tables: roll-ups of two years of some tens of billing accounts. */
const mostMemory = 64 << 20;

/** Tables by their blob, which never changes. */
const memories = new WeakMap<Blobs, Recent<Table>>();

/** Opens the charges of a period; what queries have read of them before is in memory. */
export function openTable(blobs: Blobs, { blob, size = 0 }: FileOf): Promise<Table> {
  const tables = memories.get(blobs) ?? new Recent<Table>(mostMemory, ({ memory }) => memory);
  memories.set(blobs, tables);
  return tables.get(blob, () => Table.open(rangesOf(blobs, blob), size));
}
