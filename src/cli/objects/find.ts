import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/list-all.ts';
import { readObject } from '../../client/objects.ts';
import type { ObjectsOf } from '../../client/objects.ts';
import type { ErrorName } from '../../contract/errors.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { readOwnership } from '../../project/compare/ownership.ts';
import type { Context } from '../context.ts';

/** How people refer to the objects of a noun, besides IDs. */
interface Names<Item> {
  /** The prefix of its IDs: `pol_`. */
  readonly prefix: string;
  /** The ways to refer to an object, for errors: `id, name or key`. */
  readonly knownBy: string;
  /** Its name for people. */
  readonly nameOf: (item: Item) => string;
  /** Default: compares the name. */
  readonly isCalled?: (item: Item, named: string) => boolean;
  /** The tags, which include the key in git; absent: the noun has no keys in git. */
  readonly tagsOf?: (item: Item) => readonly string[] | undefined;
  /** Candidates for "did you mean". */
  readonly suggested: (item: Item) => readonly (string | undefined)[];
  readonly notFound: ErrorName;
  /** The hint if nothing is similar; default: the command that lists them. */
  readonly listHint?: string;
  /** What several matches have in common, for errors; default: `are named`. */
  readonly share?: string;
  /** The error for several matches; default: lists their IDs. */
  readonly tooMany?: (named: string, items: readonly Item[]) => GovctlError;
}

/** Objects that can be found by name. */
export interface Findable<Item extends { readonly id: string }> {
  readonly of: ObjectsOf<Item>;
  readonly names: Names<Item>;
}

export interface Found<Item> {
  readonly item: Item;
  readonly etag: string | undefined;
}

/**
 * Finds an object by ID, then by name, then by key in git. Of several, prefers those of this directory's project. The API
 * finds objects only by ID, so names and keys are searched in the whole list.
 * @throws GovctlError not found, with the nearest name; usage_error for several matches
 */
export async function findObject<Item extends { readonly id: string }>(
  context: Pick<Context, 'world'>,
  client: Client,
  { of, names }: Findable<Item>,
  named: string,
): Promise<Found<Item>> {
  if (named.trim() === '') throw new GovctlError('usage_error', `No ${of.one} given`);
  if (named.startsWith(names.prefix)) {
    const found = await readObject(client, of, named);
    if (found) return found;
  }
  const all: Item[] = [];
  for await (const item of listAll(client, of)) all.push(item);
  const { nameOf, isCalled = (item, name) => nameOf(item) === name } = names;
  const called = all.filter((item) => isCalled(item, named));
  const matches = await ownFirst(
    context,
    names,
    called.length > 0 ? called : withKey(all, names, named),
  );
  const [match, second] = matches;
  if (!match) throw noSuchObject({ of, names }, named, all);
  if (second) {
    if (names.tooMany) throw names.tooMany(named, matches);
    const share = called.length > 0 ? (names.share ?? 'are named') : 'have the key';
    throw new GovctlError('usage_error', `Several ${of.many} ${share} ${JSON.stringify(named)}`, {
      hint: `Use an ID: ${matches.map((item) => idAndProject(item, names)).join(', ')}.`,
    });
  }
  return (await readObject(client, of, match.id)) ?? { item: match, etag: undefined };
}

/**
 * The IDs of objects given by ID, name or key. An ID is not looked up: what refers to an object may outlive it.
 * @throws GovctlError as `findObject`
 */
export async function findIds<Item extends { readonly id: string }>(
  context: Pick<Context, 'world'>,
  client: Client,
  findable: Findable<Item>,
  named: readonly string[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const one of named) {
    ids.push(
      one.startsWith(findable.names.prefix)
        ? one
        : (await findObject(context, client, findable, one)).item.id,
    );
  }
  return ids;
}

type Owned<Item> = Pick<Names<Item>, 'tagsOf'>;

const ownershipOf = <Item>(item: Item, { tagsOf }: Owned<Item>) =>
  readOwnership(tagsOf?.(item) ?? []);

const withKey = <Item>(all: readonly Item[], names: Owned<Item>, key: string): readonly Item[] =>
  all.filter((item) => ownershipOf(item, names).key === key);

/** Of several objects, those of this directory's project, if it has any; else all. */
async function ownFirst<Item>(
  { world }: Pick<Context, 'world'>,
  names: Owned<Item>,
  found: readonly Item[],
): Promise<readonly Item[]> {
  if (found.length < 2 || !names.tagsOf) return found;
  const { loadConfig } = await import('../../project/config.ts');
  const { project } = loadConfig(world.cwd).config;
  const own = found.filter((item) => ownershipOf(item, names).owner === project);
  return project !== undefined && own.length > 0 ? own : found;
}

function idAndProject<Item extends { readonly id: string }>(
  item: Item,
  names: Owned<Item>,
): string {
  const { owner } = ownershipOf(item, names);
  return owner === undefined ? item.id : `${item.id} (project ${owner})`;
}

/** The error for an object that does not exist (any more). */
export function noSuchObject<Item extends { readonly id: string }>(
  { of, names }: Findable<Item>,
  named: string,
  all: readonly Item[] = [],
): GovctlError {
  const { suggested, notFound, knownBy, listHint } = names;
  const words = all.flatMap((item) => suggested(item).filter((one) => one !== undefined));
  const nearest = nearestWord(named, words);
  return new GovctlError(notFound, `No ${of.one} with ${knownBy} ${JSON.stringify(named)}`, {
    hint: nearest
      ? `Did you mean ${JSON.stringify(nearest)}?`
      : (listHint ?? `Run \`govctl ${of.one} list\` to list ${of.many}.`),
  });
}
