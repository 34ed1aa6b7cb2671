import { fillPath } from '../../client/client.ts';
import { readText } from '../../client/answer.ts';
import { webhooks as endpoints } from '../../contract/webhooks.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import * as z from 'zod';
import type { Context } from '../context.ts';
import { printableLine } from '../terminal/printable.ts';
import { lookUp } from '../objects/get.ts';
import { webhooks } from './webhooks.ts';
import { nameOf } from './webhook-objects.ts';
import { parseEventTypes } from './webhook-fields.ts';

export interface TestOptions {
  readonly args: readonly [string];
  readonly event?: string;
}

/** The description shows no body: another server may send none, or one of its own. */
const Verdict = z
  .looseObject({
    event_id: z.string().optional(),
    delivery_id: z.string().optional(),
    delivered: z.boolean().optional(),
    response_status: z.number().optional(),
    duration_ms: z.number().optional(),
    error: z.string().optional(),
  })
  .catch({});

/** Sends a test event: 0 where it was delivered, 2 where not. */
export async function runTest(context: Context, options: TestOptions): Promise<ExitCode> {
  const wanted = options.event === undefined ? [] : parseEventTypes([options.event]);
  const { client, item: webhook } = await lookUp(context, webhooks, options.args[0]);
  const [type = webhook.events[0]] = wanted;
  const path = fillPath(endpoints.test.path, { id: webhook.id });
  const answer = await context.progress('Sending test event', () =>
    client.transport.send('POST', path, { body: JSON.stringify({ event_type: type }) }),
  );
  const text = await readText(answer, `POST ${path}`);
  const verdict = Verdict.parse(asJson(text));
  const { delivered, response_status: status, duration_ms: ms, error } = verdict;
  const answered = status === undefined ? undefined : `returned ${status}`;
  const said = [
    [answered, answered !== undefined && ms !== undefined && `after ${Math.round(ms)} ms`]
      .filter(Boolean)
      .join(' '),
    error === answered ? '' : error,
  ]
    .filter(Boolean)
    .join(', ');
  await context.show({
    value: { webhook_id: webhook.id, event_type: type, ...verdict },
    human: (style) => {
      const head =
        delivered === undefined
          ? 'Sent'
          : delivered
            ? style.green('Delivered')
            : style.red('Not delivered');
      return `${head} ${type ?? ''} to ${printableLine(nameOf(webhook))}${said ? `: ${printableLine(said)}` : ''}\n`;
    },
  });
  if (delivered === undefined) {
    await context.say(
      'This server does not report whether the event was delivered. Check the receiver.',
    );
  }
  return delivered === false ? exitCodes.verdict : exitCodes.ok;
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
