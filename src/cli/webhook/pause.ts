import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { connect } from '../connect.ts';
import type { Context, Run } from '../context.ts';
import { projectBaseUrl } from '../project-base-url.ts';
import { count, printableLine } from '../report/printable.ts';
import { findWebhook, nameOf, warnIfKept } from './find-webhook.ts';
import { changeWebhook } from './update.ts';
import { isActive } from './webhook-objects.ts';

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
  const { client } = await connect(context, await projectBaseUrl(context));
  const { webhook } = await context.progress('Looking it up', () => findWebhook(client, named));
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
  if (active && webhook.waiting) {
    await context.say(`${count(webhook.waiting, 'event')} waited; they are sent in order now.`);
  } else if (!active && !same) {
    await context.say('Events go on to queue for it; `govctl webhook resume` sends them in order.');
  }
  return exitCodes.ok;
}
