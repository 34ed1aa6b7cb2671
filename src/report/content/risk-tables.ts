import type { Chart, Section, SeriesColour, Table } from '../model.ts';
import { below, column, dataOnly, paragraph, table } from './blocks.ts';
import type { ColumnOf } from './blocks.ts';
import type { Facts, PolicyViolations, ResourceViolations, ViolationCounts } from './facts.ts';
import type { BySeverity } from './counters.ts';
import { fromHighest } from './shared.ts';
import { rounded } from './wording.ts';

const mostBars = 10;

export const sumOf = (bySeverity: BySeverity): number =>
  fromHighest.reduce((sum, severity) => sum + bySeverity[severity], 0);

export const severityColumns = <T>(of: (item: T) => BySeverity): readonly ColumnOf<T>[] =>
  fromHighest.map((severity) =>
    column<T>(severity.toLowerCase(), severity, 'integer', 1, (item) => of(item)[severity]),
  );

const colourOf = { CRITICAL: 'critical', HIGH: 'high', MEDIUM: 'medium', LOW: 'low' } as const;

export function stackedBySeverity(
  id: string,
  title: string,
  entries: readonly (readonly [string, BySeverity])[],
): Chart {
  return {
    kind: 'chart',
    id,
    title,
    description: entries.map(([name, counts]) => `${name}: ${sumOf(counts)}`).join('; '),
    form: 'bars',
    categories: entries.map(([name]) => name),
    series: fromHighest.map((severity) => ({
      name: severity,
      colour: colourOf[severity] satisfies SeriesColour,
      values: entries.map(([, counts]) => counts[severity]),
    })),
    unit: 'violations',
  };
}

export function resourcesSection({ violations: { topResources } }: Facts): Section {
  const columns: readonly ColumnOf<ResourceViolations>[] = [
    column('resource', 'Resource', 'id', 4, ({ resource }) => resource),
    column('points', 'Risk points', 'decimal', 1, ({ points }) => rounded(points)),
    column('open', 'Open violations', 'integer', 1, ({ open }) => open),
    ...severityColumns(({ bySeverity }: ResourceViolations) => bySeverity),
    below(column('resource_type', 'Resource type', 'text', 2, ({ resource_type: type }) => type)),
    below(
      column('environment', 'Environment', 'text', 1, ({ environment }) => environment ?? null),
    ),
    below(column('provider', 'Provider', 'text', 1, ({ provider }) => provider)),
    below(column('account_id', 'Account', 'text', 1, ({ account_id: account }) => account ?? null)),
    below(column('region', 'Region', 'text', 1, ({ region }) => region ?? null)),
  ];
  const shown = topResources.slice(0, mostBars);
  return {
    id: 'resources',
    title: 'Resources at risk',
    blocks: [
      paragraph('Resources with the most severe violations, then by risk points (maximum 25).'),
      // Bars of one length show nothing.
      ...(new Set(shown.map(({ points }) => points)).size > 1
        ? [
            pointsChart(
              'points_by_resource',
              'Risk points by resource',
              shown.map(({ resource, points }) => [resource, points] as const),
            ),
          ]
        : []),
      table(
        { id: 'top_resources', title: 'Resources at risk', empty: 'None.' },
        columns,
        topResources,
      ),
    ],
  };
}

function pointsChart(
  id: string,
  title: string,
  entries: readonly (readonly [string, number])[],
): Chart {
  return {
    kind: 'chart',
    id,
    title,
    description: entries.map(([name, points]) => `${name} ${rounded(points)}`).join(', '),
    form: 'bars',
    categories: entries.map(([name]) => name),
    series: [
      {
        name: 'Risk points',
        colour: 'first',
        values: entries.map(([, points]) => rounded(points)),
      },
    ],
    unit: 'points',
  };
}

/** Those with open violations, the most severe first, and of one severity those with the most points. */
export const policiesByPoints = ({ violations }: Facts): readonly PolicyViolations[] =>
  [...violations.policies.values()]
    .filter(({ counts }) => counts.open > 0)
    .sort(
      (a, b) =>
        fromHighest.indexOf(a.severity) - fromHighest.indexOf(b.severity) ||
        b.counts.points - a.counts.points ||
        (a.name < b.name ? -1 : Number(a.name > b.name)) ||
        (a.id < b.id ? -1 : 1),
    );

export function riskiestPoliciesSection(facts: Facts): Section {
  const columns: readonly ColumnOf<PolicyViolations>[] = [
    column('policy', 'Policy', 'text', 3, ({ name }) => name),
    column('severity', 'Severity', 'severity', 1, ({ severity }) => severity),
    column('points', 'Risk points', 'decimal', 1, ({ counts }) => rounded(counts.points)),
    column('open', 'Open violations', 'integer', 1, ({ counts }) => counts.open),
    column('exempt', 'Exempt', 'integer', 1, ({ counts }) => counts.exempt),
    dataOnly(column('policy_id', 'Policy ID', 'id', 2, ({ id }) => id)),
  ];
  return {
    id: 'policies',
    title: 'Policies by risk',
    blocks: [
      paragraph('Policies with open violations, most severe first, then by risk points.'),
      table(
        { id: 'top_policies', title: 'Policies by risk', empty: 'None.' },
        columns,
        policiesByPoints(facts),
      ),
    ],
  };
}

export function placesSection({ violations }: Facts): Section {
  const { environments, providers, accounts, regions } = violations;
  return {
    id: 'places',
    title: 'Risk by location',
    blocks: [
      paragraph(
        'Open violations and their risk points by environment, provider, account and region.',
      ),
      placeTable('environment', 'Environment', environments.entries()),
      placeTable('provider', 'Cloud provider', providers.entries()),
      placeTable('account', 'Account', accounts.entries()),
      placeTable('region', 'Region', regions.entries()),
    ],
  };
}

function placeTable(
  id: string,
  title: string,
  entries: readonly (readonly [string, ViolationCounts])[],
): Table {
  type Entry = readonly [string, ViolationCounts];
  const columns: readonly ColumnOf<Entry>[] = [
    column(id, title, 'text', 3, ([name]) => name),
    column('points', 'Risk points', 'decimal', 1, ([, { points }]) => rounded(points)),
    column('open', 'Open violations', 'integer', 1, ([, { open }]) => open),
    ...severityColumns(([, { bySeverity }]: Entry) => bySeverity),
  ];
  const items = entries
    .filter(([, { open }]) => open > 0)
    .sort(([a, one], [b, other]) => other.points - one.points || (a < b ? -1 : 1));
  const about = { id: `by_${id}`, title: `By ${title.toLowerCase()}`, empty: 'None.' };
  return table(about, columns, items);
}
