/** The platform's fetch, or anything that behaves like it (the server's app in-process, a fake). */
export type Fetch = (url: string, init: FetchInit) => Promise<HttpAnswer>;

/** The part of `Response` that is used here: building a whole one costs a tenth of a local request. */
export interface HttpAnswer {
  readonly status: number;
  /** 200..299. */
  readonly ok: boolean;
  readonly headers: AnswerHeaders;
  text(): Promise<string>;
  /** The bytes as they come, where they were asked for so. */
  readonly body?: AsyncIterable<Uint8Array> | null;
  /** The same answer, whose body can be read once more. */
  clone(): HttpAnswer;
}

export interface AnswerHeaders {
  get(name: string): string | null;
  [Symbol.iterator](): Iterator<[string, string]>;
}

export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** Instead of `body`: bytes that are read as they are sent. */
  readonly upload?: AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
  readonly redirect: 'manual';
  /** A file may come that is too large to hold: the answer is there before its body is read. */
  readonly streamed?: true;
}

/** The same for the platform's `Request`, which takes an upload as its body. */
export const platformInit = ({ upload, ...init }: FetchInit): FetchInit =>
  // Its types know bodies that are iterated over only on some platforms.
  upload ? ({ ...init, body: upload, duplex: 'half' } as unknown as FetchInit) : init;
