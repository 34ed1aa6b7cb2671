import type { Client } from '../../client/client.ts';
import type { AuditEntry, AuditHead } from '../../contract/audit-log.ts';
import { inThrees } from '../terminal/printable.ts';
import { ChainCheck } from './check-chain.ts';
import type { ChainEnd } from './check-chain.ts';

const pageSize = 100;
/** The log is read so often at most, where entries are removed while it is. */
const mostReadings = 3;

export interface ReadLog {
  readonly head: AuditHead;
  readonly check: ChainCheck;
}

/** Keeps what is read. */
interface Keeper {
  /** The log is read from its beginning, maybe again. */
  begin(head: AuditHead): Promise<void>;
  add(entries: readonly AuditEntry[]): Promise<void>;
}

interface Reading {
  /** An end that the chain had. */
  readonly earlier: ChainEnd | undefined;
  readonly update: (text: string) => void;
  /** Absent: reading ends after many problems. */
  readonly keeper?: Keeper;
}

/** Reads the whole audit log and follows its chain of hashes. */
export async function readLog(client: Client, reading: Reading): Promise<ReadLog> {
  for (let left = mostReadings; ; left--) {
    const read = await readOnce(client, reading);
    if (read.check.problems.length === 0 || left === 1) return read;
    // Old entries that were removed meanwhile are missing from what was read, not from the log.
    const { data: now } = await client.auditLog.head({});
    if (now.anchor?.sequence === read.head.anchor?.sequence) return read;
  }
}

async function readOnce(client: Client, { earlier, update, keeper }: Reading): Promise<ReadLog> {
  const { data: head } = await client.auditLog.head({});
  await keeper?.begin(head);
  const check = new ChainCheck(head.anchor, earlier);
  const isEnough = (): boolean => check.isDone && keeper === undefined;
  let has = 0;
  let cursor: string | undefined;
  for (let before = -1; before < has;) {
    before = has;
    const { data: page } = await client.auditLog.list({
      query: {
        sort_by: 'sequence',
        order: 'asc',
        limit: pageSize,
        ...(cursor === undefined ? {} : { cursor }),
      },
    });
    has += page.audit_log.length;
    // What came since the head was asked for is for the next time.
    const entries = page.audit_log.filter(({ sequence }) => sequence <= head.head.sequence);
    for (const entry of entries) if (!check.isDone) check.add(entry);
    await keeper?.add(entries);
    update(`Reading the audit log: ${inThrees(has)} entries`);
    cursor = page.pagination.next_cursor;
    // A page that brings nothing more is the last one, whatever the server says.
    const last = page.audit_log.at(-1)?.sequence ?? head.head.sequence;
    if (cursor === undefined || last >= head.head.sequence || isEnough()) break;
  }
  check.end(head.head, has);
  return { head, check };
}
