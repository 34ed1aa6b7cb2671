import type { FieldChange } from '../../project/kinds/kind.ts';
import { sayFields } from '../../project/kinds/say-fields.ts';
import { diffSequences } from '../../project/compare/sequence-diff.ts';
import { wrapWords } from '../terminal/wrap-words.ts';

/** One line of a difference: `~` old → new in one line, `…` lines that were left out. */
export interface DiffLine {
  readonly sign: '+' | '-' | '~' | ' ' | '…';
  readonly text: string;
  /** Part of the field named above it. */
  readonly nested?: true;
}

/** Lines of a long text shown around what changed. */
const contextLines = 2;

/** Field changes as lines, each at most `width` wide where a break makes sense; longer ones are shown whole. */
export function fieldLines(fields: readonly FieldChange[], width: number): DiffLine[] {
  return fields.flatMap((field) => linesOfField(field, width));
}

function linesOfField({ path, before, after }: FieldChange, width: number): DiffLine[] {
  const sign = before === null ? '+' : after === null ? '-' : '~';
  if (isTextList(before) && isTextList(after)) {
    return listLines(path, sign, [before ?? [], after ?? []], width);
  }
  const [old, next] = [showValue(before), showValue(after)];
  const short = before === null ? `${path}: ${next}` : `${path}: ${old} → ${next}`;
  const multiline = old.includes('\n') || next.includes('\n');
  if (!multiline && short.length <= width) {
    return [{ sign, text: after === null ? `${path}: ${old}` : short }];
  }
  const linesOf = (value: unknown): string[] =>
    value === null ? [] : showLong(value, width - nestedStart);
  return [{ sign, text: `${path}:` }, ...lineDiff(linesOf(before), linesOf(after)).map(nest)];
}

/** Columns that a nested line begins with: two blanks, its sign, a blank. Those of the sign are counted already. */
const nestedStart = 2;

/** A value over several lines; a small object has a line, or a few, for each of its fields. */
const showLong = (value: unknown, width: number): string[] =>
  (isFields(value) ? wrapWords(sayFields(value).join('\n'), width) : showValue(value)).split('\n');

const nest = (line: DiffLine): DiffLine => ({ ...line, nested: true });

/** Added and removed lines, with a few around them. */
export function lineDiff(
  before: readonly string[],
  after: readonly string[],
  context = contextLines,
): DiffLine[] {
  const steps = diffSequences(before, after);
  const isNear = new Set<number>();
  steps.forEach((step, at) => {
    if (step.kind === 'same') return;
    for (let near = at - context; near <= at + context; near++) isNear.add(near);
  });
  const lines: DiffLine[] = [];
  steps.forEach(({ kind, value }, at) => {
    if (kind === 'removed') lines.push({ sign: '-', text: value });
    else if (kind === 'added') lines.push({ sign: '+', text: value });
    else if (isNear.has(at)) lines.push({ sign: ' ', text: value });
    else if (lines.at(-1)?.sign !== '…') lines.push({ sign: '…', text: '' });
  });
  return lines;
}

const isTextList = (value: unknown): value is readonly string[] | null =>
  value === null || (Array.isArray(value) && value.every((each) => typeof each === 'string'));

function listLines(
  path: string,
  sign: '+' | '-' | '~',
  [before, after]: readonly [before: readonly string[], after: readonly string[]],
  width: number,
): DiffLine[] {
  const removed = before.filter((each) => !after.includes(each));
  const added = after.filter((each) => !before.includes(each));
  if (removed.length + added.length === 0) {
    return [{ sign, text: `${path}: [${before.join(', ')}] → [${after.join(', ')}]` }];
  }
  const whole = `${path}: ${[...before, ...after].join(', ')}`;
  const isOneLine = whole.length <= width && !/[,\n]/.test([...before, ...after].join(''));
  if (sign !== '~' && isOneLine) return [{ sign, text: whole }];
  return [
    { sign, text: `${path}:` },
    ...removed.map((text) => nest({ sign: '-', text })),
    ...added.map((text) => nest({ sign: '+', text })),
  ];
}

function showValue(value: unknown): string {
  if (value === null) return '(none)';
  if (typeof value === 'string') return value === '' ? '""' : value.replace(/\n$/, '');
  if (isRule(value)) return showRule(value);
  if (Array.isArray(value)) return value.map(showValue).join('\n');
  return isFields(value) ? sayFields(value).join('; ') : JSON.stringify(value);
}

const isFields = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRule(value);

interface ShownRule {
  readonly condition: string;
  readonly effect: string;
  readonly message?: string;
}

const isRule = (value: unknown): value is ShownRule =>
  typeof value === 'object' && value !== null && 'condition' in value && 'effect' in value;

const showRule = ({ condition, effect, message }: ShownRule): string =>
  `${effect} when ${condition.trim()}${message ? `\n  message: ${message.trim()}` : ''}`;
