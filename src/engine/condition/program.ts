import type { Strict } from './functions.ts';
import type { Failure } from './values.ts';

/** What every part of a program knows: where its text stands, and which attribute it reads. */
interface Place {
  readonly start: number;
  readonly end: number;
  /** `resource.tags["team"]`, `resource.ingress[*].cidr`; absent for what is calculated. */
  readonly path?: string;
}

const loops = ['all', 'exists', 'exists_one', 'map', 'filter'] as const;
export type LoopKind = (typeof loops)[number];

/** Whether a method is a macro: its first argument is the name of an item. */
export const isLoop = (method: string): method is LoopKind => loops.some((one) => one === method);

/**
 * A condition ready to be run or written as code: names are slots, macros are loops, functions are found, chains are
 * flat, so that neither back end recurses deeper than an expression nests.
 */
export type Term = Place &
  (
    | { readonly kind: 'constant'; readonly value: unknown }
    | { readonly kind: 'variable'; readonly slot: number }
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
    | { readonly kind: 'list'; readonly items: readonly Term[] }
    | {
        readonly kind: 'map';
        readonly entries: readonly { readonly key: Term; readonly value: Term }[];
      }
    | {
        readonly kind: 'loop';
        readonly loop: LoopKind;
        readonly over: Term;
        readonly slot: number;
        /** What looking at an item costs of the budget. */
        readonly stepsOfItem: number;
        /** Of `map` with two arguments there is none. */
        readonly test?: Term;
        /** Of `map` only. */
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

/** The attributes that a program reads, such as `resource.tags["team"]` and `resource.ingress[*].cidr`. */
export function attributesOf(root: Term): ReadonlySet<string> {
  const paths = new Set<string>();
  const inner = new Set<Term>();
  for (const term of termsOf(root)) {
    if (term.kind === 'select' || term.kind === 'has' || term.kind === 'index') inner.add(term.of);
    if (term.path !== undefined && !inner.has(term)) paths.add(term.path);
  }
  return paths;
}
