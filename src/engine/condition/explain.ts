import { defined } from '../../contract/defined.ts';
import { UnknownValue } from '../../contract/resources.ts';
import { startRun, toClosure } from './closures.ts';
import type { Frame, Run } from './closures.ts';
import { entryOf, isMap, keysOf } from './compare.ts';
import { nowSlot, resourceSlot } from './compile.ts';
import type { CompiledCondition } from './compile.ts';
import { toText } from './convert.ts';
import { startEvaluation } from './budget.ts';
import type { Undecided } from './evaluate.ts';
import { termsOf } from './program.ts';
import type { Term } from './program.ts';
import { timestampOfMillis } from './time.ts';
import { undecided } from './undecided.ts';
import { Failure, Optional, TypeValue } from './values.ts';

/** What a part of a condition came to. */
export interface Explained {
  /** As written in the condition. */
  readonly text: string;
  /** Its place in the condition's source, from 0. */
  readonly start: number;
  readonly end: number;
  /** Its value as text, shortened; or why it has none. */
  readonly result: { readonly value: string } | { readonly undecided: Undecided };
  /** Of the body of a macro: the item of the list, or key of the map, that this was for, or both as `key: value`; shortened. */
  readonly item?: string;
  /** The parts of it that were evaluated, in their order. One that did not count any more is not among them. */
  readonly parts: readonly Explained[];
}

/** Parts of one explanation: a macro over a long list has as many for each of its items. */
const mostParts = 1_000;

/**
 * Which value each part of a condition had over a resource. Literals are left out, as they explain themselves.
 * @param now of the evaluation, in milliseconds since the epoch
 */
export function explainCondition(
  { source, program }: CompiledCondition,
  resource: unknown,
  now: number,
): Explained {
  const recorder = new Recorder(source, program.root);
  const run = toClosure(program.root, (term, inner) => recorder.around(term, inner));
  startEvaluation();
  const frame = startRun(program);
  frame.slots[resourceSlot] = resource;
  frame.slots[nowSlot] = timestampOfMillis(now);
  try {
    const value = run(frame);
    return recorder.parts[0] ?? recorder.explained(program.root, value, []);
  } catch (error) {
    return recorder.explained(program.root, undecided(error), recorder.parts);
  }
}

class Recorder {
  parts: Explained[] = [];
  #left = mostParts;
  readonly #source: string;
  /** Bodies of macros, with the slots that have their item. */
  readonly #bodies = new Map<Term, readonly number[]>();

  constructor(source: string, root: Term) {
    this.#source = source;
    for (const term of termsOf(root)) {
      if (term.kind !== 'loop') continue;
      const slots = term.key === undefined ? [term.slot] : [term.key, term.slot];
      if (term.test) this.#bodies.set(term.test, slots);
      if (term.yields) this.#bodies.set(term.yields, slots);
    }
  }

  around(term: Term, run: Run): Run {
    if (term.kind === 'constant') return run;
    const slots = this.#bodies.get(term);
    return (frame: Frame) => {
      const outer = this.parts;
      this.parts = [];
      const value = run(frame);
      const inner = this.parts;
      this.parts = outer;
      const item = slots?.map((slot) => describe(frame.slots[slot])).join(': ');
      if (this.#left-- > 0) outer.push(this.explained(term, value, inner, item));
      return value;
    };
  }

  explained(term: Term, value: unknown, parts: readonly Explained[], item?: string): Explained {
    return {
      ...withBrackets(this.#source, term.start, term.end),
      result: value instanceof Failure ? { undecided: value } : { value: describe(value) },
      ...defined({ item }),
      parts,
    };
  }
}

/** The parser leaves out the brackets around a part: those that belong to what is between them are taken in again. */
function withBrackets(source: string, from: number, until: number) {
  let start = from;
  let end = until;
  let open = 0;
  let lacking = 0;
  const literals = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|[()]/g;
  for (const [found] of source.slice(start, end).matchAll(literals)) {
    if (found === '(') open++;
    else if (found === ')' && open-- === 0) {
      lacking++;
      open = 0;
    }
  }
  for (; lacking > 0 && start > 0; start--) if (source[start - 1] === '(') lacking--;
  for (; open > 0 && end < source.length; end++) if (source[end] === ')') open--;
  return { text: source.slice(start, end), start, end };
}

const longestText = 80;

/** A value as CEL writes it, in a line that fits a terminal. */
function describe(value: unknown): string {
  const text = show(value, longestText);
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

/** @param room characters that are of use: what is longer is cut by who asks */
function show(value: unknown, room: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, Math.max(room, 1)));
  if (value === null) return 'null';
  if (value instanceof UnknownValue) return `unknown (${value.expression})`;
  if (value instanceof TypeValue) return value.typeName;
  if (value instanceof Optional) {
    return value.present ? `optional.of(${show(value.content, room)})` : 'optional.none()';
  }
  if (room <= 0) return '…';
  if (Array.isArray(value)) {
    return `[${joined(value as unknown[], room, (item, left) => show(item, left))}]`;
  }
  if (isMap(value)) {
    const entry = (key: unknown, left: number) =>
      `${show(key, left)}: ${show(entryOf(value, key)?.[1], left)}`;
    return `{${joined(keysOf(value), room, entry)}}`;
  }
  const text = toText(value);
  return typeof text === 'string' ? text : '…';
}

function joined(
  items: readonly unknown[],
  room: number,
  one: (item: unknown, left: number) => string,
): string {
  let text = '';
  for (const item of items) {
    if (text.length > room) return `${text}…`;
    text += `${text === '' ? '' : ', '}${one(item, room - text.length - 1)}`;
  }
  return text;
}
