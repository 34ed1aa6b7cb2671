import { inThrees } from '../../contract/in-threes.ts';
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
   * value, or values, by which they do; it must be a constant function, as an index is kept for it. In a module of
   * Terraform, a value that is not known names the only resource there is: modules do so through their locals, which
   * plans don't hold.
   */
  readonly referring: (
    to: RawResource | undefined,
    type: string,
    field: (raw: RawResource) => unknown,
  ) => readonly RawResource[];
  /**
   * Resources of a type that may be part of this one, as the value of `field` is not known, not even whose it is: one
   * with unknown values for all of a module, in place of each. In Terraform a module's part belongs to what the module,
   * or one that it calls, has of this type; where these have none, it may be any.
   */
  readonly possible: (
    to: RawResource,
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

/** Resources by the one that they name; and by their module, those of which nobody knows whom they name. */
interface Index {
  readonly named: Map<RawResource | undefined, RawResource[]>;
  readonly unplaced: Map<string, RawResource[]>;
}

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
  const indexOf = (type: string, field: (raw: RawResource) => unknown): Index => {
    const ofThisType = indexes.get(type) ?? new Map<unknown, Index>();
    indexes.set(type, ofThisType);
    const known = ofThisType.get(field);
    if (known) return known;
    const index: Index = { named: new Map(), unplaced: new Map() };
    for (const raw of ofType(type)) {
      const named = field(raw);
      for (const value of Array.isArray(named) ? (named as unknown[]) : [named]) {
        const found = findAll(value);
        const isStray = found.length === 0 && (isUnknown(value) || value === undefined);
        for (const target of isStray ? [undefined] : found) addTo(index.named, target, raw);
        if (isStray && isAnyones(value)) addTo(index.unplaced, moduleOf(raw), raw);
      }
    }
    ofThisType.set(field, index);
    return index;
  };
  const within = new Map<string, readonly RawResource[]>();
  /** What may be the owner, of a type, of a module's part. */
  const ownersIn = (module: string, type: string): readonly RawResource[] => {
    const key = `${type} ${module}`;
    const own = within.get(key) ?? ofType(type).filter(({ address }) => address.startsWith(module));
    within.set(key, own);
    return own.length > 0 ? own : ofType(type);
  };
  const isOnlyOwner = (to: RawResource, module: string): boolean => {
    const [only, ...others] = module === '' ? [] : (ownersIn(module, to.type) ?? []);
    return others.length === 0 && only?.address === to.address && to.address.startsWith(module);
  };
  const related: Related = {
    isExport: format === 'aws-config',
    ofType,
    find(value, ...types) {
      const all = findAll(value);
      const found = types.length === 0 ? all : all.filter(({ type }) => types.includes(type));
      return found.length === 1 ? found[0] : undefined;
    },
    referring(to, type, field) {
      const { named, unplaced } = indexOf(type, field);
      const known = named.get(to) ?? [];
      if (to === undefined || unplaced.size === 0) return known;
      const its = [...unplaced].flatMap(([module, parts]) =>
        isOnlyOwner(to, module) ? parts : [],
      );
      return its.length === 0 ? known : [...known, ...its];
    },
    possible: (to, type, field) =>
      [...indexOf(type, field).unplaced].flatMap(([module, parts]) =>
        !isOnlyOwner(to, module) &&
        ownersIn(module, to.type).some(({ address }) => address === to.address)
          ? (undecided(parts) ?? [])
          : [],
      ),
    stray: (what, type, field, matters = () => true) =>
      related.referring(undefined, type, field).some(matters)
        ? new UnknownValue(`${what} in this input that cannot be matched to a resource`, {
            present: false,
          })
        : undefined,
  };
  return related;
}

/** Those that name a resource, and what stands for those that may: for lists in which more can only make things worse. */
export const allParts = (
  related: Related,
  ...asked: Parameters<Related['possible']>
): readonly RawResource[] => [...related.referring(...asked), ...related.possible(...asked)];

const addTo = <K>(lists: Map<K, RawResource[]>, key: K, raw: RawResource): void => {
  const same = lists.get(key);
  if (same) same.push(raw);
  else lists.set(key, [raw]);
};

/** Whether nobody knows where a value comes from: a parameter, and what another stack exports, are of no resource here. */
const isAnyones = (value: unknown): boolean =>
  isUnknown(value) &&
  value.target === undefined &&
  value.parameter === undefined &&
  !value.expression.startsWith('ImportValue ');

/** The module of Terraform that an address is in, with the dot behind it: `module.web[0].`; '' for none. */
const moduleOf = ({ address }: RawResource): string =>
  /^(?:module\.[^.[]+(?:\[(?:"(?:[^"\\]|\\.)*"|[^\]"]*)\])?\.)*/.exec(address)?.[0] ?? '';

/** In place of several parts, one that has what any of them has, with values that nobody knows. */
function undecided(parts: readonly RawResource[]): RawResource | undefined {
  const [first] = parts;
  if (!first) return undefined;
  const more = parts.length === 1 ? '' : ` and ${inThrees(parts.length - 1)} more`;
  const value = new UnknownValue(`${first.address}${more}, which cannot be matched to a resource`);
  const names = new Set(parts.flatMap(({ properties }) => Object.keys(properties)));
  return { ...first, properties: Object.fromEntries([...names].map((name) => [name, value])) };
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
