import type * as z from 'zod';
import { defined } from './defined.ts';
import { endpoint } from './endpoint.ts';
import type { Scope } from './endpoint.ts';
import type { WireErrorName } from './errors.ts';
import { ById, listEndpoint } from './lists.ts';

/** What all endpoints of a noun have in common. */
interface Noun<Answer extends z.ZodType> {
  /** The path of the list; single objects are at `<path>/:id`. */
  readonly path: string;
  /** The whole noun is an extension of our server. */
  readonly ext?: true;
  /** To read and to change. Default: governance:read and compliance:write. */
  readonly scope?: Scope | { readonly read: Scope; readonly change: Scope };
  /** One object in responses. */
  readonly answer: Answer;
  /** The error for an unknown ID. */
  readonly missing: WireErrorName;
}

/** One endpoint. */
interface Row {
  readonly summary: string;
  /** The endpoint is an extension of our server, although the noun is not. */
  readonly ext?: true;
  /** Errors besides those of every such endpoint. */
  readonly errors?: readonly WireErrorName[];
}

/**
 * The endpoints that nouns have in common: list, create, get, update and delete. Responses with one object have an ETag.
 * Declare endpoints that differ with `endpoint()`.
 */
export function nounEndpoints<Answer extends z.ZodType>(noun: Noun<Answer>) {
  const { path, answer, missing } = noun;
  const { scope = { read: 'governance:read', change: 'compliance:write' } } = noun;
  const { read: reading, change: changing } =
    typeof scope === 'string' ? { read: scope, change: scope } : scope;
  const told = ({ summary, ext = noun.ext }: Row) => ({ summary, ...defined({ ext }) });
  const one = { path: `${path}/:id`, params: ById, versioned: true } as const;
  return {
    list: <Query extends z.ZodType, Rows extends z.ZodRawShape>({
      query,
      rows,
      ...row
    }: Omit<Row, 'errors'> & { readonly query: Query; readonly rows: Rows }) =>
      listEndpoint({ path, scope: reading, ...told(row), query, rows }),

    create: <Body extends z.ZodType>({
      body,
      errors = [],
      ...row
    }: Row & { readonly body: Body }) =>
      endpoint({
        method: 'POST',
        path,
        ...told(row),
        scope: changing,
        body,
        versioned: true,
        response: { status: 201, body: answer },
        errors,
      }),

    get: (row: Omit<Row, 'errors'>) =>
      endpoint({
        ...one,
        method: 'GET',
        ...told(row),
        scope: reading,
        response: { status: 200, body: answer },
        errors: [missing],
      }),

    /** The body is a partial update: fields left out stay, null clears an optional one. */
    update: <Body extends z.ZodType>({
      body,
      errors = [],
      ...row
    }: Row & { readonly body: Body }) =>
      endpoint({
        ...one,
        method: 'PUT',
        ...told(row),
        scope: changing,
        body,
        response: { status: 200, body: answer },
        errors: [missing, ...errors, 'precondition_failed'],
      }),

    delete: (row: Omit<Row, 'errors'>) =>
      endpoint({
        ...one,
        method: 'DELETE',
        ...told(row),
        scope: changing,
        response: { status: 204 },
        errors: [missing, 'precondition_failed'],
      }),
  };
}
