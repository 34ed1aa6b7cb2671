import type { Policy } from '../contract/policies.ts';
import type { Client } from './client.ts';
import { fetchPage, listAll } from './list-all.ts';
import { policyObjects } from './objects.ts';

export type PolicyFilter = Readonly<Record<string, string>>;

/** Every policy of the service, over all pages, each once, oldest first. @throws GovctlError as `listAll` */
export const listAllPolicies = (
  client: Client,
  filter: PolicyFilter = {},
): AsyncGenerator<Policy> => listAll(client, policyObjects, filter);

/** One page of policies, from any server. @throws GovctlError bad_answer for what is not a list of policies */
export async function fetchPolicyPage(
  client: Client,
  query: Readonly<Record<string, unknown>>,
): Promise<AnyPolicyList> {
  const { items, pagination } = await fetchPage(client, policyObjects, query);
  return { policies: items, pagination };
}

export interface AnyPolicyList {
  readonly policies: readonly Policy[];
  readonly pagination: Awaited<ReturnType<typeof fetchPage<Policy>>>['pagination'];
}
