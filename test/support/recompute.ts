import type { PolicyInput } from '../../src/contract/policies.ts';
import { matchesType } from '../../src/contract/resources.ts';
import type { Resource } from '../../src/contract/resources.ts';
import { evaluate, preparePolicy } from '../../src/engine/evaluate.ts';
import { exemptionEnd, matchesId } from '../../src/engine/exempt.ts';

/** What the violation of a policy and a resource must be. `any` where the past decides, too. */
export type Expected = 'OPEN' | 'EXEMPT' | 'none' | 'any, OPEN' | 'any, EXEMPT';

interface Inventory {
  readonly policies: readonly (Pick<PolicyInput, 'name' | 'rules' | 'resource_type'> & {
    readonly id: string;
    readonly enabled?: boolean;
  })[];
  readonly resources: readonly Resource[];
  readonly exemptions: readonly {
    readonly policy: string;
    readonly resources: readonly string[];
    readonly expires: string;
  }[];
}

/** What the violations must be, from resources, policies and exemptions alone: by the IDs of policy and resource. */
export function recompute(
  { policies, resources, exemptions }: Inventory,
  now: number,
): Map<string, Expected> {
  const expected = new Map<string, Expected>();
  for (const policy of policies) {
    if (policy.enabled === false) continue;
    const prepared = preparePolicy({
      policy: { ...policy, enabled: true },
      id: policy.id,
    });
    const waivers = exemptions.filter(
      (waiver) => waiver.policy === policy.name && exemptionEnd(waiver.expires) > now,
    );
    for (const resource of resources) {
      if (!matchesType(policy.resource_type, resource.type)) continue;
      const isCovered = waivers.some((waiver) =>
        waiver.resources.some((pattern) => matchesId(pattern, resource.id)),
      );
      const { status } = evaluate(prepared, resource, now);
      const covered = isCovered ? 'EXEMPT' : 'OPEN';
      expected.set(
        `${policy.id} ${resource.id}`,
        status === 'PASS' ? 'none' : status === 'FAIL' ? covered : `any, ${covered}`,
      );
    }
  }
  return expected;
}
