import type { Actor } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { StatementKey } from '../keys/statement-key.ts';
import type { Reader, Tx } from '../store/store.ts';
import { anchor } from './anchor.ts';
import { chained, readHead } from './chain.ts';
import { auditLog } from './collection.ts';
import type { ChainEnd } from './collection.ts';

/** Writes down who did what, in the transaction that does it. */
export async function recordAudit(
  deps: Pick<Deps, 'ids' | 'clock'>,
  tx: Tx,
  actor: Actor,
  action: string,
  subject: string,
  changes?: readonly string[],
): Promise<void> {
  const entry = {
    id: deps.ids.next('aud'),
    sequence: await tx.next(auditLog.name),
    at: timestamp(deps.clock.now()),
    actor: actor.userId,
    via: actor.via,
    action,
    subject,
    ...(changes ? { changes } : {}),
    ...(actor.source ? { source: actor.source } : {}),
    request_id: actor.requestId,
  };
  await tx.insert(auditLog, await chained(tx, entry));
}

/** Where the log ends. */
export const auditHead = (reader: Reader): Promise<ChainEnd> => readHead(reader);

/** Call it where the log is emptied, in that transaction: its anchor says, signed, that all entries up to now are gone. */
export const anchorAll = async (
  deps: Pick<Deps, 'clock'>,
  tx: Tx,
  key: StatementKey,
): Promise<void> => anchor(deps, tx, key, await readHead(tx), 'reset');
