import { readOwnership } from '../../project/compare/ownership.ts';
import type { Context } from '../context.ts';
import { parseWords } from '../flags/parse-words.ts';
import { ownField } from '../objects/noun.ts';
import type { DescribedNoun } from '../objects/noun.ts';
import { count } from '../terminal/printable.ts';
import { numberColumn } from '../terminal/table.ts';
import { typed } from '../terminal/typed.ts';
import type { ShownWebhook } from './webhook-objects.ts';
import {
  isActive,
  nameOf,
  sameUrl,
  shownWebhooks,
  stateOf,
  webhookStates,
} from './webhook-objects.ts';
import { paintStatus, redeliverHint, shortEvents, webhookView } from './webhook-view.ts';

interface ListOptions {
  readonly status?: readonly string[];
}

export const webhooks: DescribedNoun<ShownWebhook, ListOptions> = {
  of: shownWebhooks,
  names: {
    prefix: 'wh_',
    knownBy: 'ID, name, URL or key',
    nameOf,
    isCalled: ({ name, url }, named) => name === named || sameUrl(url) === sameUrl(named),
    tagsOf: ({ tags }) => tags,
    suggested: ({ name, url, tags }) => [name, url, readOwnership(tags ?? []).key],
    notFound: 'webhook_not_found',
    share: 'have the name or URL',
  },
  list: {
    columns: (_, rows) => [
      { title: 'WEBHOOK', cell: nameOf, shrinks: 'middle' },
      { title: 'STATUS', cell: stateOf, paint: paintStatus },
      { title: 'EVENTS', cell: shortEvents, drops: 2 },
      numberColumn('WAITING', ({ waiting }) => waiting, { drops: 3 }),
      ...(rows.some(({ dropped }) => dropped)
        ? [numberColumn<ShownWebhook>('DROPPED', ({ dropped }) => dropped?.events)]
        : []),
      { title: 'ID', cell: ({ id }) => id },
    ],
    filter: ({ status }) => ({
      status: status && parseWords('--status', status, webhookStates).join(','),
    }),
    // The description gives the list of webhooks no query.
    serverSorts: [],
    serverFilters: [],
    fieldOf: (webhook, field) => (field === 'status' ? stateOf(webhook) : ownField(webhook, field)),
    saysIfFiltered: true,
  },
  view: webhookView,
  removal: {
    asked: ({ waiting }, who) => ({
      what: `${who}${waiting ? `, with ${count(waiting, 'queued event')},` : ''}`,
    }),
    value: ({ url }) => ({ url }),
  },
  switch: {
    field: 'active',
    isOn: isActive,
    words: {
      on: { state: 'active', done: 'Resumed' },
      off: { state: 'paused', done: 'Paused', verb: 'pause' },
    },
    say: async (context, { before, isOn, named }) => {
      const its = typed(named);
      if (isOn) await sayWhatWaits(context, before, its);
      else if (isActive(before)) {
        await context.say(
          `Events are queued until you run \`govctl webhook resume ${its}\`, which sends them in order.`,
        );
      }
    },
  },
};

/** @param webhook as it was before */
async function sayWhatWaits({ say }: Context, webhook: ShownWebhook, named: string): Promise<void> {
  const { waiting = 0 } = webhook;
  if (!isActive(webhook)) {
    if (waiting > 0) {
      await say(`Sending ${count(waiting, 'queued event')} in order.`);
    }
    if (stateOf(webhook) === 'disabled') await say(redeliverHint(named));
  } else if (waiting > 0) {
    // Nothing was changed, so nothing is sent before its time.
    await say(
      `${count(waiting, 'event')} in the queue. To see the next attempts, run \`govctl webhook deliveries ${named} --status pending\`. To retry the first event now, pause and resume the webhook.`,
    );
  }
}
