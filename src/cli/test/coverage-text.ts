import { coveragePercent, isCovered } from '../../project/check/coverage.ts';
import type { PolicyCoverage } from '../../project/check/coverage.ts';
import { count } from '../terminal/printable.ts';
import { formatTable } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';

const untested = 'no test';

/** What no case has seen of a policy, each in a few words. */
export function gapsOf({ outcomes, rules }: PolicyCoverage): string[] {
  const ran = outcomes.pass + outcomes.fail + outcomes.error + outcomes.exempt;
  if (ran === 0) return [untested];
  const never = rules.filter(({ matched }) => matched === 0).map(({ index }) => index);
  const always = rules
    .filter(({ matched, not_matched: not }) => matched > 0 && not === 0)
    .map(({ index }) => index);
  const named = (indexes: readonly number[]): string =>
    indexes.map((index) => `rules[${index}]`).join(', ');
  return [
    ...(outcomes.fail + outcomes.exempt === 0 ? ['never fails'] : []),
    ...(outcomes.pass === 0 ? ['never passes'] : []),
    // A single rule says no more than the outcomes do.
    ...(rules.length > 1 && never.length > 0 ? [`${named(never)} never matches`] : []),
    ...(rules.length > 1 && always.length > 0 ? [`${named(always)} always matches`] : []),
  ];
}

/** Policies of which a case is missing, as a table; empty where there is none. */
export function renderCoverage(
  coverage: readonly PolicyCoverage[],
  style: Style,
  columns: number,
): string {
  const gaps = coverage
    .map((each) => ({ ...each, gaps: gapsOf(each).join('; ') }))
    .filter((each) => each.gaps !== '')
    .sort((a, b) => Number(a.gaps === untested) - Number(b.gaps === untested));
  if (gaps.length === 0) return '';
  return formatTable(
    gaps,
    [
      { title: 'POLICY', cell: ({ key }) => key, shrinks: 'middle' },
      { title: 'PASS', cell: ({ outcomes }) => String(outcomes.pass) },
      { title: 'FAIL', cell: ({ outcomes }) => String(outcomes.fail) },
      { title: 'ERROR', cell: ({ outcomes }) => String(outcomes.error), drops: 1 },
      { title: 'NOT SEEN', cell: (row) => row.gaps },
    ],
    style,
    columns,
  );
}

export function describeCoverage(coverage: readonly PolicyCoverage[]): string {
  const rules = coverage.flatMap((each) => each.rules);
  const covered = rules.filter(isCovered).length;
  const both = coverage.filter(
    ({ outcomes }) => outcomes.pass > 0 && outcomes.fail + outcomes.exempt > 0,
  ).length;
  return `Coverage: ${covered} of ${count(rules.length, 'rule')} covered (${coveragePercent(coverage)} %); ${both} of ${count(coverage.length, 'policy', 'policies')} seen passing and failing.`;
}
