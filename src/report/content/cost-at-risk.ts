import type { UnusedKind } from '../../contract/cost-unused.ts';
import type { Section } from '../model.ts';
import { below, column, figures, paragraph, table } from './blocks.ts';
import type { ColumnOf } from './blocks.ts';
import type { CostAtRisk, CostFacts, Money, PolicyCostFact, UnusedFact } from './cost-facts.ts';
import { moneyText, noCharges } from './cost-texts.ts';
import type { Facts } from './facts.ts';
import { count, number } from './wording.ts';

const kinds: Readonly<Record<UnusedKind, string>> = {
  unattached_volume: 'unattached volume',
  unused_address: 'unused address',
  stopped_instance: 'stopped instance',
  idle_load_balancer: 'idle load balancer',
  old_snapshot: 'old snapshot',
};

/** What the resources with open violations cost, and what could be saved. */
export function costAtRiskSection({ hasCharges, atRisk }: CostFacts, facts: Facts): Section {
  return {
    id: 'cost',
    title: 'Cost',
    blocks: hasCharges && atRisk ? blocksOf(atRisk, facts) : noCharges,
  };
}

function blocksOf(cost: CostAtRisk, { scope, violations }: Facts): Section['blocks'] {
  const { total, policies, policyCount, unused, unusedCount, unusedTotal, savings } = cost;
  return [
    figures(
      { label: 'Monthly cost of resources with open violations', value: total.length > 0 ? moneyText(total) : 'unknown' }, // prettier-ignore
      { label: 'Unused resources', value: number(unusedCount) },
      { label: 'Potential savings per month', value: savings.length > 0 ? moneyText(savings) : 'unknown' }, // prettier-ignore
    ),
    paragraph(
      `Monthly cost is the amount charged for a resource in the last 30 full days of data, after discounts, without scaling. Each resource counts once in the total and once for each policy, so the sum over policies can exceed the total.${scope.isPast ? ' The days are the last before this report was generated, not those of its range.' : ''}`,
    ),
    ...(violations.affected > 0 && total.length === 0
      ? [paragraph('No charges have the ID of a resource with open violations.')]
      : []),
    table(
      {
        id: 'cost_by_policy',
        title: 'Monthly cost by policy',
        empty: 'No open violations.',
      },
      policyColumns,
      policies.flatMap(rowsOf),
    ),
    ...(policyCount > policies.length
      ? [paragraph(`${count(policyCount - policies.length, 'more policy', 'more policies')} with open violations cost the same or less.`)] // prettier-ignore
      : []),
    paragraph(unusedText(cost, scope.framework !== undefined)),
    table(
      { id: 'unused_resources', title: 'Unused resources', empty: 'None.' },
      unusedColumns,
      unused,
    ),
    ...(unusedCount > unused.length
      ? [paragraph(`The table lists the ${number(unused.length)} most expensive.`)] // prettier-ignore
      : []),
    paragraph(
      savings.length > 0
        ? `Removing unused resources and using smaller machine sizes could save ${moneyText(savings)} per month. For each resource, only the largest saving counts.`
        : `No ${unusedTotal.length > 0 ? 'other ' : ''}savings found.`,
    ),
  ];
}

const unusedText = ({ unusedCount, unusedTotal }: CostAtRisk, isOfFramework: boolean): string =>
  [
    unusedCount === 0
      ? 'No resource seems to be unused.'
      : `${count(unusedCount, 'resource seems', 'resources seem')} to be unused${unusedTotal.length > 0 ? `; together ${unusedCount === 1 ? 'it costs' : 'they cost'} ${moneyText(unusedTotal)} per month` : ''}.`,
    ...(isOfFramework ? ['Unused resources and savings are not filtered by framework.'] : []),
  ].join(' ');

type PolicyRow = Omit<PolicyCostFact, 'costs'> & { readonly cost?: Money };

/** One for each currency. */
const rowsOf = ({ costs, ...policy }: PolicyCostFact): readonly PolicyRow[] =>
  costs.length === 0 ? [policy] : costs.map((cost) => ({ ...policy, cost }));

const policyColumns: readonly ColumnOf<PolicyRow>[] = [
  column('policy', 'Policy', 'text', 4, ({ name }) => name),
  column('resources', 'Resources', 'integer', 1, ({ resources }) => resources),
  column('without_cost', 'Unknown cost', 'integer', 1, ({ withoutCost }) => withoutCost),
  column('monthly_cost', 'Monthly cost', 'money', 2, ({ cost }) => cost?.amount ?? null),
  column('currency', 'Currency', 'text', 1, ({ cost }) => cost?.currency ?? null),
];

const unusedColumns: readonly ColumnOf<UnusedFact>[] = [
  column('resource', 'Resource', 'id', 4, ({ resource }) => resource),
  column('kind', 'Kind', 'text', 2, ({ kind }) => kinds[kind]),
  column('monthly_cost', 'Monthly cost', 'money', 2, ({ cost }) => cost?.amount ?? null),
  column('currency', 'Currency', 'text', 1, ({ cost }) => cost?.currency ?? null),
  below(column('reason', 'Reason', 'text', 3, ({ reason }) => reason)),
  below(column('environment', 'Environment', 'text', 1, ({ environment }) => environment ?? null)),
  below(column('provider', 'Provider', 'text', 1, ({ provider }) => provider)),
  below(column('account_id', 'Account', 'text', 1, ({ account_id: account }) => account ?? null)),
  below(column('region', 'Region', 'text', 1, ({ region }) => region ?? null)),
];
