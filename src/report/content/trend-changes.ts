import type { Section } from '../model.ts';
import { column, paragraph, table } from './blocks.ts';
import type { ColumnOf } from './blocks.ts';
import type { Facts, ViolationCounts } from './facts.ts';

/** How violations of something changed. */
export interface Changed {
  readonly name: string;
  readonly severity?: string;
  readonly counts: ViolationCounts;
  /** Open at the end, less those open at the beginning. */
  readonly change: number;
}

const changeOf = ({ open, openAtStart }: ViolationCounts): number => open - openAtStart;

const byChange = (a: Changed, b: Changed): number =>
  b.change - a.change || (a.name < b.name ? -1 : Number(a.name > b.name));

const isTouched = ({ counts }: Changed): boolean =>
  counts.open > 0 || counts.openAtStart > 0 || counts.wasOpen > 0;

/** Policies with violations within the scope's time, the worst first. */
export const changedPolicies = ({ violations }: Facts): readonly Changed[] =>
  [...violations.policies.values()]
    .map(({ name, severity, counts }) => ({
      name,
      severity,
      counts,
      change: changeOf(counts),
    }))
    .filter(isTouched)
    .sort(byChange);

/** What got better and worse. */
export function changesSection(facts: Facts): Section {
  const { scope, violations } = facts;
  const places = violations.environments
    .entries()
    .map(([name, counts]) => ({ name, counts, change: changeOf(counts) }))
    .filter(isTouched)
    .sort(byChange);
  const hasStart = scope.since !== undefined;
  const columns = (id: string, title: string): readonly ColumnOf<Changed>[] => [
    column(id, title, 'text', 3, ({ name }) => name),
    ...(id === 'policy'
      ? [column<Changed>('severity', 'Severity', 'severity', 1, (one) => one.severity ?? null)]
      : []),
    ...(hasStart
      ? [
          column<Changed>(
            'at_start',
            'Open at start',
            'integer',
            1,
            ({ counts }) => counts.openAtStart,
          ),
        ]
      : []),
    column('opened', 'Opened', 'integer', 1, ({ counts }) => counts.opened),
    column('resolved', 'Resolved', 'integer', 1, ({ counts }) => counts.resolved),
    column('exempted', 'Exempted', 'integer', 1, ({ counts }) => counts.exempted),
    column('at_end', 'Open at end', 'integer', 1, ({ counts }) => counts.open),
    ...(hasStart
      ? [
          column<Changed>('change', 'Change', 'integer', 1, ({ change }) => change),
          column<Changed>('went', 'Direction', 'text', 1, ({ change }) => wentOf(change)),
        ]
      : []),
  ];
  const about = { empty: 'None.' };
  return {
    id: 'changes',
    title: 'Improvements and regressions',
    blocks: [
      paragraph(
        hasStart
          ? 'Open violations at the start and the end of the range, largest increase first.'
          : 'Without a date range there is no start to compare with; these are totals of opened and resolved violations.',
      ),
      table(
        { ...about, id: 'policies_changed', title: 'Policies' },
        columns('policy', 'Policy'),
        changedPolicies(facts),
      ),
      table(
        { ...about, id: 'environments_changed', title: 'Environments' },
        columns('environment', 'Environment'),
        places,
      ),
    ],
  };
}

const wentOf = (change: number): string => {
  if (change === 0) return 'same';
  return change > 0 ? 'worse' : 'better';
};
