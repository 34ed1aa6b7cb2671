import type { MetricsAnswer } from '../../../contract/metrics.ts';
import type { View } from '../../terminal/output.ts';
import { count, inThrees, printableLine } from '../../terminal/printable.ts';
import { formatTable, numberColumn } from '../../terminal/table.ts';
import { wrapWords } from '../../terminal/wrap-words.ts';

/** What was read from a file. */
export interface ReadFile {
  readonly file: string;
  format: string;
  points: number;
  /** Points by metric. */
  readonly metrics: Record<string, number>;
  readonly resources: Set<string>;
  from?: string;
  until?: string;
  /** Numbers of other metrics, by their names. */
  readonly left_out: Record<string, number>;
}

/** What the files contain and, unless it was a dry run, what became of it. */
export const importView = (files: readonly ReadFile[], stored?: readonly MetricsAnswer[]): View => {
  const resources = new Set(files.flatMap((one) => [...one.resources]));
  const sum = (of: (answer: MetricsAnswer) => number): number =>
    (stored ?? []).reduce((total, one) => total + of(one), 0);
  const points = files.reduce((total, one) => total + one.points, 0);
  const leftOut = {
    unknown_resource: sum((one) => one.left_out.unknown_resource),
    too_old: sum((one) => one.left_out.too_old),
    unknown_size: sum((one) => one.left_out.unknown_size),
  };
  const changed = sum((one) => one.changed);
  return {
    value: {
      dry_run: stored === undefined,
      points,
      resources: resources.size,
      ...(stored ? { changed, left_out: leftOut } : {}),
      files: files.map((one) => ({ ...one, resources: one.resources.size })),
    },
    human(style, columns) {
      const table = formatTable(
        files,
        [
          { title: 'FILE', cell: ({ file }) => file, shrinks: 'middle' },
          { title: 'FORMAT', cell: ({ format }) => format, shrinks: 'end' },
          numberColumn('POINTS', (one) => one.points),
          numberColumn('MACHINES', (one) => one.resources.size),
          { title: 'FROM', cell: ({ from }) => from?.slice(0, 10) ?? '-', drops: 1 },
          { title: 'UNTIL', cell: ({ until }) => until?.slice(0, 10) ?? '-', drops: 2 },
        ],
        style,
        columns,
      );
      const lines = [
        ...otherMetrics(files),
        ...reasons(leftOut),
        stored
          ? `Stored: ${count(points, 'point')} of ${count(resources.size, 'machine')}; ${count(changed, '15-minute interval')} changed.`
          : `Dry run: ${count(points, 'point')} of ${count(resources.size, 'machine')}; nothing was sent.`,
      ];
      return `${table}\n${lines.map((line) => wrapWords(printableLine(line), columns)).join('\n')}\n`;
    },
  };
};

/** Metrics for people; the rest is in the other formats. */
const mostNamed = 10;

/** What rightsizing has no use for, over all files. */
function otherMetrics(files: readonly ReadFile[]): readonly string[] {
  const others = new Map<string, number>();
  for (const { left_out: its } of files) {
    for (const [name, numbers] of Object.entries(its)) {
      others.set(name, (others.get(name) ?? 0) + numbers);
    }
  }
  if (others.size === 0) return [];
  const all = [...others].map(([name, numbers]) => `${name || 'without a name'} ${inThrees(numbers)}`); // prettier-ignore
  const more = all.length > mostNamed ? [`${inThrees(all.length - mostNamed)} more`] : [];
  return [`Skipped other metrics: ${[...all.slice(0, mostNamed), ...more].join(', ')}`];
}

function* reasons(leftOut: MetricsAnswer['left_out']): Generator<string> {
  const { unknown_resource: unknown, too_old: old, unknown_size: sizes } = leftOut;
  if (unknown > 0)
    yield `Skipped: ${count(unknown, 'point')} for machines that are not in the inventory`;
  if (old > 0) yield `Skipped: ${count(old, 'point')} older than the server\'s retention period`;
  if (sizes > 0) yield `Skipped: ${count(sizes, 'point')} in bytes, for machine sizes whose memory is unknown`; // prettier-ignore
}
