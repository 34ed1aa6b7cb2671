import type { GovernanceOverview, OverviewQuery } from '../../contract/governance.ts';
import { showAmount, toNumber } from '../../cost/amount.ts';
import { seesCost } from '../cost/service.ts';
import type { Deps } from '../deps.ts';
import type { Call } from '../http/call.ts';
import { savingsNow } from '../rightsizing/service.ts';
import type { Assessor } from '../rightsizing/service.ts';

const none = { potential_savings: 0, rightsizing_opportunities: 0, unused_resources: 0 };

/** What could be saved, in the inventory or a part of it; nothing for who may not see costs. */
export async function readCostOptimization(
  deps: Deps,
  assessor: Assessor,
  call: Call,
  { environments, cloud_providers: given, account_ids: accounts }: OverviewQuery,
): Promise<GovernanceOverview['cost_optimization']> {
  if (!seesCost(call)) return none;
  const providers = given?.map((name) => name.toLowerCase());
  const isOf = (values: readonly string[] | undefined, value = ''): boolean =>
    values === undefined || values.includes(value);
  const { unused, machines, savings } = await savingsNow(
    deps,
    assessor,
    ({ environment, provider, account_id: account }) =>
      isOf(environments, environment) && isOf(providers, provider) && isOf(accounts, account),
    call.signal,
  );
  const [largest] = savings;
  return {
    potential_savings: largest ? Math.round(toNumber(largest[1]) * 100) / 100 : 0,
    rightsizing_opportunities: machines,
    unused_resources: unused,
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
