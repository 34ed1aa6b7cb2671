import type { CallOptions, Client } from '../../client/client.ts';
import type { Context } from '../context.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import type { View } from '../terminal/output.ts';
import type { Column } from '../terminal/table.ts';
import { tableColumns } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import type { Findable } from './find.ts';
import type { Extension } from './our-server.ts';

export interface WithId {
  readonly id: string;
}

/** What a view may look at beside its object. */
export interface Shown {
  /** Columns; Infinity in a pipe. */
  readonly room: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What was typed for it; default: its id. */
  readonly named?: string;
  /** Stands above it: `Created pol_…`. */
  readonly headline?: (style: Style) => string;
}

export const shownIn = (
  { world }: Pick<Context, 'world'>,
  more: Pick<Shown, 'named' | 'headline'> = {},
): Shown => ({ room: tableColumns(world.terminal), now: world.now(), ...more });

/** The fields of a list's query, as its flags say them; those that are undefined are not asked for. */
type Filter = Readonly<Record<string, string | undefined>>;

/** What `list` does with a noun's rows. */
export interface Listed<Row, Flags> {
  readonly columns: (shown: Shown, rows: readonly Row[]) => readonly Column<Row>[];
  /** @throws GovctlError usage_error, before anything is asked */
  readonly filter?: (flags: Flags, context: Context) => Filter;
  /** More of the filter, for which the service is asked. */
  readonly lookUp?: (flags: Flags, context: Context, client: Client) => Promise<Filter>;
  /** The order that a list has unasked: servers that know no other are not asked for it. */
  readonly unasked?: Pick<ListFlags, 'sort' | 'order'>;
  /**
   * What each server that follows the service's description sorts and filters by; default: whatever the command
   * offers. The rest is done here, over all rows.
   */
  readonly serverSorts?: readonly string[];
  readonly serverFilters?: readonly string[];
  /** What is sorted and filtered by here; default: the row's own field. */
  readonly fieldOf?: (row: Row, field: string) => string | undefined;
  /** An empty list says whether flags left all out; default: it says that nothing matches. */
  readonly saysIfFiltered?: boolean;
}

/** What `delete` says; default: of deleting. */
export interface Removal<Item> {
  readonly words?: { readonly verb: string; readonly past: string; readonly doing: string };
  /** As the question has it; default: the noun, the name and the id. */
  readonly asked?: (item: Item, who: string, client: Client) => Asked;
  /** Fields of the JSON beside the id. */
  readonly value?: (item: Item) => Readonly<Record<string, unknown>>;
  /** What to know of it: `; the reports it made stay`. */
  readonly after?: string;
  /** Default: as the description has it. */
  readonly send?: (client: Client, id: string, options: CallOptions) => Promise<unknown>;
}

/** What is about to go, and from where. */
export interface Asked {
  readonly what: string;
  readonly where?: string;
}

interface Switched<Item> {
  /** As it was. */
  readonly before: Item;
  readonly isOn: boolean;
  /** What was typed for it. */
  readonly named: string;
}

/** Two commands that switch a field: `enable` and `disable`. */
export interface Switch<Item> {
  readonly field: string;
  readonly isOn: (item: Item) => boolean | undefined;
  /** What it is then, and what was done: `enabled`, `Enabled`. */
  readonly words: Readonly<Record<'on' | 'off', { readonly state: string; readonly done: string }>>;
  /** Objects that are sent whole must not be those of an older state. */
  readonly isGuarded?: boolean;
  readonly after?: (item: Item) => string;
  /** Talk beside the result. */
  readonly say?: (context: Context, switched: Switched<Item>) => Promise<void>;
}

interface AnyNoun<Item, Flags> extends Extension {
  readonly list: Listed<Item, Flags>;
  readonly view: (item: Item, shown: Shown) => View | Promise<View>;
  /** `get` ends with 8 as long as it goes on. */
  readonly isUnderway?: (item: Item) => boolean;
  readonly removal?: Removal<Item>;
}

/** A noun of the service's description: any server has it, and people find its objects by what they call them. */
export interface DescribedNoun<Item extends WithId, Flags = object>
  extends AnyNoun<Item, Flags>, Findable<Item> {
  readonly switch?: Switch<Item>;
}

/** A noun that our server adds: its objects are known by their ids. */
export interface OwnNoun<Item extends WithId, Flags = object> extends AnyNoun<Item, Flags> {
  readonly one: string;
  readonly many: string;
  /** The list's name in the API; default: `many`. */
  readonly listName?: string;
  readonly feature: string;
  /** Its part of the client, as far as it has these. */
  readonly api: (client: Client) => OwnApi<Item>;
}

export type Noun<Item extends WithId, Flags = object> =
  DescribedNoun<Item, Flags> | OwnNoun<Item, Flags>;

interface ById {
  readonly params: { readonly id: string };
}

export interface OwnApi<Item> {
  list?(input: { readonly query: object }): Promise<{ readonly data: object }>;
  get?(input: ById): Promise<{ readonly data: Item }>;
  update?(
    input: ById & { readonly body: object },
    options?: CallOptions,
  ): Promise<{ readonly data: Item }>;
  delete?(input: ById, options?: CallOptions): Promise<unknown>;
}

/** What its objects are called, for people and as the API's list. */
export const listWords = <Item extends WithId, Flags>(
  noun: Noun<Item, Flags>,
): { readonly plural: string; readonly listName: string } =>
  'of' in noun
    ? { plural: noun.of.many, listName: noun.of.many }
    : { plural: noun.many, listName: noun.listName ?? noun.many };

/** One of its verbs. @throws TypeError for a command that the noun has no endpoint for */
export function apiOf<Item extends WithId, Verb extends keyof OwnApi<Item>>(
  { api, one }: OwnNoun<Item, never>,
  client: Client,
  verb: Verb,
): Exclude<OwnApi<Item>[Verb], undefined> {
  const call = api(client)[verb];
  if (call === undefined) throw new TypeError(`${one} has no ${verb}`);
  return call as Exclude<OwnApi<Item>[Verb], undefined>;
}

/** A field that can be sorted and filtered by. */
export function ownField(item: object, field: string): string | undefined {
  const value = (item as Readonly<Record<string, unknown>>)[field]; // an object of the API
  return typeof value === 'string' ? value : undefined;
}
