import { field, fieldsOf, isFields } from '../../json.ts';
import type { Fields } from '../../json.ts';
import { readSteps } from './address.ts';
import type { InstanceKey, ModuleStep, Step } from './address.ts';
import { referencesOf } from './configuration.ts';
import type { FindModule } from './configuration.ts';
import type { ValueOrigin } from '../../model.ts';

/** A resource instance of the plan. */
export interface Instance {
  readonly address: string;
  readonly modules: readonly ModuleStep[];
  readonly type: string;
  readonly name: string;
  readonly key: InstanceKey | undefined;
}

/** The resource that a value comes from, and its attribute where the reference names one. */
export interface Origin {
  readonly target: string;
  readonly attribute: string | undefined;
}

/** Where an expression stands: what `each`, `count`, `var` and `module` mean there. */
interface Scope {
  readonly modules: readonly ModuleStep[];
  readonly key: InstanceKey | undefined;
  /** Configuration of the resource or module call that the expression is part of. */
  readonly owner: unknown;
}

/** What a plan tells of an expression whose value is not known yet. */
export interface Trace {
  /** The one resource that the value comes from; undefined for none, or for several. */
  readonly origin: Origin | undefined;
  /**
   * Whether the expression gives a value. Variables have one when the plan is made: where an expression of nothing else
   * leaves an attribute unknown, it gave null, and the provider chooses.
   */
  readonly given: boolean;
  /** All that it is made of. */
  readonly origins: readonly ValueOrigin[];
}
type TraceExpression = (from: Instance, expression: unknown) => Trace;

/** References behind one expression; people write a few. Where there are more, the value comes from no one place. */
const maxFollowed = 200;

/**
 * Follows references through module inputs and outputs and `each.value`. The plan does not hold the expressions of
 * locals, so a value that comes through one has no origin.
 */
export function createTrace(
  instances: readonly Instance[],
  findModule: FindModule,
): TraceExpression {
  const index = indexInstances(instances);
  // A list of unknown items asks for the one expression that gives it, for each of them.
  const traces = new WeakMap<Instance, Map<unknown, Trace>>();
  return (from, expression) => {
    const known = traces.get(from) ?? new Map<unknown, Trace>();
    traces.set(from, known);
    const trace = known.get(expression) ?? traceOnce(from, expression);
    known.set(expression, trace);
    return trace;
  };

  function traceOnce(from: Instance, expression: unknown): Trace {
    const scope: Scope = {
      modules: from.modules,
      key: from.key,
      owner: findModule(from.modules)?.resources.get(`${from.type}.${from.name}`),
    };
    const origins = new Map<string, Origin>();
    const all: ValueOrigin[] = [];
    const seen = new Set<string>();
    let given =
      referencesOf(expression).length === 0 && field(expression, 'constant_value') !== null;
    let left = maxFollowed;
    let isComposed = false;
    followAll(expression, scope);
    const found = left < 0 ? undefined : oneOrigin([...origins.values()]);
    // `"${var.name}-${aws_kms_key.main.id}"` is no reference to the key; in `aws_kms_key.main[var.name]` the variable is
    // an index, and the plan leaves the attribute out.
    const origin = isComposed && found?.attribute !== undefined ? undefined : found;
    return { origin, given: given || left < 0, origins: all };

    function followAll(node: unknown, within: Scope): void {
      const references = referencesOf(node).slice(0, maxFollowed + 1);
      // A function of nothing, such as `timestamp()`, has neither references nor a constant.
      if (references.length === 0 && isFields(node) && !Object.hasOwn(node, 'constant_value'))
        given = true;
      const byOwnKey = references.some((text) => text.startsWith('count.') || text === 'each.key');
      for (const reference of references) follow(readSteps(reference), within, byOwnKey);
    }

    function follow(steps: readonly Step[], within: Scope, byOwnKey: boolean): void {
      // A module may be asked for its own output again: each place is followed once.
      const place = JSON.stringify([within.modules, within.key, steps]);
      if (seen.has(place) || left < 0) return;
      left--;
      seen.add(place);
      const [head, second] = steps.map(nameOf);
      if (head === 'var' && second !== undefined) followVariable(second, within);
      else if (head === 'module') followOutput(steps.slice(1), within);
      else if (head === 'each' && second === 'value') {
        const before = isComposed;
        const references = referencesOf(field(within.owner, 'for_each_expression'));
        for (const reference of references.slice(0, maxFollowed + 1))
          follow([...readSteps(reference), ...steps.slice(2)], within, true);
        isComposed = before;
      } else if (head !== undefined && !known.has(head)) {
        given = true;
        all.push({ type: head === 'data' || head === 'ephemeral' ? (second ?? head) : head });
        const found = index(within, steps, byOwnKey);
        if (found) origins.set(JSON.stringify(found), found);
        else isComposed = true;
      }
    }

    function followVariable(name: string, within: Scope): void {
      const last = within.modules.at(-1);
      const modules = within.modules.slice(0, -1);
      const owner = last && field(findModule(modules)?.calls, last.name);
      const argument = field(field(owner, 'expressions'), name);
      if (last && argument !== undefined) followAll(argument, { modules, key: last.key, owner });
      else {
        isComposed = true;
        all.push(variableOrigin(name, findModule(within.modules)?.variables));
      }
    }

    function followOutput(steps: readonly Step[], within: Scope): void {
      const [call, ...rest] = steps;
      const name = call && nameOf(call);
      if (name === undefined) return;
      const key = rest[0] && keyOf(rest[0]);
      const output = nameOf(rest[key === undefined ? 0 : 1]);
      const modules = [...within.modules, { name, key }];
      const expression =
        output === undefined
          ? undefined
          : field(field(findModule(modules)?.outputs, output), 'expression');
      // A module as a whole (`values(module.offices)[*].cidr`), or an output that the plan does not show.
      if (expression === undefined) given = isComposed = true;
      followAll(expression, { modules, key, owner: undefined });
    }
  }
}

function variableOrigin(name: string, variables: Fields | undefined): ValueOrigin {
  const declared = field(variables, name);
  return {
    variable: name,
    sensitive: field(declared, 'sensitive') === true || field(declared, 'ephemeral') === true,
    hasDefault: (field(declared, 'default') ?? '') !== '',
  };
}

/** What has a value when the plan is made. */
const known = new Set(['path', 'terraform', 'each', 'count']);

function oneOrigin(origins: readonly Origin[]): Origin | undefined {
  const [first, ...others] = origins;
  if (!first || others.some(({ target }) => target !== first.target)) return undefined;
  return others.length === 0 ? first : { target: first.target, attribute: undefined };
}

const nameOf = (step: Step | undefined): string | undefined =>
  step && 'name' in step ? step.name : undefined;
const keyOf = (step: Step | undefined): InstanceKey | undefined =>
  step && 'key' in step ? step.key : undefined;

type Look = (within: Scope, steps: readonly Step[], byOwnKey: boolean) => Origin | undefined;

function indexInstances(instances: readonly Instance[]): Look {
  const byResource = new Map<string, Instance[]>();
  const byPlace = new Map<string, Instance>();
  for (const one of instances) {
    const resource = resourceKey(one.modules, one.type, one.name);
    const same = byResource.get(resource);
    if (same) same.push(one);
    else byResource.set(resource, [one]);
    byPlace.set(placeKey(resource, one.modules, one.key), one);
  }
  return (within, steps, byOwnKey) => {
    const isData = nameOf(steps[0]) === 'data';
    const from = isData ? 1 : 0;
    const [kind = '', name = ''] = steps.slice(from, from + 2).map(nameOf);
    const type = isData ? `data.${kind}` : kind;
    const key = keyOf(steps[from + 2]);
    const resource = resourceKey(within.modules, type, name);
    const all = byResource.get(resource) ?? [];
    const found =
      byPlace.get(placeKey(resource, within.modules, key ?? (byOwnKey ? within.key : undefined))) ??
      (all.length === 1 ? all[0] : undefined);
    const attribute = nameOf(steps[from + (key === undefined ? 2 : 3)]);
    return found && { target: found.address, attribute };
  };
}

const resourceKey = (modules: readonly ModuleStep[], type: string, name: string): string =>
  JSON.stringify([modules.map((one) => one.name), type, name]);

const placeKey = (
  resource: string,
  modules: readonly ModuleStep[],
  key: InstanceKey | undefined,
): string => JSON.stringify([resource, modules.map((one) => one.key ?? null), key ?? null]);

/** What a plan's variable or literal gives an expression of the root module: a region, a project. */
export function literalOf(expression: unknown, variables: Fields): string | undefined {
  const constant = field(expression, 'constant_value');
  if (typeof constant === 'string') return constant;
  const [only, ...others] = referencesOf(expression);
  if (!only?.startsWith('var.') || others.length > 0) return undefined;
  const value = field(fieldsOf(variables[only.slice('var.'.length)]), 'value');
  return typeof value === 'string' ? value : undefined;
}
