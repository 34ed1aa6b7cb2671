import { listAll } from '../../client/list-all.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { howMany, sayHowMany } from '../objects/collect-pages.ts';
import type { Context } from '../context.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import { formatTable, tableColumns } from '../terminal/table.ts';
import { nameOf } from './find-webhook.ts';
import { parseWords } from '../flags/parse-words.ts';
import type { ShownWebhook } from './webhook-objects.ts';
import { shownWebhooks, stateOf, webhookStates } from './webhook-objects.ts';
import { paintStatus, shortEvents } from './webhook-view.ts';

export interface ListOptions extends ListFlags {
  readonly status?: readonly string[];
}

export const webhookSortFields = ['created_at', 'updated_at', 'id', 'url', 'name'] as const;

/** The description gives the list of webhooks no query, so all are read, and chosen from here. */
export async function runList(context: Context, options: ListOptions): Promise<ExitCode> {
  const most = howMany(options);
  const { status } = options;
  const wanted = status && parseWords('--status', status, webhookStates);
  const client = await context.client();
  const found = await context.progress('Listing webhooks', async () => {
    const all: ShownWebhook[] = [];
    for await (const webhook of listAll(client, shownWebhooks)) {
      if (!wanted || wanted.includes(stateOf(webhook))) all.push(webhook);
    }
    return all;
  });
  const field = options.sort as (typeof webhookSortFields)[number]; // commander knows the choices
  const webhooks = found.sort(by(field, options.order)).slice(0, most);
  const pagination = {
    total: found.length,
    limit: webhooks.length,
    offset: 0,
    has_more: found.length > webhooks.length,
  };
  const room = tableColumns(context.world.terminal);
  await context.show({
    value: { webhooks, pagination },
    rows: () => webhooks,
    human: (style) =>
      webhooks.length === 0
        ? ''
        : formatTable(
            webhooks,
            [
              { title: 'WEBHOOK', cell: nameOf, shrinks: 'middle' },
              { title: 'STATUS', cell: stateOf, paint: paintStatus },
              { title: 'EVENTS', cell: shortEvents, drops: 2 },
              { title: 'WAITING', cell: ({ waiting }) => String(waiting ?? '-'), drops: 3 },
              { title: 'ID', cell: ({ id }) => id },
            ],
            style,
            room,
          ),
  });
  await sayHowMany(context, 'webhooks', webhooks.length, pagination, wanted !== undefined);
  return exitCodes.ok;
}

/** Absent values last, in either order; ties by id. */
const by =
  (field: (typeof webhookSortFields)[number], order: ListFlags['order']) =>
  (a: ShownWebhook, b: ShownWebhook): number => {
    const [left, right] = [a[field], b[field]];
    if (left === undefined || right === undefined) {
      return Number(left === undefined) - Number(right === undefined) || compare(a.id, b.id);
    }
    return (order === 'desc' ? -1 : 1) * compare(left, right) || compare(a.id, b.id);
  };

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
