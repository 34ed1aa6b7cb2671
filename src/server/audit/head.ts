import type { AuditHead } from '../../contract/audit-log.ts';
import { defined } from '../../contract/defined.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { FindStatementKey } from '../keys/statement-key.ts';
import { signedEnd } from './anchor.ts';
import { keepEnd, readHead } from './chain.ts';
import { auditEnds } from './collection.ts';
import type { StoredEnd } from './collection.ts';

const hour = 3_600_000;

/** Where the chain ends now, signed, and from where on it is there. */
export async function showHead(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  findKey: FindStatementKey,
): Promise<AuditHead> {
  const key = await findKey();
  const { sequence, hash } = await readHead(store);
  const anchor = (await store.get(auditEnds, 'anchor'))?.doc;
  return {
    head: signedEnd(key, { sequence, hash, at: timestamp(clock.now()) }),
    ...defined({ anchor: anchor && asSigned(anchor) }),
    key: { id: key.id, public_key: key.publicKey },
  };
}

/** All of it but its place in the store. An anchor has all these fields. */
const asSigned = ({ id: _id, ...said }: StoredEnd): AuditHead['anchor'] =>
  said as AuditHead['anchor'];

/** Sends out where the chain ends, once an hour where it has grown: whoever kept it notices a log that was cut. */
export async function tellHead(deps: Deps, findKey: FindStatementKey): Promise<void> {
  const { store, clock } = deps;
  const isDue = async (reader: Pick<Deps['store'], 'get'>): Promise<boolean> => {
    const told = (await reader.get(auditEnds, 'told'))?.doc;
    const { sequence } = (await reader.get(auditEnds, 'head'))?.doc ?? { sequence: 0 };
    if (sequence === (told?.sequence ?? 0)) return false;
    return told === undefined || Math.abs(clock.now() - Date.parse(told.at)) >= hour;
  };
  if (!(await isDue(store))) return;
  const key = await findKey();
  await store.transact(async (tx) => {
    if (!(await isDue(tx))) return;
    const { sequence, hash } = await readHead(tx);
    const end = { sequence, hash, at: timestamp(clock.now()) };
    await keepEnd(tx, { id: 'told', ...end });
    await emit(deps, tx, 'audit.head', { audit: signedEnd(key, end) });
  });
}
