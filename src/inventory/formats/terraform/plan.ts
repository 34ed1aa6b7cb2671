import { UnknownValue } from '../../../contract/resources.ts';
import type { DocumentPath, DocumentProblem } from '../../model.ts';
import { field, fieldsOf, isFields, itemsOf, textOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import { readTags } from '../../attributes/values.ts';
import { readModuleAddress } from './address.ts';
import {
  expressionAt,
  expressionsAt,
  isExpression,
  readConfiguration,
  referencesOf,
} from './configuration.ts';
import type { ModuleConfiguration } from './configuration.ts';
import { mergeUnknown } from './merge-unknown.ts';
import { createTrace, literalOf } from './references.ts';
import type { Instance, Origin } from './references.ts';
import type { ProviderDefaults } from './identify.ts';
import { isPolicySource, readPolicyDocument } from './policy-documents.ts';
import { listFormers, withoutFormer } from './read-back.ts';
import { isManaged, listModuleResources, listOf, whyStranger } from './state.ts';
import type { ReadResources } from './state.ts';
import type { TerraformResource } from './resource.ts';

/** One entry of `resource_changes` that leaves something to check. */
interface Change {
  readonly instance: Instance;
  readonly entry: Fields;
  readonly after: Fields;
  readonly before: unknown;
  readonly unknown: unknown;
  readonly sensitive: unknown;
  readonly action: string | undefined;
  readonly at: DocumentPath;
}

/** The resources that a plan would leave behind: created, changed and kept ones, without what it deletes or forgets. */
export function readPlan(plan: Fields): ReadResources {
  const problems: DocumentProblem[] = [];
  const changes = listChanges(plan, problems);
  const sources = listPolicySources(plan);
  const findModule = readConfiguration(plan['configuration']);
  const trace = createTrace(
    [...changes, ...sources].map(({ instance }) => instance),
    findModule,
  );
  const configuredFor = ({ modules, type, name }: Instance): unknown =>
    findModule(modules)?.resources.get(`${type}.${name}`);
  const valuesOf = ({ instance, after, unknown }: Change): unknown => {
    const configured = configuredFor(instance);
    const expressions = field(configured, 'expressions');
    return mergeUnknown(
      after,
      unknown,
      isFields(expressions) && Object.keys(expressions).length > 0 ? [expressions] : [],
      {
        address: instance.address,
        isConfigured: configured !== undefined,
        trace: (expression) => trace(instance, expression),
        valueOf: documents,
      },
    );
  };
  const documents = createDocuments(sources, valuesOf);
  const defaultsOf = createProviderDefaults(plan);
  const resources = changes.map((change): TerraformResource => {
    const { instance } = change;
    const configured = configuredFor(instance);
    const expressions = field(configured, 'expressions');
    return {
      address: instance.address,
      module: textOf(change.entry['module_address']),
      type: instance.type,
      provider: textOf(change.entry['provider_name']),
      values: fieldsOf(valuesOf(change)),
      before: change.before,
      sensitive: change.sensitive,
      action: change.action,
      defaults: defaultsOf(configured, change.entry),
      sets: (...path) => expressionAt(expressions, path) !== undefined,
      givenBy: (...path) =>
        expressionsAt(expressions, path).map(({ expression, ofWhole }) => ({
          constant: field(expression, 'constant_value'),
          origins: trace(instance, expression).origins,
          ofWhole,
        })),
      at: change.at,
    };
  });
  if (plan['errored'] === true) problems.push({ message: errored, at: ['errored'] });
  const isPartial = plan['complete'] === false && plan['errored'] !== true;
  return {
    resources: withoutFormer(resources, listFormers(plan)),
    problems,
    notices: isPartial ? [{ message: partial, at: ['complete'] }] : [],
  };
}

const errored =
  'Terraform stopped with an error while creating this plan, so resources are missing; run `terraform plan` again';

const partial =
  'the plan is incomplete, for example because of -target or deferred changes; resources that it omits are not checked';

/** The policies that are put together while the plan is applied: others take them from there. */
function listPolicySources(plan: Fields): Change[] {
  return itemsOf(plan['resource_changes']).flatMap((entry, index) => {
    if (!isPolicySource(field(entry, 'type'))) return [];
    const change = readChange(fieldsOf(entry), ['resource_changes', index], 'data');
    return change ? [change] : [];
  });
}

/** The value that an attribute of such a policy will have, where that can be worked out; each is made once. */
function createDocuments(
  sources: readonly Change[],
  valuesOf: (change: Change) => unknown,
): (origin: Origin) => unknown {
  const byAddress = new Map(sources.map((one) => [one.instance.address, one]));
  const known = new Map<string, unknown>();
  return ({ target, attribute = '' }) => {
    const source = byAddress.get(target);
    if (!source) return undefined;
    const key = JSON.stringify([target, attribute]);
    if (!known.has(key)) {
      known.set(key, undefined); // a document that is made of itself has no value
      known.set(key, readPolicyDocument(source.instance.type, attribute, valuesOf(source)));
    }
    return known.get(key);
  };
}

function listChanges(plan: Fields, problems: DocumentProblem[]): Change[] {
  const entries: [entry: unknown, at: DocumentPath][] = [
    ...listOf(plan, ['resource_changes'], problems).map((entry, index): [unknown, DocumentPath] => [
      entry,
      ['resource_changes', index],
    ]),
    // What waits for something else to be there first is planned as far as it is known.
    ...listOf(plan, ['deferred_changes'], problems).map((entry, index): [unknown, DocumentPath] => [
      field(entry, 'resource_change'),
      ['deferred_changes', index],
    ]),
  ];
  const changes = entries
    .map(([entry, at]) => readChange(fieldsOf(entry), at))
    .filter((change) => change !== undefined);
  const changed = new Set(changes.map(({ instance }) => instance.address));
  const others = listPlannedValues(plan, problems, (address) => !changed.has(address));
  const valued = new Set(others.map(({ instance }) => instance.address));
  for (const [entry, at] of entries) {
    const message = whyStranger(entry) ?? whyNoChange(entry, valued);
    if (message !== undefined) problems.push({ message, at });
  }
  return [...changes, ...others];
}

/** Why nothing of a change can be checked, where the planned values don't have it either. */
function whyNoChange(entry: unknown, valued: ReadonlySet<string>): string | undefined {
  const address = textOf(field(entry, 'address')) ?? '';
  if (!isManaged(entry) || valued.has(address)) return undefined;
  const change = field(entry, 'change');
  if (!isFields(change)) return `${address} has no change${again}`;
  const action = actionOf(change);
  const isGone = action === 'delete' || action === 'forget' || action === 'read';
  return isGone || hasValues(change) ? undefined : `${address} has no planned values${again}`;
}

const again = ', so it is not checked; write the plan again with `terraform show -json`';

/** Data sources are not resources; deposed objects are about to be deleted. */
function readChange(entry: Fields, at: DocumentPath, mode: Mode = 'managed'): Change | undefined {
  const instance = readInstance(entry, mode);
  if (!instance || entry['deposed'] !== undefined) return undefined;
  const change = fieldsOf(entry['change']);
  const action = actionOf(change);
  if (!hasValues(change) || action === 'delete' || action === 'forget') return undefined;
  return {
    instance,
    entry,
    after: fieldsOf(afterOf(change)),
    before: action === 'update' || action === 'no-op' ? change['before'] : undefined,
    unknown: change['after_unknown'],
    sensitive: change['after_sensitive'],
    action,
    at,
  };
}

const afterOf = (change: Fields): unknown =>
  change['after'] ?? (actionOf(change) === 'no-op' ? change['before'] : undefined);

const hasValues = (change: Fields): boolean => {
  const unknown = change['after_unknown'];
  const isTold = isFields(unknown) && Object.keys(unknown).length > 0;
  return unknown !== true && (isFields(afterOf(change)) || isTold);
};

/** `["delete", "create"]` and its other order are a replacement; an import alone is `import`. */
function actionOf(change: Fields): string | undefined {
  const actions = itemsOf(change['actions']).filter((one) => typeof one === 'string');
  if (actions.includes('create')) return actions.length > 1 ? 'replace' : 'create';
  const [action] = actions;
  return action === 'no-op' && isFields(change['importing']) ? 'import' : action;
}

type Mode = 'managed' | 'data';

function readInstance(entry: Fields, mode: Mode = 'managed'): Instance | undefined {
  const address = textOf(entry['address']);
  const type = textOf(entry['type']);
  if (address === undefined || type === undefined) return undefined;
  if ((entry['mode'] ?? 'managed') !== mode) return undefined;
  const key = entry['index'];
  return {
    address,
    modules: readModuleAddress(textOf(entry['module_address']) ?? ''),
    type: mode === 'data' ? `data.${type}` : type,
    name: textOf(entry['name']) ?? '',
    key: typeof key === 'string' || typeof key === 'number' ? key : undefined,
  };
}

/**
 * A plan without changes (made by a tool that reads the source), or from which some were removed, holds known values only.
 * What the configuration gives beside them is not known before the deployment.
 */
function listPlannedValues(
  plan: Fields,
  problems: DocumentProblem[],
  isWanted: (address: string) => boolean,
): Change[] {
  const findModule = readConfiguration(plan['configuration']);
  const root = field(plan['planned_values'], 'root_module');
  return listModuleResources(root, ['planned_values', 'root_module'], problems).flatMap(
    ({ entry, at, module }) => {
      const instance = readInstance({ ...entry, module_address: module });
      if (!instance || !isWanted(instance.address)) return [];
      const values = fieldsOf(entry['values']);
      return [
        {
          instance,
          entry: module === undefined ? entry : { ...entry, module_address: module },
          after: values,
          before: undefined,
          unknown: unknownOf(instance, values, findModule(instance.modules)),
          sensitive: entry['sensitive_values'],
          action: undefined,
          at,
        },
      ];
    },
  );
}

function unknownOf(
  instance: Instance,
  values: Fields,
  module: ModuleConfiguration | undefined,
): Fields {
  const configured = module?.resources.get(`${instance.type}.${instance.name}`);
  return leftOut(values, readGiven([field(configured, 'expressions')]), { lookups: maxLookups });
}

/** What blocks of one name give under a name of theirs. */
interface Given {
  readonly refers: boolean;
  readonly inner: ReadonlyMap<string, Given>;
}

/** A block that is repeated may be any of those that the configuration has of its name, as a set's order is not that of the source. */
function readGiven(blocks: readonly unknown[]): ReadonlyMap<string, Given> {
  const nodesOf = new Map<string, unknown[]>();
  for (const [name, node] of blocks.flatMap((block) => Object.entries(fieldsOf(block)))) {
    const nodes = nodesOf.get(name) ?? [];
    nodesOf.set(name, nodes);
    for (const one of Array.isArray(node) ? itemsOf(node) : [node]) nodes.push(one);
  }
  return new Map(
    Array.from(nodesOf, ([name, nodes]) => [
      name,
      {
        refers: nodes.some((node) => referencesOf(node).length > 0),
        inner: readGiven(nodes.filter((node) => !isExpression(node))),
      },
    ]),
  );
}

/** Attributes of blocks that are looked for in one resource; a hostile plan has thousands of blocks of thousands of attributes. */
const maxLookups = 10_000;

/** What blocks give beside the values that there are, as in `after_unknown`. Blocks beyond the bound are unknown as a whole. */
function leftOut(
  values: Fields,
  given: ReadonlyMap<string, Given>,
  budget: { lookups: number },
): Fields {
  budget.lookups -= given.size;
  const missing = (name: string, { refers, inner }: Given): unknown => {
    if (!Object.hasOwn(values, name)) return refers || undefined;
    const value = values[name];
    if (inner.size === 0) {
      // What is not known of a list stands in it as null.
      return refers && Array.isArray(value) ? value.map((item) => item === null) : undefined;
    }
    return Array.isArray(value)
      ? value.map((item) => budget.lookups < 0 || leftOut(fieldsOf(item), inner, budget))
      : leftOut(fieldsOf(value), inner, budget);
  };
  return Object.fromEntries(
    Array.from(given, ([name, one]) => [name, missing(name, one)] as const).filter(
      ([, one]) => one !== undefined,
    ),
  );
}

/** Region and project that a provider's configuration gives its resources, where the plan tells them. */
function createProviderDefaults(
  plan: Fields,
): (configured: unknown, entry: Fields) => ProviderDefaults {
  const providers = fieldsOf(field(plan['configuration'], 'provider_config'));
  const variables = fieldsOf(plan['variables']);
  return (configured, entry) => {
    const name = textOf(entry['provider_name'])?.split('/').at(-1) ?? '';
    const key = textOf(field(configured, 'provider_config_key'));
    const used = key !== undefined && field(providers, key) !== undefined ? key : name;
    const expressions = field(field(providers, used), 'expressions');
    const literal = (value: unknown): string | undefined => textOf(literalOf(value, variables));
    const said = (attribute: string): string | undefined => literal(field(expressions, attribute));
    return {
      region: said('region') ?? (name === 'aws' ? ofProvider('region', used) : undefined),
      account_id:
        said('project') ??
        said('subscription_id') ??
        (name === 'aws' ? awsAccount(expressions, used, literal) : undefined),
      tags: defaultTags(expressions),
    };
  };
}

/** Resources with the same provider have the same, whatever it is. */
const ofProvider = (what: string, key: string): UnknownValue =>
  new UnknownValue(`the ${what} of the provider ${key}`);

const awsCredentials = [
  'access_key',
  'allowed_account_ids',
  'assume_role',
  'assume_role_with_web_identity',
  'endpoints',
  'profile',
  'shared_config_files',
  'shared_credentials_files',
] as const;

/** The account of the role that the provider assumes. Providers without credentials of their own share the environment's. */
function awsAccount(
  expressions: unknown,
  key: string,
  literal: (value: unknown) => string | undefined,
): string | UnknownValue | undefined {
  const roles = itemsOf(field(expressions, 'assume_role'));
  const arn = literal(field(roles.at(-1), 'role_arn')); // a chain of roles ends with the one that acts
  const account = /^arn:[^:]+:iam::(\d{12}):/.exec(arn ?? '')?.[1];
  if (account !== undefined) return account;
  return awsCredentials.some((name) => field(expressions, name) !== undefined)
    ? ofProvider('account', key)
    : undefined;
}

/** `default_tags` of AWS, which is a block, or `default_labels` of Google. */
function defaultTags(expressions: unknown): ProviderDefaults['tags'] {
  const [given] = itemsOf(field(expressions, 'default_tags'));
  const tags = field(given, 'tags') ?? field(expressions, 'default_labels');
  if (tags === undefined) return undefined;
  const constant = field(tags, 'constant_value');
  return isFields(constant)
    ? readTags(constant)
    : new UnknownValue(referencesOf(tags)[0] ?? 'default_tags');
}
