import { UnknownValue } from '../../../contract/resources.ts';
import { createConditions } from './conditions.ts';
import { intrinsics } from './intrinsics.ts';
import type { Entry } from './loops.ts';
import { createLoops, isLoop } from './loops.ts';
import { setOwn } from '../../text/set-own.ts';
import type { Fields, Resolver, Scope } from './resolver.ts';
import { isFields } from './resolver.ts';

/** Characters that functions and loops may make of one template: a large one makes a tenth of it. */
const maxMade = 20_000_000;

/** What may still be made of a template, in characters. */
export interface Budget {
  left: number;
}

export const createBudget = (): Budget => ({ left: maxMade });

/** A resolver, and the way through a section's loops. */
export interface TemplateResolver extends Resolver {
  /** Entries of a map, with `Fn::ForEach` written out; a loop over what is not known stays as it is. */
  entries(map: Fields): Entry[];
}

/**
 * Works out what a template's scope lets one know. Total: values are finite and nested to a bounded depth. What holds no
 * function is given back as it is, not copied. Once the budget is spent, functions are unknown.
 * @param assumed a condition that is taken to hold
 */
export function createResolver(scope: Scope, budget: Budget, assumed?: string): TemplateResolver {
  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return resolveList(value);
    if (!isFields(value)) return value;
    const keys = Object.keys(value);
    const [name = ''] = keys;
    if (keys.length === 1 && (name === 'Ref' || name.startsWith('Fn::')) && !isLoop(name)) {
      const intrinsic = budget.left < 0 ? undefined : intrinsics.get(name);
      return intrinsic
        ? intrinsic(value[name], resolver)
        : new UnknownValue(name.replace('Fn::', ''));
    }
    // A macro may change all that stands beside it.
    if (Object.hasOwn(value, 'Fn::Transform')) return new UnknownValue('Transform');
    return keys.some(isLoop) ? resolveLoops(value) : resolveMap(value, keys);
  };
  const resolveList = (list: readonly unknown[]): readonly unknown[] => {
    let changed: unknown[] | undefined;
    for (let index = 0; index < list.length; index += 1) {
      const resolved = resolve(list[index]);
      if (resolved !== list[index]) changed ??= list.slice(0, index);
      if (resolved !== undefined) changed?.push(resolved);
    }
    return changed ?? list;
  };
  const resolveMap = (map: Fields, keys: readonly string[]): Fields => {
    let changed: Record<string, unknown> | undefined;
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index] ?? '';
      const resolved = resolve(map[key]);
      if (resolved !== map[key] && !changed) {
        changed = {};
        for (const earlier of keys.slice(0, index)) setOwn(changed, earlier, map[earlier]);
      }
      if (changed && resolved !== undefined) setOwn(changed, key, resolved);
    }
    return changed ?? map;
  };
  const resolveLoops = (map: Fields): Fields => {
    const resolved: Record<string, unknown> = {};
    for (const { key, value } of expand(map)) {
      const one = isLoop(key) ? new UnknownValue(key, { present: false }) : resolve(value);
      if (one !== undefined) setOwn(resolved, key, one);
    }
    return resolved;
  };
  const spend = (characters: number): boolean => {
    budget.left -= characters;
    return budget.left >= 0;
  };
  const expand = createLoops(resolve, spend);
  const resolver: TemplateResolver = {
    ...scope,
    resolve,
    holds: createConditions(() => resolver, assumed),
    entries: (map) => expand(map),
    spend,
    lookups: new Map(),
  };
  return resolver;
}
