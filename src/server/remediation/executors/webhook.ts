import type { Deps } from '../../deps.ts';
import { timestamp } from '../../deps.ts';
import type { Send } from '../../outbound/send.ts';
import { keysOf, signedHeaders } from '../../outbound/signed-headers.ts';
import type { Executor } from './executor.ts';
import { orderOf } from './order.ts';
import type { Begun, Result } from './order.ts';

/** Milliseconds. */
const answerWithin = 30_000;

/** Sends an action to a receiver, signed as the deliveries of webhooks are. */
export async function sendFor(
  { clock, version }: Pick<Deps, 'clock' | 'version'>,
  send: Send,
  { url, host, secret }: Extract<Executor, { kind: 'webhook' }>,
  begun: Begun,
  signal: AbortSignal,
): Promise<Result> {
  const { id, remediation_id: webhookId, unsent = 0 } = begun.action;
  const at = clock.now();
  const envelope = { id, type: 'remediation.action', created: timestamp(at) };
  const body = JSON.stringify({ ...envelope, data: orderOf(begun) });
  const message = { eventId: id, webhookId, attempt: unsent + 1, at, version };
  const headers = signedHeaders(message, body, { keys: keysOf(secret) }, undefined);
  const outcome = await send({ url, headers, body, timeoutMs: answerWithin }, signal);
  const { status, error = '' } = outcome;
  if (status === undefined) {
    const why = `the request to ${host} failed: ${error}`;
    return outcome.unsent
      ? { status: 'unsent', why }
      : { status: 'unverified', why: `${why}; the request is not sent again` };
  }
  const answered = { outcome: { http_status: status } };
  return status >= 200 && status < 300
    ? { status: 'unverified', ...answered }
    : { status: 'failed', why: `${host} returned ${status}`, ...answered };
}
