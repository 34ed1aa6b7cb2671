import type { Client } from '../../client/client.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { DeliveryItem, DeliveryListQuery } from '../../contract/webhook-deliveries.ts';
import { deliveryStatuses } from '../../contract/webhook-deliveries.ts';
import type { PageQuery } from '../objects/collect-pages.ts';
import type { Context } from '../context.ts';
import { follow } from '../objects/follow.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import { joined } from '../flags/list-flags.ts';
import { parseMoment } from '../flags/moment.ts';
import { askOurServer } from '../objects/our-server.ts';
import { showList } from '../objects/list.ts';
import type { Column } from '../terminal/table.ts';
import { tableColumns, numberColumn } from '../terminal/table.ts';
import { ageTitle, shortTime } from '../terminal/ages.ts';
import { deliveryLine, deliveryView, paintDelivery, shortAnswer } from './delivery-view.ts';
import { findObject } from '../objects/find.ts';
import type { Shown } from '../objects/noun.ts';
import { lookUp } from '../objects/get.ts';
import { webhooks } from './webhooks.ts';
import { parseWords } from '../flags/parse-words.ts';
import { parseEventTypes } from './webhook-fields.ts';

export interface DeliveriesOptions extends ListFlags {
  readonly args: readonly [string, string?];
  readonly status?: readonly string[];
  readonly event?: readonly string[];
  readonly since?: string;
  readonly follow?: boolean;
}

const feature = 'deliveries';

export async function runDeliveries(
  context: Context,
  options: DeliveriesOptions,
): Promise<ExitCode> {
  const [named, id] = options.args;
  if (id !== undefined) return showOne(context, named, id);
  const filter = parseFilter(options);
  const since =
    options.since === undefined
      ? undefined
      : parseMoment('--since', options.since, context.world.now());
  if (options.follow) return followDeliveries(context, options, { filter, since });
  const sort_by = options.sort as DeliveryListQuery['sort_by']; // commander knows the choices
  if (since !== undefined && (sort_by !== 'created_at' || options.order !== 'desc')) {
    throw new GovctlError('usage_error', 'Use either --since or --sort and --order');
  }
  let found: Promise<string> | undefined;
  return showList<DeliveryItem>(context, options, {
    plural: 'deliveries',
    feature,
    fetchPage: async (client, place) => {
      const id = await (found ??= findObject(context, client, webhooks, named).then(
        ({ item }) => item.id,
      ));
      const query = { sort_by, order: options.order, ...filter, ...place };
      const { data, characters } = await listPage(client, id, query);
      const { deliveries, pagination } = data;
      if (since === undefined) return { rows: deliveries, pagination, characters };
      // The latest come first, so the first older one ends it.
      const rows = deliveries.filter(({ created_at: at }) => at >= since);
      const isEnd = rows.length < deliveries.length;
      return {
        rows,
        pagination: {
          has_more: !isEnd && pagination.has_more,
          next_cursor: pagination.next_cursor,
        },
        characters,
      };
    },
    columns: deliveryColumns,
    isFiltered: since !== undefined || Object.keys(filter).length > 0,
  });
}

/** Where there is room for them, times are whole. */
function deliveryColumns({ room, now }: Shown): Column<DeliveryItem>[] {
  const time = shortTime(now, room);
  return [
    { title: 'STATUS', cell: ({ status }) => status, paint: paintDelivery },
    { title: 'EVENT', cell: ({ event_type: type }) => type, shrinks: 'middle' },
    { title: 'ANSWER', cell: shortAnswer, shrinks: 'middle' },
    // The type of an event says more.
    ...(room < 90
      ? []
      : [numberColumn('TRIED', (row: DeliveryItem) => row.attempt_count, { drops: 1 })]),
    { title: 'NEXT', cell: ({ next_attempt_at: at }) => time(at), drops: 2 },
    { title: ageTitle(room), cell: (row) => time(row.created_at), drops: 3 },
    { title: 'ID', cell: ({ id }) => id },
  ];
}

async function showOne(context: Context, named: string, deliveryId: string): Promise<ExitCode> {
  const client = await context.client();
  const delivery = await context.progress('Loading delivery', async () => {
    const { item: webhook } = await findObject(context, client, webhooks, named);
    const params = { id: webhook.id, delivery_id: deliveryId };
    return askOurServer(feature, async () => (await client.webhooks.getDelivery({ params })).data);
  });
  await context.show(deliveryView(delivery, tableColumns(context.world.terminal)));
  return exitCodes.ok;
}

type Query = Partial<Record<'status' | 'event_type', string>>;

function parseFilter({ status, event }: DeliveriesOptions): Query {
  return {
    ...joined('status', status && parseWords('--status', status, deliveryStatuses)),
    ...joined('event_type', event && parseEventTypes(event)),
  };
}

const listPage = async (
  client: Client,
  id: string,
  query: Query & PageQuery & { sort_by: DeliveryListQuery['sort_by']; order: 'asc' | 'desc' },
) => client.webhooks.listDeliveries({ params: { id }, query });

/** A line whenever a delivery is new or was tried again, oldest first, until Ctrl-C. */
async function followDeliveries(
  context: Context,
  options: DeliveriesOptions,
  { filter, since }: { readonly filter: Query; readonly since: string | undefined },
): Promise<ExitCode> {
  const { client, item: webhook } = await lookUp(context, webhooks, options.args[0]);
  return follow<DeliveryItem>(context, options, {
    plural: 'deliveries',
    fetchPage: async (place) => {
      const query = { sort_by: 'updated_at', order: 'desc', ...filter, ...place } as const;
      const { data, characters } = await askOurServer(feature, () =>
        listPage(client, webhook.id, query),
      );
      return { rows: data.deliveries, pagination: data.pagination, characters };
    },
    rank: ({ updated_at: at }) => Date.parse(at),
    isOld: ({ updated_at: at }) => since !== undefined && at < since,
    stateOf: (row) => `${row.id} ${row.updated_at} ${row.status} ${row.attempt_count}`,
    line: deliveryLine,
  });
}
