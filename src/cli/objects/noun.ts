import type { CallOptions, Client } from '../../client/client.ts';
import type { Context } from '../context.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import type { View } from '../terminal/output.ts';
import { glyphsFor } from '../terminal/sparkline.ts';
import type { Glyphs } from '../terminal/sparkline.ts';
import type { Column } from '../terminal/table.ts';
import { tableColumns } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import type { Findable } from './find.ts';
import type { Extension } from './our-server.ts';

export interface WithId {
  readonly id: string;
}

/** What a view needs besides its object. */
export interface Shown {
  /** Width in columns; Infinity in a pipe. */
  readonly room: number;
  /** What charts are drawn with. */
  readonly glyphs: Glyphs;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What the user typed for the object; default: its ID. */
  readonly named?: string;
  /** The line above it: `Created pol_…`. */
  readonly headline?: (style: Style) => string;
  /** The name of the user with an ID, or the ID. */
  readonly userName: (id: string) => string;
}

export const shownIn = (
  { world, serviceClock }: Pick<Context, 'world' | 'serviceClock'>,
  more: Pick<Shown, 'named' | 'headline'> = {},
): Shown => ({
  room: tableColumns(world.terminal),
  glyphs: glyphsFor(world.env),
  now: serviceClock.now(),
  userName: (id) => id,
  ...more,
});

/** The query of a list, from its flags; undefined fields are not sent. */
type Filter = Readonly<Record<string, string | undefined>>;

/** How `list` queries and shows a noun's rows. */
export interface Listed<Row, Flags> {
  readonly columns: (shown: Shown, rows: readonly Row[]) => readonly Column<Row>[];
  /** The ID of the user whom a column of a row names; `userName` knows those of all rows. */
  readonly userOf?: (row: Row) => string | undefined;
  /** @throws GovctlError usage_error, before the first request */
  readonly filter?: (flags: Flags, context: Context) => Filter;
  /** Further filters, which require requests to the service. */
  readonly furtherFilter?: (flags: Flags, context: Context, client: Client) => Promise<Filter>;
  /** The default order of a list; not sent, as some servers support no other. */
  readonly unasked?: Pick<ListFlags, 'sort' | 'order'>;
  /**
   * The fields that every server sorts and filters by, according to the service description; default: all that the
   * command offers. The rest is sorted and filtered here, over all rows.
   */
  readonly serverSorts?: readonly string[];
  readonly serverFilters?: readonly string[];
  /** The service description shows one value per filter: several are compared here. */
  readonly filtersTakeOne?: true;
  /** The value to sort and filter by here; default: the row's field. */
  readonly fieldOf?: (row: Row, field: string) => string | undefined;
  /** The value to sort by here, where it is another. */
  readonly sortKeyOf?: (row: Row, field: string) => string | undefined;
  /** Formats beyond the common ones, such as `ocsf`. */
  readonly formats?: (rows: readonly Row[], context: Context) => View['more'];
  /** What to know of the rows in the formats of the command, if anything. */
  readonly note?: (rows: readonly Row[], context: Context) => string | undefined;
  /** A message beside the list, from what the answer says besides its rows. */
  readonly answerNote?: (answer: Readonly<Record<string, unknown>>) => string | undefined;
  /** Messages beside an empty list, which may require requests to the service. */
  readonly sayIfEmpty?: (flags: Flags, context: Context) => Promise<void>;
  /** Whether the message for an empty list depends on the filters; default: it says that nothing matches. */
  readonly saysIfFiltered?: boolean;
}

/** How `delete` works and what it says. */
export interface Removal<Item> {
  readonly words?: { readonly verb: string; readonly past: string; readonly doing: string };
  /** The object in the prompt; default: the noun, the name and the ID. */
  readonly asked?: (item: Item, who: string, client: Client) => Asked;
  /** Fields of the JSON besides the ID. */
  readonly value?: (item: Item) => Readonly<Record<string, unknown>>;
  /** A note after the result: `; the reports it made stay`. */
  readonly after?: string;
  /** Default: the request of the service description. */
  readonly send?: (client: Client, id: string, options: CallOptions) => Promise<unknown>;
}

/** The object to remove, and where it is removed from. */
export interface Asked {
  readonly what: string;
  readonly where?: string;
}

interface Switched<Item> {
  /** The object before the change. */
  readonly before: Item;
  readonly isOn: boolean;
  /** What the user typed for the object. */
  readonly named: string;
}

/** Two commands that switch a field: `enable` and `disable`. */
export interface Switch<Item> {
  readonly field: string;
  readonly isOn: (item: Item) => boolean | undefined;
  /** The new state, what was done, and how the prompt asks: `disabled`, `Disabled`, `disable`. */
  readonly words: {
    readonly on: { readonly state: string; readonly done: string };
    readonly off: { readonly state: string; readonly done: string; readonly verb: string };
  };
  /** Send If-Match: objects that are sent whole must not overwrite a newer state. */
  readonly isGuarded?: boolean;
  readonly after?: (item: Item) => string;
  /** Messages besides the result. */
  readonly say?: (context: Context, switched: Switched<Item>) => Promise<void>;
}

interface AnyNoun<Item, Flags> extends Extension {
  readonly list: Listed<Item, Flags>;
  readonly view: (item: Item, shown: Shown) => View | Promise<View>;
  /** Whether work on it continues; `get` then exits with 8. */
  readonly isUnderway?: (item: Item) => boolean;
  readonly removal?: Removal<Item>;
}

/** A noun of the service description: every server has it, and its objects are found by ID or name. */
export interface DescribedNoun<Item extends WithId, Flags = object>
  extends AnyNoun<Item, Flags>, Findable<Item> {
  readonly switch?: Switch<Item>;
}

/** A noun that our server adds; its objects are found by ID. */
export interface OwnNoun<Item extends WithId, Flags = object> extends AnyNoun<Item, Flags> {
  readonly one: string;
  readonly many: string;
  /** The name of the list in the API; default: `many`. */
  readonly listName?: string;
  readonly feature: string;
  /** Where projects keep them in git: what to call one, and its tags. */
  readonly kept?: {
    readonly nameOf: (item: Item) => string;
    readonly tagsOf: (item: Item) => readonly string[] | undefined;
  };
  /** Its part of the client, with the verbs that the API has. */
  readonly api: (client: Client) => OwnApi<Item>;
}

export type Noun<Item extends WithId, Flags = object> =
  DescribedNoun<Item, Flags> | OwnNoun<Item, Flags>;

interface ById {
  readonly params: { readonly id: string };
}

export interface OwnApi<Item> {
  list?(input: {
    readonly query: object;
  }): Promise<{ readonly data: object; readonly characters: number }>;
  get?(input: ById): Promise<{ readonly data: Item }>;
  update?(
    input: ById & { readonly body: object },
    options?: CallOptions,
  ): Promise<{ readonly data: Item }>;
  delete?(input: ById, options?: CallOptions): Promise<unknown>;
}

/** The plural for people, and the name of the list in the API. */
export const listWords = <Item extends WithId, Flags>(
  noun: Noun<Item, Flags>,
): { readonly plural: string; readonly listName: string } =>
  'of' in noun
    ? { plural: noun.of.many, listName: noun.of.many }
    : { plural: noun.many, listName: noun.listName ?? noun.many };

/** One object, for people: `API key`. */
export const wordFor = <Item extends WithId>(noun: Noun<Item, never>): string =>
  'of' in noun ? noun.of.one : noun.one;

/** The client function of a verb. @throws TypeError if the noun has no such endpoint */
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
