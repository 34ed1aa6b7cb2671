import { eventTypes } from '../../contract/events.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import { readOwnership, withoutOwnership } from '../../project/compare/ownership.ts';
import type { Shown } from '../objects/noun.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';
import { count, printableLine } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { typed } from '../terminal/typed.ts';
import type { ShownWebhook } from './webhook-objects.ts';
import { isActive, nameOf, stateOf } from './webhook-objects.ts';

export const webhookView = (
  webhook: ShownWebhook,
  { room, headline, named = webhook.id, userName }: Omit<Shown, 'now' | 'glyphs'>,
): View => ({
  value: webhook,
  human: (style) =>
    (headline ? `${headline(style)}\n` : '') +
    describeWebhook(webhook, style, room, userName) +
    wrapWords(advice(webhook, typed(named), style), room),
});

function describeWebhook(
  webhook: ShownWebhook,
  style: Style,
  room: number,
  userName: Shown['userName'],
): string {
  const { owner, key } = readOwnership(webhook.tags ?? []);
  const { filters, retry_config: retry, created_at: created, created_by: by } = webhook;
  return formatDetails(
    nameOf(webhook),
    [
      ['id', webhook.id],
      ['url', webhook.name === undefined ? undefined : webhook.url],
      ['events', describeTypes(webhook.events)],
      ['status', describeStatus(webhook)],
      ['failing', webhook.failing_since && `since ${utcMinute(webhook.failing_since)}`],
      ['waiting', webhook.waiting === undefined ? undefined : count(webhook.waiting, 'event')],
      ['dropped', describeDropped(webhook)],
      ['last sent', describeLast(webhook)],
      ['severity', filters?.severity?.join(', ')],
      ['environments', filters?.environments?.join(', ')],
      ['providers', filters?.cloud_providers?.join(', ')],
      ['attempts', retry?.max_attempts === undefined ? undefined : `maximum ${retry.max_attempts}`],
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
          `valid until ${utcMinute(webhook.previous_secret_expires_at)}`,
      ],
      ['tags', withoutOwnership(webhook.tags ?? []).join(', ')],
      ['git', owner && `managed by project ${owner}${key ? `, key ${key}` : ''}`],
      ['created', [utcMinute(created), by && `by ${userName(by)}`].filter(Boolean).join(' ')],
      ['updated', utcMinute(webhook.updated_at)],
    ],
    style,
    room,
  );
}

const describeTypes = (types: readonly string[]): string =>
  eventTypes.every((type) => types.includes(type)) ? `all ${types.length} types` : types.join(', ');

/** In one word where that says it all. */
function describeStatus(webhook: ShownWebhook): string {
  const state = stateOf(webhook);
  if (isActive(webhook)) return state;
  const since = webhook.disabled_at ? ` since ${utcMinute(webhook.disabled_at)}` : '';
  const why = state === 'disabled' && webhook.disabled_reason ? `: ${webhook.disabled_reason}` : '';
  return state + since + why;
}

function describeDropped({ dropped }: ShownWebhook): string | undefined {
  if (!dropped) return undefined;
  const { events, since, ended_at: until } = dropped;
  return `${count(events, 'event')} since ${utcMinute(since)}${until === undefined ? '' : `, until ${utcMinute(until)}`}`;
}

function describeLast({ last_delivery: last }: ShownWebhook): string | undefined {
  if (!last) return undefined;
  const answer = last.error ?? (last.response_status && `returned ${last.response_status}`);
  return [utcMinute(last.at), last.event_type, [last.status, answer].filter(Boolean).join(', ')]
    .filter(Boolean)
    .join(' ');
}

/** What to do where something is wrong. */
function advice(webhook: ShownWebhook, named: string, style: Style): string {
  const its = printableLine(named);
  const lines: string[] = [];
  if (webhook.failing_since) {
    lines.push(`To see the receiver's responses, run \`govctl webhook deliveries ${its}\`.`);
  }
  if (!isActive(webhook)) {
    const waiting = webhook.waiting
      ? ` and send ${count(webhook.waiting, 'queued event')} in order`
      : '';
    lines.push(`To resume${waiting}, run \`govctl webhook resume ${its}\`.`);
  }
  if (stateOf(webhook) === 'disabled') lines.push(redeliverHint(its));
  return lines.map((line) => `  ${style.cyan('→')} ${line}\n`).join('');
}

/** @param named as a shell takes it */
export const redeliverHint = (named: string): string =>
  `To resend failed deliveries, run \`govctl webhook redeliver ${named} --failed\`.`;

export const paintStatus = (text: string, webhook: ShownWebhook, style: Style): string => {
  if (!isActive(webhook)) return style.yellow(text);
  return webhook.failing_since ? style.red(text) : text;
};

/** For a table: the one, or how many. */
export const shortEvents = ({ events: [first, ...others] }: ShownWebhook): string =>
  others.length === 0 ? (first ?? '-') : `${first ?? ''} + ${others.length}`;
