import * as z from 'zod';
import type { WireErrorName } from './errors.ts';

/**
 * What a token may do. `cost:admin` implies `cost:read`, `admin` implies `audit:read`; no other scope implies one. `cost:read`,
 * `audit:read` and `admin` are extensions of our server.
 */
export const scopes = [
  'governance:read',
  'compliance:write',
  'cost:read',
  'cost:admin',
  'audit:read',
  'admin',
] as const;
export const Scope = z.enum(scopes);
export type Scope = z.infer<typeof Scope>;

/** The scope that implies another. */
const impliedBy: Partial<Record<Scope, Scope>> = {
  'cost:read': 'cost:admin',
  'audit:read': 'admin',
};

/** Whether who has these scopes may do what takes this one. */
export function permits(has: readonly Scope[], wanted: Scope | 'any'): boolean {
  if (wanted === 'any' || has.includes(wanted)) return true;
  const wider = impliedBy[wanted];
  return wider !== undefined && has.includes(wider);
}

/** Those of the scopes that the others permit, too: what is left of what was granted by somebody who has lost some. */
export const within = (some: readonly Scope[], others: readonly Scope[]): readonly Scope[] =>
  some.every((scope) => permits(others, scope))
    ? some
    : scopes.filter((scope) => permits(some, scope) && permits(others, scope));

/** The largest body of most endpoints. */
export const defaultMaxBodyBytes = 10 * 1024 * 1024;

/** The largest object by itself, as JSON: a resource, a policy. What holds many of them may be larger. */
export const maxObjectBytes = 1024 * 1024;

/** Lists and maps of one object, in whatever depth: each is handed on as a whole, and takes its time. */
export const maxNested = 10_000;

/** Lists and maps of a body with many objects. */
export const maxNestedOfBody = 10 * maxNested;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * One row of the API's table. Routes, client, OpenAPI, scope checks and `govctl api` derive from it.
 * `params`, `query` and `body` stay apart in a handler's input.
 */
export interface Endpoint {
  readonly method: Method;
  /** With `:name` parts, e.g. `/v1/policies/:id`. */
  readonly path: string;
  readonly summary: string;
  /** The scope it takes; `any`: a token, whatever its scopes; null needs no token. */
  readonly scope: Scope | 'any' | null;
  /** A person needs no scope for what is bound to them: without it, there is nothing else for them here. */
  readonly ownForPeople?: true;
  /** Needs no token while only this machine can reach the server. */
  readonly openWhereLocal?: true;
  /** An extension of our server, not part of the service description. */
  readonly ext?: true;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  /** The query is signed: one with a parameter more, or given twice (joined by commas), is the handler's to refuse. */
  readonly signedQuery?: true;
  readonly body?: z.ZodType;
  /** Instead of `body`: of this media type, handed on as it comes, of any size. */
  readonly streamed?: string;
  /** Media types of the body; default JSON only. */
  readonly bodyTypes?: readonly string[];
  /** Default `defaultMaxBodyBytes`. */
  readonly maxBodyBytes?: number;
  /** The largest object, where it is one that is never stored in one piece; default `maxObjectBytes`. */
  readonly objectBytes?: number;
  /** Fields of the body that hold many objects, each of which may have `maxObjectBytes`; else all of it is one object. */
  readonly manyIn?: readonly string[];
  /** A single object with an ETag: GET/POST/PUT answer one, PUT/DELETE heed If-Match. */
  readonly versioned?: true;
  /** Answers 201 instead where it made the object. */
  readonly creates?: true;
  /** Its answer carries a secret: never stored for idempotent replay, sent with `Cache-Control: no-store`. */
  readonly secret?: true;
  readonly response: {
    readonly status: 200 | 201 | 202 | 204;
    /** Absent: no body. */
    readonly body?: z.ZodType;
    /** Default `application/json`. */
    readonly type?: string;
    /** Bytes of any kind and number, sent as they are read; whole, or the part that Range asks for. */
    readonly binary?: true;
  };
  /** What it may answer beyond the errors any endpoint may (see openapi.ts). */
  readonly errors: readonly WireErrorName[];
}

/** Keeps the literal types of a row while checking its shape. */
export const endpoint = <const E extends Endpoint>(row: E): E => row;

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;
type Given<T> = T extends z.ZodType ? z.input<T> : undefined;

/** What a handler gets: already parsed and defaulted. */
export interface HandlerInput<E extends Endpoint> {
  readonly params: Parsed<E['params']>;
  readonly query: Parsed<E['query']>;
  readonly body: E extends Streamed ? AsyncIterable<Uint8Array> : Parsed<E['body']>;
}

type Streamed = { readonly streamed: string };

/** A body of any size, which is read as it is sent: from its beginning for each try. */
export interface Upload {
  readonly open: () => AsyncIterable<Uint8Array>;
  /** It can be read once only. */
  readonly isOnce?: boolean;
}

type Provide<K extends string, T> = T extends z.ZodType
  ? object extends Given<T>
    ? { readonly [P in K]?: Given<T> }
    : { readonly [P in K]: Given<T> }
  : object;

/** What a client gives. */
export type ClientInput<E extends Endpoint> = Provide<'params', E['params']> &
  Provide<'query', E['query']> &
  (E extends Streamed ? { readonly body: string | Upload } : Provide<'body', E['body']>);

/** An endpoint that answers bytes. */
export type Binary = { readonly response: { readonly binary: true } };

export type ResponseBody<E extends Endpoint> = Parsed<E['response']['body']>;

export type Contract = Readonly<Record<string, Readonly<Record<string, Endpoint>>>>;
