import { showMoney } from '../../contract/money.ts';
import type { Impact } from '../../project/plan/impact.ts';
import { count, inThrees, printableLine } from '../terminal/printable.ts';
import type { Context } from '../context.ts';
import type { Style } from '../terminal/terminal.ts';

/** Says on stderr what the impact does not cover. */
export async function warnOfInput(
  { warn, say }: Context,
  { unreadable = [], left_out: leftOut = [], warnings = [] }: Impact,
): Promise<void> {
  for (const { file, line, column, message } of [...unreadable, ...warnings].slice(0, mostShown)) {
    const place = [file, line, column].filter((part) => part !== undefined).join(':');
    await warn(printableLine(`${place}: ${message}`));
  }
  const more = unreadable.length + warnings.length - mostShown;
  if (more > 0) await warn(`${count(more, 'more problem')} in the input. Use -o json to list all.`);
  if (unreadable.length > 0) {
    await warn('The impact is incomplete: parts of the input could not be read.');
  }
  if (leftOut.length > 0) {
    const names = leftOut
      .slice(0, mostShown)
      .map(({ resource, condition }) => printableLine(`${resource} (${condition})`));
    const others = leftOut.length - names.length;
    await say(
      `${count(leftOut.length, 'resource')} excluded because ${leftOut.length === 1 ? 'its condition is' : 'their conditions are'} false: ${names.join(', ')}${others > 0 ? ` and ${count(others, 'other')}` : ''}.`,
    );
  }
}

type Cost = NonNullable<Impact['newly_failing_cost']>;

/** Resources of a change, and problems of the input, that people are shown. */
const mostShown = 5;

/** The impact for people. */
export function renderImpact(
  { summary, changes, newly_failing_cost: cost }: Impact,
  style: Style,
): string {
  const kinds = [
    ['newly_failing', 'newly failing', style.red('✗')],
    ['newly_undecided', 'newly in error', style.yellow('?')],
    ['newly_passing', 'no longer failing', style.green('✓')],
  ] as const;
  const lines = changes.flatMap((change) =>
    kinds.flatMap(([field, words, mark]) => {
      const { total, resources } = change[field];
      if (total === 0) return [];
      const names = resources.slice(0, mostShown).map(({ resource }) => printableLine(resource));
      const more = total > names.length ? `, ${inThrees(total - names.length)} more` : '';
      return [
        `  ${mark} ${printableLine(change.key)}: ${inThrees(total)} ${words}: ${names.join(', ')}${more}`,
      ];
    }),
  );
  const over = count(summary.resources, 'resource');
  if (lines.length === 0) return `Impact on ${over}: no changes.`;
  return [
    `${style.bold('Impact')} on ${over}:`,
    ...lines,
    ...(cost ? [`  Monthly cost of newly failing resources: ${costText(cost)}`] : []),
  ].join('\n');
}

/** `1,234.50 USD, 3 of 40 without cost data` */
function costText({ resources, without_cost: without, monthly_costs: costs = [] }: Cost): string {
  const known = costs.map(({ currency, monthly_cost: sum }) => showMoney(sum, currency));
  const unknown =
    without > 0 ? [`${inThrees(without)} of ${inThrees(resources)} without cost data`] : [];
  return [...known, ...unknown].join(', ');
}
