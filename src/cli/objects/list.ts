import type { Client } from '../../client/client.ts';
import { fetchPage, listAll } from '../../client/list-all.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context, Run } from '../context.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import { formatTable } from '../terminal/table.ts';
import { collectPages, howMany, sayHowMany } from './collect-pages.ts';
import type { PageOf, PageQuery, Pages } from './collect-pages.ts';
import type { DescribedNoun, Listed, Noun, WithId } from './noun.ts';
import { apiOf, listWords, ownField } from './noun.ts';
import type { Extension } from './our-server.ts';
import { warnOfPending } from './pending.ts';
import { shownWithUsers } from './shown-by.ts';
import { withServer } from './our-server.ts';

interface Table<Row>
  extends Extension, Pick<Listed<Row, never>, 'columns' | 'userOf' | 'formats' | 'note'> {
  /** The plural for people. */
  readonly plural: string;
  /** The name of the list in the API; default: `plural`. */
  readonly listName?: string;
}

export interface ListOf<Row> extends Table<Row> {
  readonly fetchPage: (client: Client, page: PageQuery) => Promise<PageOf<Row>>;
  /** Whether flags filter the rows; default: true. */
  readonly isFiltered?: boolean;
  /** Messages beside an empty list. */
  readonly sayIfEmpty?: () => Promise<void>;
}

/** Lists objects of a server, from as many pages as the flags require. */
export async function showList<Row extends WithId>(
  context: Context,
  flags: Pick<ListFlags, 'limit' | 'all'>,
  list: ListOf<Row>,
): Promise<ExitCode> {
  const most = howMany(flags);
  const found = await withServer(context, list, `Listing ${list.plural}`, (client) =>
    collectPages(most, list.plural, (page) => list.fetchPage(client, page)),
  );
  const code = await showTable(context, list, found, list.isFiltered);
  if (found.rows.length === 0) await list.sayIfEmpty?.();
  return code;
}

/** `list` of a noun. */
export const listNoun =
  <Item extends WithId, Flags>(noun: Noun<Item, Flags>): Run<Flags & ListFlags> =>
  async (context, flags) => {
    const most = howMany(flags);
    const { columns, userOf, formats, note, filter, furtherFilter, saysIfFiltered, sayIfEmpty } =
      noun.list;
    const given = filter?.(flags, context);
    const table = { ...listWords(noun), columns, ...defined({ userOf, formats, note }) };
    let query: Query = {};
    let said: string | undefined;
    const found = await withServer(context, noun, `Listing ${table.plural}`, async (client) => {
      query = asked({ ...given, ...(await furtherFilter?.(flags, context, client)) });
      return 'of' in noun && !isPromised(noun.list, query, flags)
        ? chooseHere(noun, query, { ...flags, most }, client)
        : collectPages(
            most,
            table.plural,
            pagesOf(noun, { ...orderOf(noun.list, flags), ...query }, client, (answer) => {
              said = noun.list.answerNote?.(answer);
            }),
          );
    });
    const code = await showTable(context, table, found, saysIfFiltered ? isAny(query) : undefined);
    if (said !== undefined) await context.say(said);
    if (found.rows.length === 0) await sayIfEmpty?.(flags, context);
    return code;
  };

async function showTable<Row>(
  context: Context,
  { plural, listName = plural, columns, userOf, formats, note }: Table<Row>,
  { rows, pagination, pending }: Pages<Row>,
  isFiltered?: boolean,
): Promise<ExitCode> {
  const shown = await shownWithUsers(context, userOf ? rows.map(userOf) : []);
  await context.show({
    value: { [listName]: rows, ...defined({ pending }), pagination },
    rows: () => rows,
    human: (style) =>
      rows.length === 0 ? '' : formatTable(rows, columns(shown, rows), style, shown.room),
    ...defined({ more: formats?.(rows, context) }),
  });
  const said = note?.(rows, context);
  if (said !== undefined) await context.say(said);
  await sayHowMany(context, plural, rows.length, pagination, isFiltered);
  await warnOfPending(context, pending);
  return exitCodes.ok;
}

type Query = Readonly<Record<string, string>>;

const asked = (filter: object): Query => defined(filter) as Query; // a Filter, without what is undefined
const isAny = (query: Query): boolean => Object.keys(query).length > 0;

const orderOf = (
  { unasked }: Pick<Listed<never, never>, 'unasked'>,
  { sort, order }: ListFlags,
): Query => (sort === unasked?.sort && order === unasked.order ? {} : { sort_by: sort, order });

const pagesOf =
  <Item extends WithId, Flags>(
    noun: Noun<Item, Flags>,
    query: Query,
    client: Client,
    look: (answer: Readonly<Record<string, unknown>>) => void,
  ) =>
  async (page: PageQuery): Promise<PageOf<Item>> => {
    const whole = { ...query, ...page };
    if ('of' in noun) {
      const { items, ...rest } = await fetchPage(client, noun.of, whole);
      return { rows: items, ...rest };
    }
    const { data, characters } = await apiOf(noun, client, 'list')({ query: whole });
    // The shape is the contract's.
    const answer = data as Readonly<Record<string, unknown>>;
    look(answer);
    return {
      rows: answer[listWords(noun).listName],
      pagination: answer.pagination,
      pending: answer.pending,
      characters,
    } as PageOf<Item>;
  };

/** Whether every server supports this sorting and filtering. */
const isPromised = (
  list: Pick<Listed<never, never>, 'serverSorts' | 'unasked' | keyof FilterRules>,
  query: Query,
  flags: ListFlags,
): boolean =>
  (Object.keys(orderOf(list, flags)).length === 0 ||
    (list.serverSorts?.includes(flags.sort) ?? true)) &&
  Object.entries(query).every((one) => isServers(list, one));

type FilterRules = Pick<Listed<never, never>, 'serverFilters' | 'filtersTakeOne'>;

const isServers = (
  { serverFilters, filtersTakeOne }: FilterRules,
  [field, text]: readonly [string, string],
): boolean =>
  (serverFilters?.includes(field) ?? true) && !(filtersTakeOne === true && text.includes(','));

/** Sorts and filters all rows here, where the service description does not promise it. */
async function chooseHere<Item extends WithId, Flags>(
  { of, list }: DescribedNoun<Item, Flags>,
  query: Query,
  { sort, order, most }: ListFlags & { readonly most: number },
  client: Client,
): Promise<Pages<Item>> {
  const { fieldOf = ownField, sortKeyOf = fieldOf } = list;
  const filters = Object.entries(query);
  const wanted = filters
    .filter((one) => !isServers(list, one))
    .map(([field, text]) => [field, text.split(',')] as const);
  const found: Item[] = [];
  for await (const item of listAll(
    client,
    of,
    Object.fromEntries(filters.filter((one) => isServers(list, one))),
  )) {
    const isWanted = wanted.every(([field, values]) => {
      const own = (item as Readonly<Record<string, unknown>>)[field]; // an object of the API
      if (Array.isArray(own)) return values.every((value) => own.includes(value));
      return values.includes(fieldOf(item, field) ?? '');
    });
    if (isWanted) found.push(item);
  }
  const rows = found.sort(by((item: Item) => sortKeyOf(item, sort), order)).slice(0, most);
  const { length } = rows;
  return {
    rows,
    pagination: { total: found.length, limit: length, offset: 0, has_more: found.length > length },
  };
}

/** Absent values last, in either order; ties by ID. */
const by =
  <Item extends WithId>(valueOf: (item: Item) => string | undefined, order: ListFlags['order']) =>
  (a: Item, b: Item): number => {
    const [left, right] = [valueOf(a), valueOf(b)];
    if (left === undefined || right === undefined) {
      return Number(left === undefined) - Number(right === undefined) || compare(a.id, b.id);
    }
    return (order === 'desc' ? -1 : 1) * compare(left, right) || compare(a.id, b.id);
  };

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
