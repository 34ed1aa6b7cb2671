import { numberColumn } from '../terminal/table.ts';
import type { Client } from '../../client/client.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import type { Use } from '../../contract/uses.ts';
import type { Context } from '../context.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import type { PageOf, PageQuery } from '../objects/collect-pages.ts';
import { showList } from '../objects/list.ts';
import type { Shown } from '../objects/noun.ts';
import { ageTitle, shortTime } from '../terminal/ages.ts';
import type { Column } from '../terminal/table.ts';
import { withActorName } from './actor-name.ts';
import type { Named } from './actor-name.ts';
import { rangeOf } from './range.ts';

export interface UsesOptions extends Pick<ListFlags, 'limit' | 'all'> {
  readonly since?: string;
  readonly until?: string;
  readonly credential?: string;
  readonly actor?: string;
  readonly address?: string;
  readonly endpoint?: string;
  readonly outcome?: string;
}

type NamedUse = Named<Use>;

export async function runUses(context: Context, options: UsesOptions): Promise<ExitCode> {
  const { credential, actor, address, endpoint, outcome } = options;
  const filter = {
    ...rangeOf(context, options),
    ...defined({ credential, actor, address, endpoint, outcome }),
  };
  return showList<NamedUse>(context, options, {
    plural: 'uses',
    feature: 'a record of credential use',
    isFiltered: Object.keys(filter).length > 0,
    fetchPage: (client, place) => fetchUses(client, filter, place),
    columns,
  });
}

/** A page that has uses, if any follow: the server may look through many that do not match. */
async function fetchUses(
  client: Client,
  filter: object,
  { limit, ...place }: PageQuery,
): Promise<PageOf<NamedUse>> {
  let cursor = 'cursor' in place ? place.cursor : undefined;
  for (let read = 0; ;) {
    const query = { ...filter, limit, ...defined({ cursor }) };
    const { data, characters } = await client.uses.list({ query });
    const { uses, actors, pagination } = data;
    read += characters;
    const isLast = !pagination.has_more || pagination.next_cursor === cursor;
    if (uses.length > 0 || isLast) {
      const rows = uses.map((use) => withActorName(use, actors));
      return { rows, pagination: { ...pagination, has_more: !isLast }, characters: read };
    }
    cursor = pagination.next_cursor;
  }
}

function columns({ room, now }: Shown): readonly Column<NamedUse>[] {
  const time = shortTime(now, room);
  return [
    { title: ageTitle(room, 'MINUTE'), cell: ({ at }) => time(at) },
    { title: 'ACTOR', cell: ({ actor_name: name, actor }) => name ?? actor ?? '-', shrinks: 'end' },
    {
      title: 'CREDENTIAL',
      cell: ({ credential, others }) => (others ? 'others' : (credential ?? '-')),
      drops: 1,
    },
    { title: 'ADDRESS', cell: ({ address }) => address ?? '-' },
    { title: 'ENDPOINT', cell: ({ endpoint }) => endpoint ?? '-', shrinks: 'end' },
    { title: 'OUTCOME', cell: ({ outcome }) => outcome },
    numberColumn('COUNT', ({ count }) => count),
  ];
}
