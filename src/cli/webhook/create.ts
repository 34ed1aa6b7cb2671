import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import type { View } from '../terminal/output.ts';
import { isLoopback } from '../credentials/base-url.ts';
import { listWords } from '../terminal/printable.ts';
import { showOnce } from '../objects/show-once.ts';
import { shownBy } from '../objects/shown-by.ts';
import { createOnce, keepingSecret } from './create-once.ts';
import { nameOf } from './webhook-objects.ts';
import type { GivenSecret, SecretFlags } from './read-secret.ts';
import { readSecret } from './read-secret.ts';
import type { FieldFlags } from './webhook-fields.ts';
import { fieldsFromFlags } from './webhook-fields.ts';
import { webhookView } from './webhook-view.ts';

export interface CreateOptions extends FieldFlags, SecretFlags {
  readonly url: string;
  readonly event: readonly string[];
  readonly paused?: boolean;
}

export async function runCreate(context: Context, options: CreateOptions): Promise<ExitCode> {
  const fields = {
    url: parseTarget(options.url),
    ...fieldsFromFlags(context.world, options),
    ...(options.paused ? { active: false } : {}),
  };
  const client = await context.client();
  const given = await readSecret(context, options);
  const { webhook, twins } = await context.progress('Creating webhook', () =>
    keepingSecret(context, given, () =>
      createOnce(context, client, { ...fields, secret: given.secret }),
    ),
  );
  // The description shows no body for this answer: another server may send none.
  const view: View = webhook
    ? webhookView(
        webhook,
        await shownBy(context, webhook, {
          headline: (style) => `${style.green('Created')} ${webhook.id}`,
        }),
      )
    : { value: fields, human: (style) => `${style.green('Created')} ${fields.url}\n` };
  await context.show(withSecret(view, given));
  if (twins.length > 0) {
    const others = listWords(twins.map((one) => `${nameOf(one)} (${one.id})`));
    await context.warn(
      `this URL already has a webhook, ${others}, so events may be sent twice. To delete a webhook, run \`govctl webhook delete ${twins[0]?.id ?? ''}\`.`,
    );
  }
  return exitCodes.ok;
}

/** A secret that was made here is shown with what it is for. */
export const withSecret = (view: View, { secret, generated }: GivenSecret): View =>
  generated ? showOnce(view, 'secret', secret) : view;

/** What no server should see; what it allows beyond that is its own. @throws GovctlError usage_error */
export function parseTarget(text: string, flag = '--url'): string {
  const refuse = (why: string): GovctlError =>
    new GovctlError('usage_error', `${flag} ${why}`, { hint: wholeUrl(text) });
  if (!URL.canParse(text)) throw refuse(`${JSON.stringify(text)} is not a URL`);
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refuse(`${JSON.stringify(text)} does not start with https:// or http://`);
  }
  if (url.username || url.password) {
    throw refuse(
      `for ${url.host} must not contain a user name or password; pass credentials with --header-env`,
    );
  }
  return text;
}

/** `localhost:3000` reads as a url whose scheme is `localhost`. */
function wholeUrl(text: string): string {
  const isHost = /^[\w.-]+(:\d+)?(\/|$)/.test(text) && /[.:]|^localhost/.test(text);
  if (!isHost || !URL.canParse(`http://${text}`)) {
    return 'Use a URL such as https://hooks.example.com/path.';
  }
  return `Use ${isLoopback(`http://${text}`) ? 'http' : 'https'}://${text}.`;
}
