import * as z from 'zod';
import { WebhookInput } from '../../contract/webhooks.ts';
import { key, ownTags } from './policy.ts';
import { isReference, referenceFault, referencesOf } from './reference.ts';

const fields = WebhookInput.shape;

const targetUrl = fields.url.superRefine((url, context) => {
  const fault = urlFault(url);
  if (fault) context.addIssue({ code: 'custom', message: fault });
});

const secret = z
  .string()
  .max(1_024)
  .superRefine((text, context) => {
    const fault = secretFault(text);
    if (fault) context.addIssue({ code: 'custom', message: fault, params: { secret: true } });
  });

const headers = fields.headers.unwrap().superRefine((given, context) => {
  for (const [name, value] of Object.entries(given)) {
    const fault = referenceFault(value);
    if (fault) {
      context.addIssue({ code: 'custom', message: fault, path: [name], params: { secret: true } });
    }
  }
});

/**
 * A webhook in a file. Its secret is named, not told: `secret: ${WEBHOOK_SECRET}` is read from the environment when it
 * is planned and applied; a secret written out is accepted with a warning, as git keeps it for ever. The values of
 * headers may hold references anywhere.
 */
export const WebhookDocument = z.strictObject({
  kind: z.literal('Webhook'),
  key,
  name: fields.name,
  url: targetUrl,
  events: fields.events,
  secret,
  active: fields.active,
  filters: fields.filters,
  retry_config: fields.retry_config,
  timeout_seconds: fields.timeout_seconds,
  headers: headers.optional(),
  tags: ownTags.optional(),
});
export type WebhookDocument = z.infer<typeof WebhookDocument>;

function urlFault(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be an https:// URL';
  const url = new URL(text);
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) {
    return 'must be an https:// URL (http:// only for localhost)';
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not contain a user name or password; send credentials as headers';
  }
  return undefined;
}

function secretFault(text: string): string | undefined {
  const fault = referenceFault(text);
  if (fault !== undefined) return fault;
  if (referencesOf(text).length > 0) {
    return isReference(text) ? undefined : 'must be a single reference such as ${WEBHOOK_SECRET}';
  }
  return secretRefusal(text);
}

/** Whether a header may hold a text. */
export const isHeaderValue = (text: string): boolean =>
  fields.headers.safeParse({ 'x-any': text }).success;

/** What the service says against a text as a secret; undefined: nothing. */
export const secretRefusal = (text: string): string | undefined =>
  fields.secret.safeParse(text).error?.issues[0]?.message;
