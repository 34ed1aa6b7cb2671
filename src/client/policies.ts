import * as z from 'zod';
import { GovctlError } from '../contract/errors.ts';
import { Policy } from '../contract/policies.ts';
import type { Client } from './client.ts';
import { queryString } from './client.ts';
import { badAnswer, parseJson, readText } from './answer.ts';

/** Some servers say null for a field that has no value; ours leaves it out. */
export function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.values(value).includes(null)) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}

const AnyPolicy = z.preprocess(withoutNulls, Policy);

/**
 * What any server may answer to a list of policies: the description leaves the body open, so a bare array and a
 * missing or partial `pagination` are accepted beside our own shape.
 */
const AnyPolicyList = z.union([
  z.looseObject({
    policies: z.array(AnyPolicy),
    pagination: z
      .looseObject({
        total: z.number().optional(),
        has_more: z.boolean().optional(),
        next_cursor: z.string().nullish(),
      })
      .optional(),
  }),
  z.array(AnyPolicy).transform((policies) => ({ policies, pagination: undefined })),
]);

const pageSize = 100;

export type PolicyFilter = Readonly<Record<string, string>>;

/**
 * Every policy of the service, over all pages, each once, oldest first. Goes by cursor where the server gives
 * one, else by offset until a page says it is the last, is empty, or brings nothing new.
 * @throws GovctlError bad_answer for a page that is not a list of policies
 */
export async function* listAllPolicies(
  client: Client,
  filter: PolicyFilter = {},
): AsyncGenerator<Policy> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  let total: number | undefined;
  let passes = 1;
  for (let offset = 0; ;) {
    const place = cursor === undefined ? { offset } : { cursor };
    const page = await fetchPolicyPage(client, {
      ...filter,
      sort_by: 'created_at',
      order: 'asc',
      limit: pageSize,
      ...place,
    });
    const known = seen.size;
    for (const policy of page.policies) {
      if (seen.has(policy.id)) continue;
      seen.add(policy.id);
      yield policy;
    }
    offset += page.policies.length;
    total = page.pagination?.total ?? total;
    const hasMore = page.pagination?.has_more;
    if (hasMore !== false && seen.size > known) {
      cursor = page.pagination?.next_cursor ?? undefined;
      continue;
    }
    const missing = Math.max(total === undefined ? 0 : total - seen.size, hasMore ? 1 : 0);
    if (missing === 0) return;
    // Rows moved between the pages while we read: what slipped through shows in another pass.
    if (passes++ === mostPasses) throw incomplete(seen.size, total);
    [offset, cursor] = [0, undefined];
  }
}

/** How often a list that came out short is read before it counts as broken. */
const mostPasses = 3;

function incomplete(seen: number, total: number | undefined): GovctlError {
  const said = total === undefined ? 'that there are more' : `that there are ${total}`;
  return new GovctlError(
    'bad_answer',
    `The list of policies is not complete: the server says ${said}, but its pages hold ${seen}`,
    {
      hint: "Nothing was planned from half a list. Try again; if it stays, the server's paging (limit, offset, cursor) is broken.",
    },
  );
}

export type AnyPolicyList = z.infer<typeof AnyPolicyList>;

/** One page of policies, from any server. @throws GovctlError bad_answer for what is not a list of policies */
export async function fetchPolicyPage(
  client: Client,
  query: Readonly<Record<string, unknown>>,
): Promise<AnyPolicyList> {
  const path = `/v1/policies${queryString(query)}`;
  const response = await client.transport.send('GET', path);
  const text = await readText(response, `GET ${path}`);
  const parsed = AnyPolicyList.safeParse(parseJson(text, response, `GET ${path}`));
  if (parsed.success) return parsed.data;
  throw badAnswer(
    response,
    `GET ${path}`,
    `it is not a list of policies: ${whereWrong(parsed.error)}`,
  );
}

/** The deepest thing that is wrong: of the two shapes a list may have, the one that came nearer. */
function whereWrong({ issues }: z.ZodError): string {
  const all = issues.flatMap((issue) =>
    issue.code === 'invalid_union' ? issue.errors.flat() : [issue],
  );
  const deepest = all.reduce((a, b) => (b.path.length > a.path.length ? b : a));
  return `${deepest.path.join('.') || 'its body'}: ${deepest.message}`;
}
