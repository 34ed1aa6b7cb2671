import * as z from 'zod';
import { severities } from '../../contract/policies.ts';
import { key, name, text } from './fields.ts';

const eventTypes = [
  'policy.violation.created',
  'policy.violation.resolved',
  'policy.violation.detected',
  'policy.deployment.completed',
  'policy.enforcement.failed',
  'compliance.status.changed',
  'compliance.score.changed',
  'compliance.report.generated',
  'compliance.audit.started',
  'compliance.framework.updated',
  'scan.completed',
  'scan.failed',
  'resource.discovered',
  'resource.changed',
  'user.login',
  'user.policy.exemption',
  'user.role.changed',
  'api.key.created',
  'cost.anomaly.detected',
  'budget.threshold.exceeded',
] as const;

const targetUrl = z
  .string()
  .max(2_048)
  .superRefine((url, context) => {
    const fault = urlFault(url);
    if (fault) context.addIssue({ code: 'custom', message: fault });
  });

/** What govctl reads at apply time: `${NAME}` stands for an environment variable. */
export const secretReference = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/;

/**
 * A webhook in a file. Its secret is named, not told: `secret: ${WEBHOOK_SECRET}` is read from the environment when it
 * is applied; a secret written out is accepted with a warning, as git keeps it for ever.
 */
export const WebhookDocument = z.strictObject({
  kind: z.literal('Webhook'),
  key,
  name: name.optional(),
  url: targetUrl,
  events: z.array(z.enum(eventTypes)).min(1),
  secret: z.string().min(8).max(1_024),
  active: z.boolean().optional(),
  filters: z
    .strictObject({
      severity: z.array(z.enum(severities)).optional(),
      environments: z.array(text).optional(),
      cloud_providers: z.array(text).optional(),
    })
    .optional(),
  retry_config: z
    .strictObject({
      max_attempts: z.int().min(1).max(20).optional(),
      backoff_multiplier: z.number().min(1).max(10).optional(),
    })
    .optional(),
  timeout_seconds: z.int().min(1).max(30).optional(),
  headers: z.record(z.string(), z.string()).optional(),
});

function urlFault(text: string): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'must be an https:// address';
  }
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) {
    return 'must be an https:// address (http:// only for localhost)';
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not hold a user name or password; send credentials as headers';
  }
  return undefined;
}
