import { GovctlError } from '../contract/errors.ts';
import { Policy, policies } from '../contract/policies.ts';
import { fillPath } from './client.ts';
import type { Client } from './client.ts';
import { badAnswer, parseJson, readText } from './answer.ts';
import { withoutNulls } from './policies.ts';
import type { HttpAnswer } from './transport.ts';

/** What a server said to a change; the description leaves the body open, so there may be none. */
export interface ChangeAnswer {
  readonly policy: Policy | undefined;
  readonly etag: string | undefined;
}

export interface ChangeOptions {
  readonly ifMatch?: string;
  readonly idempotencyKey?: string;
}

/**
 * Creates a policy on any server. It is not sent again where the server may have begun: whether it did is for the
 * caller to find out, as a server without idempotency keys would create a second one.
 */
export async function createPolicy(
  client: Client,
  body: Readonly<Record<string, unknown>>,
  options: ChangeOptions = {},
): Promise<ChangeAnswer> {
  const { path } = policies.create;
  const answer = await client.transport.send('POST', path, {
    body: JSON.stringify(body),
    repeatable: false,
    ...options,
  });
  return readChange(answer, `POST ${path}`);
}

/** Changes some fields of a policy on any server. */
export async function updatePolicy(
  client: Client,
  id: string,
  body: Readonly<Record<string, unknown>>,
  options: ChangeOptions = {},
): Promise<ChangeAnswer> {
  const path = fillPath(policies.update.path, { id });
  const answer = await client.transport.send('PUT', path, {
    body: JSON.stringify(body),
    ...options,
  });
  return readChange(answer, `PUT ${path}`);
}

/** Deletes a policy; one that is gone already is what was wanted. */
export async function deletePolicy(
  client: Client,
  id: string,
  options: ChangeOptions = {},
): Promise<void> {
  const path = fillPath(policies.delete.path, { id });
  try {
    await client.transport.send('DELETE', path, options);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** One policy and its ETag, from any server; undefined when there is none of this id. */
export async function readPolicy(
  client: Client,
  id: string,
): Promise<{ readonly policy: Policy; readonly etag: string | undefined } | undefined> {
  const path = fillPath(policies.get.path, { id });
  let answer: HttpAnswer;
  try {
    answer = await client.transport.send('GET', path);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  const { policy, etag } = await readChange(answer, `GET ${path}`);
  if (policy) return { policy, etag };
  throw badAnswer(answer, `GET ${path}`, 'it is not a policy');
}

const isNotFound = (error: unknown): boolean =>
  error instanceof GovctlError && error.status === 404;

async function readChange(answer: HttpAnswer, what: string): Promise<ChangeAnswer> {
  const text = (await readText(answer, what)).trim();
  const etag = answer.headers.get('etag') ?? undefined;
  if (text === '') return { policy: undefined, etag };
  // A login page answers 200 to anything: to take that for success would be a lie.
  return { policy: policyIn(parseJson(text, answer, what)), etag };
}

/** The policy itself, or wrapped as `{policy: ...}`; a body that only says "ok" holds none. */
function policyIn(body: unknown): Policy | undefined {
  const bare = Policy.safeParse(withoutNulls(body));
  if (bare.success) return bare.data;
  if (typeof body !== 'object' || body === null || !('policy' in body)) return undefined;
  const wrapped = Policy.safeParse(withoutNulls(body.policy));
  return wrapped.success ? wrapped.data : undefined;
}
