import type { Chart, Section } from '../model.ts';
import { compliantFrom } from '../../engine/score.ts';
import { below, column, dataOnly, isoCell, paragraph, table } from './blocks.ts';
import type { ColumnOf } from './blocks.ts';
import type { Facts } from './facts.ts';
import type { ControlStatus, FrameworkStatus } from './frameworks.ts';
import { evaluationColumns } from './shared.ts';
import { firstOf, listed, moment, scoreText } from './wording.ts';

/** In a sentence. */
export function describeStatus({ name, status, because, score }: FrameworkStatus): string {
  if (status === 'NOT EVALUATED') return `${name} was not evaluated.`;
  if (status === 'COMPLIANT') return `${name} is compliant, with a score of ${scoreText(score)}.`;
  // What it is not compliant for may be something else than its score.
  const despite =
    score === null || score < compliantFrom ? '' : `, with a score of ${scoreText(score)}`;
  return `${name} is not compliant${despite}: ${listed(because)}.`;
}

/** How each framework stands, and why. */
export function frameworksSection(frameworks: readonly FrameworkStatus[]): Section {
  const columns: readonly ColumnOf<FrameworkStatus>[] = [
    column('framework', 'Framework', 'text', 2, ({ name }) => name),
    column('status', 'Status', 'status', 2, ({ status }) => status),
    column('score', 'Score', 'percent', 1, ({ score }) => score),
    column('policies', 'Policies', 'integer', 1, ({ policies }) => policies),
    ...evaluationColumns(
      ({ counter }: FrameworkStatus) => counter,
      ['passed', 'exempt', 'undecided'],
    ),
    column('open', 'Open violations', 'integer', 1, ({ open }) => open),
    below(column('because', 'Why', 'text', 3, ({ because }) => listed(because))),
  ];
  const scored = frameworks.filter(({ score }) => score !== null);
  const chart: Chart = {
    kind: 'chart',
    id: 'framework_scores',
    title: 'Score by framework',
    description: scored.map(({ name, score }) => `${name} ${scoreText(score)}`).join(', '),
    form: 'bars',
    categories: scored.map(({ name }) => name),
    series: [{ name: 'Score', colour: 'first', values: scored.map(({ score }) => score) }],
    unit: '%',
    most: 100,
  };
  return {
    id: 'frameworks',
    title: 'Frameworks',
    blocks: [
      paragraph(
        'A framework is not compliant if its score is below 90%, it has an open CRITICAL violation, or a HIGH or CRITICAL evaluation ended in an error. Exempt evaluations count as met.',
      ),
      ...(scored.length > 0 ? [chart] : []),
      table(
        {
          id: 'frameworks',
          title: 'Frameworks',
          empty: 'No policies in scope are mapped to a framework.',
        },
        columns,
        frameworks,
      ),
    ],
  };
}

/** How each control stands, with what says so; those that nothing was evaluated for are told briefly. */
export function controlsSection(
  { scope, order }: Facts,
  frameworks: readonly FrameworkStatus[],
): Section {
  const all = frameworks.flatMap(({ controls }) => controls);
  const framework = column<ControlStatus>('framework', 'Framework', 'text', 2, (one) => one.framework); // prettier-ignore
  const control = column<ControlStatus>('control', 'Control', 'text', 2, (one) => one.control);
  const title = column<ControlStatus>('title', 'Title', 'text', 4, (one) => one.title ?? null);
  const everyPolicy = dataOnly(
    column<ControlStatus>('all_policies', 'All policies', 'text', 4, (one) =>
      namesOf(one).join(', '),
    ),
  );
  const columns: readonly ColumnOf<ControlStatus>[] = [
    framework,
    control,
    title,
    column('status', 'Status', 'status', 2, ({ status }) => status),
    below(column('policies', 'Policies', 'text', 4, describePolicies)),
    ...evaluationColumns(
      ({ counter }: ControlStatus) => counter,
      ['passed', 'exempt', 'undecided'],
    ),
    column('open', 'Open violations', 'integer', 1, ({ open }) => open),
    dataOnly(
      column('evaluated_at', 'Last evaluated', 'timestamp', 2, ({ counter }) =>
        isoCell(counter.evaluated > 0 ? scope.at : undefined),
      ),
    ),
    below(
      column('failing', 'Example failing resources', 'text', 3, ({ failing }) =>
        firstOf(failing, 5),
      ),
    ),
    everyPolicy,
  ];
  const brief: readonly ColumnOf<ControlStatus>[] = [
    framework,
    control,
    title,
    column('policies', 'Policies', 'integer', 1, ({ policies }) => policies.length),
    everyPolicy,
  ];
  return {
    id: 'controls',
    title: 'Controls',
    blocks: [
      paragraph(
        `A control is FAILED if a policy mapped to it has an open violation or fails now, UNDECIDED if none does but an evaluation ended in an error, and NOT EVALUATED if there are no resources of the types of its policies. A resource evaluated by two of its policies counts as two evaluations. All evaluations are as of ${moment(scope.at, order.scope.timezone)}.`,
      ),
      paragraph(
        'Long lists of policies are shortened here; the Excel and JSON formats contain all names.',
      ),
      table(
        { id: 'controls', title: 'Controls', empty: 'No control was evaluated.' },
        columns,
        all.filter(isEvaluated),
      ),
      table(
        {
          id: 'controls_not_evaluated',
          title: 'Controls not evaluated',
          empty: all.length === 0 ? 'No policies in scope are mapped to a control.' : 'None.',
        },
        brief,
        all.filter((one) => !isEvaluated(one)),
      ),
    ],
  };
}

const isEvaluated = ({ status }: ControlStatus): boolean => status !== 'NOT EVALUATED';

const namesOf = ({ policies }: ControlStatus): readonly string[] =>
  policies.map(({ name }) => name);

/** `12 (a, b, c and 9 more)`. */
const describePolicies = (control: ControlStatus): string =>
  control.policies.length > 0
    ? `${control.policies.length} (${firstOf(namesOf(control), 3)})`
    : '0';
