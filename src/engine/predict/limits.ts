import type { Rule } from '../../contract/policies.ts';
import { compileRule } from '../compile-rule.ts';
import { resourceSlot } from '../condition/compile.ts';
import { termsOf } from '../condition/program.ts';
import type { Term } from '../condition/program.ts';
import { Uint } from '../condition/values.ts';

/** A number that a condition compares an attribute with. */
export interface Limit {
  /** Of the attribute in the resource, such as `["backup", "retention_days"]`. */
  readonly path: readonly string[];
  /** With the attribute on the left. */
  readonly op: '<' | '<=' | '>' | '>=';
  readonly value: number;
}

const mirrored = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

/** Of one policy; a policy compares few attributes with numbers. */
const mostLimits = 20;

/**
 * The limits of these rules: each comparison of an attribute with a number that is written in the condition.
 * Attributes of items of lists are left out, as an item has no history of its own.
 * @throws Error when a condition does not compile: callers have checked it
 */
export function limitsOf(rules: readonly Rule[]): readonly Limit[] {
  const found = new Map<string, Limit>();
  for (const [index, rule] of rules.entries()) {
    const compiled = compileRule(rule);
    if (!compiled.ok) throw new Error(`rules[${index}].condition: ${compiled.problem.message}`);
    for (const term of termsOf(compiled.condition.program.root)) {
      const limit = limitOf(term);
      if (limit && found.size < mostLimits) found.set(JSON.stringify(limit), limit);
    }
  }
  return [...found.values()];
}

const isOrder = (name: string): name is Limit['op'] => Object.hasOwn(mirrored, name);

function limitOf(term: Term): Limit | undefined {
  if (term.kind !== 'call' || !isOrder(term.name)) return undefined;
  const [left, right] = term.args;
  if (!left || !right) return undefined;
  const forward = limitFrom(left, term.name, right);
  return forward ?? limitFrom(right, mirrored[term.name], left);
}

function limitFrom(attribute: Term, op: Limit['op'], constant: Term): Limit | undefined {
  const path = pathOf(attribute);
  const value = constant.kind === 'constant' ? numberOf(constant.value) : undefined;
  return path && path.length > 0 && value !== undefined ? { path, op, value } : undefined;
}

function numberOf(value: unknown): number | undefined {
  const number =
    typeof value === 'bigint'
      ? Number(value)
      : value instanceof Uint
        ? Number(value.magnitude)
        : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Conversions that leave a number as it is, or nearly so. */
const conversions: ReadonlySet<string> = new Set(['int', 'uint', 'double']);

/** Undefined where the term is anything but an attribute of the resource. */
function pathOf(term: Term): readonly string[] | undefined {
  const keys: string[] = [];
  for (let at = term; ;) {
    if (at.kind === 'variable') return at.slot === resourceSlot ? keys : undefined;
    if (at.kind === 'select') {
      keys.unshift(at.key);
      at = at.of;
    } else if (
      at.kind === 'index' &&
      at.at.kind === 'constant' &&
      typeof at.at.value === 'string'
    ) {
      keys.unshift(at.at.value);
      at = at.of;
    } else if (at.kind === 'call' && conversions.has(at.name) && at.args[0] && keys.length === 0) {
      at = at.args[0];
    } else return undefined;
  }
}

/** The number at a path of a resource. */
export function numberAt(resource: unknown, path: readonly string[]): number | undefined {
  let at = resource;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return typeof at === 'number' && Number.isFinite(at) ? at : undefined;
}

/** A copy of a resource with another number at a path that it has. */
export function withNumber<T extends object>(
  resource: T,
  [key, ...rest]: readonly string[],
  value: number,
): T {
  if (key === undefined) return resource;
  const inner = (resource as Readonly<Record<string, unknown>>)[key];
  const isNested = rest.length > 0 && typeof inner === 'object' && inner !== null;
  return { ...resource, [key]: isNested ? withNumber(inner, rest, value) : value };
}

/**
 * The first value at which the comparison answers otherwise than at `from`.
 * @param isWhole whether the attribute has whole numbers only
 */
export function beyond({ op, value }: Limit, from: number, isWhole: boolean): number {
  const isRising = op === '>' || op === '<=' ? from <= value : from < value;
  // `>=` and `<` answer otherwise at the limit when the attribute rises, `>` and `<=` when it falls.
  const isAtLimit = (op === '>=' || op === '<') === isRising;
  if (isWhole) {
    if (isRising) return isAtLimit ? Math.ceil(value) : Math.floor(value) + 1;
    return isAtLimit ? Math.floor(value) : Math.ceil(value) - 1;
  }
  if (isAtLimit) return value;
  const step = Math.max(Math.abs(value), 1) * 1e-9;
  return isRising ? value + step : value - step;
}
