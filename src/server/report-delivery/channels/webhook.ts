import type { Deps } from '../../deps.ts';
import { timestamp } from '../../deps.ts';
import type { Send } from '../../outbound/send.ts';
import { keysOf, plainHeaders, signedHeaders } from '../../outbound/signed-headers.ts';
import { resultOfAnswer } from './answer.ts';
import type { ChannelOf, MessageLink, ReportMessage, SendResult, Surroundings } from './channel.ts';
import { secretFromEnv } from './secret-from-env.ts';
import { targetOf } from './target-of.ts';

/** Milliseconds. */
const answerWithin = 30_000;

interface WebhookParts extends Pick<Deps, 'clock' | 'secrets' | 'version'> {
  readonly send: Send;
  readonly surroundings: Surroundings;
}

/** Posts what a report is and where it can be had, signed as the deliveries of webhooks are. */
export async function sendToWebhook(
  parts: WebhookParts,
  channel: ChannelOf<'webhook'>,
  message: ReportMessage,
  { signal, owner }: { readonly signal: AbortSignal; readonly owner: string },
): Promise<SendResult> {
  const { clock, send, version } = parts;
  const secret = secretOf(parts, channel, owner);
  if (typeof secret === 'object') return { ok: false, permanent: true, error: secret.fault };
  const at = clock.now();
  const body = JSON.stringify(bodyOf(message, await message.links(), at));
  const signed = {
    eventId: message.deliveryId,
    webhookId: message.schedule?.id ?? message.report.id,
    attempt: message.attempt,
    at,
    version,
  };
  const headers =
    secret === undefined
      ? plainHeaders(signed)
      : signedHeaders(signed, body, { keys: keysOf(secret) }, undefined);
  const outcome = await send({ url: channel.url, headers, body, timeoutMs: answerWithin }, signal);
  return resultOfAnswer(outcome, {
    who: `The receiver at ${targetOf(channel)}`,
    now: clock.now(),
    // As of webhooks: anything else may be put right within the day.
    isFinal: (status) => status === 410,
    advice: "It wants no more: correct the schedule's delivery.webhook.",
  });
}

function secretOf(
  { secrets, surroundings }: WebhookParts,
  { secret, secret_env: name }: ChannelOf<'webhook'>,
  owner: string,
): string | undefined | { readonly fault: string } {
  if (name !== undefined) {
    const fault = `The variable ${name} of secret_env is not set where the server runs, or may not be named; its operator sets it, or lists it under secrets in the file of --config`;
    return secretFromEnv(name, surroundings) ?? { fault };
  }
  if (secret === undefined) return undefined;
  try {
    return secrets.open(secret, owner);
  } catch {
    const fault = 'The secret of the webhook can not be read with the key of this server';
    return { fault: `${fault}; set delivery.webhook.secret anew` };
  }
}

/** An envelope as webhooks get them, so that the same code can check and read both. */
const bodyOf = (
  { deliveryId, report, schedule, date, files }: ReportMessage,
  links: readonly MessageLink[],
  at: number,
): unknown => ({
  id: deliveryId,
  type: report.status === 'completed' ? 'report.completed' : 'report.failed',
  created: report.generated_at ?? timestamp(at),
  data: {
    report,
    ...(schedule ? { schedule } : {}),
    date,
    files: files.map(({ format, filename, media_type, size, sha256 }) => ({
      format,
      filename,
      media_type,
      size,
      sha256,
    })),
    links,
  },
});
