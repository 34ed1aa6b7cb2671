import type { Awaitable } from '../../awaitable.ts';
import { createTurns } from '../../threads/turns.ts';
import { StoreUnavailable } from '../store.ts';
import type {
  CollectionSpec,
  Document,
  LaneSpec,
  LaneTurns,
  Page,
  PageQuery,
  Store,
  StoreHealth,
  Tx,
  Versioned,
} from '../store.ts';
import { createAgenda } from './agenda.ts';
import type { Agenda, Owners } from './agenda.ts';
import { createBlobs } from './blobs.ts';
import type { BlobOptions } from './blobs.ts';
import { sealCommit } from './journal.ts';
import type { SealedCommit } from './journal.ts';
import { dropLanes, keepLanes, noLanes, settleLane } from './lane.ts';
import type { LaneFamilies } from './lane.ts';
import { laneState, laneWork } from './lane-view.ts';
import { isLaneOperation } from './operation.ts';
import type { Commit } from './operation.ts';
import { Overlay } from './overlay.ts';
import { messageOf } from './refusal.ts';
import type { Table } from './table.ts';
import { beginTransaction } from './transaction.ts';
import type { Committed } from './transaction.ts';
import { createPace } from './pace.ts';
import { findRow, getRow, pageRows } from './view.ts';
import type { View } from './view.ts';

/** The durable state. */
export interface State {
  commit: number;
  readonly tables: ReadonlyMap<string, Table>;
  readonly lanes: LaneFamilies;
  readonly sequences: Map<string, number>;
}

/** What makes commits last. */
export interface Durability {
  /** Resolves when the commit is on disk. */
  append(sealed: SealedCommit): Promise<void>;
  /** Why the last checkpoints could not be written, if so. */
  checkpoints(): string | undefined;
  /** Folds the journal into the checkpoints, where that is still possible, and lets go. */
  close(signal?: AbortSignal): Promise<void>;
}

/**
 * Commits lie in two layers: `state` is what is on disk and all that readers outside a transaction
 * see; `pending` holds what is committed but still on its way there, which only the next
 * transactions see. So no transaction waits for another's flush, no read waits at all, and when the
 * disk fails there is nothing to undo: `pending` is dropped.
 */
export interface Engine {
  readonly store: Store;
  /** Moves a commit from pending to durable. */
  settle(commit: Commit): void;
  /** Turns the store read-only. */
  fail(reason: string): void;
  /**
   * Turns it writable again.
   * @param go told the newest number that was given to a commit, and the last that is durable; returns the number after
   * which new ones begin, so that none is given to two commits
   */
  resume(go: (newest: number, last: number) => Promise<number>): Promise<void>;
}

/** A transaction that has run: its outcome stands once `durable` resolves. */
type Ended<R> = { readonly durable: Promise<void> } & (
  { readonly result: R } | { readonly error: unknown }
);

/** What is kept for a declared family of lanes. */
const familyOf = <T>(families: ReadonlyMap<string, T>, family: string): T => {
  const found = families.get(family);
  if (!found) throw new Error(`lanes ${family} were not declared to the store`);
  return found;
};

/** Applies a commit to the durable state. */
const applyCommit = (state: State, { commit, ops }: Commit): void => {
  for (const operation of ops) {
    if (isLaneOperation(operation)) {
      settleLane(familyOf(state.lanes, operation[1]), commit, operation);
      continue;
    }
    const [op, name, value] = operation;
    if (op === 'seq') state.sequences.set(name, value);
    else if (op === 'put') state.tables.get(name)?.put(value, commit);
    else state.tables.get(name)?.remove(value);
  }
  state.commit = commit;
};

const oneOwner: Owners = { of: () => '', served: () => [] };

const ownersIn = (table: Table, { ownerOf, servedAt }: LaneTurns<Document>): Owners => ({
  of(lane) {
    const row = table.get(lane);
    return row ? ownerOf(row.doc) : '';
  },
  served() {
    const latest = new Map<string, string>();
    for (const { doc } of table.snapshot()) {
      const [owner, at] = [ownerOf(doc), servedAt(doc)];
      if (at !== undefined && at > (latest.get(owner) ?? '')) latest.set(owner, at);
    }
    return [...latest].sort(([, a], [, b]) => (a < b ? -1 : 1)).map(([owner]) => owner);
  },
});

export const createEngine = (
  state: State,
  families: readonly LaneSpec[],
  durability: Durability,
  folder: Pick<BlobOptions, 'dir' | 'files'>,
): Engine => {
  const nothingPending = () => ({
    pending: new Map(Array.from(state.tables, ([name, { spec }]) => [name, new Overlay(spec)])),
    pendingLanes: noLanes(state.lanes.keys()),
    /** The newest numbers handed out, durable or not. */
    sequences: new Map(state.sequences),
    lastAppend: Promise.resolve(),
  });
  let { pending, pendingLanes, sequences, lastAppend } = nothingPending();
  let commit = state.commit;
  let failure: string | undefined;
  /** Counts the times that the store was turned read-only or writable. */
  let phase = 0;
  let closing: Promise<void> | undefined;
  /** One transaction runs at a time. */
  const turns = createTurns(1);
  /** Ends when every transaction in line has run. */
  let allRun: Promise<unknown> = Promise.resolve();
  const pace = createPace();
  /** Comes after the last transaction, where those in line have written much. */
  let pause: Promise<void> | undefined;

  const tableOf = (collection: string): Table => {
    const table = state.tables.get(collection);
    if (!table) throw new Error(`collection ${collection} was not declared to the store`);
    return table;
  };

  // Documents of a collection come in under its spec only.
  const ownersOf = ({ turns }: LaneSpec): Owners =>
    turns
      ? ownersIn(tableOf(turns.collection.name), turns as unknown as LaneTurns<Document>)
      : oneOwner;
  const agendas: ReadonlyMap<string, Agenda> = new Map(
    families.map((spec) => [
      spec.name,
      createAgenda(familyOf(state.lanes, spec.name), ownersOf(spec)),
    ]),
  );

  const durableView = (collection: string): View => ({ table: tableOf(collection), overlays: [] });

  const committed: Committed = {
    viewOf(collection) {
      const table = tableOf(collection);
      const overlay = pending.get(collection);
      return { table, overlays: overlay && overlay.changes.size > 0 ? [overlay] : [] };
    },
    lanesOf: (family) => [familyOf(state.lanes, family), familyOf(pendingLanes, family)],
    sequence: (name) => sequences.get(name) ?? 0,
  };

  const assertWritable = (): void => {
    if (failure !== undefined) throw new StoreUnavailable(`the store is read-only: ${failure}`);
  };

  const assertOpen = (): void => {
    if (closing) throw new StoreUnavailable('the store is closed');
  };

  const blobs = createBlobs({ ...folder, assertOpen, assertWritable });

  const keepPending = (entry: Commit): void => {
    const { commit: revision, ops } = entry;
    keepLanes(pendingLanes, entry);
    for (const operation of ops) {
      if (isLaneOperation(operation)) continue;
      const [op, name, value] = operation;
      if (op === 'seq') sequences.set(name, value);
      else if (op === 'put') pending.get(name)?.set(value.id, { doc: value, revision });
      else pending.get(name)?.set(value, { doc: undefined, revision });
    }
  };

  /** Records what a transaction did. */
  const enter = (sealed: SealedCommit): void => {
    assertWritable();
    pause = pace.spend(sealed.commit.ops.length);
    lastAppend = durability.append(sealed);
    commit = sealed.commit.commit;
    keepPending(sealed.commit);
    // Whoever depends on it awaits it; nobody does when the last of them gave up.
    lastAppend.catch(() => undefined);
  };

  const run = async <R>(work: (tx: Tx) => Promise<R>): Promise<Ended<R>> => {
    const begunIn = phase;
    // It may have seen what was refused since.
    const assertUnbroken = (): void => {
      if (phase !== begunIn) throw new StoreUnavailable('the disk failed during the change');
    };
    const { tx, finish } = beginTransaction(committed, commit + 1);
    // What is answered may rest on commits that are not on disk yet, even if it is an error: it waits for them, too.
    try {
      const result = await work(tx);
      const ops = finish();
      const sealed = ops.length > 0 ? await sealCommit({ commit: commit + 1, ops }) : undefined;
      assertUnbroken();
      if (sealed) enter(sealed);
      return { result, durable: lastAppend };
    } catch (error) {
      finish();
      assertUnbroken();
      return { error, durable: lastAppend };
    }
  };

  const inTurn = async <R>(
    work: (tx: Tx) => Promise<R>,
    owner: string | undefined,
  ): Promise<Ended<R>> => {
    const giveBack = await turns.take(undefined, owner);
    try {
      return await run(work);
    } finally {
      void Promise.resolve(pause).then(giveBack);
    }
  };

  // The casts give back the type under which the same collection took the document in.
  const store: Store = {
    blobs,
    get<T extends Document>(collection: CollectionSpec<T>, id: string) {
      assertOpen();
      return getRow(durableView(collection.name), id) as Versioned<T> | undefined;
    },
    find<T extends Document>(collection: CollectionSpec<T>, index: string, value: string) {
      assertOpen();
      return findRow(durableView(collection.name), index, value) as Versioned<T> | undefined;
    },
    page<T extends Document>(collection: CollectionSpec<T>, query: PageQuery) {
      assertOpen();
      return pageRows(() => durableView(collection.name), query) as Awaitable<Page<T>>;
    },
    laneState({ name }, lane) {
      assertOpen();
      return laneState([familyOf(state.lanes, name)], lane);
    },
    laneWork({ name }, query) {
      assertOpen();
      return laneWork([familyOf(state.lanes, name)], query);
    },
    claim({ name, longestPause }, { now, most }) {
      assertOpen();
      return familyOf(agendas, name).claim(now, most, longestPause);
    },
    ahead({ name, longestPause }, of) {
      assertOpen();
      return familyOf(agendas, name).ahead(of, longestPause);
    },
    release: ({ name }, claimed) => familyOf(agendas, name).release(claimed),
    nextDue({ name, longestPause }) {
      assertOpen();
      return familyOf(agendas, name).nextDue(longestPause);
    },
    onWork: ({ name }, listener) => familyOf(agendas, name).onWork(listener),
    async transact<R>(work: (tx: Tx) => Promise<R>, owner?: string) {
      assertOpen();
      const mine = inTurn(work, owner);
      allRun = Promise.allSettled([allRun, mine]).then(() => undefined);
      const ended = await mine;
      try {
        await ended.durable;
      } catch (error) {
        throw new StoreUnavailable(`the change was not saved: ${messageOf(error)}`);
      }
      if ('error' in ended) throw ended.error;
      return ended.result;
    },
    health: (): StoreHealth => {
      const checkpoints = durability.checkpoints();
      const more = checkpoints === undefined ? {} : { checkpoints };
      if (failure !== undefined) return { writable: false, reason: failure, ...more };
      return closing
        ? { writable: false, reason: 'the store is closed', ...more }
        : { writable: true, ...more };
    },
    close(signal) {
      closing ??= allRun.then(() => blobs.close()).then(() => durability.close(signal));
      return closing;
    },
  };

  return {
    store,
    settle(entry) {
      applyCommit(state, entry);
      dropLanes(pendingLanes, entry);
      for (const operation of entry.ops) {
        if (isLaneOperation(operation)) {
          familyOf(agendas, operation[1]).update(operation[2]);
          continue;
        }
        const [op, name, value] = operation;
        if (op === 'seq') continue;
        const overlay = pending.get(name);
        const id = op === 'put' ? value.id : value;
        if (overlay?.changes.get(id)?.revision === entry.commit) overlay.drop(id);
      }
    },
    fail(reason) {
      failure = reason;
      phase += 1;
      ({ pending, pendingLanes, sequences, lastAppend } = nothingPending());
    },
    async resume(go) {
      commit = await go(commit, state.commit);
      state.commit = commit;
      failure = undefined;
      phase += 1;
    },
  };
};
