import { z } from 'zod';
import { GovctlError } from '../contract/errors.ts';
import { Policy } from '../contract/policies.ts';
import type { Client } from './client.ts';
import { queryString } from './client.ts';
import { readText } from './answer.ts';

/**
 * What any server may answer to a list of policies: the description leaves the body open, so a bare array and a
 * missing or partial `pagination` are accepted beside our own shape.
 */
const AnyPolicyList = z.union([
  z.looseObject({
    policies: z.array(Policy),
    pagination: z
      .looseObject({
        total: z.number().optional(),
        has_more: z.boolean().optional(),
        next_cursor: z.string().nullish(),
      })
      .optional(),
  }),
  z.array(Policy).transform((policies) => ({ policies, pagination: undefined })),
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
  for (let offset = 0; ;) {
    const place = cursor === undefined ? { offset } : { cursor };
    const page = await fetchPolicyPage(client, {
      ...filter,
      sort_by: 'created_at',
      order: 'asc',
      limit: pageSize,
      ...place,
    });
    const fresh = page.policies.filter((policy) => !seen.has(policy.id));
    for (const policy of fresh) {
      seen.add(policy.id);
      yield policy;
    }
    offset += page.policies.length;
    if (page.pagination?.has_more === false || fresh.length === 0) return;
    cursor = page.pagination?.next_cursor ?? undefined;
  }
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
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  const parsed = AnyPolicyList.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new GovctlError(
    'bad_answer',
    `GET ${path} was answered with something that is not a list of policies: ${JSON.stringify(text.slice(0, 60))}`,
    {
      hint: 'Check that the base URL is the governance service and not a proxy or login page in front of it.',
    },
  );
}
