import { describe, expect, test } from 'vitest';
import { UnknownValue } from '../../../../src/contract/resources.ts';
import type { Resource } from '../../../../src/contract/resources.ts';
import { readInventory } from '../../../../src/inventory/read.ts';

/** A value of a plan that another resource gives: `aws_vpc.main.id`. */
export class Reference {
  constructor(readonly to: string) {}
}

type Fields = Readonly<Record<string, unknown>>;

/** One thing, as a template and as a plan have it. In both the first resource is the one that is compared. */
export interface Twins {
  readonly template: Readonly<Record<string, readonly [type: string, properties: Fields]>>;
  readonly plan: Readonly<Record<string, Fields>>;
}

/** Tests that each title's twins have the attributes that are expected. */
export function testTwins(
  twins: Readonly<Record<string, Twins & { readonly expected: Fields }>>,
): void {
  describe.each(Object.entries(twins))('%s', (_title, { template, plan, expected }) => {
    test('has its attributes from a template', () => {
      expect(attributesOfTemplate(template)).toEqual(expected);
    });

    test('has the same from a plan', () => {
      expect(attributesOfPlan(plan)).toEqual(expected);
    });

    test('has the same from the values of a plan without its changes', () => {
      expect(attributesOfPlannedValues(plan)).toEqual(expected);
    });
  });
}

/** The attributes that a template's first resource gets. */
export function attributesOfTemplate(
  template: Twins['template'],
  parameters: Fields = {},
): Record<string, unknown> {
  return first(templateDocument(template, parameters));
}

/** A template of these, by logical ID. */
export function templateDocument(template: Twins['template'], parameters: Fields = {}): Fields {
  const Resources = Object.fromEntries(
    Object.entries(template).map(([name, [Type, Properties]]) => [name, { Type, Properties }]),
  );
  return { AWSTemplateFormatVersion: '2010-09-09', Parameters: parameters, Resources };
}

/** The attributes that a plan's first resource gets. */
export const attributesOfPlan = (plan: Twins['plan'], action?: string): Record<string, unknown> =>
  first(planDocument(plan, action));

/** The same of a plan that holds no changes, but the planned values: they leave out what is not known. */
const attributesOfPlannedValues = (plan: Twins['plan']): Record<string, unknown> =>
  first({
    planned_values: {
      root_module: {
        resources: listResources(plan).map((one) => ({ ...one, values: known(one.values) })),
      },
    },
    configuration: configurationOf(plan),
  });

/** A plan that creates these, by address, with the expressions that give their values; or does something else with them. */
export const planDocument = (plan: Twins['plan'], action = 'create'): Fields => ({
  format_version: '1.2',
  terraform_version: '1.9.0',
  resource_changes: listResources(plan).map(({ values, ...one }) => ({
    ...one,
    change: {
      actions: [action],
      before: null,
      after: known(values),
      after_unknown: unknown(values),
    },
  })),
  configuration: configurationOf(plan),
});

const listResources = (plan: Twins['plan']) =>
  Object.entries(plan).map(([address, values]) => {
    const [type = '', name = ''] = address.split('.');
    return { address, mode: 'managed', type, name, values };
  });

const configurationOf = (plan: Twins['plan']) => ({
  root_module: {
    resources: listResources(plan).map(({ values, ...one }) => ({
      ...one,
      expressions: written(values),
    })),
  },
});

/** The attributes that a state's first resource gets. */
export const attributesOfState = (state: Twins['plan']): Record<string, unknown> =>
  first({
    format_version: '1.0',
    terraform_version: '1.9.0',
    values: {
      root_module: {
        resources: listResources(state),
      },
    },
  });

/** The attributes that the item gets which AWS Config has of a resource, beside other items. */
export const attributesOfItem = (
  ...items: readonly (readonly [type: string, configuration: Fields, supplementary?: Fields])[]
): Record<string, unknown> =>
  first(
    itemsDocument(
      ...items.map(([resourceType, configuration, supplementaryConfiguration = {}]) => ({
        resourceType,
        configuration: { ownerId: '123456789012', ...configuration },
        supplementaryConfiguration,
      })),
    ),
  );

/** A snapshot of AWS Config with these items. */
export const itemsDocument = (...items: readonly Fields[]): Fields => ({
  fileVersion: '1.0',
  configurationItems: items.map((item, index) => ({
    configurationItemVersion: '1.3',
    configurationItemStatus: 'OK',
    configurationItemCaptureTime: '2026-01-01T00:00:00Z',
    resourceId: `item-${index}`,
    awsAccountId: '123456789012',
    awsRegion: 'eu-central-1',
    tags: {},
    ...item,
  })),
});

function first(document: unknown): Record<string, unknown> {
  const read = readInventory(JSON.stringify(document));
  if (!read.ok) throw new Error(read.problem.message);
  const resource = read.inventory.resources[0]?.resource;
  if (!resource) throw new Error('no resource was read');
  return attributes(resource);
}

const common = ['id', 'type', 'name', 'provider', 'account_id', 'region', 'environment', 'tags'];
const ofSource = ['properties', 'source'];

const attributes = (resource: Resource): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(resource)
      .filter(([name]) => !common.includes(name) && !ofSource.includes(name))
      .map(([name, value]) => [name, comparable(value)]),
  );

/** What is not known is named otherwise by each source. */
function comparable(value: unknown): unknown {
  if (value instanceof UnknownValue) return 'not known';
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, comparable(one)]));
}

function known(value: unknown): unknown {
  if (value instanceof Reference) return undefined;
  if (Array.isArray(value)) return value.map(known);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, known(one)]));
}

function unknown(value: unknown): unknown {
  if (value instanceof Reference) return true;
  if (Array.isArray(value)) return value.map(unknown);
  if (typeof value !== 'object' || value === null) return false;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, unknown(one)]));
}

function written(value: unknown): unknown {
  if (value instanceof Reference)
    return { references: [value.to, value.to.split('.').slice(0, 2).join('.')] };
  if (Array.isArray(value) && value.some((one) => typeof one === 'object'))
    return value.map(written);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { constant_value: value };
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, written(one)]));
}
