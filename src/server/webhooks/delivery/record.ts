import { defined } from '../../../contract/defined.ts';
import { timestamp } from '../../deps.ts';
import type { Outcome } from '../../outbound/send.ts';
import type { StoredWebhook } from '../collection.ts';
import { answerId } from './collection.ts';
import type { StoredAnswer, StoredAttempt, StoredDelivery } from './collection.ts';
import type { Message } from '../../outbound/signed-headers.ts';
import { day } from '../../outbound/retry.ts';

/** Characters of an answer that the attempt itself holds. */
const shortBody = 1_024;
/** Characters of an answer's headers that are kept of an attempt. */
const mostHeaders = 1_024;
/** A delivery that is sent again and again keeps its newest attempts. */
const mostAttempts = 100;

/** Why an attempt counts as failed; undefined: it succeeded. */
export function failureOf({ status, error }: Outcome): string | undefined {
  if (status === undefined) return error ?? 'no response';
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) return `returned ${status}; redirects are not followed`;
  return status === 410
    ? 'returned 410: the receiver accepts no more deliveries'
    : `returned ${status}`;
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
    ...defined({ response_status: status }),
    ...(headers ? tellingHeaders(headers, error !== undefined) : {}),
    ...(body === '' ? {} : { response_body: cutText(body, shortBody) }),
    ...(truncated ? { response_truncated: true } : {}),
    ...defined({ error }),
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

/** The `date` of a failed one says what its Retry-After meant. */
function tellingHeaders(
  headers: Readonly<Record<string, string>>,
  isFailed: boolean,
): Pick<StoredAttempt, 'response_headers'> {
  const telling = Object.entries(headers).filter(
    ([name]) => !usual.has(name) || (isFailed && name === 'date'),
  );
  return telling.length > 0 ? { response_headers: Object.fromEntries(shortOnes(telling)) } : {};
}

/** As many as there is room for, the shortest first where that is not all. */
function shortOnes(headers: readonly (readonly [string, string])[]) {
  let left = mostHeaders;
  const take = ([name, value]: readonly [string, string]): boolean =>
    (left -= name.length + value.length) >= 0;
  if (headers.every(take)) return headers;
  left = mostHeaders;
  const sizeOf = ([name, value]: readonly [string, string]): number => name.length + value.length;
  return [...headers].sort((a, b) => sizeOf(a) - sizeOf(b)).filter(take);
}

/**
 * Without half of a character at its end. A text of its own: a part of a text keeps all of it in memory as long as it is
 * kept itself.
 */
const cutText = (text: string, most: number): string =>
  text.length <= most
    ? text
    : Buffer.from(text.slice(0, most).replace(/[\ud800-\udbff]$/, '')).toString();

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
  const first_at = firstAtOf(pending?.first_at, Date.parse(attempt.at), now);
  const next_attempt_at = timestamp(next);
  return { ...row, status: 'pending', pending: { ...pending, first_at, next_attempt_at } };
}

/**
 * When a delivery's window began, in milliseconds since the epoch: not later than now, or it would be as much longer as a
 * clock was set back since.
 * @param before as it is stored
 * @param at of the attempt that was made
 */
export const firstAtOf = (before: number | undefined, at: number, now: number): number =>
  Math.min(before ?? at, now);

type Ended = Pick<StoredAttempt, 'error' | 'at' | 'response_status'>;

/** Whether an attempt tells that its receiver does not work. 410 is the answer of one that does. */
const isFailure = ({ error, response_status: status }: Ended): boolean =>
  error !== undefined && status !== 410;

/** The first failed attempt, and five after it, before one that disables. */
const failuresBefore = 6;

/**
 * A webhook after an attempt; the very same where nothing changes. At the first failed attempt 24 hours or more after the
 * first one since the last success, with at least five failed ones in between, it is disabled, however far apart they are.
 */
export function afterAttempt(webhook: StoredWebhook, attempt: Ended, now: number): StoredWebhook {
  const { error, at } = attempt;
  const { failing_since: before, failures: counted, ...rest } = webhook;
  if (error === undefined) {
    const { dropped } = webhook;
    const isOver = dropped && dropped.ended_at === undefined;
    if (!isOver) return before === undefined ? webhook : rest;
    return { ...rest, dropped: { ...dropped, ended_at: timestamp(now) } };
  }
  if (!isFailure(attempt)) return webhook;
  // Not later than now, should a clock have been set back.
  const since = timestamp(Math.min(Date.parse(before ?? at), now));
  const earlier = counted ?? (before === undefined ? 0 : failuresBefore);
  const isAtLimit = earlier >= failuresBefore && now - Date.parse(since) >= day;
  if (webhook.active && isAtLimit) {
    return {
      ...rest,
      active: false,
      failing_since: since,
      disabled_at: timestamp(now),
      disabled_reason: `All deliveries within 24 hours failed, since ${since}; the last error: ${error}`,
      updated_at: timestamp(now),
    };
  }
  const failures = Math.min(earlier + 1, failuresBefore);
  if (since === before && failures === counted) return webhook;
  return { ...rest, failing_since: since, failures };
}
