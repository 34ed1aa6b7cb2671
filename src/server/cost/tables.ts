import { Table } from '../../cost/table/read.ts';
import type { FileOf } from '../module.ts';
import { rangesOf } from '../store/blob-ranges.ts';
import type { Blobs } from '../store/store.ts';

/** Bytes of memory for what was read of tables: roll-ups of two years of some tens of billing accounts. */
const mostMemory = 64 << 20;

/** Tables by their blob, which never changes; the oldest use first. */
const memories = new WeakMap<Blobs, Map<string, Table>>();

/** Opens the charges of a period; what queries have read of them before is in memory. */
export async function openTable(blobs: Blobs, { blob, size = 0 }: FileOf): Promise<Table> {
  const tables = memories.get(blobs) ?? new Map<string, Table>();
  memories.set(blobs, tables);
  const table = tables.get(blob) ?? (await Table.open(rangesOf(blobs, blob), size));
  tables.delete(blob);
  tables.set(blob, table);
  let memory = 0;
  for (const one of tables.values()) memory += one.memory;
  for (const [oldest, one] of tables) {
    if (memory <= mostMemory || oldest === blob) break;
    tables.delete(oldest);
    memory -= one.memory;
  }
  return table;
}
