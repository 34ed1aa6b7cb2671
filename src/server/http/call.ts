import type {
  Binary,
  Endpoint,
  HandlerInput,
  ResponseBody,
  Scope,
} from '../../contract/endpoint.ts';
import type { ApplySource } from '../../contract/apply-source.ts';
import type { ServiceContract } from '../../contract/contract.ts';
import type { SignableRequest } from '../../contract/request-signature.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Json } from '../json.ts';
import type { Tx } from '../store/store.ts';

/** What a request says of who sends it. */
export interface Caller {
  /** The header. */
  readonly authorization: string | null;
  /** Where it comes from, if from anywhere. */
  readonly address: string | undefined;
  /** The request, whose signature is checked where one is required; `checked`: it was before, and works but once. */
  readonly signed: (() => SignableRequest) | 'checked';
  /** Told whose credential it is, before it is known whether it lets anybody in. */
  readonly identified?: (via: string, userId: string) => void;
}

/** Who is calling, and with what. */
export interface Principal {
  readonly userId: string;
  readonly kind: 'key' | 'client' | 'person' | 'ci';
  /** Who is behind it: the maker of the key or client, see `made_by`. Absent: not known. */
  readonly person?: string;
  /** The user who has at least its scopes: it loses what they lose. Absent: it is the operator's. */
  readonly boundTo?: string;
  /** An OAuth client of somebody else that acts for the person: it reaches none of what is theirs alone. */
  readonly program?: string;
  /** It is the data folder's own key: above all roles. */
  readonly isOperator?: true;
  /** The SHA-256 that the body must have: it was signed. */
  readonly signedBody?: Uint8Array;
  /** Id of the API key or access token. */
  readonly via: string;
  /** What requests are counted under: the API key or OAuth client. */
  readonly countedAs: string;
  /** Those it has now. */
  readonly scopes: readonly Scope[];
}

/** Who did something, for the audit log. */
export interface Actor {
  readonly userId: string;
  readonly via: string;
  readonly requestId: string;
  /** The commit that it applies. */
  readonly source?: ApplySource;
}

type AnswerBody<E extends Endpoint> = E extends Binary
  ? ByteBody | undefined
  : E['response'] extends { readonly type: string }
    ? string
    : ResponseBody<E> extends undefined
      ? undefined
      : Json<ResponseBody<E>> | ByteBody;

/** A body of bytes that are read as they are sent. */
export interface ByteBody {
  /** Its media type. */
  readonly type: string;
  /** How many there are; absent where that is known only when all are made. */
  readonly size?: number;
  /** Called once at most, when somebody takes the first of them. */
  readonly open: () => AsyncIterable<Uint8Array>;
  /** Called once: when all were taken, nobody wants more, or reading failed. */
  readonly ended?: () => void;
}

export type AnyBody = string | ByteBody | undefined;

export interface Answer<Body extends AnyBody = string | undefined> {
  readonly body: Body;
  /** Where it is not the endpoint's own: 201 of what was made, 206 of a part of bytes, 304 of what the reader has. */
  readonly status?: 201 | 206 | 304;
  /** Of a single object; becomes its ETag. */
  readonly revision?: number;
  /** What is shown of it changes under the same revision: it is sent to whoever has that, too. */
  readonly isMoving?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a handler knows of its request beyond the parsed input. */
export interface PublicCall {
  readonly requestId: string;
  /** Where it came from, if from anywhere. */
  readonly remoteAddress: string | undefined;
  /** Only this machine can reach the server, and no proxy says that the request came from elsewhere. */
  readonly isLocal: boolean;
  /** Only the headers of the answer are wanted. */
  readonly isHead: boolean;
  /** Aborts where the caller closes its connection before the answer: nobody wants the rest of the work. */
  readonly signal: AbortSignal;
  header(name: string): string | null;
  /**
   * Runs a change in one transaction, once per Idempotency-Key of `owner` (the caller, where there is one). Not for
   * reads. `work` may run more than once.
   */
  transact<B extends string | undefined>(
    work: (tx: Tx) => Promise<Answer<B>>,
    owner?: string,
  ): Promise<Answer<B>>;
  /**
   * Whether the caller's Idempotency-Key has an answer already; for what acts outside of `transact`'s transaction. Waits
   * for a request with the same key that has asked this and is under way; those that ask later wait for this one. A
   * streamed body is read, but not acted on, where there is an answer.
   */
  isRepeated(): Promise<boolean>;
}

export interface Call extends PublicCall {
  readonly principal: Principal;
  readonly actor: Actor;
  /** @throws GovctlError precondition_failed when If-Match was sent and doesn't name this revision */
  checkMatch(revision: number): void;
}

/** Who changes something that there is, and in which revision it must be: what services take of a call. */
export type Changer = Pick<Call, 'actor' | 'checkMatch'>;

type Handler<E extends Endpoint> = (
  input: HandlerInput<E>,
  call: E['scope'] extends null
    ? PublicCall
    : E extends { readonly openWhereLocal: true }
      ? PublicCall
      : Call,
) => Awaitable<Answer<AnswerBody<E>>>;

/** Leaving out a handler is a type error. */
export type Handlers = {
  readonly [Noun in keyof ServiceContract]: {
    readonly [Verb in keyof ServiceContract[Noun]]: ServiceContract[Noun][Verb] extends Endpoint
      ? Handler<ServiceContract[Noun][Verb]>
      : never;
  };
};
