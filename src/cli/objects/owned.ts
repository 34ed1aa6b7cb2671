import { GovctlError } from '../../contract/errors.ts';
import { isOwnershipTag, readOwnership } from '../../project/compare/ownership.ts';
import type { Context } from '../context.ts';
import { apiOf } from './noun.ts';
import type { OwnNoun, WithId } from './noun.ts';
import { withServer } from './our-server.ts';

/** Warns before a manual change of an object that is managed in git. */
export async function warnIfOwned(
  { warn }: Context,
  name: string,
  tags: readonly string[] = [],
): Promise<void> {
  const { owner } = readOwnership(tags);
  if (owner === undefined) return;
  await warn(
    `${JSON.stringify(name)} is managed in git by project "${owner}". \`govctl drift\` reports this change, and the next apply reverts it if its file still exists.`,
  );
}

/** Warns as `warnIfOwned`, of an object that is read for it. @returns its tags */
export async function warnIfKept<Item extends WithId>(
  context: Context,
  noun: OwnNoun<Item, never>,
  id: string,
): Promise<readonly string[] | undefined> {
  const { kept } = noun;
  if (!kept) return undefined;
  const found = await withServer(context, noun, `Loading ${noun.one}`, (client) =>
    apiOf(
      noun,
      client,
      'get',
    )({ params: { id } }).catch((error: unknown) => {
      // The change itself says better what is wrong.
      if (error instanceof GovctlError && error.error.endsWith('_not_found')) return undefined;
      throw error;
    }),
  );
  if (!found) return undefined;
  const tags = kept.tagsOf(found.data);
  await warnIfOwned(context, kept.nameOf(found.data), tags);
  return tags;
}

/** Adds govctl's own tags, which people neither see nor write, to the new tags. */
export function keepOwnership<Change extends object & { readonly tags?: unknown }>(
  before: readonly string[] | undefined,
  change: Change,
): Change {
  const owned = (before ?? []).filter(isOwnershipTag);
  if (change.tags === undefined || owned.length === 0) return change;
  const given = Array.isArray(change.tags) ? (change.tags as readonly string[]) : []; // of strings, by its schema
  return { ...change, tags: [...given, ...owned.filter((tag) => !given.includes(tag))] };
}
