import type { Strict } from './values.ts';
import type { Failure } from './values.ts';

/** What every part of a program knows: where its text stands, and which attribute it reads. */
interface Place {
  readonly start: number;
  readonly end: number;
  /** `resource.tags["team"]`, `resource.ingress[*].cidr`; absent for what is calculated. */
  readonly path?: string;
}

/** `entries` makes a map of one entry for each item, `merge` one of all entries of the maps that the items become. */
export type LoopKind = 'all' | 'exists' | 'exists_one' | 'map' | 'filter' | 'entries' | 'merge';

interface Loop {
  readonly loop: LoopKind;
  /** One for an item of a list or a key of a map; two for a place or key and what stands there. */
  readonly variables: 1 | 2;
}

const loops: ReadonlyMap<string, Loop> = new Map<string, Loop>([
  ...(['all', 'exists', 'exists_one', 'filter', 'map'] as const).map((loop): [string, Loop] => [
    `${loop}/2`,
    { loop, variables: 1 },
  ]),
  ['existsOne/2', { loop: 'exists_one', variables: 1 }],
  ['map/3', { loop: 'map', variables: 1 }],
  ...(['all', 'exists', 'exists_one'] as const).map((loop): [string, Loop] => [
    `${loop}/3`,
    { loop, variables: 2 },
  ]),
  ['existsOne/3', { loop: 'exists_one', variables: 2 }],
  ...[3, 4].flatMap((count): [string, Loop][] => [
    [`transformList/${count}`, { loop: 'map', variables: 2 }],
    [`transformMap/${count}`, { loop: 'entries', variables: 2 }],
    [`transformMapEntry/${count}`, { loop: 'merge', variables: 2 }],
  ]),
]);

/** What a method is that is a macro: its first arguments are names. @param count of arguments */
export const loopOf = (method: string, count: number): Loop | undefined =>
  loops.get(`${method}/${count}`);

const optionalActs = ['or', 'orValue', 'optMap', 'optFlatMap'] as const;
export type OptionalAct = (typeof optionalActs)[number];

/** Whether a method is one of optionals that looks at its argument only where that is needed. */
export const optionalActOf = (method: string, count: number): OptionalAct | undefined =>
  optionalActs.find((act) => act === method && count === (act.startsWith('opt') ? 2 : 1));

/**
 * A condition ready to be run or written as code: names are slots, macros are loops, functions are found, chains are
 * flat, so that neither back end recurses deeper than an expression nests.
 */
export type Term = Place &
  (
    | { readonly kind: 'constant'; readonly value: unknown }
    | {
        readonly kind: 'variable';
        readonly slot: number;
        /** Of `cel.bind`: its value can be a Failure. */
        readonly mayFail?: true;
      }
    /** `cel.bind(name, value, body)`. */
    | { readonly kind: 'bind'; readonly slot: number; readonly value: Term; readonly body: Term }
    | {
        readonly kind: 'select';
        readonly of: Term;
        readonly key: string;
        /** The answer where there is none. */
        readonly missing: Failure;
      }
    | { readonly kind: 'has'; readonly of: Term; readonly key: string }
    | { readonly kind: 'index'; readonly of: Term; readonly at: Term }
    | { readonly kind: 'and' | 'or'; readonly terms: readonly Term[] }
    | {
        readonly kind: 'choose';
        readonly condition: Term;
        readonly then: Term;
        readonly otherwise: Term;
      }
    | {
        readonly kind: 'call';
        readonly name: string;
        readonly run: Strict;
        readonly args: readonly Term[];
        /** Of `matches` with a literal that JavaScript itself can run. */
        readonly native?: RegExp | undefined;
        /** Of `in` with a literal list of texts. */
        readonly among?: ReadonlySet<string>;
      }
    /** `a + b - c …`: from left to right. */
    | {
        readonly kind: 'chain';
        readonly first: Term;
        readonly steps: readonly {
          readonly name: string;
          readonly run: Strict;
          readonly operand: Term;
        }[];
      }
    | {
        readonly kind: 'list';
        readonly items: readonly Term[];
        /** Places of `?` items: optionals, of which those without a value are left out. */
        readonly optional?: ReadonlySet<number>;
      }
    /** What is made of an optional: `or` and `orValue` look at `then` where it has no value, the others where it has one. */
    | {
        readonly kind: 'optional';
        readonly act: OptionalAct;
        readonly of: Term;
        readonly then: Term;
        /** Of the value, for those that name it. */
        readonly slot?: number;
      }
    | {
        readonly kind: 'map';
        readonly entries: readonly {
          readonly key: Term;
          readonly value: Term;
          /** `{?key: value}`: the value is an optional, and without one there is no entry. */
          readonly isOptional?: boolean;
        }[];
      }
    | {
        readonly kind: 'loop';
        readonly loop: LoopKind;
        readonly over: Term;
        readonly slot: number;
        /** The slot of the place or key, where the macro has two variables. */
        readonly key?: number;
        /** What looking at an item costs of the budget. */
        readonly stepsOfItem: number;
        /** Of a macro that changes all items there is none. */
        readonly test?: Term;
        /** Of `map`, `entries` and `merge`. */
        readonly yields?: Term;
      }
  );

export interface Program {
  readonly root: Term;
  /** What running it costs of the budget, beside what is spent while it runs. */
  readonly steps: number;
  /** How many variables it has; they have the first slots. */
  readonly variables: number;
  /** Variables first, then those of loops. */
  readonly slots: number;
  /** The variables that are read, by slot. */
  readonly reads: ReadonlySet<number>;
}

/** The direct parts of a term. */
export function partsOf(term: Term): readonly Term[] {
  switch (term.kind) {
    case 'constant':
    case 'variable':
      return [];
    case 'bind':
      return [term.value, term.body];
    case 'select':
    case 'has':
      return [term.of];
    case 'index':
      return [term.of, term.at];
    case 'and':
    case 'or':
      return term.terms;
    case 'choose':
      return [term.condition, term.then, term.otherwise];
    case 'call':
      return term.args;
    case 'chain':
      return [term.first, ...term.steps.map(({ operand }) => operand)];
    case 'optional':
      return [term.of, term.then];
    case 'list':
      return term.items;
    case 'map':
      return term.entries.flatMap(({ key, value }) => [key, value]);
    case 'loop':
      return [term.over, term.test, term.yields].filter((part) => part !== undefined);
  }
}

/** A term and all its parts, with a stack of its own. */
export function* termsOf(root: Term): Generator<Term> {
  const waiting = [root];
  for (let term = waiting.pop(); term; term = waiting.pop()) {
    yield term;
    waiting.push(...partsOf(term));
  }
}

export const countTerms = (root: Term): number => [...termsOf(root)].length;

/** Whether a part is `of.?key` or `of[?key]`: a call of these two. */
export const isOptionalAccess = (term: Term): term is Extract<Term, { readonly kind: 'call' }> =>
  term.kind === 'call' && (term.name === '.?' || term.name === '[?]');

/** The attributes that a program reads, such as `resource.tags["team"]` and `resource.ingress[*].cidr`. */
export function attributesOf(root: Term): ReadonlySet<string> {
  const paths = new Set<string>();
  const inner = new Set<Term>();
  for (const term of termsOf(root)) {
    if (term.kind === 'select' || term.kind === 'has' || term.kind === 'index') inner.add(term.of);
    if (isOptionalAccess(term) && term.args[0]) inner.add(term.args[0]);
    if (term.path !== undefined && !inner.has(term)) paths.add(term.path);
  }
  return paths;
}
