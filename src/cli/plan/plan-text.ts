import type { FieldChange, KindName } from '../../project/kinds/kind.ts';
import { kindOf, nounOf } from '../../project/kinds/kinds.ts';
import type { Change } from '../../project/plan/change.ts';
import { changedFields, fieldsBesideOutline } from '../../project/plan/change.ts';
import type { Plan } from '../../project/plan/plan.ts';
import type { Impact } from '../../project/plan/impact.ts';
import { count, inThrees, printable, printableLine, showUnseen } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import type { DiffLine } from './change-lines.ts';
import { fieldLines } from './change-lines.ts';
import { renderImpact } from './impact-text.ts';

/** What a plan shows beside itself. */
export interface PlanNotes {
  readonly notes: readonly string[];
  readonly blocked: readonly {
    readonly kind?: KindName;
    readonly key: string;
    readonly reason: string;
    readonly hint: string;
  }[];
  /** Where it was asked for. */
  readonly impact?: Impact | undefined;
  /** New objects in a few words each, instead of all they say. */
  readonly brief?: boolean | undefined;
}

const indent = '      ';

/** Text of one line, with what could not be seen in it. */
const oneLine = (text: string): string => showUnseen(printableLine(text));

/** A plan for people: what, why, field by field; a summary as the last line. */
export function renderPlan(
  plan: Plan,
  { notes, blocked, impact, brief }: PlanNotes,
  style: Style,
  columns: number,
): string {
  const blocks = [
    ...plan.changes.map((change) => renderChange(change, brief, style, columns)),
    ...blocked.map(({ kind, key, reason, hint }) =>
      [
        `  ${style.red('✗')} ${style.red('blocked')} ${kindWord({ kind })}${style.bold(oneLine(key))}`,
        wrapWords(`${indent}${oneLine(reason)}`, columns),
        wrapWords(`${indent}${style.cyan('→')} ${printable(hint)}`, columns),
      ].join('\n'),
    ),
    ...renderOrphans(plan, style),
    ...notes.map((note) => wrapWords(printable(note), columns)),
    ...(impact ? [renderImpact(impact, style)] : []),
  ];
  const head = `${style.bold(`Project ${oneLine(plan.project)}`)} at ${oneLine(plan.base_url)}`;
  const legend = renderLegend(plan, style);
  return `${[head, ...legend, ...blocks, summaryLine(plan, blocked.length, style)].join('\n\n')}\n`;
}

function renderLegend({ summary }: Plan, style: Style): string[] {
  const { drifted, conflict } = summary;
  if (drifted + conflict === 0) return [];
  const what =
    conflict === 0
      ? 'edited outside git since the last apply'
      : drifted === 0
        ? 'changed both in git and outside git'
        : 'edited outside git, some fields also in git';
  return [`${style.yellow('!')} ${what}: live → git`];
}

export const changeMark = ({ action, cause }: Change): '+' | '~' | '-' | '!' =>
  action === 'create'
    ? '+'
    : action === 'delete'
      ? '-'
      : cause === 'drift' || cause === 'conflict'
        ? '!'
        : '~';

function renderChange(
  change: Change,
  brief: boolean | undefined,
  style: Style,
  columns: number,
): string {
  const mark = changeMark(change);
  const paint = { '+': style.green, '~': style.cyan, '-': style.red, '!': style.yellow }[mark];
  const { key, name, id, place } = change;
  const title = [
    `  ${paint(mark)} ${paint(change.action)} ${kindWord(change)}${style.bold(oneLine(key))}`,
    ...(id ? [style.dim(oneLine(id))] : []),
    ...(place ? [style.dim(oneLine(`${place.file}:${place.line}`))] : []),
  ].join('  ');
  const lines = [wrapWords(title, columns, 4)];
  if (name !== key && change.before?.name === change.after?.name) {
    // What has no name goes by its identity, which the outline of a new one tells.
    const field = name === (change.after ?? change.before)?.name ? 'name' : kindOf(change).identity;
    if (field === 'name' || change.action !== 'create') {
      lines.push(`${indent}${style.dim(`${field}:`)} ${oneLine(name)}`);
    }
  }
  if (change.action === 'create') lines.push(...outlineLines(change, columns));
  else lines.push(wrapWords(`${indent}${style.dim(oneLine(change.reason))}`, columns));
  const shown = fieldLines(fieldsToShow(change, brief), columns - indent.length - 2);
  lines.push(...shown.map((line) => `${indent}${renderLine(line, style)}`));
  return lines.join('\n');
}

/** What a reader has to see of a change, field by field: what differs, or what a new one says. */
export function fieldsToShow(change: Change, brief: boolean | undefined): FieldChange[] {
  if (change.action === 'update') return changedFields(change);
  return change.action === 'create' && !brief ? fieldsBesideOutline(change) : [];
}

/** What a new one is, in one line where it fits; its parts stay whole as long as they can. */
function outlineLines(change: Change, columns: number): string[] {
  const lines: string[] = [];
  for (const part of outlineOf(change)) {
    const shown = oneLine(part);
    const last = lines.at(-1);
    const joined = `${last ?? indent}${last === undefined ? '' : ' · '}${shown}`;
    if (last === undefined || joined.length <= columns) lines.splice(-1, 1, joined);
    else lines.push(`${indent}${shown}`);
  }
  return lines.map((line) => wrapWords(line, columns));
}

/** What a new one is, in parts; nothing of a change of what is there. */
export const outlineOf = (change: Change): string[] =>
  change.action === 'create' && change.after
    ? kindOf(change)
        .outline(change.after)
        .flatMap((part) => part || [])
    : [];

/** What is no policy is called what it is, before its key. */
export const kindWord = (thing: { readonly kind?: KindName | undefined }): string =>
  thing.kind === undefined || thing.kind === 'Policy' ? '' : `${kindOf(thing).noun.one} `;

export function renderLine({ sign, text, nested }: DiffLine, style: Style): string {
  const start = nested ? '  ' : '';
  const shown = showUnseen(printable(text));
  if (sign === '+') return style.green(`${start}+ ${shown}`);
  if (sign === '-') return style.red(`${start}- ${shown}`);
  if (sign === '~') return `${start}${style.cyan('~')} ${shown}`;
  return style.dim(sign === '…' ? `${start}  …` : `${start}  ${shown}`);
}

function renderOrphans({ orphans }: Plan, style: Style): string[] {
  if (orphans.length === 0) return [];
  const { one, many } = nounOf(orphans);
  const head = `${count(orphans.length, one, many)} of this project ${orphans.length === 1 ? 'has' : 'have'} no file. Use --prune to delete ${orphans.length === 1 ? 'it' : 'them'}:`;
  const lines = orphans.map(
    ({ kind, key, name, id, reason }) =>
      `  ${style.yellow('?')} ${kindWord({ kind })}${oneLine(key ?? name)}  ${style.dim(oneLine(id))}${reason === undefined ? '' : `\n      ${oneLine(reason)}`}`,
  );
  return [[head, ...lines].join('\n')];
}

/** `Plan: 1 to create, ...`: the last line of every view of a plan. */
export function summaryLine(
  { summary, is_mixed: isMixed }: Pick<Plan, 'summary' | 'is_mixed'>,
  blocked: number,
  style: Style,
): string {
  const { create, update, unchanged, orphaned, drifted, conflict } = summary;
  const changes = create + update + summary.delete;
  const rest = [
    ...(orphaned > 0 ? [`${inThrees(orphaned)} without a file`] : []),
    ...(blocked > 0 ? [style.red(`${inThrees(blocked)} blocked`)] : []),
  ].join(', ');
  if (changes === 0) {
    if (unchanged === 0) return `${style.bold('No changes')}${rest ? `; ${rest}` : ''}.`;
    const things = isMixed ? count(unchanged, 'document') : count(unchanged, 'policy', 'policies');
    const same = `${things} ${unchanged === 1 ? 'matches its file' : 'match their files'}`;
    return `${style.bold('No changes:')} ${same}${rest ? `; ${rest}` : ''}.`;
  }
  const outside = [
    ...(drifted > 0 ? [`${inThrees(drifted)} edited outside git`] : []),
    ...(conflict > 0 ? [`${inThrees(conflict)} in conflict`] : []),
  ].join(', ');
  return `${style.bold('Plan:')} ${inThrees(create)} to create, ${inThrees(update)} to update${outside ? ` (${outside})` : ''}, ${inThrees(summary.delete)} to delete; ${inThrees(unchanged)} unchanged${rest ? `, ${rest}` : ''}.`;
}
