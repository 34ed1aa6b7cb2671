import type { ExitCode } from '../../contract/errors.ts';
import type { AnsweredEvent } from '../../contract/events.ts';
import type { Context } from '../context.ts';
import { follow } from '../objects/follow.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import { joined } from '../flags/list-flags.ts';
import { parseMoment } from '../flags/moment.ts';
import { askOurServer } from '../objects/our-server.ts';
import { printableLine } from '../terminal/printable.ts';
import { showList } from '../objects/list.ts';
import type { Shown } from '../objects/noun.ts';
import type { Column } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import { ageTitle, shortTime } from '../terminal/ages.ts';
import { bothOf, parseEventTypes } from '../webhook/webhook-fields.ts';
import { describeEvent } from './event-text.ts';

export interface ListOptions extends ListFlags {
  readonly event?: readonly string[];
  /** Another name of `event`. */
  readonly type?: readonly string[];
  readonly since?: string;
  readonly follow?: boolean;
}

export const feature = 'events';

type SortField = 'sequence' | 'created' | 'id' | 'type';

export async function runList(context: Context, options: ListOptions): Promise<ExitCode> {
  const types = bothOf(options.event, options.type);
  const filter = {
    ...joined('type', types && parseEventTypes(types)),
    ...(options.since === undefined
      ? {}
      : { since: parseMoment('--since', options.since, context.world.now()) }),
  };
  if (options.follow) return followEvents(context, filter, options);
  const sorted = { sort_by: options.sort as SortField, order: options.order }; // commander knows the choices
  return showList<AnsweredEvent>(context, options, {
    plural: 'events',
    feature,
    fetchPage: async (client, place) => {
      const { data, characters } = await client.events.list({
        query: { ...sorted, ...filter, ...place },
      });
      return { rows: data.events, pagination: data.pagination, characters };
    },
    columns: columnsFor,
    isFiltered: Object.keys(filter).length > 0,
  });
}

function columnsFor({ room, now }: Shown): readonly Column<AnsweredEvent>[] {
  const time = shortTime(now, room);
  return [
    { title: ageTitle(room), cell: ({ created }) => time(created) },
    { title: 'TYPE', cell: ({ type }) => type, shrinks: 'middle', least: 20 },
    { title: 'WHAT', cell: ({ data }) => describeEvent(data), shrinks: 'end', drops: 1 },
    { title: 'ID', cell: ({ id }) => id },
  ];
}

async function followEvents(
  context: Context,
  filter: { readonly type?: string; readonly since?: string },
  options: ListOptions,
): Promise<ExitCode> {
  const client = await context.client();
  return follow<AnsweredEvent>(context, options, {
    plural: 'events',
    fetchPage: async (place) => {
      const query = { sort_by: 'sequence', order: 'desc', ...filter, ...place } as const;
      const { data, characters } = await askOurServer(feature, () => client.events.list({ query }));
      return { rows: data.events, pagination: data.pagination, characters };
    },
    rank: ({ sequence }) => sequence,
    isOld: () => false, // the service leaves them out
    stateOf: ({ id }) => id,
    line: eventLine,
  });
}

const eventLine = ({ created, type, data, id }: AnsweredEvent, style: Style): string =>
  `${style.dim(created)}  ${style.bold(printableLine(type))}  ${describeEvent(data)}  ${style.dim(printableLine(id))}\n`;
