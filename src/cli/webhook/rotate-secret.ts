import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import { readOwnership } from '../../project/compare/ownership.ts';
import type { Context } from '../context.ts';
import { printableLine } from '../terminal/printable.ts';
import { withSecret } from './create.ts';
import { keepingSecret } from './create-once.ts';
import { lookUp } from '../objects/get.ts';
import { webhooks } from './webhooks.ts';
import { nameOf } from './webhook-objects.ts';
import type { SecretFlags } from './read-secret.ts';
import { readSecret } from './read-secret.ts';
import { changeObject } from '../objects/change.ts';
import type { ShownWebhook } from './webhook-objects.ts';

export interface RotateOptions extends SecretFlags {
  readonly args: readonly [string];
}

export async function runRotateSecret(context: Context, options: RotateOptions): Promise<ExitCode> {
  const { client, item: webhook } = await lookUp(context, webhooks, options.args[0]);
  await warnIfSecretKept(context, webhook);
  const given = await readSecret(context, options);
  const changed = await keepingSecret(context, given, () =>
    changeObject(context, client, {
      of: webhooks.of,
      before: webhook,
      fields: { secret: given.secret },
    }),
  );
  const until = changed.previous_secret_expires_at;
  await context.show(
    withSecret(
      {
        value: changed,
        human: (style) =>
          `${style.green('Rotated')} the secret of ${printableLine(nameOf(changed))} (${printableLine(changed.id)})\n`,
      },
      given,
    ),
  );
  await context.say(
    until === undefined
      ? 'The server does not report whether deliveries are also signed with the old secret. Accept both secrets for a while.'
      : `Deliveries are also signed with the old secret until ${utcMinute(until)}. Update the receiver before then.`,
  );
  return exitCodes.ok;
}

/** Drift sees no secrets. */
async function warnIfSecretKept({ warn }: Context, webhook: ShownWebhook): Promise<void> {
  const { owner } = readOwnership(webhook.tags ?? []);
  if (owner === undefined) return;
  await warn(
    `${JSON.stringify(nameOf(webhook))} is managed in git by project "${owner}". Set the variable named in its file to the new secret, or the next apply restores the old secret. \`govctl drift\` does not compare secrets.`,
  );
}
