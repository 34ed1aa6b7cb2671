import type { Fields } from './kind.ts';

/** One value as each source spells it; undefined where the source leaves it out. */
export interface Spelled {
  readonly native: unknown;
  readonly template: unknown;
  readonly plan: unknown;
  readonly item: unknown;
}

export const spellEverywhere = (value: unknown): Spelled =>
  isSpelled(value) ? value : { native: value, template: value, plan: value, item: value };

const isSpelled = (value: unknown): value is Spelled =>
  typeof value === 'object' && value !== null && 'native' in value && 'template' in value;

/** An object with a value at a path: `a.b[].c`, where `[]` is a list of one. Empty where there is no value. */
export function put(path: string, value: unknown): Fields {
  if (value === undefined || path === '') return {};
  const [, step = '', list, rest] = /^([^.[]+)(\[\])?(?:\.(.+))?$/.exec(path) ?? [];
  if (step === '') throw new Error(`not a path: ${path}`);
  const inner = rest === undefined ? value : put(rest, value);
  return { [step]: list ? [inner] : inner };
}

export const isMap = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Puts fields together: maps and blocks (lists of one map) that say different things into each other, other lists one after the other. */
export function merge(...all: readonly (Fields | undefined)[]): Fields {
  const merged: Record<string, unknown> = {};
  for (const fields of all) {
    for (const [name, value] of Object.entries(fields ?? {})) {
      merged[name] = mergeValues(merged[name], value);
    }
  }
  return merged;
}

const isBlock = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 1 && isMap(value[0]);

function mergeValues(first: unknown, second: unknown): unknown {
  if (isMap(first) && isMap(second)) return merge(first, second);
  if (!Array.isArray(first) || !Array.isArray(second)) return second;
  const [[block], [other]] = [first as unknown[], second as unknown[]];
  const areOne =
    first.length === 1 &&
    second.length === 1 &&
    isMap(block) &&
    isMap(other) &&
    !Object.entries(other).some(
      ([name, value]) =>
        name in block && !isMap(value) && !(isBlock(value) && isBlock(block[name])),
    );
  return areOne && isMap(block) && isMap(other)
    ? [merge(block, other)]
    : [...(first as unknown[]), ...(second as unknown[])];
}
