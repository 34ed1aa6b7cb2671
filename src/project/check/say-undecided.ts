import { UnknownValue } from '../../contract/resources.ts';
import type { Resource } from '../../contract/resources.ts';
import { shapeOf } from '../../inventory/attributes/shapes.ts';
import { at } from '../../inventory/attributes/values.ts';

/** How a resource's source calls a property of the provider; undefined where it has no name of its own. */
export type NameInSource = (property: string) => string | undefined;

/**
 * Why a condition could not be decided, in the words of the resource's source, and what to do: the property or argument in
 * place of the attribute, and the parameters that would decide it.
 * @param message as the condition's evaluation says it: `resource.versioning.enabled is not known: Ref Versioning`
 */
export function sayUndecided(
  message: string,
  resource: Resource,
  nameOf: NameInSource | undefined,
): string {
  const [, missing] = /^(resource(?:\.\w+)+) is not set$/.exec(message) ?? [];
  if (missing !== undefined) {
    const [, root = ''] = missing.split('.');
    // The advice would make a policy of a slip that never fails.
    if (shapeOf(resource.type)?.fields?.has(root) === false)
      return `${message}: ${root} is not a known attribute of ${resource.type}; if it is one of your own that can be missing, test has(${missing}) in the condition`;
    return `${message}: if it can be missing, test has(${missing}) in the condition`;
  }
  const [, attribute = '', expression = ''] = /^(.+?) is not known: (.*)$/s.exec(message) ?? [];
  if (attribute === '') return message;
  const { property, value } = traceOf(resource, attribute, expression);
  const name =
    property === undefined || property === '' ? attribute : `\`${nameOf?.(property) ?? property}\``;
  if (formatOf(resource) === 'terraform') {
    return isReference.test(expression)
      ? `${name} is known only after apply: ${expression}`
      : `${name} is not known: ${expression}`;
  }
  const said = `${name} is not known: ${asWritten(expression)}`;
  const [first, ...others] = (value?.waitsFor ?? [])
    .filter((name) => name.length <= maxParameterName)
    .slice(0, mostParameters);
  if (first === undefined) {
    const isDeployed =
      value?.target !== undefined || value?.parameter !== undefined || isImport.test(expression);
    return isDeployed ? `${said}, which is known only after deployment` : said;
  }
  const flags = [first, ...others].map((one) => `--parameters ${one}=VALUE`).join(' ');
  return `${said}. Pass \`${flags}\``;
}

/** Of one message. */
const mostParameters = 3;
/** Characters; CloudFormation and Azure allow no more. */
const maxParameterName = 255;

/** An address of Terraform, such as `aws_kms_key.main.arn`. */
const isReference = /^[\w-]+(?:\.|\[)[\w.[\]"*-]*$/;

/** A function of CloudFormation, as unknown values name them. */
const isFunction =
  /^(?:Ref|GetAtt|Sub|If|Join|Select|Split|FindInMap|Base64|Cidr|Length|ToJsonString|ImportValue)(?= |$)/;

const isImport = /^ImportValue /;

/** As a template writes it: `!Ref Versioning`, `the condition Prod`. */
const asWritten = (expression: string): string =>
  isFunction.test(expression)
    ? `!${expression}`
    : expression.replace(/^Condition (?=\S+$)/, 'the condition ');

function formatOf({ source }: Resource): unknown {
  return typeof source === 'object' && source !== null
    ? (source as Readonly<Record<string, unknown>>)['format']
    : undefined;
}

/** The unknown value behind an attribute, and the property that has it where that is one only. */
function traceOf(resource: Resource, attribute: string, expression: string) {
  const places = placesOf(resource);
  const alike = [...places.keys()].filter((one) => one.expression === expression);
  const value = unknownAt(resource, attribute, expression);
  const [found, ...more] = value && places.has(value) ? [value] : alike;
  const [property, ...others] = (found && places.get(found)) ?? [];
  const isOne = more.length === 0 && others.length === 0;
  return { value: value ?? found, property: isOne ? property : undefined };
}

/** The first unknown value of an expression at or below a path such as `resource.ingress[*].cidrs`. */
function unknownAt(resource: Resource, path: string, expression: string): UnknownValue | undefined {
  const [root, ...steps] = path.replace(/: a value$/, '').match(/[^.[\]]+/g) ?? [];
  if (root !== 'resource') return undefined;
  const open: { readonly value: unknown; readonly depth: number }[] = [
    { value: resource, depth: 0 },
  ];
  for (let looked = 0; open.length > 0 && looked < mostValues; looked++) {
    const { value, depth } = open.pop() as (typeof open)[number];
    if (value instanceof UnknownValue) {
      if (value.expression === expression) return value;
      continue;
    }
    if (typeof value !== 'object' || value === null) continue;
    const step = steps[depth] ?? '*';
    const all: unknown[] = Object.values(value);
    const next = step === '*' ? all.toReversed() : [at(value, step)];
    for (const one of next) open.push({ value: one, depth: depth + 1 });
  }
  return undefined;
}

type Places = ReadonlyMap<UnknownValue, readonly string[]>;

/** One resource has many findings, and may have many properties. */
const remembered = new WeakMap<Resource, Places>();

/** Values that are looked at to find the property of an unknown one. */
const mostValues = 20_000;

/** Where each unknown value stands in the provider's own document. */
function placesOf(resource: Resource): Places {
  const known = remembered.get(resource);
  if (known) return known;
  const places = new Map<UnknownValue, string[]>();
  const isTerraform = formatOf(resource) === 'terraform';
  const open: { readonly path: string; readonly value: unknown }[] = [
    { path: '', value: resource.properties },
  ];
  for (let looked = 0; open.length > 0 && looked < mostValues; looked++) {
    const { path, value } = open.pop() as (typeof open)[number];
    if (value instanceof UnknownValue) {
      places.set(value, [...(places.get(value) ?? []), path]);
    } else if (Array.isArray(value)) {
      // Terraform's blocks are lists, most of one item.
      const only = isTerraform && value.length === 1;
      for (const [index, item] of value.entries()) {
        open.push({ path: only ? path : `${path}[${index}]`, value: item });
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        open.push({ path: path === '' ? key : `${path}.${key}`, value: item });
      }
    }
  }
  remembered.set(resource, places);
  return places;
}
