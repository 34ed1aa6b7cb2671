import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/list-all.ts';
import { readObject } from '../../client/objects.ts';
import type { ObjectsOf } from '../../client/objects.ts';
import type { ErrorName } from '../../contract/errors.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { readOwnership } from '../../project/compare/ownership.ts';
import type { Context } from '../context.ts';

/** What people call the objects of a noun, beside their ids. */
interface Names<Item> {
  /** Of its ids: `pol_`. */
  readonly prefix: string;
  /** What one is found by, as an error says it: `id, name or key`. */
  readonly knownBy: string;
  /** As a person knows it. */
  readonly nameOf: (item: Item) => string;
  /** Default: its name is this. */
  readonly isCalled?: (item: Item, named: string) => boolean;
  /** Where the keys of git are; absent: git keeps none of them. */
  readonly tagsOf?: (item: Item) => readonly string[] | undefined;
  /** What a slip may have meant. */
  readonly suggested: (item: Item) => readonly (string | undefined)[];
  readonly notFound: ErrorName;
  /** The hint where nothing is like it; default: which command lists them. */
  readonly listHint?: string;
  /** What several have in common that go by the same; default: `are named`. */
  readonly share?: string;
  /** Default: says that there are several, and the ids of all. */
  readonly tooMany?: (named: string, items: readonly Item[]) => GovctlError;
}

/** Objects that are found by what people call them. */
export interface Findable<Item extends { readonly id: string }> {
  readonly of: ObjectsOf<Item>;
  readonly names: Names<Item>;
}

export interface Found<Item> {
  readonly item: Item;
  readonly etag: string | undefined;
}

/**
 * The object of an id; where no id is like it, the only one of a name; where none is, of a key in git: of this folder's
 * project, else of the only project that has it. The API finds by id only, so the others are looked for in the whole
 * list.
 * @throws GovctlError not found, with the nearest name; usage_error where several could be meant
 */
export async function findObject<Item extends { readonly id: string }>(
  context: Pick<Context, 'world'>,
  client: Client,
  { of, names }: Findable<Item>,
  named: string,
): Promise<Found<Item>> {
  if (named.trim() === '') throw new GovctlError('usage_error', `The ${of.one} is not named`);
  if (named.startsWith(names.prefix)) {
    const found = await readObject(client, of, named);
    if (found) return found;
  }
  const all: Item[] = [];
  for await (const item of listAll(client, of)) all.push(item);
  const { nameOf, isCalled = (item, name) => nameOf(item) === name } = names;
  const called = all.filter((item) => isCalled(item, named));
  const matches = called.length > 0 ? called : await withKey(context, all, names, named);
  const [match, second] = matches;
  if (!match) throw noSuchObject({ of, names }, named, all);
  if (second) {
    if (names.tooMany) throw names.tooMany(named, matches);
    const share = called.length > 0 ? (names.share ?? 'are named') : 'have the key';
    throw new GovctlError('usage_error', `Several ${of.many} ${share} ${JSON.stringify(named)}`, {
      hint: `Name one by its id: ${matches.map(({ id }) => id).join(', ')}.`,
    });
  }
  return (await readObject(client, of, match.id)) ?? { item: match, etag: undefined };
}

/**
 * The ids of objects that are named by id, name or key. An id is taken as it is: what is asked for may outlive it.
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

/** Those of a key in git: of this folder's project, where it has any; else all. */
async function withKey<Item>(
  { world }: Pick<Context, 'world'>,
  all: readonly Item[],
  { tagsOf }: Names<Item>,
  key: string,
): Promise<readonly Item[]> {
  if (!tagsOf) return [];
  const kept = all.filter((item) => readOwnership(tagsOf(item) ?? []).key === key);
  if (kept.length === 0) return kept;
  const { loadConfig } = await import('../../project/config.ts');
  const { project } = loadConfig(world.cwd).config;
  const own = kept.filter((item) => readOwnership(tagsOf(item) ?? []).owner === project);
  return project !== undefined && own.length > 0 ? own : kept;
}

/** Where nobody has it, or where it is gone. */
export function noSuchObject<Item extends { readonly id: string }>(
  { of, names }: Findable<Item>,
  named: string,
  all: readonly Item[] = [],
): GovctlError {
  const { suggested, notFound, knownBy, listHint } = names;
  const words = all.flatMap((item) => suggested(item).filter((one) => one !== undefined));
  const nearest = nearestWord(named, words);
  return new GovctlError(
    notFound,
    `There is no ${of.one} with the ${knownBy} ${JSON.stringify(named)}`,
    {
      hint: nearest
        ? `Did you mean ${JSON.stringify(nearest)}?`
        : (listHint ?? `\`govctl ${of.one} list\` shows what there is.`),
    },
  );
}
