import type { Binary, ClientInput, Endpoint, ResponseBody, Upload } from '../contract/endpoint.ts';
import type { ServiceContract } from '../contract/contract.ts';
import { contract } from '../contract/contract.ts';
import { GovctlError } from '../contract/errors.ts';
import type { Transport, TransportOptions } from './transport.ts';
import { createTransport } from './transport.ts';
import { readAnswer } from './answer.ts';
import type { BytesAnswer, BytesOptions } from './bytes.ts';
import { fetchBytes } from './bytes.ts';

export interface CallOptions {
  /** Sent with any POST so that a repeat can't do it twice; the client makes one when it may retry. */
  readonly idempotencyKey?: string;
  readonly ifMatch?: string;
  readonly signal?: AbortSignal;
  /** Milliseconds to wait for the answer. Default: those of the client. */
  readonly timeoutMs?: number;
}

export interface Answer<T> {
  readonly data: T;
  readonly etag: string | undefined;
  readonly status: number;
  /** Of the body. */
  readonly characters: number;
}

type Call<E extends Endpoint> = E extends Binary
  ? (input: ClientInput<E>, options?: BytesOptions) => Promise<BytesAnswer>
  : object extends ClientInput<E>
    ? (input?: ClientInput<E>, options?: CallOptions) => Promise<Answer<ResponseBody<E>>>
    : (input: ClientInput<E>, options?: CallOptions) => Promise<Answer<ResponseBody<E>>>;

export type Client = {
  readonly [Noun in keyof ServiceContract]: {
    readonly [Verb in keyof ServiceContract[Noun]]: ServiceContract[Noun][Verb] extends Endpoint
      ? Call<ServiceContract[Noun][Verb]>
      : never;
  };
} & {
  readonly baseUrl: string;
  /** Any method and path, for `govctl api` and paths the contract does not know. */
  readonly transport: Transport;
};

/**
 * The typed SDK: contract + fetch. Retries network errors, 429 (honouring `retry_after`) and 5xx where a repeat is
 * safe: GET, PUT and DELETE always, POST with an idempotency key.
 * Every failure is a GovctlError: the server's own error by name, else `unreachable` or `bad_answer`.
 */
export function createClient(options: TransportOptions): Client {
  const transport = createTransport(options);
  const nouns = Object.entries(contract).map(([noun, verbs]) => [
    noun,
    Object.fromEntries(
      Object.entries(verbs).map(([verb, endpoint]: [string, Endpoint]) => [
        verb,
        (input: RawInput = {}, call: CallOptions & BytesOptions = {}) =>
          endpoint.response.binary
            ? fetchBytes(transport, pathOf(endpoint, input), {
                ...call,
                anonymous: endpoint.scope === null,
              })
            : callEndpoint(transport, endpoint, input, call),
      ]),
    ),
  ]);
  // The table is walked at run time; its static shape is Client by construction.
  return Object.assign(Object.fromEntries(nouns), {
    baseUrl: options.baseUrl,
    transport,
  }) as unknown as Client;
}

interface RawInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

async function callEndpoint(
  transport: Transport,
  endpoint: Endpoint,
  input: RawInput,
  options: CallOptions,
): Promise<Answer<unknown>> {
  const path = pathOf(endpoint, input);
  const response = await transport.send(endpoint.method, path, {
    ...options,
    anonymous: endpoint.scope === null,
    ...bodyOf(endpoint, input),
  });
  const { data, characters } = await readAnswer(response, endpoint, `${endpoint.method} ${path}`);
  const etag = response.headers.get('etag') ?? undefined;
  return { data, etag, status: response.status, characters };
}

const pathOf = (endpoint: Endpoint, { params = {}, query = {} }: RawInput): string =>
  fillPath(endpoint.path, params) + queryString(query);

function bodyOf({ streamed }: Endpoint, { body }: RawInput) {
  if (body === undefined) return {};
  return streamed === undefined
    ? { body: JSON.stringify(body) }
    : { body: body as string | Upload, headers: { 'content-type': streamed } }; // as its type says
}

export function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === '') throw new TypeError(`${path} requires ${name}`);
    // URLs resolve these two away, encoded or not: the request would go to another path.
    if (value === '.' || value === '..') {
      throw new GovctlError('usage_error', `${JSON.stringify(value)} is not a valid ${name}`);
    }
    return encodeURIComponent(value);
  });
}

export function queryString(query: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, String(value)]);
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
}
