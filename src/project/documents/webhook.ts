import * as z from 'zod';
import { WebhookInput, minSecretLength } from '../../contract/webhooks.ts';
import { key } from './fields.ts';
import { ownTags } from './policy.ts';
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
  const seen = new Map<string, string>();
  for (const [name, value] of Object.entries(given)) {
    const other = seen.get(name.toLowerCase());
    seen.set(name.toLowerCase(), name);
    const fault =
      other === undefined ? headerFault(name, value) : `this header stands twice, as ${other} too`;
    if (fault) {
      context.addIssue({
        code: 'custom',
        message: fault,
        path: [name],
        params: { secret: true },
      });
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
  if (!URL.canParse(text)) return 'must be an https:// address';
  const url = new URL(text);
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) {
    return 'must be an https:// address (http:// only for localhost)';
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not hold a user name or password; send credentials as headers';
  }
  return undefined;
}

function secretFault(text: string): string | undefined {
  const fault = referenceFault(text);
  if (fault !== undefined) return fault;
  if (referencesOf(text).length > 0) {
    return isReference(text) ? undefined : 'must be one reference such as ${WEBHOOK_SECRET} alone';
  }
  return text.length < minSecretLength
    ? `must have at least ${minSecretLength} characters`
    : undefined;
}

function headerFault(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return 'this is no name of a header';
  return valueFault(value) ?? referenceFault(value);
}

/** What a header's value must not hold, once everything in it is expanded. */
export const valueFault = (value: string): string | undefined =>
  /[^\t\u0020-\u007e\u0080-\u00ff]/.test(value)
    ? 'a header must not hold line breaks, other control characters or characters beyond Latin-1'
    : undefined;
