import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/list-all.ts';
import { policyObjects } from '../../client/objects.ts';
import { nearestWord } from '../../contract/nearest.ts';
import type { Policy } from '../../contract/policies.ts';
import { matchesType, providerOf } from '../../contract/resources.ts';
import { frameworkKey, labelKey, splitLabel } from '../../engine/labels.ts';
import type { Context } from '../context.ts';
import { listOf } from '../flags/parse-words.ts';
import type { ViolationFlags } from './filter-flags.ts';

/** Names in a message. */
const mostNamed = 10;

/**
 * For filters that match nothing: says which frameworks and resource types no policy has, and which values no resource
 * has, as a typo looks like a resource without violations.
 */
export async function sayUnknownFilters(
  context: Context,
  { framework = [], type = [], ...where }: InventoryFlags & Pick<ViolationFlags, 'framework'>,
): Promise<void> {
  const types =
    framework.length + type.length === 0 ? [] : await sayUnknownLabels(context, framework, type);
  await sayUnknownInInventory(context, { ...where, type: types });
}

/** @returns the types that a policy has */
async function sayUnknownLabels(
  context: Context,
  framework: readonly string[],
  type: readonly string[],
): Promise<string[]> {
  const policies: Policy[] = [];
  for await (const policy of listAll(await context.client(), policyObjects)) policies.push(policy);
  const labels = policies.flatMap((policy) => policy.compliance_frameworks ?? []);
  const isLabeled = (given: string): boolean =>
    labels.some((one) => [labelKey(one), frameworkOf(one)].includes(labelKey(given)));
  for (const one of listOf(framework).filter((given) => !isLabeled(given))) {
    const known = one.includes(':') ? labels : labels.map(frameworkOf);
    await context.say(`No policy has the framework ${one}. ${hintOf(one, known)}`);
  }
  const types = policies.map((policy) => policy.resource_type);
  const isOfType = (given: string): boolean => types.some((one) => matchesType(one, given));
  for (const one of listOf(type).filter((given) => !isOfType(given))) {
    await context.say(`No policy has the resource type ${one}. ${hintOf(one, types)}`);
  }
  return listOf(type).filter(isOfType);
}

const frameworkOf = (label: string): string => frameworkKey(splitLabel(label).framework);

function hintOf(given: string, known: readonly string[]): string {
  const all = [...new Set(known)].sort();
  const nearest = nearestWord(given, all);
  if (nearest !== undefined) return `Did you mean ${nearest}?`;
  if (all.length === 0 || all.length > mostNamed) {
    return 'To list the policies, run `govctl policy list`.';
  }
  return `Use ${all.join(', ')}.`;
}

/** Flags that filter by a field of resources: how resources and groups of violations call it. */
const inventoryFields = [
  { flag: 'type', says: 'resource type', field: 'type', group: 'resource_type' },
  { flag: 'environment', says: 'environment', field: 'environment', group: 'environment' },
  { flag: 'account', says: 'account', field: 'account_id', group: 'account' },
  { flag: 'region', says: 'region', field: 'region', group: 'region' },
  { flag: 'provider', says: 'provider', field: 'provider', group: 'resource_type' },
] as const;

type InventoryFlags = {
  readonly [Flag in (typeof inventoryFields)[number]['flag']]?: readonly string[];
};

/** Says which values of filters no resource in the inventory has: of the first ten of each, as each is a request. */
export async function sayUnknownInInventory(
  context: Context,
  flags: InventoryFlags,
): Promise<void> {
  const client = await context.client();
  const isIn = async (query: Readonly<Record<string, string>>): Promise<boolean> =>
    (await client.resources.list({ query: { ...query, limit: '1' } })).data.pagination.total > 0;
  let isEmpty: boolean | undefined;
  for (const { flag, says, field, group } of inventoryFields) {
    let known: readonly string[] | undefined;
    for (const value of listOf(flags[flag] ?? []).slice(0, mostNamed)) {
      if (await isIn({ [field]: value })) continue;
      isEmpty ??= !(await isIn({}));
      if (isEmpty) {
        await context.say(
          'The inventory is empty. To import resources, run `govctl resource import`.',
        );
        return;
      }
      known ??= await knownOf(client, group);
      const nearest = nearestWord(value, flag === 'provider' ? known.map(providerOf) : known);
      const hint =
        nearest === undefined
          ? 'To list the resources, run `govctl resource list`.'
          : `Did you mean ${nearest}?`;
      await context.say(`No resource in the inventory has the ${says} ${value}. ${hint}`);
    }
  }
}

/** The values of resources with violations, which are in the inventory. */
async function knownOf(client: Client, group: string): Promise<string[]> {
  const query = { group_by: group, status: 'OPEN,EXEMPT', limit: '1000' };
  const { groups } = (await client.violations.summary({ query })).data;
  return groups.flatMap(({ key }) => key ?? []);
}
