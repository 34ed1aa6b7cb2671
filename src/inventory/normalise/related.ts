import { isUnknown } from './values.ts';
import type { RawResource } from '../model.ts';

/** The other resources of the same input: what a provider keeps in a second resource is joined through this. */
export interface Related {
  readonly ofType: (type: string) => readonly RawResource[];
  /** The resource that a value names: an unknown value that comes from it, or its id, ARN or name. */
  readonly find: (value: unknown) => RawResource | undefined;
  /**
   * Resources of a type that name this one. `field` gives the value, or values, by which they do; it must be a constant
   * function, as an index is kept for it.
   */
  readonly referring: (
    to: RawResource,
    type: string,
    field: (raw: RawResource) => unknown,
  ) => readonly RawResource[];
}

export function createRelated(resources: readonly RawResource[]): Related {
  const byType = new Map<string, RawResource[]>();
  for (const raw of resources) {
    const same = byType.get(raw.type);
    if (same) same.push(raw);
    else byType.set(raw.type, [raw]);
  }
  const ofType = (type: string): readonly RawResource[] => byType.get(type) ?? [];
  const byAddress = new Map(resources.map((raw) => [raw.address, raw]));
  let byName: Map<string, RawResource> | undefined;
  const find = (value: unknown): RawResource | undefined => {
    if (isUnknown(value))
      return value.target === undefined ? undefined : byAddress.get(value.target);
    if (typeof value !== 'string') return undefined;
    byName ??= new Map(resources.flatMap((raw) => raw.names.map((name) => [name, raw] as const)));
    return byName.get(value) ?? byAddress.get(value);
  };
  const indexes = new Map<string, Map<unknown, Map<RawResource, RawResource[]>>>();
  return {
    ofType,
    find,
    referring(to, type, field) {
      const ofThisType = indexes.get(type) ?? new Map<unknown, Map<RawResource, RawResource[]>>();
      indexes.set(type, ofThisType);
      let index = ofThisType.get(field);
      if (!index) {
        index = new Map();
        for (const raw of ofType(type)) {
          const named = field(raw);
          for (const value of Array.isArray(named) ? (named as unknown[]) : [named]) {
            const target = find(value);
            if (!target) continue;
            const same = index.get(target);
            if (same) same.push(raw);
            else index.set(target, [raw]);
          }
        }
        ofThisType.set(field, index);
      }
      return index.get(to) ?? [];
    },
  };
}
