import { listAll } from '../../client/list-all.ts';
import { policyObjects } from '../../client/objects.ts';
import { nearestWord } from '../../contract/nearest.ts';
import type { Policy } from '../../contract/policies.ts';
import { matchesType } from '../../contract/resources.ts';
import { frameworkKey, labelKey, splitLabel } from '../../engine/labels.ts';
import type { Context } from '../context.ts';
import { listOf } from '../flags/parse-words.ts';
import type { ViolationFlags } from './filter-flags.ts';

/** Names in a message. */
const mostNamed = 10;

/**
 * For filters that match nothing: says which frameworks and resource types no policy has, as a typo looks like a
 * resource without violations.
 */
export async function sayUnknownFilters(
  context: Context,
  { framework = [], type = [] }: Pick<ViolationFlags, 'framework' | 'type'>,
): Promise<void> {
  if (framework.length + type.length === 0) return;
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
