import type { Client } from '../../client/client.ts';
import { listAllPolicies } from '../../client/policies.ts';
import { readPolicy } from '../../client/policy-changes.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Policy } from '../../contract/policies.ts';
import { diffFields } from '../compare/field-diff.ts';
import { normalisePolicy, stateFingerprint } from '../compare/fingerprint.ts';
import { temporaryName } from '../plan/order.ts';
import { protectTag, readOwnership } from '../compare/ownership.ts';
import type { Change, Plan } from '../plan/plan.ts';
import { runSteps } from './run-steps.ts';

/** More touched policies than this are read by list pages, not one by one. */
const readOneByOne = 20;

/** What is live now of what a plan touches. */
export interface Current {
  readonly byId: ReadonlyMap<string, Policy>;
  /** Those that came one by one. */
  readonly etags: ReadonlyMap<string, string>;
  /** Everything there is, where it was listed. */
  readonly all: readonly Policy[] | undefined;
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
  changes: readonly Change[],
  concurrency: number,
  signal: AbortSignal,
): Promise<Current> {
  const ids = changes.flatMap(({ id }) => (id === null ? [] : [id]));
  if (ids.length > readOneByOne || ids.length < changes.length) {
    const all: Policy[] = [];
    for await (const policy of listAllPolicies(client)) all.push(policy);
    return { byId: new Map(all.map((policy) => [policy.id, policy])), etags: new Map(), all };
  }
  const byId = new Map<string, Policy>();
  const etags = new Map<string, string>();
  const failures: unknown[] = [];
  await runSteps({
    waitsFor: ids.map(() => []),
    concurrency,
    signal,
    run: async (index) => {
      const id = ids[index] as string; // one step for each id
      try {
        const found = await readPolicy(client, id);
        if (found) byId.set(id, found.policy);
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
  return { byId, etags, all: undefined };
}

/** Compares each change of a plan with what is live now. Pure; in the order of the changes. */
export function standChanges(plan: Plan, current: Current): Standing[] {
  // Names that the plan itself frees don't stand in its way.
  const leaving = new Set(
    plan.changes.flatMap(({ id, before, after }) =>
      id !== null && before && before.name !== after?.name ? [id] : [],
    ),
  );
  const byName = new Map<string, Policy[]>();
  for (const policy of current.all ?? []) {
    byName.set(policy.name, [...(byName.get(policy.name) ?? []), policy]);
  }
  const holderOf = (change: Change): Policy | undefined =>
    byName.get(change.after?.name ?? '')?.find(({ id }) => id !== change.id && !leaving.has(id));
  const ownedByKey = new Map(
    (current.all ?? []).flatMap((policy) => {
      const { owner, key } = readOwnership(policy.tags ?? []);
      return owner === plan.project && key !== undefined ? [[key, policy] as const] : [];
    }),
  );
  return plan.changes.map((change) => {
    const touched = change.id === null ? undefined : current.byId.get(change.id);
    const foreign = touched && whyNotOurs(plan, change, touched);
    if (foreign) return { kind: 'stale', why: foreign };
    if (change.action === 'create') {
      return standCreation(change, ownedByKey.get(change.key), holderOf(change));
    }
    return change.action === 'delete'
      ? standDeletion(change, touched)
      : standUpdate(change, touched, holderOf(change));
  });
}

/**
 * Whatever a plan file says, another owner's policy is not touched and a protected one not deleted. Undefined: nothing
 * speaks against it.
 */
function whyNotOurs(plan: Plan, change: Change, live: Policy): string | undefined {
  const { owner, disputed } = readOwnership(live.tags ?? []);
  if (disputed) return `${live.id} carries the owner tags of several projects`;
  if (owner !== plan.project && !(owner === undefined && change.cause === 'adopt')) {
    return owner === undefined
      ? `${live.id} belongs to no project`
      : `${live.id} belongs to project "${owner}", not to "${plan.project}"`;
  }
  return change.action === 'delete' && live.tags?.includes(protectTag)
    ? `${live.id} is tagged ${protectTag}`
    : undefined;
}

function standCreation(
  change: Change,
  sameKey: Policy | undefined,
  holder: Policy | undefined,
): Standing {
  const there = sameKey ?? holder;
  if (!there) return { kind: 'open' };
  if (change.after && stateFingerprint(there) === stateFingerprint(change.after)) {
    return { kind: 'done', id: there.id };
  }
  return {
    kind: 'stale',
    why: sameKey
      ? `a policy with this key is there by now (${there.id})`
      : `the name "${there.name}" was taken meanwhile by ${there.id}`,
  };
}

function standUpdate(
  change: Change,
  live: Policy | undefined,
  holder: Policy | undefined,
): Standing {
  if (!live) return { kind: 'stale', why: `${change.id} was deleted meanwhile` };
  const now = stateFingerprint(live);
  if (change.after && now === stateFingerprint(change.after)) {
    return { kind: 'done', id: live.id };
  }
  const name = temporaryName(change);
  const isAside = change.before !== null && now === stateFingerprint({ ...change.before, name });
  if (now !== change.base?.sha256 && !isAside)
    return { kind: 'stale', why: whatChanged(change, live) };
  if (holder && change.before?.name !== change.after?.name) {
    return { kind: 'stale', why: `the name "${holder.name}" was taken meanwhile by ${holder.id}` };
  }
  return { kind: isAside ? 'aside' : 'open' };
}

function standDeletion(change: Change, live: Policy | undefined): Standing {
  if (!live) return { kind: 'done', id: change.id };
  return stateFingerprint(live) === change.base?.sha256
    ? { kind: 'open' }
    : { kind: 'stale', why: whatChanged(change, live) };
}

function whatChanged(change: Change, live: Policy): string {
  const fields = diffFields(
    change.before && normalisePolicy(change.before, 'kept'),
    normalisePolicy(live, 'kept'),
  ).map(({ path }) => path);
  const when = live.updated_at ? ` (at ${live.updated_at})` : '';
  return `${live.id} was changed meanwhile${when}: ${fields.join(', ')}`;
}
