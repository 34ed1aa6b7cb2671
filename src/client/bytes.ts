import { GovctlError } from '../contract/errors.ts';
import { headerText, reportPasswordHeader } from '../contract/report-downloads.ts';
import { badAnswer, errorFromResponse } from './answer.ts';
import type { AnswerHeaders, HttpAnswer } from './http.ts';
import type { Transport } from './transport.ts';

export interface BytesOptions {
  /** Such as `range` with `if-range`, or `if-none-match`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a protected report. */
  readonly password?: string;
  /** Ends the body, too. */
  readonly signal?: AbortSignal;
}

/** An answer whose body is read as it comes. */
export interface BytesAnswer {
  /** 200; 206 with a part that was asked for; 304, without a body, where the reader has it already. */
  readonly status: number;
  /** `content-length`, `content-range`, `etag`, `x-content-sha256` … */
  readonly headers: AnswerHeaders;
  /**
   * Once; whoever stops reading it lets go of the connection.
   * @throws GovctlError unreachable where it is cut off before its end
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Compressed on its way, a file would have neither its length nor its ranges. */
const asItIs = { accept: '*/*', 'accept-encoding': 'identity' };

/**
 * Asks for bytes, with the transport's retries until the answer begins; what then breaks off is the caller's to resume.
 * @throws GovctlError the server's own (with status 416 for a range that is not there), `unreachable` or `bad_answer`
 */
export async function fetchBytes(
  transport: Transport,
  path: string,
  options: BytesOptions & { readonly anonymous: boolean },
): Promise<BytesAnswer> {
  const what = `GET ${path}`;
  const { headers, password, ...rest } = options;
  const answer = await transport.exchange('GET', path, {
    ...rest,
    streamed: true,
    headers: {
      ...asItIs,
      ...(password === undefined ? {} : { [reportPasswordHeader]: headerText(password) }),
      ...headers,
    },
  });
  const { status } = answer;
  if (status === 304) return { status, headers: answer.headers, body: none() };
  if (!answer.ok) throw await errorFromResponse(answer, what);
  if (status !== 200 && status !== 206) throw badAnswer(answer, what, 'the response is not a file');
  return { status, headers: answer.headers, body: bytesOf(answer, what) };
}

/** The bytes of a streamed answer, to its end. @throws GovctlError unreachable where it is cut off before that */
export async function* bytesOf(answer: HttpAnswer, what: string): AsyncGenerator<Uint8Array> {
  const length = answer.headers.get('content-length');
  let got = 0;
  try {
    for await (const chunk of answer.body ?? none()) {
      got += chunk.length;
      yield chunk;
    }
  } catch (cause) {
    throw cause instanceof GovctlError ? cause : cutOff(what, cause);
  }
  if (length !== null && Number(length) !== got) throw cutOff(what, undefined);
}

async function* none(): AsyncGenerator<Uint8Array> {
  yield* [];
}

const cutOff = (what: string, cause: unknown): GovctlError =>
  new GovctlError('unreachable', `The response to ${what} was truncated`, {
    cause,
    hint: 'Request the rest with Range and If-Range.',
  });
