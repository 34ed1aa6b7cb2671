import type { Key } from './sorted-keys.ts';
import { compareAscending } from './sorted-keys.ts';
import { createPace, PER_TURN } from './pace.ts';

/*
 * A million string keys are scattered over memory, and comparing them in pairs takes seconds. So each string's next
 * characters are encoded as a number in a typed array, and the numbers are sorted; they nearly always decide. Rows with
 * equal numbers are sorted by the characters that follow.
 */

/** The part of the key by which a group of rows is sorted; the rows are equal in all earlier parts. */
type Stage = 'type' | 'number' | 'text' | 'id';

interface Group {
  readonly from: number;
  readonly to: number;
  readonly stage: Stage;
}

/** Groups up to this size are compared key by key. */
const SMALL = 16;
/** Items between two yields; a power of two, minus one, as it is used as a mask. */
const STEP = 255;

/** How many characters fit in a number without loss: NARROW if all code units are below 255, else WIDE. */
const NARROW = { base: 256, characters: 6 };
const WIDE = { base: 1 << 17, characters: 3 };

const typeOf = ({ value }: Key): number => {
  if (value === undefined) return 3;
  if (typeof value === 'boolean') return 0;
  return typeof value === 'number' ? 1 : 2;
};

const STAGES: readonly Stage[] = ['number', 'number', 'text', 'id'];

const textOf = (key: Key, stage: Stage): string => (stage === 'id' ? key.id : String(key.value));

/** The length of the common prefix of two strings, at most `most`. */
const sharedBy = (a: string, b: string, most: number): number => {
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
};

/** Encodes the characters from `at` on as a number that sorts like the strings; the end of a string sorts first. */
const codeOf = (text: string, at: number, { base, characters }: typeof NARROW): number => {
  let code = 0;
  for (let next = at; next < at + characters; next += 1) {
    code = code * base + (next < text.length ? text.charCodeAt(next) + 1 : 0);
  }
  return code;
};

const fits = (text: string, from: number, { base, characters }: typeof NARROW): boolean => {
  const end = Math.min(text.length, from + characters);
  for (let at = from; at < end; at += 1) if (text.charCodeAt(at) + 1 >= base) return false;
  return true;
};

/** Items and, at the same index, the numbers by which they are sorted. */
interface Coded {
  readonly codes: Float64Array;
  readonly items: Uint32Array;
}

const insertionSort = ({ codes, items }: Coded, from: number, to: number): void => {
  for (let next = from + 1; next < to; next += 1) {
    const code = codes[next] as number; // all are in bounds
    const item = items[next] as number;
    let at = next;
    for (; at > from && (codes[at - 1] as number) > code; at -= 1) {
      codes[at] = codes[at - 1] as number;
      items[at] = items[at - 1] as number;
    }
    codes[at] = code;
    items[at] = item;
  }
};

const isSorted = (codes: Float64Array): boolean => {
  for (let at = 1; at < codes.length; at += 1) {
    if ((codes[at - 1] as number) > (codes[at] as number)) return false;
  }
  return true;
};

/** Two adjacent sorted runs, and how far they have been merged. */
interface Merge {
  left: number;
  readonly middle: number;
  right: number;
  readonly end: number;
  at: number;
}

const mergeSome = (from: Coded, into: Coded, merge: Merge): number => {
  const { middle, end } = merge;
  const begin = merge.at;
  const stop = Math.min(end, begin + PER_TURN);
  let { left, right, at } = merge;
  for (; at < stop; at += 1) {
    const takesLeft =
      left < middle &&
      (right >= end || (from.codes[left] as number) <= (from.codes[right] as number));
    const taken = takesLeft ? left++ : right++;
    into.codes[at] = from.codes[taken] as number;
    into.items[at] = from.items[taken] as number;
  }
  merge.left = left;
  merge.right = right;
  merge.at = at;
  return at - begin;
};

/** Stable sort by code. Yields the number of items processed after each slice. */
function* mergeSort(coded: Coded): Generator<number, Coded> {
  const { length } = coded.items;
  // Rows are often sorted already: by creation, or because all have the same type.
  if (isSorted(coded.codes)) return coded;
  for (let at = 0; at < length; at += SMALL) {
    insertionSort(coded, at, Math.min(at + SMALL, length));
    yield SMALL;
  }
  let from = coded;
  let into: Coded = { codes: new Float64Array(length), items: new Uint32Array(length) };
  for (let run = SMALL; run < length; run *= 2) {
    for (let at = 0; at < length; at += 2 * run) {
      const middle = Math.min(at + run, length);
      const merge = { left: at, middle, right: middle, end: Math.min(at + 2 * run, length), at };
      while (merge.at < merge.end) yield mergeSome(from, into, merge);
    }
    [from, into] = [into, from];
  }
  return from;
}

/**
 * Sorts rows by their keys in slices, and yields to the event loop between them.
 * @param items ordinals of rows; sorted in place
 * @param keyOf must always return the same key for a row; ids must be unique
 */
export const sortInTurns = async (
  items: Uint32Array,
  keyOf: (item: number) => Key,
): Promise<void> => {
  for (const done = sortGroups(items, keyOf), pace = createPace(); ;) {
    const next = done.next();
    if (next.done) return;
    const turn = pace.spend(next.value);
    if (turn) await turn;
  }
};

function* sortGroups(items: Uint32Array, keyOf: (item: number) => Key): Generator<number> {
  const groups: Group[] = [{ from: 0, to: items.length, stage: 'type' }];
  for (let group = groups.pop(); group; group = groups.pop()) {
    const part = items.subarray(group.from, group.to);
    if (part.length <= SMALL) {
      part.sort((a, b) => compareAscending(keyOf(a), keyOf(b)));
      yield 4 * part.length;
      continue;
    }
    const coded = yield* encode(part, keyOf, group.stage);
    if (!coded) {
      groups.push({ ...group, stage: 'id' });
      continue;
    }
    const { codes, items: sorted } = yield* mergeSort(coded);
    part.set(sorted);
    let looked = 0;
    for (let from = 0; from < codes.length;) {
      let to = from + 1;
      while (to < codes.length && codes[to] === codes[from]) to += 1;
      if (to - from > 1) {
        const stage = stageAfter(group.stage, keyOf(part[from] as number));
        groups.push({ from: group.from + from, to: group.from + to, stage });
      }
      if ((looked += to - from) > STEP) {
        yield looked;
        looked = 0;
      }
      from = to;
    }
  }
}

const stageAfter = (stage: Stage, key: Key): Stage => {
  if (stage === 'type') return STAGES[typeOf(key)] as Stage;
  return stage === 'number' ? 'id' : stage;
};

/** Returns undefined if all items are equal in this stage. */
function* encode(
  items: Uint32Array,
  keyOf: (item: number) => Key,
  stage: Stage,
): Generator<number, Coded | undefined> {
  const codes = new Float64Array(items.length);
  if (stage === 'type' || stage === 'number') {
    for (let at = 0; at < items.length; at += 1) {
      const key = keyOf(items[at] as number);
      codes[at] = stage === 'type' ? typeOf(key) : Number(key.value);
      if ((at & STEP) === STEP) yield STEP;
    }
    return { codes, items: items.slice() };
  }
  const texts = new Array<string>(items.length);
  let shared = Infinity;
  let longest = 0;
  for (let at = 0; at < items.length; at += 1) {
    const text = textOf(keyOf(items[at] as number), stage);
    shared = sharedBy(texts[0] ?? text, text, Math.min(shared, text.length));
    longest = Math.max(longest, text.length);
    texts[at] = text;
    if ((at & STEP) === STEP) yield STEP;
  }
  if (longest === shared) return undefined;
  let width = NARROW;
  for (let at = 0; at < texts.length; at += 1) {
    const text = texts[at] as string;
    if (width === NARROW && !fits(text, shared, NARROW)) {
      width = WIDE;
      at = -1;
      continue;
    }
    codes[at] = codeOf(text, shared, width);
    if ((at & STEP) === STEP) yield STEP;
  }
  return { codes, items: items.slice() };
}
