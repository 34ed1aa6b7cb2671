import { eventTypes } from '../../contract/events.ts';
import { readOwnership, withoutOwnership } from '../../project/compare/ownership.ts';
import { formatDetails } from '../details.ts';
import type { View } from '../output.ts';
import { count, printableLine } from '../report/printable.ts';
import type { Style } from '../terminal.ts';
import { nameOf } from './find-webhook.ts';
import type { ShownWebhook } from './webhook-objects.ts';
import { isActive } from './webhook-objects.ts';

export const webhookView = (webhook: ShownWebhook, headline?: (style: Style) => string): View => ({
  value: webhook,
  human: (style) =>
    (headline ? `${headline(style)}\n` : '') +
    describeWebhook(webhook, style) +
    advice(webhook, style),
});

function describeWebhook(webhook: ShownWebhook, style: Style): string {
  const { owner, key } = readOwnership(webhook.tags ?? []);
  const { filters, retry_config: retry, created_at: created, created_by: by } = webhook;
  return formatDetails(
    nameOf(webhook),
    [
      ['id', webhook.id],
      ['url', webhook.name === undefined ? undefined : webhook.url],
      ['events', describeTypes(webhook.events)],
      ['status', describeStatus(webhook)],
      ['failing', webhook.failing_since && `since ${webhook.failing_since}`],
      ['waiting', webhook.waiting === undefined ? undefined : count(webhook.waiting, 'event')],
      ['last sent', describeLast(webhook)],
      ['severity', filters?.severity?.join(', ')],
      ['environments', filters?.environments?.join(', ')],
      ['providers', filters?.cloud_providers?.join(', ')],
      ['attempts', retry?.max_attempts === undefined ? undefined : `${retry.max_attempts} at most`],
      [
        'backoff',
        retry?.backoff_multiplier === undefined ? undefined : `× ${retry.backoff_multiplier}`,
      ],
      [
        'timeout',
        webhook.timeout_seconds === undefined ? undefined : `${webhook.timeout_seconds} s`,
      ],
      // Their values may be keys of the receiver's.
      ['headers', Object.keys(webhook.headers ?? {}).join(', ')],
      ['secret', webhook.secret_hint && `ends with ${webhook.secret_hint}`],
      [
        'old secret',
        webhook.previous_secret_expires_at &&
          `signs too until ${webhook.previous_secret_expires_at}`,
      ],
      ['tags', withoutOwnership(webhook.tags ?? []).join(', ')],
      ['git', owner && `kept by project ${owner}${key ? `, key ${key}` : ''}`],
      ['created', [created, by && `by ${by}`].filter(Boolean).join(' ')],
      ['updated', webhook.updated_at],
    ],
    style,
  );
}

const describeTypes = (types: readonly string[]): string =>
  eventTypes.every((type) => types.includes(type)) ? `all ${types.length} types` : types.join(', ');

/** In one word where that says it all. */
function describeStatus(webhook: ShownWebhook): string {
  if (isActive(webhook)) return 'active';
  const since = webhook.disabled_at ? ` since ${webhook.disabled_at}` : '';
  const why = webhook.disabled_reason ? `: ${webhook.disabled_reason}` : '';
  return since || why ? `disabled${since}${why}` : 'paused';
}

function describeLast({ last_delivery: last }: ShownWebhook): string | undefined {
  if (!last) return undefined;
  const answer = last.error ?? (last.response_status && `answered ${last.response_status}`);
  return [last.at, last.event_type, [last.status, answer].filter(Boolean).join(', ')]
    .filter(Boolean)
    .join(' ');
}

/** What to do where something is wrong. */
function advice(webhook: ShownWebhook, style: Style): string {
  const id = printableLine(webhook.id);
  const lines: string[] = [];
  if (webhook.failing_since) {
    lines.push(`\`govctl webhook deliveries ${id}\` shows what the receiver answers.`);
  }
  if (!isActive(webhook)) {
    const waiting = webhook.waiting
      ? `, in order, with the ${count(webhook.waiting, 'event')} that wait`
      : '';
    lines.push(`\`govctl webhook resume ${id}\` goes on${waiting}.`);
  }
  return lines.map((line) => `  ${style.cyan('→')} ${line}\n`).join('');
}

export const paintStatus = (text: string, webhook: ShownWebhook, style: Style): string => {
  if (!isActive(webhook)) return style.yellow(text);
  return webhook.failing_since ? style.red(text) : text;
};

/** For a table. */
export const shortStatus = (webhook: ShownWebhook): string =>
  isActive(webhook) ? (webhook.failing_since ? 'failing' : 'active') : 'disabled';

/** For a table: the one, or how many. */
export const shortEvents = ({ events: [first, ...others] }: ShownWebhook): string =>
  others.length === 0 ? (first ?? '-') : `${first ?? ''} + ${others.length}`;
