import { coveragePercent, isCovered } from '../../project/check/coverage.ts';
import type { PolicyCoverage } from '../../project/check/coverage.ts';
import { count, inThrees } from '../terminal/printable.ts';
import { formatTable, numberColumn } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';

const untested = 'no test';

/** What no case has seen, in a few words: of some rules, or of the policy. */
interface Gap {
  readonly rules: readonly number[];
  readonly what: string;
}

function findGaps({ outcomes, rules }: PolicyCoverage): Gap[] {
  const ran = outcomes.pass + outcomes.fail + outcomes.error + outcomes.exempt;
  if (ran === 0) return [{ rules: [], what: untested }];
  const never = rules.filter(({ matched }) => matched === 0).map(({ index }) => index);
  const always = rules
    .filter(({ matched, not_matched: not }) => matched > 0 && not === 0)
    .map(({ index }) => index);
  return [
    ...(outcomes.fail + outcomes.exempt === 0 ? [{ rules: [], what: 'never fails' }] : []),
    ...(outcomes.pass === 0 ? [{ rules: [], what: 'never passes' }] : []),
    // A single rule says no more than the outcomes do.
    ...(rules.length > 1 && never.length > 0 ? [{ rules: never, what: 'never matches' }] : []),
    ...(rules.length > 1 && always.length > 0 ? [{ rules: always, what: 'always matches' }] : []),
  ];
}

const sayGap = ({ rules, what }: Gap): string =>
  [rules.map((index) => `rules[${index}]`).join(', '), what].filter(Boolean).join(' ');

/** What no case has seen of a policy, each in a few words. */
export const gapsOf = (coverage: PolicyCoverage): string[] => findGaps(coverage).map(sayGap);

/** One rule or outcome in each, so that a narrow terminal has room for it. */
const gapLines = (coverage: PolicyCoverage): string[] =>
  findGaps(coverage)
    .flatMap((gap) =>
      gap.rules.length === 0 ? [gap] : gap.rules.map((at) => ({ ...gap, rules: [at] })),
    )
    .map(sayGap);

/** Policies of which a case is missing, as tables: first those with rules that are not covered. */
export function renderCoverage(
  coverage: readonly PolicyCoverage[],
  style: Style,
  columns: number,
): string {
  const isWhole = ({ rules }: PolicyCoverage): boolean => rules.every(isCovered);
  return [
    renderGaps(
      coverage.filter((each) => !isWhole(each)),
      'NOT COVERED',
      style,
      columns,
    ),
    renderGaps(coverage.filter(isWhole), 'PARTLY COVERED', style, columns),
  ]
    .filter((table) => table !== '')
    .join('\n');
}

function renderGaps(
  coverage: readonly PolicyCoverage[],
  title: string,
  style: Style,
  columns: number,
): string {
  const gaps = coverage
    .flatMap((each) => gapLines(each).map((gap) => ({ ...each, gap })))
    .sort((a, b) => Number(a.gap === untested) - Number(b.gap === untested));
  if (gaps.length === 0) return '';
  return formatTable(
    gaps,
    [
      { title: 'POLICY', cell: ({ key }) => key, shrinks: 'middle' },
      numberColumn('PASS', ({ outcomes }) => outcomes.pass, { drops: 2 }),
      numberColumn('FAIL', ({ outcomes }) => outcomes.fail, { drops: 3 }),
      numberColumn('ERROR', ({ outcomes }) => outcomes.error, { drops: 1 }),
      { title, cell: ({ gap }) => gap },
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
  return `Coverage: ${inThrees(covered)} of ${count(rules.length, 'rule')} covered (${coveragePercent(coverage)}%); ${inThrees(both)} of ${count(coverage.length, 'policy', 'policies')} tested for both pass and fail.`;
}
