import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context, Run } from '../context.ts';
import { count, printableLine } from '../terminal/printable.ts';
import { typed } from '../terminal/typed.ts';
import { findWebhook, nameOf, warnIfKept } from './find-webhook.ts';
import { changeWebhook } from './update.ts';
import type { ShownWebhook } from './webhook-objects.ts';
import { isActive, stateOf } from './webhook-objects.ts';
import { redeliverHint } from './webhook-view.ts';

export interface PauseOptions {
  readonly args: readonly [string];
}

export const runPause: Run<PauseOptions> = (context, options) => switchTo(context, options, false);
export const runResume: Run<PauseOptions> = (context, options) => switchTo(context, options, true);

async function switchTo(
  context: Context,
  { args: [named] }: PauseOptions,
  active: boolean,
): Promise<ExitCode> {
  const client = await context.client();
  const { webhook } = await context.progress('Looking it up', () =>
    findWebhook(context, client, named),
  );
  const same = isActive(webhook) === active;
  if (!same) await warnIfKept(context, webhook);
  const changed = same ? webhook : await changeWebhook(context, client, webhook, { active });
  const who = `${printableLine(nameOf(changed))} (${printableLine(changed.id)})`;
  await context.show({
    value: changed,
    human: (style) =>
      same
        ? `${who} is ${active ? 'active' : 'paused'} already\n`
        : `${style.green(active ? 'Resumed' : 'Paused')} ${who}\n`,
  });
  const its = typed(named);
  if (!active && !same) {
    await context.say(
      `Events go on to queue for it; \`govctl webhook resume ${its}\` sends them in order.`,
    );
  }
  if (active) await sayWhatWaits(context, webhook, its);
  return exitCodes.ok;
}

/** @param webhook as it was before */
async function sayWhatWaits({ say }: Context, webhook: ShownWebhook, named: string): Promise<void> {
  const { waiting = 0 } = webhook;
  if (!isActive(webhook)) {
    if (waiting > 0) {
      await say(`${count(waiting, 'event')} waited; from now on they are sent in order.`);
    }
    if (stateOf(webhook) === 'disabled') await say(redeliverHint(named));
  } else if (waiting > 0) {
    // Nothing was changed, so nothing is sent before its time.
    await say(
      `${count(waiting, 'event')} ${waiting === 1 ? 'waits' : 'wait'}: \`govctl webhook deliveries ${named} --status pending\` shows for what, and until when. \`pause\` and then \`resume\` tries the first now.`,
    );
  }
}
