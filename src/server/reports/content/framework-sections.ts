import type { Chart, Section } from '../../render/model.ts';
import { column, isoCell, paragraph, table } from './blocks.ts';
import type { ColumnOf } from './blocks.ts';
import type { Facts } from './facts.ts';
import type { ControlStatus, FrameworkStatus } from './frameworks.ts';
import { evaluationColumns } from './shared.ts';
import { firstOf, listed, scoreText } from './wording.ts';

const statusWords = {
  COMPLIANT: 'is COMPLIANT',
  NON_COMPLIANT: 'is NON_COMPLIANT',
  'NOT EVALUATED': 'was not evaluated',
} as const;

/** In a sentence. */
export const describeStatus = ({ name, status, because, score }: FrameworkStatus): string =>
  `${name} ${statusWords[status]}${score === null ? '' : ` with a score of ${scoreText(score)}`}${
    because.length > 0 ? `: ${listed(because)}` : ''
  }.`;

/** How each framework stands, and why. */
export function frameworksSection(frameworks: readonly FrameworkStatus[]): Section {
  const columns: readonly ColumnOf<FrameworkStatus>[] = [
    column('framework', 'Framework', 'text', 2, ({ name }) => name),
    column('status', 'Status', 'status', 2, ({ status }) => status),
    column('score', 'Score', 'percent', 1, ({ score }) => score),
    column('policies', 'Policies', 'integer', 1, ({ policies }) => policies),
    ...evaluationColumns(({ counter }: FrameworkStatus) => counter),
    column('open', 'Open violations', 'integer', 1, ({ open }) => open),
    column('because', 'Why', 'text', 3, ({ because }) => listed(because)),
  ];
  const scored = frameworks.filter(({ score }) => score !== null);
  const chart: Chart = {
    kind: 'chart',
    id: 'framework_scores',
    title: 'Score of each framework',
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
        'A framework is NON_COMPLIANT where its score is under 90 %, a CRITICAL violation of it is open, or a HIGH or CRITICAL evaluation could not be decided. What is exempt counts as met.',
      ),
      ...(scored.length > 0 ? [chart] : []),
      table(
        { id: 'frameworks', title: 'Frameworks', empty: 'No policy in scope names a framework.' },
        columns,
        frameworks,
      ),
    ],
  };
}

/** How each control stands, with what says so. */
export function controlsSection({ scope }: Facts, frameworks: readonly FrameworkStatus[]): Section {
  const columns: readonly ColumnOf<ControlStatus>[] = [
    column('framework', 'Framework', 'text', 2, ({ framework }) => framework),
    column('control', 'Control', 'text', 2, ({ control }) => control),
    column('status', 'Status', 'status', 2, ({ status }) => status),
    ...evaluationColumns(({ counter }: ControlStatus) => counter),
    column('open', 'Open violations', 'integer', 1, ({ open }) => open),
    column('policies', 'Policies', 'text', 3, ({ policies }) =>
      firstOf(
        policies.map(({ name }) => name),
        10,
      ),
    ),
    column('evaluated_at', 'Last evaluated', 'timestamp', 2, ({ counter }) =>
      isoCell(counter.evaluated > 0 ? scope.at : undefined),
    ),
    column('failing', 'Failing resources, for example', 'text', 3, ({ failing }) =>
      firstOf(failing.slice(0, 5), 5),
    ),
  ];
  return {
    id: 'controls',
    title: 'Controls',
    blocks: [
      paragraph(
        'A control is FAILED where a policy mapped to it has an open violation, or fails now; UNDECIDED where none does but some evaluation could not be decided; NOT EVALUATED where no resource is of a type that its policies are about. A resource that two of its policies look at makes two evaluations.',
      ),
      table(
        { id: 'controls', title: 'Controls', empty: 'No policy in scope names a control.' },
        columns,
        frameworks.flatMap(({ controls }) => controls),
      ),
    ],
  };
}
