import { field, fieldsOf, isFields, itemsOf, textOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import type { DocumentPath } from '../../model.ts';
import { setOwn } from '../../text/set-own.ts';
import { readModuleAddress } from './address.ts';
import type { HclSetting } from './edit-hcl.ts';
import { listModuleResources } from './state.ts';

/** A resource as the source declares it: in a plan, each instance in each instance of its module. */
export interface DeclaredResource {
  readonly type: string;
  readonly name: string;
  /** Whether a module of the plan, by its address, is the one whose source declares it. */
  readonly isIn: (module: string) => boolean;
}

/** Arguments of a resource that is new, and refers to another one by its id. */
export interface PlannedPart {
  readonly type: string;
  readonly by: string;
  readonly settings: readonly HclSetting[];
}

/** The address of a module in front of what is in it. */
const below = (module: string, address: string): string =>
  module === '' ? address : `${module}.${address}`;

interface Entry {
  readonly at: DocumentPath;
  readonly entry: Fields;
  readonly module: string;
}

/**
 * A copy of a plan in which a resource has other arguments: what `terraform plan` would show of them, without what the
 * provider makes of it. Undefined where the plan does not show the resource.
 */
export function planWithArguments(
  plan: Fields,
  resource: DeclaredResource,
  settings: readonly HclSetting[],
): Fields | undefined {
  const entries = entriesOf(plan, resource);
  if (entries.length === 0) return undefined;
  let changed = plan;
  for (const { at } of entries) {
    for (const { path, value } of settings) {
      changed = replaceAt(changed, at, (entry) => withValue(entry, path, value));
    }
  }
  for (const module of new Set(entries.map((one) => one.module))) {
    const at = configuredAt(changed, module, resource);
    if (!at) return undefined;
    changed = replaceAt(changed, [...at, 'expressions'], (expressions) =>
      settings.reduce(
        (all, { path, value }) => setInBlocks(all, path, { constant_value: value }),
        expressions,
      ),
    );
  }
  return changed;
}

/** A copy of a plan with a part of a resource in it, for each module that has the resource; and the addresses of the parts. */
export function planWithPart(
  plan: Fields,
  owner: DeclaredResource,
  { type, by, settings }: PlannedPart,
): { readonly plan: Fields; readonly added: readonly string[] } | undefined {
  const entries = entriesOf(plan, owner);
  if (entries.length === 0) return undefined;
  const address = `${type}.${owner.name}`;
  let changed = plan;
  for (const { entry, at, module } of entries) {
    const change = fieldsOf(entry['change']);
    const id = textOf(field(change['after'], 'id'));
    const values = settings.reduce<unknown>(
      (all, { path, value }) => setInBlocks(all, path, value),
      id === undefined ? {} : { [by]: id },
    );
    const { provider_name, module_address } = entry;
    const made = {
      address: below(module, address),
      ...(module_address === undefined ? {} : { module_address }),
      mode: 'managed',
      type,
      name: owner.name,
      provider_name,
    };
    changed = replaceAt(changed, at.slice(0, -1), (list) => [
      ...itemsOf(list),
      at[0] === 'planned_values'
        ? { ...made, values }
        : {
            ...made,
            change: {
              actions: ['create'],
              before: null,
              after: values,
              after_unknown: { id: true, ...(id === undefined ? { [by]: true } : {}) },
            },
          },
    ]);
  }
  for (const module of new Set(entries.map((one) => one.module))) {
    const at = configuredAt(changed, module, owner);
    if (!at) return undefined;
    const reference = `${owner.type}.${owner.name}`;
    const expressions = settings.reduce<unknown>(
      (all, { path, value }) => setInBlocks(all, path, { constant_value: value }),
      { [by]: { references: [`${reference}.id`, reference] } },
    );
    const made = { address, mode: 'managed', type, name: owner.name, expressions };
    changed = replaceAt(changed, at.slice(0, -1), (list) => [...itemsOf(list), made]);
  }
  return { plan: changed, added: entries.map(({ module }) => below(module, address)) };
}

/** Whether a plan gives an argument that the configuration does not set: then the provider has it as a default. */
export function isDefaulted(plan: unknown, resource: DeclaredResource, argument: string): boolean {
  return entriesOf(plan, resource).some(({ entry, module }) => {
    const at = configuredAt(plan, module, resource);
    const configured = at && valueAt(plan, [...at, 'expressions', argument]);
    const value = field(field(entry['change'], 'after') ?? entry['values'], argument);
    return configured === undefined && value !== undefined && value !== null;
  });
}

/**
 * Whether the provider's version that made the plan has an argument: a plan lists those that are not set, too. One from which
 * they were removed tells nothing, and counts as having it; so does one without the resource.
 */
export function knowsArgument(plan: unknown, resource: DeclaredResource, name: string): boolean {
  return entriesOf(plan, resource).every(({ entry }) => {
    const change = field(entry, 'change');
    const values = fieldsOf(field(change, 'after') ?? entry['values']);
    if (Object.hasOwn(values, name) || field(field(change, 'after_unknown'), name) !== undefined)
      return true;
    return !Object.values(values).some((value) => value === null || isEmptyList(value));
  });
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** What changes, and where a plan tells no changes what it plans. */
function entriesOf(plan: unknown, { type, name, isIn }: DeclaredResource): Entry[] {
  const isIt = ({ entry, module }: Entry): boolean =>
    entry['type'] === type &&
    entry['name'] === name &&
    (entry['mode'] ?? 'managed') === 'managed' &&
    entry['deposed'] === undefined &&
    isIn(module);
  const changes = itemsOf(field(plan, 'resource_changes')).map((entry, index): Entry => {
    const module = textOf(field(entry, 'module_address')) ?? '';
    return { at: ['resource_changes', index], entry: fieldsOf(entry), module };
  });
  const changing = changes.filter(
    (one) => isIt(one) && isFields(one.entry['change']) && !goes(one.entry['change']),
  );
  if (changing.length > 0) return changing;
  const root = field(field(plan, 'planned_values'), 'root_module');
  return listModuleResources(root, ['planned_values', 'root_module'], [])
    .map(({ entry, at, module = '' }): Entry => ({ at, entry, module }))
    .filter(isIt);
}

const goes = (change: Fields): boolean =>
  itemsOf(change['actions']).every((action) => action === 'delete' || action === 'forget');

/** Where the configuration has a resource. */
function configuredAt(
  plan: unknown,
  module: string,
  { type, name }: DeclaredResource,
): DocumentPath | undefined {
  const at = [
    'configuration',
    'root_module',
    ...readModuleAddress(module).flatMap((step) => ['module_calls', step.name, 'module']),
    'resources',
  ];
  const index = itemsOf(valueAt(plan, at)).findIndex(
    (one) => field(one, 'address') === `${type}.${name}`,
  );
  return index < 0 ? undefined : [...at, index];
}

function withValue(entry: unknown, path: readonly string[], value: unknown): unknown {
  const { change, values } = fieldsOf(entry);
  if (!isFields(change)) return { ...fieldsOf(entry), values: setInBlocks(values, path, value) };
  const { after, before, after_unknown: unknown, actions } = change;
  const isKept = itemsOf(actions).includes('no-op');
  return {
    ...fieldsOf(entry),
    change: {
      ...change,
      actions: isKept ? ['update'] : actions,
      after: setInBlocks(after ?? (isKept ? before : {}), path, value),
      after_unknown: withoutUnknown(unknown, path),
    },
  };
}

/** Blocks are lists of maps, or one map. */
function setInBlocks(blocks: unknown, [name = '', ...rest]: readonly string[], value: unknown) {
  const fields = { ...fieldsOf(blocks) };
  const held = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const [first, ...others] = itemsOf(held);
  setOwn(
    fields,
    name,
    rest.length === 0
      ? value
      : isFields(held)
        ? setInBlocks(held, rest, value)
        : [setInBlocks(first, rest, value), ...others],
  );
  return fields;
}

function withoutUnknown(unknown: unknown, [name = '', ...rest]: readonly string[]): unknown {
  if (!isFields(unknown)) return unknown;
  const { [name]: held, ...others } = unknown;
  if (rest.length === 0 || held === undefined || held === true) return others;
  const [first, ...more] = itemsOf(held);
  return {
    ...others,
    [name]: isFields(held) ? withoutUnknown(held, rest) : [withoutUnknown(first, rest), ...more],
  };
}

function valueAt(value: unknown, path: DocumentPath): unknown {
  let here = value;
  for (const step of path) {
    here = typeof step === 'number' ? itemsOf(here)[step] : field(here, step);
  }
  return here;
}

/** A copy that shares what is not on the way. */
function replaceAt(
  fields: Fields,
  [step = '', ...rest]: DocumentPath,
  change: (old: unknown) => unknown,
): Fields {
  const copy = { ...fields };
  setOwn(copy, String(step), replaceIn(field(fields, String(step)), rest, change));
  return copy;
}

function replaceIn(value: unknown, path: DocumentPath, change: (old: unknown) => unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change(value);
  if (typeof step === 'string') return replaceAt(fieldsOf(value), path, change);
  return itemsOf(value).map((one, index) => (index === step ? replaceIn(one, rest, change) : one));
}
