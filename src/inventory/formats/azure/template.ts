import { defined } from '../../../contract/defined.ts';
import { UnknownValue } from '../../../contract/resources.ts';
import { field, fieldsOf, isFields, textOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import type {
  DocumentPath,
  DocumentProblem,
  LeftOut,
  RawResource,
  ReadDocument,
} from '../../model.ts';
import { isUnknown, readTags } from '../../attributes/values.ts';
import { evaluateValue, maxCopies } from './evaluate.ts';
import type { Scope } from './evaluate.ts';
import { shown } from './functions.ts';
import { propertiesOf, regionName, toldOf } from './properties.ts';
import { deploymentWords, resourceWords, templateWords } from './other-case.ts';
import { resourceAddress, splitName } from './resource-address.ts';
import { createScope, parameterProblems } from './scope.ts';
import type { ParameterValues } from './scope.ts';
import { azureType } from './types.ts';

/** One instance of a resource of the template, before its body is evaluated. */
interface Declared {
  /** In one deployment; another one, to another group, may have the same. */
  readonly id: string;
  /** Its id, told apart from the same id of another deployment. */
  readonly address: string;
  readonly parent: string | undefined;
  /** The address of the deployment to another group or subscription that it is part of. */
  readonly place: string | undefined;
  /** What the template around it is deployed to: a level, or a scope. */
  readonly target: unknown;
  readonly type: string;
  readonly name: unknown;
  readonly body: Fields;
  readonly scope: Scope;
  /** The condition it is deployed under, where that is not known, or false. */
  readonly condition: string | undefined;
  /** Why it is not deployed: what is false, or makes no copy. */
  readonly leftOut: string | undefined;
  /** The same of its children: a condition is about the resource alone. */
  readonly childrenLeftOut: string | undefined;
  readonly at: DocumentPath;
}

/** A list of resources that waits to be read. */
interface Waiting {
  readonly resources: unknown;
  readonly scope: Scope;
  readonly parent:
    { readonly type: string; readonly name: string; readonly address: string } | undefined;
  readonly place: string | undefined;
  readonly target: unknown;
  /** Why the deployment or the copies around them are not deployed. */
  readonly leftOut: string | undefined;
  readonly at: DocumentPath;
  readonly depth: number;
}

/** Deployments and children inside each other; Azure takes fewer. */
const maxNesting = 16;
/** Azure takes 800 resources in a deployment. */
const maxResources = 10_000;
/** Values that the expressions of one template may make, see `Scope.budget`. */
const maxBudget = 1_000_000;

/**
 * Reads a deployment template: the resources that it would deploy, those of deployments inside it too.
 * @param allConditions what a false condition leaves out is read, too
 */
export function readTemplate(
  written: Fields,
  given: ParameterValues,
  allConditions = false,
): ReadDocument {
  const template = templateWords(written);
  const addresses = new Map<string, string>();
  const problems = parameterProblems(template, given);
  const around = {
    findResource: (address: string) => addresses.get(address.toLowerCase()),
    budget: { left: maxBudget },
  };
  const root = createScope(template, given, around);
  const all = tellApart(declareAll(template, root, problems));
  const declared = allConditions ? all : all.filter(({ leftOut }) => leftOut === undefined);
  // Those of the template itself come first; a reference means the nearest.
  for (const { id, address } of declared) {
    const key = id.toLowerCase();
    if (!addresses.has(key)) addresses.set(key, address);
  }
  for (const { name, address } of symbols(template['resources'], declared))
    addresses.set(name.toLowerCase(), address);
  const raws = declared.flatMap((one) => {
    const raw = toRawResource(one);
    return hasBlobDefaults(one, raw, declared) ? [raw, blobDefaults(raw)] : [raw];
  });
  if (around.budget.left < 0)
    problems.push({
      message:
        'the expressions in this template have too many values; the remaining values are unknown',
    });
  return { raws, isPart: true, problems, leftOut: allConditions ? [] : all.flatMap(asLeftOut) };
}

const asLeftOut = ({ id, type, leftOut, at }: Declared): LeftOut[] =>
  leftOut === undefined ? [] : [{ address: id, type: azureType(type), condition: leftOut, at }];

/** What a template is deployed to, by its schema. */
function deploymentLevel(schema: string): string {
  const name = schema.slice(schema.lastIndexOf('/') + 1).toLowerCase();
  if (name.startsWith('subscription')) return 'subscription';
  if (name.startsWith('managementgroup')) return 'management_group';
  return name.startsWith('tenant') ? 'root' : 'resource_group';
}

/**
 * Deployments to several groups may deploy the same names: the address of such a resource begins with that of its
 * deployment, so that each has its own parts.
 */
function tellApart(declared: readonly Declared[]): Declared[] {
  const places = new Map<string, Set<string | undefined>>();
  for (const { address, place } of declared) {
    const known = places.get(address.toLowerCase());
    if (known) known.add(place);
    else places.set(address.toLowerCase(), new Set([place]));
  }
  const inPlace = (address: string, place: string | undefined): string =>
    place !== undefined && (places.get(address.toLowerCase())?.size ?? 0) > 1
      ? `${place}/${address}`
      : address;
  return declared.map((one) => ({
    ...one,
    address: inPlace(one.address, one.place),
    parent: one.parent && inPlace(one.parent, one.place),
  }));
}

function declareAll(template: Fields, root: Scope, problems: DocumentProblem[]): Declared[] {
  const declared: Declared[] = [];
  const waiting: Waiting[] = [
    {
      resources: template['resources'],
      scope: root,
      parent: undefined,
      place: undefined,
      target: deploymentLevel(textOf(template['$schema']) ?? ''),
      leftOut: undefined,
      at: ['resources'],
      depth: 0,
    },
  ];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    for (const { body, at } of listBodies(next.resources, next.at, problems)) {
      const made = declare(body, at, next, problems);
      for (const one of made) {
        declared.push(one);
        waiting.push(...insideOf(one, next.depth, problems));
      }
      if (declared.length > maxResources) {
        problems.push({
          message: `the template has more than ${maxResources} resources; the others are skipped`,
          at,
        });
        return declared;
      }
    }
  }
  return declared;
}

/** Resources are a list, or since language version 2.0 a map of symbolic names. */
function listBodies(
  resources: unknown,
  at: DocumentPath,
  problems: DocumentProblem[],
): { readonly body: Fields; readonly at: DocumentPath }[] {
  if (typeof resources === 'string' || typeof resources === 'number')
    problems.push({ message: 'resources must be a list or a map', at });
  const entries = Array.isArray(resources)
    ? [...(resources as unknown[]).entries()]
    : Object.entries(fieldsOf(resources));
  return entries.flatMap(([key, body]) => {
    if (isFields(body)) return [{ body: inAzuresWords(body), at: [...at, key] }];
    problems.push({ message: 'a resource must be a map', at: [...at, key] });
    return [];
  });
}

function inAzuresWords(written: Fields): Fields {
  const body = resourceWords(written);
  const properties = body['properties'];
  return isDeployment(textOf(body['type']) ?? '') && isFields(properties)
    ? { ...body, properties: deploymentWords(properties) }
    : body;
}

/** The instances of a resource: several of a `copy`. What is not deployed is one of them, left out. */
function declare(
  body: Fields,
  at: DocumentPath,
  within: Waiting,
  problems: DocumentProblem[],
): Declared[] {
  const type = textOf(body['type']);
  if (type === undefined) {
    problems.push({ message: 'a resource needs a type', at });
    return [];
  }
  if (body['existing'] === true) return [];
  return loopScopes(body['copy'], within.scope, at, problems).map(({ scope, noCopy }): Declared => {
    const condition = evaluateValue(body['condition'], scope);
    const isFalse = condition === false;
    const name = evaluateValue(body['name'], scope);
    const ownType = evaluateValue(type, scope);
    const placed = placeOf(
      typeof ownType === 'string' ? ownType : type,
      shown(name),
      within.parent,
    );
    const childrenLeftOut = within.leftOut ?? noCopy;
    const written = String(body['condition']);
    return {
      ...placed,
      id: placed.address,
      place: within.place,
      target: within.target,
      name,
      body,
      scope,
      condition: isUnknown(condition) ? condition.expression : isFalse ? written : undefined,
      leftOut: childrenLeftOut ?? (isFalse ? written : undefined),
      childrenLeftOut,
      at,
    };
  });
}

/** Where a resource is: at the top, inside its parent, or (`…/providers/…`) attached to a resource of another provider. */
function placeOf(
  type: string,
  name: string,
  parent: Waiting['parent'],
): Pick<Declared, 'address' | 'parent' | 'type'> {
  const types = type.split('/');
  const extension = types.findIndex((one) => one.toLowerCase() === 'providers');
  if (extension > 0) {
    const names = splitName(name);
    const on = resourceAddress(
      types.slice(0, extension).join('/'),
      names.slice(0, extension - 1).join('/'),
    );
    const own = [names[extension - 1] ?? '', ...types.slice(extension + 1)].join('/');
    const address = resourceAddress(own, names.slice(extension).join('/'));
    return { address: `${on}/providers/${address}`, parent: on, type: own };
  }
  // A child's type is short, as `databases`; some write it in full, with the provider's dot.
  if (!parent || types[0]?.includes('.'))
    return {
      address: resourceAddress(type, name),
      parent: parent?.address ?? parentAddress(type, name),
      type,
    };
  const fullType = `${parent.type}/${type}`;
  const fullName = `${parent.name}/${name}`;
  return { address: resourceAddress(fullType, fullName), parent: parent.address, type: fullType };
}

function loopScopes(
  copy: unknown,
  scope: Scope,
  at: DocumentPath,
  problems: DocumentProblem[],
): { readonly scope: Scope; readonly noCopy?: string }[] {
  if (!isFields(copy)) return [{ scope }];
  const name = textOf(copy['name']) ?? '';
  const count = evaluateValue(copy['count'], scope);
  const within = (index: unknown): Scope => ({
    ...scope,
    loops: [...scope.loops, { name, index }],
  });
  const anyCopy = within(new UnknownValue(`copyIndex('${name}')`));
  if (typeof count !== 'number') return [{ scope: anyCopy }];
  if (count < 1) return [{ scope: anyCopy, noCopy: `copy.count: ${String(copy['count'])}` }];
  if (count > maxCopies)
    problems.push({
      message: `a copy loop creates at most ${maxCopies} instances; this one requests ${count}`,
      at,
    });
  return Array.from({ length: Math.min(count, maxCopies) }, (_, index) => ({
    scope: within(index),
  }));
}

const parentAddress = (type: string, name: string): string | undefined => {
  const types = type.split('/');
  const names = splitName(name);
  return types.length > 2 && names.length > 1
    ? resourceAddress(types.slice(0, -1).join('/'), names.slice(0, -1).join('/'))
    : undefined;
};

/** Children, and the resources of a deployment's own template. */
function insideOf(one: Declared, depth: number, problems: DocumentProblem[]): Waiting[] {
  const children: Waiting = {
    resources: one.body['resources'],
    scope: one.scope,
    parent: { type: one.type, name: fullNameOf(one), address: one.address },
    place: one.place,
    target: one.target,
    leftOut: one.childrenLeftOut,
    at: [...one.at, 'resources'],
    depth: depth + 1,
  };
  const properties = field(one.body, 'properties');
  const written = isDeployment(one.type) ? field(properties, 'template') : undefined;
  const template = isFields(written) ? templateWords(written) : undefined;
  if (depth >= maxNesting) {
    if (template || children.resources !== undefined)
      problems.push({
        message: `deployments nested more than ${maxNesting} levels deep are not read`,
        at: one.at,
      });
    return [];
  }
  if (!template) return [children];
  const isElsewhere = ['resourceGroup', 'subscriptionId', 'scope'].some(
    (name) => field(one.body, name) !== undefined,
  );
  return [
    children,
    {
      resources: template['resources'],
      scope: nestedScope(fieldsOf(properties), template, one.scope),
      parent: undefined,
      place: isElsewhere ? one.address : one.place,
      target: targetOf(one),
      leftOut: one.leftOut,
      at: [...one.at, 'properties', 'template', 'resources'],
      depth: depth + 1,
    },
  ];
}

const targets = [
  ['scope'],
  ['resourceGroup', 'resource_group'],
  ['subscriptionId', 'subscription'],
];

/** What a deployment inside a template is deployed to: what it names, else the same as the template around it. */
function targetOf({ body, scope, target }: Declared): unknown {
  for (const [name = '', level] of targets) {
    const value = evaluateValue(body[name], scope);
    if (value === undefined || value === null || value === '') continue;
    return isUnknown(value) && !value.present ? value : (level ?? value);
  }
  return target;
}

const isDeployment = (type: string): boolean =>
  type.toLowerCase() === 'microsoft.resources/deployments';

/** The names of an address, put together again. */
const fullNameOf = (one: Declared): string =>
  splitName(one.address)
    .filter((_, index) => index > 0 && index % 2 === 0)
    .join('/');

/** With inner scope a deployment has parameters of its own, else its expressions are those of the template around it. */
function nestedScope(properties: Fields, template: Fields, outer: Scope): Scope {
  const inner =
    textOf(field(properties['expressionEvaluationOptions'], 'scope'))?.toLowerCase() === 'inner';
  if (!inner) return outer;
  const given = Object.entries(fieldsOf(properties['parameters'])).flatMap(([name, parameter]) => {
    const value = field(parameter, 'value');
    return value === undefined ? [] : [[name.toLowerCase(), evaluateValue(value, outer)] as const];
  });
  return createScope(template, new Map(given), outer);
}

/** Symbolic names of the template itself, and what they stand for. */
function symbols(
  resources: unknown,
  declared: readonly Declared[],
): { readonly name: string; readonly address: string }[] {
  if (!isFields(resources)) return [];
  return declared.flatMap(({ at, address }) =>
    at.length === 2 ? [{ name: String(at[1]), address }] : [],
  );
}

function toRawResource(one: Declared): RawResource {
  const { scope } = one;
  const written = one.body['properties'];
  const properties = isDeployment(one.type) ? without(fieldsOf(written), ['template']) : written;
  const evaluated = fieldsOf(
    evaluateValue({ ...without(one.body, ['resources', 'copy']), properties }, scope),
  );
  const shortName = splitName(shown(one.name)).at(-1);
  return {
    address: one.address,
    id: one.id,
    type: azureType(one.type),
    name: isUnknown(one.name) ? undefined : shortName,
    region: regionName(evaluated['location']),
    tags: readTags(evaluated['tags']),
    properties: propertiesOf(evaluated),
    source: {
      format: 'azure',
      address: one.id,
      // An extension can be on the tenant, whatever the template around it is deployed to.
      deployment_scope: evaluated['scope'] === '/' ? '/' : one.target,
      ...defined({ parent: one.parent, condition: one.condition }),
      ...defined({ api_version: versionOf(evaluated['apiVersion']) }),
    },
    names: one.address === one.id ? [one.address.toLowerCase()] : [],
    at: one.at,
    ...toldOf(evaluated),
  };
}

/** Whether a storage account has blobs, with settings that the template leaves to Azure. */
const hasBlobDefaults = (
  { type, address }: Declared,
  { properties }: RawResource,
  declared: readonly Declared[],
): boolean =>
  type.toLowerCase() === 'microsoft.storage/storageaccounts' &&
  textOf(properties['kind'])?.toLowerCase() !== 'filestorage' &&
  !declared.some(
    (other) =>
      other.parent?.toLowerCase() === address.toLowerCase() && /\/blobservices$/i.test(other.type),
  );

/** Azure makes the settings of an account's blobs with their defaults; in Terraform they are a block of the account. */
const blobDefaults = (account: RawResource): RawResource => ({
  ...account,
  address: `${account.address}/blobServices/default`,
  id: `${account.id}/blobServices/default`,
  type: 'Azure::Storage::storageAccounts/blobServices',
  name: 'default',
  tags: {},
  properties: {},
  source: {
    ...account.source,
    address: `${account.id}/blobServices/default`,
    parent: account.address,
  },
  names: [],
});

const versionOf = (version: unknown): unknown => (isUnknown(version) ? version : textOf(version));

/** What is resources of their own, or says how many there are, is no property. */
const without = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
