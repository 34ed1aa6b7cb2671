import { placeOfUrl } from '../../config/binding.ts';
import type { ServerConfig } from '../../config/config.ts';
import type { Deps } from '../../deps.ts';
import { timestamp } from '../../deps.ts';
import type { Send } from '../../outbound/send.ts';
import { keysOf, plainHeaders, signedHeaders } from '../../outbound/signed-headers.ts';
import { resultOfAnswer } from './answer.ts';
import type { ChannelOf, MessageLink, ReportMessage, SendResult } from './channel.ts';
import { secretFor } from './bound-secret.ts';
import type { Bound } from './bound-secret.ts';
import { targetOf } from './target-of.ts';

/** Milliseconds. */
const answerWithin = 30_000;

interface WebhookParts extends Pick<Deps, 'clock' | 'secrets' | 'version'> {
  readonly send: Send;
  readonly config: ServerConfig;
}

/** Posts what a report is and where it can be had, signed as the deliveries of webhooks are. */
export async function sendToWebhook(
  parts: WebhookParts,
  channel: ChannelOf<'webhook'>,
  message: ReportMessage,
  { signal, owner }: { readonly signal: AbortSignal; readonly owner: string },
): Promise<SendResult> {
  const { clock, send, version } = parts;
  const found = secretOf(parts, channel, owner);
  if ('fault' in found) return { ok: false, permanent: true, error: found.fault };
  const { secret } = found;
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
    advice: "The receiver accepts no more deliveries: correct the schedule's delivery.webhook.",
  });
}

function secretOf(
  { secrets, config }: WebhookParts,
  { url, secret, secret_env: name }: ChannelOf<'webhook'>,
  owner: string,
): Bound<{ readonly secret: string | undefined }> {
  if (name !== undefined) {
    const place = placeOfUrl(url);
    const found = place ? secretFor(name, place, config) : { fault: 'requires a valid URL' };
    return 'fault' in found ? { fault: `delivery.webhook.secret_env ${found.fault}` } : found;
  }
  if (secret === undefined) return { secret };
  try {
    return { secret: secrets.open(secret, owner) };
  } catch {
    const fault = 'The secret of the webhook cannot be decrypted with the key of this server';
    return { fault: `${fault}; set delivery.webhook.secret again` };
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
