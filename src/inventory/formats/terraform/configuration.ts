import { field, fieldsOf, isFields, itemsOf, textOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import { longestAddress } from './address.ts';
import type { ModuleStep } from './address.ts';

/** What the configuration of a plan says of a module: expressions as references and constants, not as code. */
export interface ModuleConfiguration {
  readonly resources: ReadonlyMap<string, Fields>;
  readonly outputs: Fields;
  readonly calls: Fields;
  readonly variables: Fields;
}

/** The module of a configuration that a path of module names leads to. */
export type FindModule = (path: readonly ModuleStep[]) => ModuleConfiguration | undefined;

/** Reads `configuration.root_module` as it is asked for, each module once. */
export function readConfiguration(configuration: unknown): FindModule {
  const read = new Map<unknown, ModuleConfiguration>();
  return (path) => {
    let here = field(configuration, 'root_module');
    for (const { name } of path) here = field(field(field(here, 'module_calls'), name), 'module');
    if (here === undefined) return undefined;
    const known = read.get(here);
    if (known) return known;
    const made = readModule(here);
    read.set(here, made);
    return made;
  };
}

function readModule(module: unknown): ModuleConfiguration {
  const resources = itemsOf(field(module, 'resources')).map(fieldsOf);
  return {
    resources: new Map(
      resources.flatMap((one) => {
        const address = textOf(one['address']);
        return address === undefined ? [] : [[address, one] as const];
      }),
    ),
    outputs: fieldsOf(field(module, 'outputs')),
    calls: fieldsOf(field(module, 'module_calls')),
    variables: fieldsOf(field(module, 'variables')),
  };
}

/** Terraform lists the forms of a reference a few steps long; a hostile one may have millions. */
const maxSteps = 16;

/** What the expression of an attribute refers to, the longest form of each: not `a.b` beside `a.b.id`. */
export function referencesOf(expression: unknown): readonly string[] {
  if (!isFields(expression)) return [];
  const known = readReferences.get(expression);
  if (known) return known;
  const made = longestForms(itemsOf(field(expression, 'references')));
  readReferences.set(expression, made);
  return made;
}

/** Those of a module's input are asked for by everything that is made of it. */
const readReferences = new WeakMap<Fields, readonly string[]>();

function longestForms(references: readonly unknown[]): readonly string[] {
  const all = references
    .filter((one) => typeof one === 'string')
    .map((one) => one.slice(0, longestAddress));
  const shorter = new Set<string>();
  for (const text of all) {
    let end = lastStep(text, text.length);
    for (let steps = 0; end > 0 && steps < maxSteps; steps++, end = lastStep(text, end))
      shorter.add(text.slice(0, end));
  }
  return all.filter((text) => !shorter.has(text));
}

const lastStep = (text: string, before: number): number =>
  Math.max(text.lastIndexOf('.', before - 1), text.lastIndexOf('[', before - 1));

/** The expression at a path of names; of blocks that are repeated, of none, as a set's order is not that of the source. */
export function expressionAt(expressions: unknown, path: readonly string[]): unknown {
  let here = expressions;
  for (const name of path) {
    const blocks = itemsOf(here);
    here = field(blocks.length === 1 ? blocks[0] : here, name);
  }
  return here;
}

/**
 * The expressions that give an attribute at a path of names, one of each block; of a hostile configuration, so many only.
 * One may give a whole map: a constant what it has there, another one all that the map is made of.
 */
export function expressionsAt(expressions: unknown, path: readonly string[]): FoundExpression[] {
  let here: FoundExpression[] = [{ expression: expressions, ofWhole: false }];
  for (const [index, name] of path.entries()) {
    here = here
      .flatMap(({ expression }) => {
        if (index > 0 && isExpression(expression)) return partOfMap(expression, name);
        const inner = field(expression, name);
        return (Array.isArray(inner) ? itemsOf(inner) : [inner]).map((one) => ({
          expression: one,
          ofWhole: false,
        }));
      })
      .filter(({ expression }) => expression !== undefined)
      .slice(0, maxBlocks);
  }
  return here;
}

/** An expression, and whether it gives more than what was asked for. */
interface FoundExpression {
  readonly expression: unknown;
  readonly ofWhole: boolean;
}

function partOfMap(expression: unknown, name: string): FoundExpression {
  if (referencesOf(expression).length > 0) return { expression, ofWhole: true };
  const constant = field(field(expression, 'constant_value'), name);
  const part = constant === undefined ? undefined : { constant_value: constant };
  return { expression: part, ofWhole: false };
}

const maxBlocks = 1_000;

/** Whether a node of `expressions` is an expression itself rather than a block of them. */
export const isExpression = (node: unknown): boolean =>
  Array.isArray(field(node, 'references')) ||
  Object.hasOwn(fieldsOf(node), 'constant_value') ||
  Object.keys(fieldsOf(node)).length === 0;
