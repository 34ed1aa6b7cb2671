import type * as z from 'zod';
import { defined } from './defined.ts';
import { endpoint } from './endpoint.ts';
import type { Scope } from './endpoint.ts';
import type { WireErrorName } from './errors.ts';
import { ById, listEndpoint } from './lists.ts';

/** What all rows of a noun have in common. */
interface Noun<Answer extends z.ZodType> {
  /** Of the list; one object is at `<path>/:id`. */
  readonly path: string;
  /** An extension of our server, as a whole. */
  readonly ext?: true;
  /** Default: governance:read to read, compliance:write to change. */
  readonly scope?: Scope;
  /** One object, as answered. */
  readonly answer: Answer;
  /** The error for an id that nothing has. */
  readonly missing: WireErrorName;
}

/** What a row says of itself. */
interface Row {
  readonly summary: string;
  /** An extension of our server, where the noun is none. */
  readonly ext?: true;
  /** Beyond those that all such rows may answer. */
  readonly errors?: readonly WireErrorName[];
}

/**
 * The rows that nouns have alike: a list, and single objects that are created, read, changed and deleted, all with an
 * ETag. A row that differs is an `endpoint()` of its own.
 */
export function nounEndpoints<Answer extends z.ZodType>(noun: Noun<Answer>) {
  const { path, answer, missing } = noun;
  const { scope: reading = 'governance:read' } = noun;
  const { scope: changing = 'compliance:write' } = noun;
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
