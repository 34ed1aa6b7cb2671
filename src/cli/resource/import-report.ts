import type { PlacedLeftOut } from '../../project/check/left-out.ts';
import { defined } from '../../contract/defined.ts';
import type { PendingEvaluation } from '../../contract/pending-evaluation.ts';
import type { InputProblem } from '../../inventory/model.ts';
import type { Context } from '../context.ts';
import { warnOfPending } from '../objects/pending.ts';
import type { Gone } from './prune.ts';
import { count, inThrees, listWords, printableLine } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';

/** A part of a file that did not become a resource. */
export interface Rejected {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly id?: string;
  readonly reason: string;
}

/** The JSON of `govctl resource import`, without `format_version`. */
export interface ImportReport {
  created: number;
  updated: number;
  unchanged: number;
  /** How many of the unchanged ones are in the input more than once, with the same content. They were sent once. */
  repeated: number;
  /** How many were not stored, as the inventory has a newer state of them. */
  older: number;
  /** The first of them. */
  readonly older_lines: (Omit<Rejected, 'reason'> & { readonly id: string })[];
  /** The number of resources that the service refused. */
  rejected: number;
  /** Those it named, and files or parts of files that could not be read. */
  readonly rejected_lines: Rejected[];
  /** The number of values that the input does not have, such as those known only after a deployment. */
  unknown_values: number;
  /** Resources of templates that are not deployed because their condition is false. */
  readonly left_out: PlacedLeftOut[];
  /** What may differ from what a file says. */
  readonly warnings: (InputProblem & { readonly file: string })[];
  /** Files that have no resources; of those that were named, only ones that may list some. */
  readonly skipped: string[];
  /** What the service still has to evaluate. */
  pending?: PendingEvaluation | undefined;
}

/** The lines for people; the other formats have the rest. */
const mostShown = 20;

/** @param pruned the result of `--prune`; a dry run shows only this */
export async function showImport(
  context: Context,
  report: ImportReport,
  pruned?: { readonly value: { readonly dry_run: boolean; readonly pruned: readonly Gone[]; readonly newer: readonly Gone[] }; readonly human: (style: Style) => string }, // prettier-ignore
): Promise<void> {
  const isDry = pruned?.value.dry_run === true;
  await context.show({
    value: defined({ ...report, ...pruned?.value }),
    human: (style) => `${isDry ? '' : describe(report, style)}${pruned?.human(style) ?? ''}`,
  });
  if (report.unknown_values > 0) {
    await context.say(
      `${count(report.unknown_values, 'value')} ${report.unknown_values === 1 ? 'is' : 'are'} not known; evaluations that need one end in an ERROR.`,
    );
  }
  const [older] = report.older_lines;
  if (older) {
    const more = report.older - 1;
    const what =
      more === 0
        ? `${older.id} is older than in the inventory, so it was not stored`
        : `${older.id} and ${count(more, 'other')} are older than in the inventory, so they were not stored`;
    await context.warn(printableLine(`${placeOf(older)}: ${what}`));
  }
  const [warning] = report.warnings;
  if (warning) {
    const more = report.warnings.length - 1;
    await context.warn(
      `${printableLine(`${placeOf(warning)}: ${warning.message}`)}${more > 0 ? `; and ${count(more, 'other warning')} (use -o json to list all)` : ''}`,
    );
  }
  const [first] = report.left_out;
  if (first) {
    const { length } = report.left_out;
    await context.say(
      `${count(length, 'resource')} excluded because ${length === 1 ? 'its condition is' : 'their conditions are'} false: ${printableLine(first.resource)}${length > 1 ? ' and others (use -o json to list all)' : ''}.`,
    );
  }
  if (report.skipped.length > 0) {
    await context.say(`${count(report.skipped.length, 'file')} without resources skipped.`);
  }
  await warnOfPending(context, report.pending);
}

const placeOf = ({ file, line, column }: Omit<Rejected, 'reason'>): string =>
  [file, line, column].filter((part) => part !== undefined).join(':');

function describe(report: ImportReport, style: Style): string {
  const { created, updated, unchanged, repeated, older, rejected_lines: rejected } = report;
  const lines = rejected.slice(0, mostShown).map((one) => {
    const { id, reason } = one;
    return `${style.red('rejected')} ${printableLine(placeOf(one))}  ${printableLine(id ? `${id}: ${reason}` : reason)}`;
  });
  const more = Math.max(rejected.length, report.rejected) - lines.length;
  if (more > 0) lines.push(`... and ${inThrees(more)} more (use -o json to list all)`);
  const words = [
    `${inThrees(created)} created`,
    `${inThrees(updated)} updated`,
    `${inThrees(unchanged - repeated)} unchanged`,
  ];
  const again = repeated > 0 ? `; ${count(repeated, 'duplicate')} in the input` : '';
  const kept = older > 0 ? `; ${inThrees(older)} older than in the inventory` : '';
  return `${[...lines, `${style.green('Imported')} ${listWords(words)}${again}${kept}`].join('\n')}\n`;
}
