import { severities } from '../../contract/policies.ts';
import { complianceScore } from '../../engine/score.ts';
import type { Block, Chart, Figures, LabelledValue, Section, Table, Tone } from '../model.ts';
import {
  below,
  column,
  figures,
  isoCell,
  notice,
  paragraph,
  personColumns,
  table,
} from './blocks.ts';
import type { ColumnOf } from './blocks.ts';
import type { ExemptionFact, Facts, ScanFact, ViolationCounts } from './facts.ts';
import { newCounter } from './counters.ts';
import type { Counter } from './counters.ts';
import { describeFramework } from './framework.ts';
import { isNarrowed } from './scope.ts';
import { nowhereOf, pendingOf, whyNothing } from './notices.ts';
import { scoreOf } from './score.ts';
import {
  are,
  count,
  firstOf,
  moment,
  number,
  scoreText,
  sentence,
  times,
  were,
} from './wording.ts';

/** From the highest. */
export const fromHighest = [...severities].reverse();

/** The time it is about, in words. */
export function periodOf({ order, scope }: Facts): string {
  const { date_range: range, timezone } = order.scope;
  return range
    ? `from ${moment(Date.parse(range.start), timezone)} to ${moment(Date.parse(range.end), timezone)}`
    : `until ${moment(scope.at, timezone)}`;
}

/** What a report is about, as its title page says it. */
export function aboutOf(facts: Facts): readonly LabelledValue[] {
  const { order, scope } = facts;
  const { environments, cloud_providers: providers, timezone } = order.scope;
  return [
    { label: 'Environments', value: environments?.join(', ') ?? 'all' },
    { label: 'Cloud providers', value: providers?.join(', ') ?? 'all' },
    {
      label: 'Framework',
      value: scope.framework ? describeFramework(scope.framework) : 'all policies',
    },
    { label: 'Time', value: periodOf(facts) },
    { label: 'Evaluated at', value: moment(scope.at, timezone) },
  ];
}

/** The scan that a score is of, in words. */
const nameScan = ({ id, completed_at: at }: ScanFact, timezone?: string): string =>
  `scan ${id}, completed ${moment(at ?? 0, timezone)}`;

/** What has to be known to read the figures right; the same in each type of report. */
function caveatsOf(facts: Facts): readonly Block[] {
  const { scope, order, evaluations, violations, policies } = facts;
  const { timezone } = order.scope;
  const said: Block[] = [];
  if (scope.isPast) {
    const { scan } = scoreOf(facts);
    const score = scan
      ? `The score is from ${nameScan(scan, timezone)}, the last full scan before the end of the range.`
      : isNarrowed(scope)
        ? 'Scans store one overall score only, so the score of this scope is also as evaluated now.'
        : 'No full scan was completed before the end of the range, so the score is also as evaluated now.';
    said.push(
      notice(
        'warn',
        `The range ended before this report was generated. Violations are as of ${moment(scope.end, timezone)}. Evaluations, and figures based on them (passed, failed, exempt, errors and partial scores), are as of ${moment(scope.at, timezone)}, because the service does not store earlier ones. ${score}`,
      ),
    );
    const changed = policies.filter(({ updated_at: at }) => at >= scope.until).length;
    if (changed > 0) {
      said.push(
        notice(
          'warn',
          `${count(changed, 'policy', 'policies')} in scope ${were(changed)} created or changed after the end of the range.`,
        ),
      );
    }
  }
  said.push(...pendingOf(facts).map((one) => notice('warn', one)));
  if (evaluations.total.evaluated === 0) {
    said.push(
      notice('warn', `Nothing was evaluated, so compliance is unknown: ${whyNothing(facts)}.`),
    );
  } else {
    said.push(...nowhereOf(facts).map((one) => notice('warn', `${sentence(one)}.`)));
  }
  const { error } = evaluations.total;
  if (error > 0) {
    said.push(
      notice(
        'warn',
        `${count(error, 'evaluation')} ended in an error and ${error === 1 ? 'counts' : 'count'} as not met.`,
      ),
    );
  }
  if (violations.cut > 0) {
    said.push(
      notice(
        'neutral',
        `${count(violations.cut, 'violation')} changed so often that the oldest changes are no longer stored and do not count here.`,
      ),
    );
  }
  return said;
}

/** How good a score is at a glance. */
const toneOf = (score: number | null): Tone =>
  score === null ? 'neutral' : score >= 90 ? 'good' : score >= 70 ? 'warn' : 'bad';

/** The figures that each type of report begins with. */
function mainFigures(facts: Facts): Figures {
  const { total } = facts.violations;
  const { value, scan } = scoreOf(facts);
  const { CRITICAL: critical, HIGH: high } = total.bySeverity;
  return figures(
    {
      label: 'Compliance score',
      value: scoreText(value),
      tone: toneOf(value),
      ...(scan ? { note: 'from the last scan' } : {}),
    },
    { label: 'Open violations', value: number(total.open), tone: total.open > 0 ? 'warn' : 'good' },
    { label: 'Critical', value: number(critical), tone: critical > 0 ? 'bad' : 'good' },
    { label: 'High', value: number(high), tone: high > 0 ? 'bad' : 'good' },
    { label: 'Exempt', value: number(total.exempt), tone: 'neutral' },
  );
}

/** The sections, with the main figures and what has to be known at the beginning of the first. */
export const introduced = (facts: Facts, sections: readonly Section[]): readonly Section[] =>
  sections.map((section, at) =>
    at === 0
      ? { ...section, blocks: [mainFigures(facts), ...caveatsOf(facts), ...section.blocks] }
      : section,
  );

/** In sentences, what every summary begins with. */
export function openingOf(facts: Facts): string {
  const { evaluations, policies, violations } = facts;
  const { evaluated, pass, fail, error, exempt } = evaluations.total;
  const looked = `${count(policies.length, 'enabled policy', 'enabled policies')} and ${count(evaluations.resources, 'resource')} are in scope.`;
  if (evaluated === 0) return `${looked} Nothing was evaluated.`;
  const found = `Of ${count(evaluated, 'evaluation')}, ${number(pass)} passed, ${number(fail)} failed, ${number(exempt)} ${were(exempt)} exempt and ${number(error)} ended in an error.`;
  const { open } = violations.total;
  return `${looked} ${found} ${open === 0 ? 'No violations are open' : `${count(open, 'violation')} ${are(open)} open`}.`;
}

/** How often violations changed, in a sentence. */
export function changesOf({ opened, resolved, exempted }: ViolationCounts): string {
  return opened + resolved + exempted === 0
    ? 'No violations were opened, resolved or exempted.'
    : `Violations were opened ${times(opened)}, resolved ${times(resolved)} and exempted ${times(exempted)}.`;
}

/** @param under those that stand under the row */
export function evaluationColumns<T>(
  of: (item: T) => Counter,
  under: readonly ('passed' | 'exempt' | 'undecided')[] = [],
): readonly ColumnOf<T>[] {
  const columns: readonly ColumnOf<T>[] = [
    column('evaluations', 'Evaluations', 'integer', 1, (item) => of(item).evaluated),
    column('passed', 'Passed', 'integer', 1, (item) => of(item).pass),
    column('failed', 'Failed', 'integer', 1, (item) => of(item).fail),
    column('exempt', 'Exempt', 'integer', 1, (item) => of(item).exempt),
    column('undecided', 'Errors', 'integer', 1, (item) => of(item).error),
  ];
  return columns.map((one) => (under.some((id) => id === one.id) ? below(one) : one));
}

/** How each value of a field stands: its evaluations, its score, its open violations where they are given. */
export function breakdown({
  id,
  title,
  what,
  counters,
  violations,
}: {
  readonly id: string;
  readonly title: string;
  readonly what: string;
  readonly counters: readonly (readonly [string, Counter])[];
  readonly violations?: readonly (readonly [string, Pick<ViolationCounts, 'open'>])[] | undefined;
}): Table {
  const open = new Map(violations?.map(([name, { open: count }]) => [name, count]));
  const evaluated = new Map(counters);
  const names = [...new Set([...evaluated.keys(), ...open.keys()])];
  const columns = [
    column<string>(id, what, 'text', 3, (name) => name),
    ...evaluationColumns((name: string) => evaluated.get(name) ?? noEvaluation),
    column<string>('score', 'Score', 'percent', 1, (name) =>
      complianceScore(evaluated.get(name) ?? noEvaluation),
    ),
    ...(violations
      ? [column<string>('open', 'Open violations', 'integer', 1, (name) => open.get(name) ?? 0)]
      : []),
  ];
  const shown = names.filter((name) => evaluated.has(name) || (open.get(name) ?? 0) > 0);
  return table({ id: `by_${id}`, title, empty: 'None.' }, columns, shown);
}

const noEvaluation = newCounter();

/** Open violations by severity, as bars. */
export function severityChart({ violations: { total } }: Facts): Chart {
  const values = fromHighest.map((severity) => total.bySeverity[severity]);
  return {
    kind: 'chart',
    id: 'open_by_severity',
    title: 'Open violations by severity',
    description: fromHighest
      .map((severity) => `${severity} ${number(total.bySeverity[severity])}`)
      .join(', '),
    form: 'bars',
    categories: fromHighest,
    series: [{ name: 'Open violations', colour: 'first', values }],
    colours: ['critical', 'high', 'medium', 'low'],
    unit: 'violations',
  };
}

/** The exemptions in effect, with what they cover. */
export function exemptionsSection(facts: Facts): Section {
  const { exemptions, scope, order } = facts;
  const creator = personColumns<ExemptionFact>(facts, 'created_by', 'Created by', (one) => one.created_by); // prettier-ignore
  const columns: readonly ColumnOf<ExemptionFact>[] = [
    column('policy', 'Policy', 'text', 2, ({ policy }) => policy),
    column('resources', 'Resources', 'text', 3, ({ resources }) => firstOf(resources, 5)),
    column('covers', 'Covers', 'integer', 1, ({ covers }) => covers),
    column('owner', 'Owner', 'text', 2, ({ owner }) => owner),
    column('reason', 'Reason', 'text', 3, ({ reason }) => reason),
    below(column('category', 'Category', 'text', 1, ({ category }) => category ?? null)),
    column('expires', 'Last day', 'date', 1, ({ expires }) => expires),
    below(column('created_at', 'Created', 'timestamp', 2, ({ created_at: at }) => isoCell(at))),
    creator.byId,
    below(column('id', 'Exemption', 'id', 2, ({ id }) => id)),
    below(creator.named),
  ];
  const { timezone } = order.scope;
  const when =
    scope.since === undefined
      ? `in effect at ${moment(scope.at, timezone)}`
      : 'in effect at any time in the range';
  return {
    id: 'exemptions',
    title: 'Exemptions',
    blocks: [
      paragraph(
        `Exemptions ${when}, in their current form, without deleted ones. “Covers” is the number of evaluations in scope that each exempts now.`,
      ),
      table({ id: 'exemptions', title: 'Exemptions', empty: 'None.' }, columns, exemptions),
    ],
  };
}
