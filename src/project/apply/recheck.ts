import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/list-all.ts';
import { readObject } from '../../client/objects.ts';
import { GovctlError } from '../../contract/errors.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import { protectTag, readOwnership } from '../compare/ownership.ts';
import type { Body, Kind, LiveItem, Secrets } from '../kinds/kind.ts';
import { diffFields, stateHash, withArticle } from '../kinds/kind.ts';
import type { Change } from '../plan/change.ts';
import { isUntagged } from '../plan/change.ts';
import { temporaryName } from '../plan/order.ts';
import type { StepRun } from './run-steps.ts';
import { runSteps } from './run-steps.ts';

/** More touched objects than this are read by list pages, not one by one. */
const readOneByOne = 20;

/** What is live now of what a plan touches, of one kind. */
interface Current {
  readonly byId: ReadonlyMap<string, LiveItem>;
  /** Those that came one by one. */
  readonly etags: ReadonlyMap<string, string>;
  /** Everything there is, where it was listed. */
  readonly all: readonly LiveItem[] | undefined;
  /** Whether the service is known to keep tags on this kind; asked only where a change leaves its object without. */
  readonly keepsTags: boolean | undefined;
}

/** Where a change stands against what is live now. */
export type Standing =
  | { readonly kind: 'open' }
  /** An interrupted apply left it under its temporary name; the rest is still open. */
  | { readonly kind: 'aside' }
  | { readonly kind: 'done'; readonly id: string | null }
  | { readonly kind: 'stale'; readonly why: string };

/** Reads again what a plan touches. Creations need the whole list: only it tells that something is not there. */
export async function readCurrent(
  client: Client,
  kind: Kind,
  changes: readonly Change[],
  { concurrency, signal }: Pick<StepRun, 'concurrency' | 'signal'>,
): Promise<Current> {
  const ids = changes.flatMap(({ id }) => (id === null ? [] : [id]));
  const hasUntagged = changes.some(isUntagged);
  if (ids.length > readOneByOne || ids.length < changes.length || hasUntagged) {
    const all: LiveItem[] = [];
    for await (const item of listAll(client, kind.objects)) all.push(item);
    const byId = new Map(all.map((item) => [item.id, item]));
    const keepsTags = hasUntagged ? await kind.keepsTags(client, all) : undefined;
    return { byId, etags: new Map(), all, keepsTags };
  }
  const byId = new Map<string, LiveItem>();
  const etags = new Map<string, string>();
  const failures: unknown[] = [];
  await runSteps({
    waitsFor: ids.map(() => []),
    concurrency,
    signal,
    run: async (index) => {
      const id = ids[index] as string; // one step for each id
      try {
        const found = await readObject(client, kind.objects, id);
        if (found) byId.set(id, found.item);
        if (found?.etag !== undefined) etags.set(id, found.etag);
        return 'done';
      } catch (error) {
        failures.push(error);
        return 'halt';
      }
    },
  });
  if (failures.length > 0) throw failures[0];
  // What was not asked for any more would look deleted.
  if (signal.aborted) throw new GovctlError('interrupted', 'Interrupted; nothing was changed');
  return { byId, etags, all: undefined, keepsTags: undefined };
}

/** What judging a kind's changes takes. */
interface Judged {
  readonly kind: Kind;
  readonly project: string;
  readonly secrets: Secrets;
  readonly current: Current;
}

/** Compares each change of one kind with what is live now. Pure; in the order of the changes. */
export function standChanges(judged: Judged, changes: readonly Change[]): Standing[] {
  const { kind, project, current } = judged;
  const wantedIdentity = ({ after }: Change): string | undefined =>
    after ? kind.identityOf(after) : undefined;
  // Names that the plan itself frees don't stand in its way.
  const leaving = new Set(
    changes.flatMap((change) =>
      change.id !== null &&
      change.before &&
      kind.identityOf(change.before) !== wantedIdentity(change)
        ? [change.id]
        : [],
    ),
  );
  const byIdentity = new Map<string, LiveItem[]>();
  for (const item of current.all ?? []) {
    if (kind.isElsewhere?.(item, project)) continue;
    const identity = kind.identityOf(item);
    byIdentity.set(identity, [...(byIdentity.get(identity) ?? []), item]);
  }
  const holderOf = (change: Change): LiveItem | undefined =>
    byIdentity
      .get(wantedIdentity(change) ?? '')
      ?.find(({ id }) => id !== change.id && !leaving.has(id));
  const ownedByKey = new Map(
    (current.all ?? []).flatMap((item) => {
      const { owner, key } = readOwnership(item.tags ?? []);
      return owner === project && key !== undefined ? [[key, item] as const] : [];
    }),
  );
  return changes.map((change) => {
    const touched = change.id === null ? undefined : current.byId.get(change.id);
    const foreign = touched && whyNotOurs(judged, change, touched);
    if (foreign) return { kind: 'stale', why: foreign };
    if (change.action === 'create') {
      return standCreation(judged, change, ownedByKey.get(change.key), holderOf(change));
    }
    return change.action === 'delete'
      ? standDeletion(judged, change, touched)
      : standUpdate(judged, change, touched, holderOf(change));
  });
}

/**
 * Whatever a plan file says, another owner's object is not touched and a protected one not deleted. Undefined: nothing
 * speaks against it.
 */
function whyNotOurs(
  { project, current }: Judged,
  change: Change,
  live: LiveItem,
): string | undefined {
  const { owner, disputed } = readOwnership(live.tags ?? []);
  if (disputed) return `${live.id} has the owner tags of several projects`;
  const isNobodys =
    owner === undefined &&
    (change.cause === 'adopt' || (isUntagged(change) && current.keepsTags === false));
  if (owner !== project && !isNobodys) {
    return owner === undefined
      ? `${live.id} belongs to no project`
      : `${live.id} belongs to project "${owner}", not to "${project}"`;
  }
  return change.action === 'delete' && live.tags?.includes(protectTag)
    ? `${live.id} is tagged ${protectTag}`
    : undefined;
}

/** Whether what a plan wants is what is live. */
export const isAsWanted = (
  { kind, secrets }: Pick<Judged, 'kind' | 'secrets'>,
  key: string,
  wanted: Body,
  live: LiveItem,
): boolean => stateHash(kind, kind.reveal(key, wanted, live, secrets)) === stateHash(kind, live);

function standCreation(
  judged: Judged,
  change: Change,
  sameKey: LiveItem | undefined,
  holder: LiveItem | undefined,
): Standing {
  const there = sameKey ?? holder;
  if (!there) return { kind: 'open' };
  if (change.after && isAsWanted(judged, change.key, change.after, there)) {
    return { kind: 'done', id: there.id };
  }
  const { noun } = judged.kind;
  return {
    kind: 'stale',
    why: sameKey
      ? `${withArticle(noun.one)} with this key was created after the plan (${there.id})`
      : taken(judged.kind, there),
  };
}

const taken = (kind: Kind, holder: LiveItem): string =>
  `the ${kind.identity} "${kind.identityOf(holder)}" is now used by ${holder.id}`;

function standUpdate(
  judged: Judged,
  change: Change,
  live: LiveItem | undefined,
  holder: LiveItem | undefined,
): Standing {
  const { kind } = judged;
  const { before, after } = change;
  if (!live) return { kind: 'stale', why: `${change.id} was deleted after the plan was created` };
  if (after && isAsWanted(judged, change.key, after, live)) return { kind: 'done', id: live.id };
  const now = stateHash(kind, live);
  const isAside =
    kind.isUnique &&
    before !== null &&
    now === stateHash(kind, { ...before, name: temporaryName(change) });
  if (now !== change.base?.sha256 && !isAside) {
    return { kind: 'stale', why: whatChanged(judged, change, live) };
  }
  const isMoved = before && after && kind.identityOf(before) !== kind.identityOf(after);
  if (holder && isMoved) return { kind: 'stale', why: taken(kind, holder) };
  return { kind: isAside ? 'aside' : 'open' };
}

function standDeletion(judged: Judged, change: Change, live: LiveItem | undefined): Standing {
  const { kind } = judged;
  if (!live) return { kind: 'done', id: change.id };
  return stateHash(kind, live) === change.base?.sha256
    ? { kind: 'open' }
    : { kind: 'stale', why: whatChanged(judged, change, live) };
}

/** Names fields only. */
function whatChanged({ kind, secrets }: Judged, change: Change, live: LiveItem): string {
  const { key, before, after } = change;
  const real = after && kind.reveal(key, after, live, secrets);
  const shown = kind.shownLive(live, after && real && { real, shown: after });
  const fields = diffFields(kind, before && kind.state(before), kind.state(shown)).map(
    ({ path }) => path,
  );
  const when = live.updated_at ? ` (at ${utcMinute(live.updated_at)})` : '';
  return `${live.id} was changed after the plan was created${when}${fields.length > 0 ? `: ${fields.join(', ')}` : ''}`;
}
