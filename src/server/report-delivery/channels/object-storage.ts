import { defined } from '../../../contract/defined.ts';
import { Readable } from 'node:stream';
import type { Clock } from '../../deps.ts';
import type { Outcome, Sender } from '../../outbound/send.ts';
import { isBoundTo, isBoundToBucket, placeOfUrl, showPlace } from '../../config/binding.ts';
import { storageSecret } from '../../config/config.ts';
import type { ServerConfig, StorageKeys } from '../../config/config.ts';
import { isRefusal, resultOfAnswer } from './answer.ts';
import type { ChannelOf, MessageFile, SendReport, SendResult } from './channel.ts';
import { hostOf } from './target-of.ts';
import { uploadName } from './wording.ts';

/** Milliseconds until a file was sent and answered. */
const uploadWithin = 9 * 60_000;
const defaultRegion = 'us-east-1';

interface StorageParts {
  readonly config: ServerConfig;
  readonly send: Sender['send'];
  readonly clock: Clock;
}

/** S3 and what speaks like it: one PUT for each file, signed over its SHA-256. */
export const createStorageChannel =
  ({ config, send, clock }: StorageParts): SendReport<'object_storage'> =>
  async (channel, message, signal) => {
    const found = storageKeys(channel, config);
    if ('fault' in found) {
      const error = `delivery.object_storage.${found.field} ${found.fault}`;
      return { ok: false, permanent: true, error };
    }
    const { keys } = found;
    for (const file of message.files) {
      const result = await put(file, objectUrl(channel, uploadName(message, file.filename)), keys);
      if (!result.ok) return result;
    }
    return { ok: true };

    async function put(file: MessageFile, url: string, keys: StorageKeys): Promise<SendResult> {
      const first = await putAt(file, url, { keys, now: clock.now() });
      const theirs = Date.parse(first.headers?.date ?? '');
      // Clocks that differ: the one that counts is the store's.
      const isSkewed = codeOf(first.body ?? '') === 'RequestTimeTooSkewed' && !Number.isNaN(theirs);
      const outcome = isSkewed ? await putAt(file, url, { keys, now: theirs }) : first;
      return storageResult(outcome, channel, url, clock.now());
    }

    async function putAt(file: MessageFile, url: string, signing: Signing): Promise<Outcome> {
      const headers = await signedHeaders(file, url, channel, signing);
      const body = Readable.from(file.read());
      try {
        const outgoing = { url, method: 'PUT', headers, body, timeoutMs: uploadWithin } as const;
        return await send(outgoing, signal);
      } finally {
        body.destroy();
      }
    }
  };

function storageResult(
  outcome: Outcome,
  { bucket }: ChannelOf<'object_storage'>,
  url: string,
  now: number,
): SendResult {
  const code = codeOf(outcome.body ?? '');
  return resultOfAnswer(outcome, {
    who: `The storage at ${hostOf(url)}`,
    now,
    // A connection that was too slow is a 400 of S3's.
    isFinal: (status) => isRefusal(status) && code !== 'RequestTimeout',
    advice: `Check the bucket ${bucket}, the region and endpoint of the schedule, and the keys of this server.`,
    reason: () => code,
  });
}

/** As in `NoSuchBucket`. */
const codeOf = (body: string): string | undefined =>
  /<Code>([A-Za-z0-9.]{1,60})<\/Code>/.exec(body)?.[1];

/**
 * The keys to sign with, for the bucket and the host that they are bound to; without an `endpoint` the host is AWS's own.
 * Whether there are keys that are bound elsewhere is not told. `field` is one of `delivery.object_storage`.
 */
export function storageKeys(
  channel: ChannelOf<'object_storage'>,
  { object_storage: keys }: ServerConfig,
): { readonly keys: StorageKeys } | { readonly field: string; readonly fault: string } {
  const { bucket, endpoint } = channel;
  const named = endpoint === undefined ? bucket : namedAt(endpoint, bucket);
  if (!keys || !isBoundToBucket(keys, named)) {
    return { field: named === bucket ? 'bucket' : 'endpoint', fault: notBound('buckets', named) };
  }
  if (endpoint === undefined) return { keys };
  const place = placeOfUrl(objectUrl(channel, ''));
  if (place && isBoundTo(keys, place)) return { keys };
  return { field: 'endpoint', fault: notBound('hosts', place ? showPlace(place) : 'HOST') };
}

/**
 * What a request to an endpoint names as its bucket. A server takes the first step of a path for it, so a path of the
 * endpoint's own would lead into another bucket.
 */
function namedAt(endpoint: string, bucket: string): string {
  const at = `${endpoint.replace(/\/+$/, '')}/${bucket}`;
  if (!URL.canParse(at)) return bucket;
  const { pathname, search, hash } = new URL(at);
  return `${pathname}${search}${hash}`.slice(1);
}

const notBound = (list: 'buckets' | 'hosts', entry: string): string =>
  `points to ${entry}, for which this server has no storage keys: ask its operator to add ${list}: ["${entry}"] to object_storage in the --config file, or to secrets.${storageSecret} there if the keys are environment variables`;

/** A server of one's own has its buckets in the path; at AWS they are hosts, where their names can be. */
export function objectUrl(
  { bucket, prefix = '', region = defaultRegion, endpoint }: ChannelOf<'object_storage'>,
  name: string,
): string {
  const key = [...prefix.split('/'), name]
    .filter((step) => !['', '.', '..'].includes(step))
    .map(encodeStep)
    .join('/');
  if (endpoint !== undefined) return `${endpoint.replace(/\/+$/, '')}/${bucket}/${key}`;
  return bucket.includes('.')
    ? `https://s3.${region}.amazonaws.com/${bucket}/${key}`
    : `https://${bucket}.s3.${region}.amazonaws.com/${key}`;
}

/** As requests are signed: all but RFC 3986's unreserved characters. */
const encodeStep = (step: string): string =>
  encodeURIComponent(step).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

interface Signing {
  readonly keys: StorageKeys;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

async function signedHeaders(
  file: MessageFile,
  url: string,
  { region = defaultRegion }: ChannelOf<'object_storage'>,
  { keys, now }: Signing,
): Promise<Record<string, string>> {
  const { AwsV4Signer } = await import('aws4fetch');
  const signer = new AwsV4Signer({
    method: 'PUT',
    url,
    service: 's3',
    region,
    accessKeyId: keys.access_key_id,
    secretAccessKey: keys.secret_access_key,
    ...defined({ sessionToken: keys.session_token }),
    headers: {
      'Content-Type': file.media_type,
      'Content-Length': String(file.size),
      'X-Amz-Content-Sha256': file.sha256,
    },
    datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  });
  const { headers } = await signer.sign();
  // The host is that of the connection.
  return Object.fromEntries(headers);
}
