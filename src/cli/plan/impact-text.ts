import type { Impact } from '../../project/plan/impact.ts';
import { count, printableLine } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';

/** Resources of a change that people are shown. */
const mostShown = 5;

/** The impact for people. */
export function renderImpact({ summary, changes }: Impact, style: Style): string {
  const kinds = [
    ['newly_failing', 'newly fail', style.red('✗')],
    ['newly_undecided', 'can no longer be decided', style.yellow('?')],
    ['newly_passing', 'no longer fail', style.green('✓')],
  ] as const;
  const lines = changes.flatMap((change) =>
    kinds.flatMap(([field, words, mark]) => {
      const { total, resources } = change[field];
      if (total === 0) return [];
      const names = resources.slice(0, mostShown).map(({ resource }) => printableLine(resource));
      const more = total > names.length ? `, ${total - names.length} more` : '';
      return [
        `  ${mark} ${printableLine(change.key)}: ${total} ${words}: ${names.join(', ')}${more}`,
      ];
    }),
  );
  const over = count(summary.resources, 'resource');
  if (lines.length === 0) return `Impact: no verdict changes over ${over}.`;
  return [`${style.bold('Impact')} over ${over}:`, ...lines].join('\n');
}
