import * as z from 'zod';
import { applySourceHeader, formatApplySource } from '../contract/apply-source.ts';
import type { ApplySource } from '../contract/apply-source.ts';
import { GovctlError } from '../contract/errors.ts';
import { AnsweredBudget } from '../contract/budgets.ts';
import { FrameworkDefinition } from '../contract/frameworks.ts';
import { AnsweredExemption } from '../contract/exemptions.ts';
import { parseToFirstIssue } from '../contract/parse-to-first-issue.ts';
import { Policy } from '../contract/policies.ts';
import { badAnswer, parseJson, readText } from './answer.ts';
import type { Client } from './client.ts';
import { fillPath } from './client.ts';
import type { HttpAnswer } from './http.ts';

/**
 * Objects of one noun on any server. The service's description leaves bodies open: changes may be answered with
 * nothing, lists may be bare arrays with no, or half a, `pagination`.
 */
export interface ObjectsOf<T extends { readonly id: string }> {
  readonly path: string;
  /** As a person says it, and the name of the list in an answer. */
  readonly one: string;
  readonly many: string;
  readonly item: z.ZodType<T>;
  /**
   * What the description promises of the list's pages; without a promise nothing is asked that was not offered.
   * `unordered`: pages, but no order of one's own.
   */
  readonly paged: boolean | 'unordered';
  /** Where a PUT makes and replaces the whole of one, by an ID that its body has; default: POST, and PUT of some fields. */
  readonly wholeAt?: string;
}

/** Some servers say null for a field that has no value; ours leaves it out. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.values(value).includes(null)) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}

export const policyObjects: ObjectsOf<Policy> = {
  path: '/v1/policies',
  one: 'policy',
  many: 'policies',
  item: z.preprocess(withoutNulls, Policy),
  paged: true,
};

/** A field that the description leaves open: of another type than ours, it is taken for absent. */
export const absentIfOdd = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined);

/** A webhook of any server: only what is read of it, so that a secret that one echoes goes no further. */
const AnyWebhook = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  active: z.boolean().optional(),
  filters: z.record(z.string(), z.unknown()).optional(),
  retry_config: z.record(z.string(), z.unknown()).optional(),
  timeout_seconds: z.number().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  name: absentIfOdd(z.string()),
  tags: absentIfOdd(z.array(z.string())),
  secret_hint: absentIfOdd(z.string()),
  disabled_reason: absentIfOdd(z.string()),
  updated_at: absentIfOdd(z.string()),
});
export type AnyWebhook = z.infer<typeof AnyWebhook>;

export const webhookObjects: ObjectsOf<AnyWebhook> = {
  path: '/v1/webhooks',
  one: 'webhook',
  many: 'webhooks',
  item: z.preprocess(withoutNulls, AnyWebhook),
  paged: false,
};

const anyObject = z.record(z.string(), z.unknown());

/** A schedule of any server. */
const AnySchedule = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  description: absentIfOdd(z.string()),
  schedule: z.looseObject({ cron: z.string(), timezone: absentIfOdd(z.string()) }),
  report_template: z.looseObject({ name: absentIfOdd(z.string()), type: absentIfOdd(z.string()) }),
  delivery: absentIfOdd(z.record(z.string(), anyObject)),
  enabled: absentIfOdd(z.boolean()),
  tags: absentIfOdd(z.array(z.string())),
  next_run_at: absentIfOdd(z.string()),
  last_run_at: absentIfOdd(z.string()),
  last_report_id: absentIfOdd(z.string()),
  last_status: absentIfOdd(z.string()),
  problems: absentIfOdd(z.array(z.looseObject({ field: z.string(), message: z.string() }))),
  created_at: absentIfOdd(z.string()),
  updated_at: absentIfOdd(z.string()),
  created_by: absentIfOdd(z.string()),
});
export type AnySchedule = z.infer<typeof AnySchedule>;

export const scheduleObjects: ObjectsOf<AnySchedule> = {
  path: '/v1/reports/schedules',
  one: 'schedule',
  many: 'schedules',
  item: z.preprocess(withoutNulls, AnySchedule),
  paged: true,
};

/** An exemption; only our server has them. */
const AnyExemption = AnsweredExemption.omit({ created_at: true, created_by: true }).extend({
  updated_at: absentIfOdd(z.string()),
});
export type AnyExemption = z.infer<typeof AnyExemption>;

export const exemptionObjects: ObjectsOf<AnyExemption> = {
  path: '/v1/exemptions',
  one: 'exemption',
  many: 'exemptions',
  item: z.preprocess(withoutNulls, AnyExemption),
  paged: true,
};

/** A framework as it was defined; only our server has them. */
const AnyFramework = FrameworkDefinition.omit({ created_at: true, created_by: true }).extend({
  updated_at: absentIfOdd(z.string()),
});
export type AnyFramework = z.infer<typeof AnyFramework>;

export const frameworkObjects: ObjectsOf<AnyFramework> = {
  path: '/v1/compliance/framework-definitions',
  one: 'framework',
  many: 'frameworks',
  item: z.preprocess(withoutNulls, AnyFramework),
  paged: true,
  wholeAt: '/v1/compliance/frameworks',
};

/** A budget; only our server has them. */
const AnyBudget = AnsweredBudget.omit({ created_at: true, created_by: true }).extend({
  updated_at: absentIfOdd(z.string()),
  status: absentIfOdd(AnsweredBudget.shape.status),
});
export type AnyBudget = z.infer<typeof AnyBudget>;

export const budgetObjects: ObjectsOf<AnyBudget> = {
  path: '/v1/budgets',
  one: 'budget',
  many: 'budgets',
  item: z.preprocess(withoutNulls, AnyBudget),
  paged: true,
};

/** What a server said of an object, or to a change of it; the description leaves the body open, so there may be none. */
export interface ObjectAnswer<T> {
  readonly item: T | undefined;
  readonly etag: string | undefined;
}

export interface ChangeOptions {
  readonly ifMatch?: string;
  /** The commit that is applied; only our server records it. */
  readonly source?: ApplySource | undefined;
  readonly idempotencyKey?: string;
}

/**
 * Creates an object on any server. It is not sent again where the server may have begun: whether it did is for the
 * caller to find out, as a server without idempotency keys would create a second one.
 */
export async function createObject<T extends { readonly id: string }>(
  client: Client,
  of: ObjectsOf<T>,
  body: Readonly<Record<string, unknown>>,
  { source, ...options }: ChangeOptions = {},
): Promise<ObjectAnswer<T>> {
  const [method, path] =
    of.wholeAt === undefined ? ['POST', of.path] : ['PUT', pathToChange(of, String(body.id))];
  const answer = await client.transport.send(method, path, {
    body: JSON.stringify(body),
    repeatable: false,
    headers: {
      ...sourceHeaders(source),
      ...(of.wholeAt === undefined ? {} : { 'if-none-match': '*' }),
    },
    ...options,
  });
  return readChange(of, answer, `${method} ${path}`);
}

const sourceHeaders = (source: ApplySource | undefined): Readonly<Record<string, string>> =>
  source ? { [applySourceHeader]: formatApplySource(source) } : {};

const pathOf = ({ path }: { readonly path: string }, id: string): string =>
  fillPath(`${path}/:id`, { id });

const pathToChange = (
  { path, wholeAt = path }: Pick<ObjectsOf<{ readonly id: string }>, 'path' | 'wholeAt'>,
  id: string,
): string => pathOf({ path: wholeAt }, id);

interface Update extends ChangeOptions {
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Changes some fields of an object on any server, or all of it where it is `wholeAt` a path. */
export async function updateObject<T extends { readonly id: string }>(
  client: Client,
  of: ObjectsOf<T>,
  { id, body, source, ...options }: Update,
): Promise<ObjectAnswer<T>> {
  const path = pathToChange(of, id);
  const answer = await client.transport.send('PUT', path, {
    body: JSON.stringify(body),
    headers: sourceHeaders(source),
    ...options,
  });
  return readChange(of, answer, `PUT ${path}`);
}

/** Deletes an object; one that is gone already is what was wanted. */
export async function deleteObject(
  client: Client,
  of: Pick<ObjectsOf<{ readonly id: string }>, 'path' | 'wholeAt'>,
  id: string,
  { source, ...options }: ChangeOptions = {},
): Promise<void> {
  try {
    const headers = sourceHeaders(source);
    await client.transport.send('DELETE', pathToChange(of, id), { headers, ...options });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** One object and its ETag, from any server; undefined when there is none of this id. */
export async function readObject<T extends { readonly id: string }>(
  client: Client,
  of: ObjectsOf<T>,
  id: string,
): Promise<{ readonly item: T; readonly etag: string | undefined } | undefined> {
  const path = pathOf(of, id);
  let answer: HttpAnswer;
  try {
    answer = await client.transport.send('GET', path);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  const { item, etag } = await readChange(of, answer, `GET ${path}`);
  if (item) return { item, etag };
  throw badAnswer(answer, `GET ${path}`, `the response is not a ${of.one}`);
}

const isNotFound = (error: unknown): boolean =>
  error instanceof GovctlError && error.status === 404;

async function readChange<T extends { readonly id: string }>(
  of: ObjectsOf<T>,
  answer: HttpAnswer,
  what: string,
): Promise<ObjectAnswer<T>> {
  const text = (await readText(answer, what)).trim();
  const etag = answer.headers.get('etag') ?? undefined;
  if (text === '') return { item: undefined, etag };
  // A login page answers 200 to anything: to take that for success would be a lie.
  return { item: itemIn(of, parseJson(text, answer, what)), etag };
}

/** The object itself, or wrapped as `{policy: ...}`; a body that only says "ok" holds none. */
function itemIn<T extends { readonly id: string }>(of: ObjectsOf<T>, body: unknown): T | undefined {
  const bare = parseToFirstIssue(of.item, body);
  if (bare.success) return bare.data;
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, of.one)) return undefined;
  // The line above saw it.
  const wrapped = parseToFirstIssue(of.item, (body as Readonly<Record<string, unknown>>)[of.one]);
  return wrapped.success ? wrapped.data : undefined;
}

/** Whether an error says that a path or a method is not there, rather than the thing that was asked for. */
export const isPathMissing = (error: unknown): error is GovctlError =>
  error instanceof GovctlError &&
  (error.status === 404 || error.status === 405 || error.status === 501) &&
  !error.error.endsWith('_not_found');

/**
 * Whether an error says that a server knows nothing of schedules beyond creating them, as the description has it: to one
 * that does not, `schedules` looks like the id of a report.
 */
export const isSchedulesMissing = (error: unknown): error is GovctlError =>
  isPathMissing(error) || (error instanceof GovctlError && error.error === 'report_not_found');

/**
 * Whether a server keeps tags on webhooks, an extension of ours: seen on one that has some, else known by the
 * deliveries that only ours lists. Undefined where there is no webhook to tell it by.
 */
export async function keepsWebhookTags(
  client: Client,
  live: readonly { readonly id: string; readonly tags?: readonly string[] | undefined }[],
): Promise<boolean | undefined> {
  const [first] = live;
  if (!first) return undefined;
  if (live.some(({ tags }) => tags !== undefined)) return true;
  try {
    await client.transport.send('GET', `${pathOf(webhookObjects, first.id)}/deliveries?limit=1`);
    return true;
  } catch (error) {
    if (isPathMissing(error)) return false;
    // Deleted just now, says a server that knows the path.
    if (error instanceof GovctlError && error.status === 404) return true;
    throw error;
  }
}
