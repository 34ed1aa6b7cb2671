import { defined } from '../../contract/defined.ts';
import { missingKey } from './access.ts';
import { freeLength } from './budget.ts';
import { isIn } from './compare.ts';
import type { Strict } from './values.ts';
import { prices } from './prices.ts';
import { countTerms } from './program.ts';
import type { Term } from './program.ts';
import { Failure } from './values.ts';

/** What evaluating a body once takes. */
export const stepsOf = (body: Term | undefined): number =>
  body ? Math.ceil(countTerms(body) / prices.partsOfStep) : 0;

const shownKey = (key: string): string =>
  /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;

/** The path of what stands in `of` at a place or under a key. */
export function pathInto(of: Term, at: Term): string | undefined {
  if (of.path === undefined) return undefined;
  const isText = at.kind === 'constant' && typeof at.value === 'string';
  return isText ? `${of.path}${shownKey(String(at.value))}` : `${of.path}[${shownIndex(at)}]`;
}

export function selection(place: { start: number; end: number }, of: Term, key: string): Term {
  const path = of.path === undefined ? undefined : `${of.path}${shownKey(key)}`;
  const missing = missingKey(key, path);
  return { ...place, ...defined({ path }), kind: 'select', of, key, missing };
}

/** How a path shows a place in a list. */
const shownIndex = (at: Term): string =>
  at.kind === 'constant' && typeof at.value === 'bigint' ? String(at.value) : '*';

/** The texts of a literal list that has nothing else. */
export function textsOf(list: Term): readonly string[] | undefined {
  const values = list.kind === 'constant' ? list.value : undefined;
  const isText = (item: unknown): item is string => typeof item === 'string';
  return Array.isArray(values) && values.every(isText) ? values : undefined;
}

/** `in` with such a list: one look, however long it is. */
export function membership(texts: readonly string[]): {
  readonly run: Strict;
  readonly among: Set<string>;
} {
  const among = new Set(texts);
  const isShort = (value: unknown): value is string =>
    typeof value === 'string' && value.length <= freeLength;
  return { among, run: (value) => (isShort(value) ? among.has(value) : isIn(value, texts)) };
}

/** What is calculated once, when all that it takes is known. */
const foldable: ReadonlySet<string> = new Set([
  '-_',
  'duration',
  'timestamp',
  'int',
  'uint',
  'double',
]);

/** The values of terms that are all constants. */
export function constants(terms: readonly Term[]): unknown[] | undefined {
  const values: unknown[] = [];
  for (const term of terms) {
    if (term.kind !== 'constant') return undefined;
    values.push(term.value);
  }
  return values;
}

/** What a call yields, where that can be calculated now; else the call. */
export function folded(term: Extract<Term, { readonly kind: 'call' }>): Term {
  const values = foldable.has(term.name) ? constants(term.args) : undefined;
  const value = values ? term.run(...values) : undefined;
  return value === undefined || value instanceof Failure
    ? term
    : { start: term.start, end: term.end, kind: 'constant', value };
}
