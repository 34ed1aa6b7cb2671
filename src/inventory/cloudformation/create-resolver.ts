import { UnknownValue } from '../../contract/resources.ts';
import { createConditions } from './conditions.ts';
import { intrinsics } from './intrinsics.ts';
import type { Entry } from './loops.ts';
import { createLoops, isLoop } from './loops.ts';
import type { Fields, Resolver, Scope } from './resolver.ts';
import { isFields } from './resolver.ts';

/** A resolver, and the way through a section's loops. */
export interface TemplateResolver extends Resolver {
  /** Entries of a map, with `Fn::ForEach` written out; a loop over what is not known stays as it is. */
  entries(map: Fields): Entry[];
}

/** Works out what a template's scope lets one know. Total: values are finite and nested to a bounded depth. */
export function createResolver(scope: Scope): TemplateResolver {
  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return resolveList(value);
    if (!isFields(value)) return value;
    const keys = Object.keys(value);
    const [name = ''] = keys;
    if (keys.length === 1 && (name === 'Ref' || name.startsWith('Fn::')) && !isLoop(name)) {
      const intrinsic = intrinsics.get(name);
      return intrinsic
        ? intrinsic(value[name], resolver)
        : new UnknownValue(name.replace('Fn::', ''));
    }
    return resolveMap(value, keys);
  };
  const resolveList = (list: readonly unknown[]): unknown[] => {
    const items: unknown[] = [];
    for (const item of list) {
      const resolved = resolve(item);
      if (resolved !== undefined) items.push(resolved);
    }
    return items;
  };
  const resolveMap = (map: Fields, keys: readonly string[]): Fields => {
    const entries = keys.some(isLoop) ? expand(map) : keys.map((key) => ({ key, value: map[key] }));
    return Object.fromEntries(
      entries.flatMap(({ key, value }) => {
        const resolved = isLoop(key) ? new UnknownValue(key, { present: false }) : resolve(value);
        return resolved === undefined ? [] : [[key, resolved]];
      }),
    );
  };
  const expand = createLoops(resolve);
  const resolver: TemplateResolver = {
    ...scope,
    resolve,
    holds: createConditions(() => resolver),
    entries: (map) => expand(map),
  };
  return resolver;
}
