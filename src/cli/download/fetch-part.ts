import { badAnswer, errorFromResponse } from '../../client/answer.ts';
import type { Client } from '../../client/client.ts';
import type { DownloadDeps } from './download.ts';

interface PartOptions {
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
}

/** Asks a service for a file, or the rest of it. */
export const fetchPartOf =
  (client: Client, path: string, { signal, headers }: PartOptions): DownloadDeps['fetchPart'] =>
  async (range) => {
    const answer = await client.transport.exchange('GET', path, {
      signal,
      streamed: true,
      // Compressed on its way, a file has neither its length nor its ranges.
      headers: { accept: '*/*', 'accept-encoding': 'identity', ...headers, ...range },
    });
    const { status, body } = answer;
    if (status === 416) return { status, headers: answer.headers, bytes: none() };
    if (!answer.ok) throw await errorFromResponse(answer, `GET ${path}`);
    if (status !== 200 && status !== 206) throw badAnswer(answer, `GET ${path}`, 'not a file');
    return { status, headers: answer.headers, bytes: body ?? none() };
  };

async function* none(): AsyncGenerator<Uint8Array> {
  yield* [];
}
