import { UnknownValue } from '../../../contract/resources.ts';
import { field, fieldsOf, isFields, itemsOf } from '../../json.ts';
import { isExpression, referencesOf } from './configuration.ts';
import type { Origin, Trace } from './references.ts';

/** Terraform nests values far less; what is deeper than this is unknown. */
const maxDepth = 100;

/** Blocks that are told apart by their constants; what is made of more of them comes from no one place. */
const maxBlocks = 100;

/** What stands behind the unknown values of one resource. */
export interface Behind {
  readonly address: string;
  /** Whether the plan has the resource's configuration: only then what it leaves out is left to the provider. */
  readonly isConfigured: boolean;
  readonly trace: (expression: unknown) => Trace;
  /** What can be worked out of the place that a value comes from. */
  readonly valueOf: (origin: Origin) => unknown;
}

/**
 * A planned value with `UnknownValue`s where `after_unknown` has true. `nodes` are the expressions that may have given
 * it: one, or for a block that is repeated as many as fit, as a set's order is not that of the source.
 */
export function mergeUnknown(
  value: unknown,
  unknown: unknown,
  nodes: readonly unknown[],
  behind: Behind,
  path = '',
  depth = 0,
): unknown {
  if ((unknown === true && (value ?? null) === null) || depth > maxDepth)
    return unknownAt(nodes, behind, path);
  if (Array.isArray(unknown) || Array.isArray(value)) {
    const values = itemsOf(value);
    const unknowns = itemsOf(unknown);
    const length = Math.max(values.length, unknowns.length);
    if (unknowns.length === 0) return value;
    return Array.from({ length }, (_, index) =>
      mergeItem(values[index], unknowns[index], nodes, behind, `${path}[${index}]`, depth + 1),
    );
  }
  if (!isFields(unknown) || Object.keys(unknown).length === 0) return value;
  const nodesOf = nodesOfAttributes(nodes);
  const names = new Set([...Object.keys(fieldsOf(value)), ...Object.keys(unknown)]);
  return Object.fromEntries(
    Array.from(names, (name) => [
      name,
      mergeUnknown(
        field(value, name),
        field(unknown, name),
        nodesOf(name),
        behind,
        path === '' ? name : `${path}.${name}`,
        depth + 1,
      ),
    ]),
  );
}

function mergeItem(
  item: unknown,
  unknown: unknown,
  nodes: readonly unknown[],
  behind: Behind,
  path: string,
  depth: number,
): unknown {
  if (isAllKnown(unknown)) return item;
  // A block of which nobody has looked up what it leaves out.
  if (unknown === true && isFields(item)) return new UnknownValue(`${behind.address}.${path}`);
  return mergeUnknown(item, unknown, nodesOfItem(nodes, item), behind, path, depth);
}

const isAllKnown = (unknown: unknown): boolean =>
  unknown === false || (isFields(unknown) && Object.keys(unknown).length === 0);

/** An expression gives all that is inside its value; a block has expressions of its own. */
function nodesOfAttributes(nodes: readonly unknown[]): (name: string) => unknown[] {
  const told = nodes.map((node) => ({ node, isExpression: isExpression(node) }));
  return (name) =>
    told.flatMap(({ node, isExpression }) => {
      const inner = isExpression ? node : field(node, name);
      return inner === undefined ? [] : [inner];
    });
}

function nodesOfItem(nodes: readonly unknown[], item: unknown): unknown[] {
  // In a list an empty node is a block that gives nothing; elsewhere it is an expression without references.
  const blocks = nodes.flatMap((node) =>
    Array.isArray(node) ? node.filter((block) => Object.keys(fieldsOf(block)).length > 0) : [node],
  );
  if (blocks.length > maxBlocks) return blocks.slice(0, maxBlocks + 1);
  const fitting = blocks.filter((block) => isExpression(block) || !contradicts(block, item));
  return fitting.length > 0 ? fitting : blocks;
}

/** Whether a constant of a block differs from the value that the item has in its place. */
const contradicts = (block: unknown, item: unknown): boolean =>
  Object.entries(fieldsOf(item)).some(([name, value]) => {
    const constant = field(field(block, name), 'constant_value');
    return isScalar(constant) && isScalar(value) && constant !== value;
  });

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

function unknownAt(possible: readonly unknown[], behind: Behind, path: string): unknown {
  // A constant is known: it belongs to another of the repeated blocks.
  const nodes = possible.filter((node) => !Object.hasOwn(fieldsOf(node), 'constant_value'));
  if (nodes.length > maxBlocks) return new UnknownValue(`${behind.address}.${path}`);
  const traces = nodes.map((node) => behind.trace(node));
  const origin = traces[0]?.origin;
  const agreed = origin && traces.every((one) => one.origin?.target === origin.target);
  const value = agreed && nodes.length === 1 ? behind.valueOf(origin) : undefined;
  if (value !== undefined) return value;
  const expression = onlyReference(nodes) ?? `${behind.address}.${path}`;
  return new UnknownValue(expression, {
    present: !behind.isConfigured || traces.some(({ given }) => given),
    ...(agreed ? { target: origin.target } : {}),
    ...(agreed && origin.attribute !== undefined ? { attribute: origin.attribute } : {}),
  });
}

/** The one thing that all of the nodes refer to; undefined for none, or for several. */
function onlyReference(nodes: readonly unknown[]): string | undefined {
  let only: string | undefined;
  for (const node of nodes) {
    for (const reference of referencesOf(node)) {
      if (only !== undefined && reference !== only) return undefined;
      only = reference;
    }
  }
  return only;
}
