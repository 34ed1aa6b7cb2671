import { timestamp } from '../../deps.ts';
import type { Outcome } from '../send.ts';
import type { StoredWebhook } from '../collection.ts';
import { answerId } from './collection.ts';
import type { StoredAnswer, StoredAttempt, StoredDelivery } from './collection.ts';
import type { Message } from './headers.ts';
import { day } from './retry.ts';

/** Characters of an answer that the attempt itself holds. */
const shortBody = 1_024;
/** A delivery that is sent again and again keeps its newest attempts. */
const mostAttempts = 100;

/** Why an attempt counts as failed; undefined: it succeeded. */
export function failureOf({ status, error }: Outcome): string | undefined {
  if (status === undefined) return error ?? 'there was no answer';
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) return `answered ${status}; redirects are not followed`;
  return status === 410 ? 'answered 410: it wants no more' : `answered ${status}`;
}

/** What is kept of an attempt: in the delivery's row, and beside it where the answer is long. */
export function attemptOf(
  { attempt: number, at, version: agent, webhookId }: Message,
  deliveryId: string,
  outcome: Outcome,
  customNames: readonly string[],
): { readonly attempt: StoredAttempt; readonly answer?: StoredAnswer } {
  const { status, headers, body = '', truncated = false } = outcome;
  const error = failureOf(outcome);
  const attempt: StoredAttempt = {
    number,
    at: timestamp(at),
    duration_ms: Math.round(outcome.durationMs * 1_000) / 1_000,
    agent,
    ...(customNames.length > 0 ? { custom: customNames } : {}),
    ...(status === undefined ? {} : { response_status: status }),
    ...(headers ? tellingHeaders(headers) : {}),
    ...(body === '' ? {} : { response_body: cutText(body, shortBody) }),
    ...(truncated ? { response_truncated: true } : {}),
    ...(error === undefined ? {} : { error }),
  };
  if (body.length <= shortBody) return { attempt };
  const answer: StoredAnswer = {
    id: answerId(deliveryId, number),
    webhook_id: webhookId,
    at: attempt.at,
    body,
    ...(truncated ? { truncated } : {}),
  };
  return { attempt: { ...attempt, response_truncated: true }, answer };
}

/** What any answer has, and nobody looks for. */
const usual = new Set(['connection', 'keep-alive', 'date', 'content-length', 'transfer-encoding']);

function tellingHeaders(
  headers: Readonly<Record<string, string>>,
): Pick<StoredAttempt, 'response_headers'> {
  const telling = Object.entries(headers).filter(([name]) => !usual.has(name));
  return telling.length > 0 ? { response_headers: Object.fromEntries(telling) } : {};
}

/** Without half of a character at its end. */
const cutText = (text: string, most: number): string =>
  text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '');

/**
 * A delivery after one more attempt.
 * @param next when the next one is, in milliseconds since the epoch; undefined: there is none
 */
export function withAttempt(
  { pending, ...delivery }: StoredDelivery,
  attempt: StoredAttempt,
  now: number,
  next: number | undefined,
): StoredDelivery {
  const row = {
    ...delivery,
    updated_at: timestamp(now),
    attempts: [...delivery.attempts, attempt].slice(-mostAttempts),
  };
  if (attempt.error === undefined) return { ...row, status: 'succeeded' };
  if (next === undefined) return { ...row, status: 'failed' };
  const since = { first_at: Date.parse(attempt.at), ...pending };
  return { ...row, status: 'pending', pending: { ...since, next_attempt_at: timestamp(next) } };
}

/** A webhook after an attempt; the very same where nothing changes. */
export function afterAttempt(
  webhook: StoredWebhook,
  { error, at }: Pick<StoredAttempt, 'error' | 'at'>,
  now: number,
): StoredWebhook {
  const { failing_since: since = at, ...rest } = webhook;
  if (error === undefined) return webhook.failing_since === undefined ? webhook : rest;
  if (webhook.active && now - Date.parse(since) >= day) {
    return {
      ...rest,
      active: false,
      failing_since: since,
      disabled_at: timestamp(now),
      disabled_reason: `Every delivery of 24 hours failed, since ${since}; the last error: ${error}`,
      updated_at: timestamp(now),
    };
  }
  return webhook.failing_since === undefined ? { ...rest, failing_since: since } : webhook;
}
