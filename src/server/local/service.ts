import { defined } from '../../contract/defined.ts';
import { snapshotType } from '../../contract/local.ts';
import type { Advanced, Emptied, LocalClock, Restored } from '../../contract/local.ts';
import { describeOffset } from '../../contract/duration.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Actor, ByteBody } from '../http/call.ts';
import type { LocalHooks } from '../http/local-hooks.ts';
import { anchorAll, recordAudit } from '../audit/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { FindStatementKey } from '../keys/statement-key.ts';
import type { SecretBox } from '../keys/secret-box.ts';
import type { Module } from '../module.ts';
import { openNamelessFile } from '../nameless-file.ts';
import type { NamelessFile } from '../nameless-file.ts';
import { versionsOf } from '../store/migrate.ts';
import { StoreUnavailable } from '../store/store.ts';
import type { Store, Tx } from '../store/store.ts';
import { advance, haveSettled } from './advance.ts';
import type { AdjustableClock } from './clock.ts';
import { localState } from './collection.ts';
import { createFaultTable } from './faults.ts';
import type { FaultTable } from './faults.ts';
import { readSnapshot, receiveSnapshot } from './read-snapshot.ts';
import type { Snapshot } from './read-snapshot.ts';
import { createRequestLog } from './request-log.ts';
import type { RequestLog } from './request-log.ts';
import { idsOf, putBlobs, removeBlobs, settledBlobs } from './restore-blobs.ts';
import { empty, replaceAll } from './restore.ts';
import { storedBy, takeSnapshot } from './snapshot.ts';
import type { Worker } from './workers.ts';

export interface LocalService extends LocalHooks {
  readonly faults: FaultTable;
  readonly requests: RequestLog;
  clock(): LocalClock;
  /** @param to milliseconds since the epoch; undefined: the system's time */
  setClock(to: number | undefined): Promise<LocalClock>;
  /** @param target from the clock's time, in milliseconds since the epoch, to where it is to go */
  advance(target: (now: number) => number, withinMs: number): Promise<Advanced>;
  /** JSON lines. @param signal ends the work, with its reason */
  snapshot(signal: AbortSignal): Promise<ByteBody>;
  /** @throws GovctlError malformed_request before anything is touched */
  restore(
    body: AsyncIterable<Uint8Array>,
    options: RestoreOptions,
    actor: Actor,
  ): Promise<Restored>;
  reset(actor: Actor): Promise<Emptied>;
  /** Has an advance end where it is. */
  stop(): void;
}

interface RestoreOptions {
  readonly secrets: 'keep' | 'new';
  readonly clock: 'keep' | 'snapshot';
}

export interface LocalOptions {
  readonly deps: Deps;
  readonly clock: AdjustableClock;
  readonly workers: readonly Worker[];
  /** Says in the audit log's anchor what a reset removed. */
  readonly statementKey: FindStatementKey;
  /** What snapshots are of. */
  readonly modules: readonly Module[];
  /** Whether a blob is of an attempt that is under way: it may be named yet. */
  readonly isBeingWritten: (blob: string) => boolean;
}

/** The first and the last moment that a clock can be set to: what an ISO time with four digits of a year can say. */
const earliest = 0;
const latest = Date.parse('9999-12-31T00:00:00Z');

/** @throws GovctlError malformed_request */
function checkMoment(ms: number): void {
  if (ms >= earliest && ms <= latest) return;
  const message = 'The clock can be set to times from 1970-01-01 to 9999-12-31';
  throw new GovctlError('malformed_request', message);
}

/** Milliseconds that what is under way has to end, before all is replaced: else it may be written down there. */
const settleWithin = 1_000;

/** Under which a snapshot's known text is sealed, and the text. */
const sealedAs = 'govctl-snapshot';

/**
 * Goes on with the clock that was set before a restart; only where a local server does so.
 * @returns what an operator should know of it
 */
export async function resumeClock(
  store: Store,
  clock: AdjustableClock,
  isLocal: boolean,
): Promise<readonly string[]> {
  const offset = (await store.get(localState, 'clock'))?.doc.offset_ms ?? 0;
  if (offset === 0) return [];
  const moved = `The clock of this data directory was moved by ${describeOffset(offset)}`;
  if (!isLocal) {
    return [
      `${moved} on a local server. This server is reachable from other machines, so this server uses system time.`,
    ];
  }
  clock.setOffset(offset);
  return [
    `${moved} to ${timestamp(clock.now())}. To use system time, run \`govctl server clock reset\`.`,
  ];
}

/** The test aids of a server that only this machine can reach. */
export function createLocalService({
  deps,
  clock,
  workers,
  statementKey,
  modules,
  isBeingWritten,
}: LocalOptions): LocalService {
  const { store, secrets } = deps;
  const stored = storedBy(modules);
  const faults = createFaultTable(deps);
  const requests = createRequestLog(clock);
  let isStopping = false;

  /** Ends when the last of what changes everything has: one thing at a time. */
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work);
    turn = mine.catch(() => undefined);
    return mine;
  };

  const clockNow = (): LocalClock => ({
    now: timestamp(clock.now()),
    system_now: timestamp(clock.below()),
    offset_ms: clock.offset(),
  });

  function offsetTo(moment: number): number {
    checkMoment(moment);
    return Math.round(moment - clock.below());
  }

  /** Durable first, so that a restart never finds itself before what was done at the new time. */
  async function move(to: number | undefined): Promise<void> {
    const offset = to === undefined ? 0 : offsetTo(to);
    await store.transact((tx) => keepOffset(tx, offset));
    clock.setOffset(offset);
  }

  function checkSecrets({ head, documents }: Snapshot, choice: RestoreOptions['secrets']): boolean {
    const hasSecrets = [...documents].some(([{ sealed }, docs]) =>
      docs.some((doc) => sealed?.holds(doc)),
    );
    if (!hasSecrets || opens(secrets, head.sealed)) return false;
    if (choice === 'new') return true;
    throw new GovctlError(
      'malformed_request',
      'The snapshot cannot be restored: its secrets were encrypted with the key of another server. Start this server with that key in GOVCTL_SERVER_SECRET_KEY, or restore with secrets=new, which generates new webhook secrets; other secrets, such as report passwords, must be set again',
    );
  }

  function renewSecrets(snapshot: Snapshot): { snapshot: Snapshot; renewed: number } {
    let renewed = 0;
    const documents = [...snapshot.documents].map(([collection, docs]) => {
      const renew = collection.sealed?.renew;
      if (!renew) return [collection, docs] as const;
      const fresh = docs.map((before) => {
        const { doc, isNew } = renew(before, secrets.seal, deps.random);
        if (isNew) renewed += 1;
        return doc;
      });
      return [collection, fresh] as const;
    });
    return { snapshot: { ...snapshot, documents: new Map(documents) }, renewed };
  }

  async function restore(
    file: NamelessFile,
    options: RestoreOptions,
    actor: Actor,
  ): Promise<Restored> {
    const read = await readSnapshot(file, stored);
    const { snapshot, renewed } = checkSecrets(read, options.secrets)
      ? renewSecrets(read)
      : { snapshot: read, renewed: 0 };
    const { taken_at } = snapshot.head;
    const offset = options.clock === 'snapshot' ? offsetTo(Date.parse(taken_at)) : undefined;
    await haveSettled(workers, settleWithin);
    const before = await settledBlobs(store.blobs, isBeingWritten);
    const written = await putBlobs(store.blobs, snapshot, await idsOf(store.blobs));
    const offsetBefore = clock.offset();
    const restored = await store
      .transact(async (tx) => {
        const counts = await replaceAll(tx, stored, snapshot);
        await recordAudit(deps, tx, actor, 'local.restore', 'store');
        if (offset !== undefined) {
          await keepOffset(tx, offset);
          // Before anything of the snapshot can be claimed: by the clock of before, much of it may seem due.
          clock.setOffset(offset);
        }
        return counts;
      })
      .catch(async (error: unknown) => {
        clock.setOffset(offsetBefore);
        // Whether it lasted is not known where the store failed: the next start looks what nothing refers to.
        if (!(error instanceof StoreUnavailable)) await removeBlobs(deps, written);
        throw error;
      });
    await removeBlobs(
      deps,
      before.filter((id) => !snapshot.blobs.has(id)),
    );
    return { taken_at, restored, new_secrets: renewed, clock: clockNow() };
  }

  return {
    faults,
    requests,
    mark() {
      const offset = clock.offset();
      const { active } = faults;
      if (offset === 0 && active === 0) return undefined;
      return [
        ...(offset === 0 ? [] : [`clock=${describeOffset(offset)}`, `offset_ms=${offset}`]),
        ...(active === 0 ? [] : [`faults=${active}`]),
      ].join(',');
    },
    clock: clockNow,
    setClock: (to) => inTurn(() => move(to).then(clockNow)),
    advance: (targetOf, withinMs) =>
      inTurn(async () => {
        const from = clock.now();
        const target = targetOf(from);
        checkMoment(target);
        const { reached, steps } = await advance({
          clock,
          workers,
          move,
          target,
          withinMs,
          isStopping: () => isStopping,
        });
        return {
          ...clockNow(),
          from: timestamp(from),
          target: timestamp(target),
          reached,
          steps,
        };
      }),
    async snapshot(signal) {
      const head = {
        kind: 'govctl-snapshot',
        format_version: 1,
        version: deps.version,
        taken_at: timestamp(clock.now()),
        sealed: secrets.seal(sealedAs, sealedAs),
        ...defined({ versions: versionsOf(stored.collections.map(({ spec }) => spec)) }),
      } as const;
      const file = await openNamelessFile('a snapshot');
      try {
        await takeSnapshot(store, stored, head, { write: file.append, signal });
      } catch (error) {
        await file.close();
        throw error;
      }
      return {
        ...{ type: snapshotType, size: file.size() },
        open: () => file.read(),
        ended: () => void file.close(),
      };
    },
    async restore(body, options, actor) {
      const file = await receiveSnapshot(body);
      try {
        return await inTurn(() => restore(file, options, actor));
      } finally {
        await file.close();
      }
    },
    stop() {
      isStopping = true;
    },
    reset: (actor) =>
      inTurn(async () => {
        const everything = [...stored.collections, ...stored.forgotten, ...stored.history];
        await haveSettled(workers, settleWithin);
        const blobs = await idsOf(store.blobs);
        const key = await statementKey();
        const removed = await store.transact(async (tx) => {
          await anchorAll(deps, tx, key);
          const counts = await empty(tx, stored, everything);
          await recordAudit(deps, tx, actor, 'local.reset', 'store');
          return counts;
        });
        await removeBlobs(deps, blobs);
        await move(undefined);
        faults.clear();
        requests.clear();
        return { removed, clock: clockNow() };
      }),
  };
}

function opens(secrets: SecretBox, sealed: string | undefined): boolean {
  try {
    return sealed !== undefined && secrets.open(sealed, sealedAs) === sealedAs;
  } catch {
    return false;
  }
}

async function keepOffset(tx: Tx, offset: number): Promise<void> {
  const known = await tx.get(localState, 'clock');
  if (offset === 0) {
    if (known) await tx.remove(localState, 'clock');
    return;
  }
  const doc = { id: 'clock', offset_ms: offset } as const;
  await (known ? tx.replace(localState, doc) : tx.insert(localState, doc));
}
