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
   * What stands for resources of a type that may belong to this one, as nobody knows what the value of `field` names: one
   * resource with unknown values for all of a Terraform module. A part of a module belongs to a resource of the module, or
   * of one that it calls; if these have none of the type, it may belong to any.
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
        if (isStray && mayNameAny(value)) addTo(index.unplaced, modulesOf(raw).at(-1) ?? '', raw);
      }
    }
    ofThisType.set(field, index);
    return index;
  };
  const placements = new Map<Index, Map<string, Placement>>();
  /** Where the parts that nobody can place may belong among the resources of a type. */
  const placed = (index: Index, ownerType: string): Placement => {
    const ofIndex = placements.get(index) ?? new Map<string, Placement>();
    placements.set(index, ofIndex);
    const known = ofIndex.get(ownerType) ?? place(index.unplaced, ofType(ownerType));
    ofIndex.set(ownerType, known);
    return known;
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
      const index = indexOf(type, field);
      const known = index.named.get(to) ?? [];
      if (to === undefined || index.unplaced.size === 0) return known;
      const its = modulesOf(to).flatMap((module) => placed(index, to.type).sure.get(module) ?? []);
      return its.length === 0 ? known : [...known, ...its];
    },
    possible(to, type, field) {
      const index = indexOf(type, field);
      if (index.unplaced.size === 0) return [];
      const { maybe, anywhere } = placed(index, to.type);
      return [...modulesOf(to).flatMap((module) => maybe.get(module) ?? []), ...anywhere];
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

/** Whether a value may come from any resource. Parameters and the exports of other stacks come from none of these. */
const mayNameAny = (value: unknown): boolean =>
  isUnknown(value) &&
  value.target === undefined &&
  value.parameter === undefined &&
  !value.expression.startsWith('ImportValue ');

/** Where parts may belong that nobody can place, by the module that they are in. */
interface Placement {
  /** The parts of a module with one possible owner. */
  readonly sure: ReadonlyMap<string, readonly RawResource[]>;
  /** What stands for those of a module with several. */
  readonly maybe: ReadonlyMap<string, RawResource>;
  /** What stands for those of modules with none: they may be any owner's. */
  readonly anywhere: readonly RawResource[];
}

function place(
  unplaced: ReadonlyMap<string, readonly RawResource[]>,
  owners: readonly RawResource[],
): Placement {
  const ownersIn = new Map<string, number>();
  for (const owner of owners) {
    for (const module of modulesOf(owner)) ownersIn.set(module, (ownersIn.get(module) ?? 0) + 1);
  }
  const sure = new Map<string, readonly RawResource[]>();
  const maybe = new Map<string, RawResource>();
  const others: (readonly RawResource[])[] = [];
  for (const [module, parts] of unplaced) {
    const count = ownersIn.get(module) ?? 0;
    if (count === 0) others.push(parts);
    else if (count === 1 && module !== '') sure.set(module, parts);
    else maybe.set(module, undecided(parts));
  }
  return { sure, maybe, anywhere: others.length === 0 ? [] : [undecided(others.flat())] };
}

/** Modules in modules; people nest a few. */
const mostModules = 20;

const moduleSteps = /module\.[^.[]+(?:\[(?:"(?:[^"\\]|\\.)*"|[^\]"]*)\])?\./y;

/** The modules of Terraform that an address is in, from outside in, each with a dot behind it: `module.web[0].`; the root is ''. */
function modulesOf({ address }: RawResource): readonly string[] {
  const modules = [''];
  moduleSteps.lastIndex = 0;
  while (modules.length < mostModules && moduleSteps.test(address))
    modules.push(address.slice(0, moduleSteps.lastIndex));
  return modules;
}

/** In place of several parts, one that has what any of them has, with values that nobody knows. */
function undecided(parts: readonly RawResource[]): RawResource {
  const [first] = parts;
  if (!first) throw new Error('there is no part to stand for');
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
