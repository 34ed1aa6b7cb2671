import { numberColumn } from '../terminal/table.ts';
import type { Client } from '../../client/client.ts';
import type { AuditEntry, AuditSortField } from '../../contract/audit-log.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import type { PageOf, PageQuery } from '../objects/collect-pages.ts';
import { follow } from '../objects/follow.ts';
import { showList } from '../objects/list.ts';
import type { Shown } from '../objects/noun.ts';
import { askOurServer } from '../objects/our-server.ts';
import { ageTitle, shortTime } from '../terminal/ages.ts';
import { printableLine } from '../terminal/printable.ts';
import type { Column } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import { withActorName } from './actor-name.ts';
import type { Named } from './actor-name.ts';
import { rangeOf } from './range.ts';

export const feature = 'a hash-chained audit log';

interface FilterOptions {
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
  readonly since?: string;
  readonly until?: string;
}

export type ListOptions = ListFlags & FilterOptions;
export type TailOptions = Pick<ListFlags, 'limit'> & FilterOptions;

type Entry = Named<AuditEntry>;

const filterOf = (context: Context, { actor, action, subject, ...range }: FilterOptions) => ({
  ...rangeOf(context, range),
  ...defined({ actor, action, subject }),
});

export async function runList(context: Context, options: ListOptions): Promise<ExitCode> {
  const filter = filterOf(context, options);
  const sorted = { sort_by: options.sort as AuditSortField, order: options.order }; // commander knows the choices
  return showList<Entry>(context, options, {
    plural: 'entries',
    listName: 'audit_log',
    feature,
    isFiltered: Object.keys(filter).length > 0,
    fetchPage: (client, place) => fetchEntries(client, { ...sorted, ...filter }, place),
    columns,
  });
}

/** Shows the last entries, then each new one until Ctrl-C. */
export async function runTail(context: Context, options: TailOptions): Promise<ExitCode> {
  const filter = filterOf(context, options);
  const client = await context.client();
  return follow<Entry>(context, options, {
    plural: 'entries',
    fetchPage: (place) =>
      askOurServer(feature, () =>
        fetchEntries(client, { sort_by: 'sequence', order: 'desc', ...filter }, place),
      ),
    rank: ({ sequence }) => sequence,
    isOld: () => false, // the service leaves them out
    stateOf: ({ id }) => id,
    line: entryLine,
  });
}

type Query = NonNullable<NonNullable<Parameters<Client['auditLog']['list']>[0]>['query']>;

async function fetchEntries(
  client: Client,
  query: Query,
  place: PageQuery,
): Promise<PageOf<Entry>> {
  const { data, characters } = await client.auditLog.list({ query: { ...query, ...place } });
  const rows = data.audit_log.map((entry) => withActorName(entry, data.actors));
  return { rows, pagination: data.pagination, characters };
}

const whoOf = ({ actor_name: name, actor }: Entry): string => name ?? actor;

function columns({ room, now }: Shown): readonly Column<Entry>[] {
  const time = shortTime(now, room);
  return [
    numberColumn('NO', ({ sequence }) => sequence),
    { title: ageTitle(room, 'TIME'), cell: ({ at }) => time(at) },
    { title: 'ACTOR', cell: whoOf, shrinks: 'end' },
    { title: 'ACTION', cell: ({ action }) => action },
    { title: 'SUBJECT', cell: ({ subject }) => subject, shrinks: 'end' },
    { title: 'SOURCE', cell: sourceOf, drops: 2 },
    { title: 'VIA', cell: ({ via }) => via, drops: 1 },
  ];
}

/** The commit of an apply, its branch, and whether the working tree had changes that no commit has. */
function sourceOf({ source }: Entry): string {
  if (!source) return '';
  const { commit, branch, dirty } = source;
  const more = [
    ...(branch === undefined ? [] : [branch]),
    ...(dirty ? ['uncommitted changes'] : []),
  ];
  return `${commit.slice(0, 7)}${more.length === 0 ? '' : ` (${more.join(', ')})`}`;
}

function entryLine(entry: Entry, style: Style): string {
  const source = sourceOf(entry);
  const words = [
    style.dim(entry.at),
    printableLine(whoOf(entry)),
    style.bold(printableLine(entry.action)),
    printableLine(entry.subject),
    ...(source === '' ? [] : [style.dim(printableLine(source))]),
  ];
  return `${words.join('  ')}\n`;
}
