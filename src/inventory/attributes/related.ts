import { UnknownValue } from '../../contract/resources.ts';
import { isUnknown } from './values.ts';
import type { Format } from '../formats/formats.ts';
import type { RawResource } from '../model.ts';

/** The other resources of the same input: what a provider keeps in a second resource is joined through this. */
export interface Related {
  /** Whether the input shows what exists, with the values that the provider chose; templates and plans show what was written. */
  readonly isExport: boolean;
  readonly ofType: (type: string) => readonly RawResource[];
  /**
   * The resource, of these types or any, that a value names: an unknown value that comes from it, or its id, ARN or name.
   * Undefined where several have that name: it is unknown which is meant.
   */
  readonly find: (value: unknown, ...types: readonly string[]) => RawResource | undefined;
  /**
   * Resources of a type that name this one; of undefined: those that name one which can't be known. `field` gives the
   * value, or values, by which they do; it must be a constant function, as an index is kept for it.
   */
  readonly referring: (
    to: RawResource | undefined,
    type: string,
    field: (raw: RawResource) => unknown,
  ) => readonly RawResource[];
  /**
   * What is not known of an owner without such a part, as a stray part in the input may be its: one that doesn't tell whose
   * it is. Undefined where there is none that matters. A part that names an owner which the input doesn't hold is no
   * stray: it has a policy of its own, by `joined`.
   */
  readonly stray: (
    what: string,
    type: string,
    field: (raw: RawResource) => unknown,
    matters?: (part: RawResource) => boolean,
  ) => UnknownValue | undefined;
}

/** Resources by the one that they name. */
type Index = Map<RawResource | undefined, RawResource[]>;

export function createRelated(resources: readonly RawResource[], format: Format): Related {
  const byType = new Map<string, RawResource[]>();
  for (const raw of resources) {
    const same = byType.get(raw.type);
    if (same) same.push(raw);
    else byType.set(raw.type, [raw]);
  }
  const ofType = (type: string): readonly RawResource[] => byType.get(type) ?? [];
  const byAddress = indexBy(resources, ({ address }) => [address]);
  let byName: Map<string, RawResource[]> | undefined;
  const findAll = (value: unknown): readonly RawResource[] => {
    if (isUnknown(value)) return byAddress.get(value.target ?? '') ?? [];
    if (typeof value !== 'string') return [];
    byName ??= indexBy(resources, ({ names }) => names);
    return byName.get(value) ?? byAddress.get(value) ?? [];
  };
  const indexes = new Map<string, Map<unknown, Index>>();
  const related: Related = {
    isExport: format === 'aws-config',
    ofType,
    find(value, ...types) {
      const all = findAll(value);
      const found = types.length === 0 ? all : all.filter(({ type }) => types.includes(type));
      return found.length === 1 ? found[0] : undefined;
    },
    referring(to, type, field) {
      const ofThisType = indexes.get(type) ?? new Map<unknown, Index>();
      indexes.set(type, ofThisType);
      let index = ofThisType.get(field);
      if (!index) {
        index = new Map();
        for (const raw of ofType(type)) {
          const named = field(raw);
          for (const value of Array.isArray(named) ? (named as unknown[]) : [named]) {
            const found = findAll(value);
            const isStray = found.length === 0 && (isUnknown(value) || value === undefined);
            for (const target of isStray ? [undefined] : found) {
              const same = index.get(target);
              if (same) same.push(raw);
              else index.set(target, [raw]);
            }
          }
        }
        ofThisType.set(field, index);
      }
      return index.get(to) ?? [];
    },
    stray: (what, type, field, matters = () => true) =>
      related.referring(undefined, type, field).some(matters)
        ? new UnknownValue(`${what} in this input that cannot be matched to a resource`, {
            present: false,
          })
        : undefined,
  };
  return related;
}

/** Things of different types are often called the same; more of one name than this are not told apart. */
const maxSameName = 100;

function indexBy(
  resources: readonly RawResource[],
  namesOf: (raw: RawResource) => readonly string[],
): Map<string, RawResource[]> {
  const byName = new Map<string, RawResource[]>();
  for (const raw of resources) {
    for (const name of namesOf(raw)) {
      const same = byName.get(name);
      if (!same) byName.set(name, [raw]);
      else if (same.length < maxSameName) same.push(raw);
    }
  }
  return byName;
}
