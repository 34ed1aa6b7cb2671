import type { GovernanceOverview, OverviewQuery } from '../../contract/governance.ts';
import { compare, showAmount, toNumber } from '../../cost/amount.ts';
import { seesCost } from '../cost/service.ts';
import type { Deps } from '../deps.ts';
import type { Call } from '../http/call.ts';
import { claimsOf, totalOfClaims } from '../rightsizing/service.ts';
import type { Assessor } from '../rightsizing/service.ts';
import { claimsOfUnused, selectUnused, unusedNow } from '../unused/service.ts';

const none = { potential_savings: 0, rightsizing_opportunities: 0, unused_resources: 0 };

/**
 * What could be saved, in the inventory or a part of it; nothing for who may not see costs. Both are known by now, as long as
 * neither inventory nor charges change.
 */
export async function readCostOptimization(
  deps: Deps,
  assessor: Assessor,
  call: Call,
  { environments, cloud_providers: given, account_ids: accounts }: OverviewQuery,
): Promise<GovernanceOverview['cost_optimization']> {
  if (!seesCost(call)) return none;
  const providers = given?.map((name) => name.toLowerCase());
  const unused = selectUnused(await unusedNow(deps, call.signal), {
    environment: environments,
    provider: providers,
    account: accounts,
  });
  const isOf = (values: readonly string[] | undefined, value = ''): boolean =>
    values === undefined || values.includes(value);
  const machines = (await assessor.assessAll()).machines.filter(
    ({ assessment, resource }) =>
      assessment.kind === 'recommended' &&
      isOf(environments, resource.environment) &&
      isOf(providers, resource.provider) &&
      isOf(accounts, resource.account_id),
  );
  // What is unused can't be made smaller, too.
  const totals = totalOfClaims([...claimsOfUnused(unused), ...claimsOf(machines)]);
  const savings = [...totals].sort(([, a], [, b]) => compare(b, a));
  const [largest] = savings;
  return {
    potential_savings: largest ? Math.round(toNumber(largest[1]) * 100) / 100 : 0,
    rightsizing_opportunities: machines.length,
    unused_resources: unused.length,
    ...(largest
      ? {
          savings: savings.map(([currency, total]) => ({
            currency,
            monthly_cost: showAmount(total),
          })),
        }
      : {}),
  };
}
