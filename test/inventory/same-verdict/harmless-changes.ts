// Changes of a document that mean nothing: no verdict may follow them.
import { stringify } from 'yaml';
import type { Resource } from '../../../src/contract/resources.ts';
import type { Format } from '../../../src/inventory/formats/formats.ts';
import { readInventory } from '../../../src/inventory/read.ts';
import { verdictsOf } from '../../support/policy-library.ts';
import type { Pick } from '../../support/pick.ts';
import { listed } from './clouds.ts';
import type { Fields } from './kind.ts';
import { isMap } from './spelled.ts';

/** A document in other words; undefined where the change does not apply to it. Several documents are its parts. */
type Change = (document: unknown, format: Format, pick: Pick) => readonly unknown[] | undefined;

export const harmlessChanges: Readonly<Record<string, Change>> = {
  'in another order': (document, _format, pick) => [reorder(document, pick, 'resources')],
  'as YAML': (document) => [stringify(document, { aliasDuplicateObjects: false })],
  'beside others': (document, format) => {
    const added = unrelated[format]?.(document);
    return added === undefined ? undefined : [added];
  },
  'with properties in another case': (document, format) =>
    format === 'azure' ? [propertiesInOtherCase(document)] : undefined,
  'with other names': (document, format) => {
    if (!isMap(document) || format !== 'cloudformation' || isGenerated(document)) return undefined;
    const names = Object.keys(resourcesOf(document));
    return [renameAll(document, new Map(names.map((name, index) => [name, `Renamed${index}x`])))];
  },
  'in several templates': (document, format) => {
    if (!isMap(document) || format !== 'cloudformation' || isGenerated(document)) return undefined;
    const parts = partsOf(resourcesOf(document));
    return parts.length < 2
      ? undefined
      : parts.map((part) => ({ ...document, Resources: part, Outputs: undefined }));
  },
  'as planned values alone': (document, format) => {
    if (!isMap(document) || format !== 'terraform' || !Array.isArray(document.resource_changes))
      return undefined;
    const { resource_changes, ...rest } = document;
    const changes = resource_changes as Fields[];
    // Of modules and of what stays, the values have another shape.
    const isPlain = changes.every(
      ({ change, module_address }) =>
        module_address === undefined && isMap(change) && isMap(change.after),
    );
    if (!isPlain) return undefined;
    const resources = changes.map(({ change, ...one }) => ({
      ...one,
      values: (change as Fields).after,
    }));
    return [{ ...rest, planned_values: { root_module: { resources } } }];
  },
  'with texts for numbers and switches': (document, format) => {
    if (!isMap(document) || format !== 'cloudformation' || isGenerated(document)) return undefined;
    const resources = Object.entries(resourcesOf(document)).map(([name, one]) => [
      name,
      isMap(one) && isMap(one.Properties) ? { ...one, Properties: inTexts(one.Properties) } : one,
    ]);
    return [{ ...document, Resources: Object.fromEntries(resources) as Fields }];
  },
};

/** What the library finds in a document: for each type and policy the verdicts, whatever the resources are called. */
export function verdictsIn(documents: readonly unknown[], format: Format): string[] {
  return documents
    .flatMap((document) => {
      const text = typeof document === 'string' ? document : JSON.stringify(document);
      const read = readInventory(text, { format });
      if (!read.ok) throw new Error(read.problem.message);
      return read.inventory.resources.map(({ resource }) => resource);
    })
    .filter((resource) => !isUnrelated(resource))
    .flatMap((resource) =>
      Object.entries(verdictsOf(resource)).map(
        ([policy, verdict]) => `${resource.type}: ${policy} is ${verdict}`,
      ),
    )
    .sort();
}

/** What was found before and not after, and the other way round; a few of them. */
export function changed(before: readonly string[], after: readonly string[]): string[] {
  const count = new Map<string, number>();
  for (const one of before) count.set(one, (count.get(one) ?? 0) + 1);
  for (const one of after) count.set(one, (count.get(one) ?? 0) - 1);
  return [...count]
    .filter(([, times]) => times !== 0)
    .map(([one, times]) => `${times > 0 ? 'before' : 'after'}: ${one}`)
    .slice(0, 6);
}

const resourcesOf = (template: Fields): Fields =>
  isMap(template.Resources) ? template.Resources : {};

/** Macros and loops make resources whose names are not to be seen, or take values as they are written. */
const isGenerated = (template: Fields): boolean =>
  template.Transform !== undefined || JSON.stringify(template).includes('Fn::ForEach');

const resourceLists = new Set(['resource_changes', 'resources', 'configurationItems', 'value']);

/** Keys of maps and lists of resources, at random. */
function reorder(value: unknown, pick: Pick, key = ''): unknown {
  if (Array.isArray(value)) {
    const inner = value.map((one) => reorder(one, pick));
    return resourceLists.has(key) && inner.every(isMap) ? shuffle(inner, pick) : inner;
  }
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(
    ([name, one]) => [name, reorder(one, pick, resourceLists.has(name) ? name : '')] as const,
  );
  return Object.fromEntries(shuffle(entries, pick));
}

function shuffle<T>(all: readonly T[], pick: Pick): T[] {
  const rest = [...all];
  return all.flatMap(() => rest.splice(pick(rest.length), 1));
}

const strange = 'unrelated-7f3a';
const isUnrelated = ({ id, name }: Resource): boolean =>
  id.includes(strange) || name === strange || id === 'Unrelated7f3a';

/** Azure takes the names of properties in any case. */
function propertiesInOtherCase(value: unknown, isInside = false): unknown {
  if (Array.isArray(value)) return value.map((one) => propertiesInOtherCase(one, isInside));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      isInside ? name.toUpperCase() : name,
      propertiesInOtherCase(one, isInside || name === 'properties'),
    ]),
  );
}

/** A document whose list has one more. */
const withOneMore = (document: unknown, list: string, one: Fields): Fields | undefined =>
  isMap(document) && Array.isArray(document[list])
    ? { ...document, [list]: [...(document[list] as unknown[]), one] }
    : undefined;

const storageAccount = 'Microsoft.Storage/storageAccounts';

/** A document with a resource more, to which nothing refers. */
const unrelated: Partial<Record<Format, (document: unknown) => unknown>> = {
  cloudformation: (document) =>
    isMap(document)
      ? {
          ...document,
          Resources: {
            ...resourcesOf(document),
            Unrelated7f3a: { Type: 'AWS::S3::Bucket', Properties: { BucketName: strange } },
          },
        }
      : undefined,
  terraform: (document) =>
    withOneMore(document, 'resource_changes', {
      address: `aws_s3_bucket.${strange}`,
      mode: 'managed',
      type: 'aws_s3_bucket',
      name: strange,
      change: { actions: ['create'], before: null, after: { bucket: strange } },
    }),
  'aws-config': (document) =>
    withOneMore(document, 'configurationItems', {
      configurationItemStatus: 'OK',
      resourceType: 'AWS::S3::Bucket',
      resourceId: strange,
      resourceName: strange,
      awsAccountId: '123456789012',
      awsRegion: 'eu-central-1',
      configuration: { name: strange },
      supplementaryConfiguration: {},
    }),
  azure: (document) =>
    withOneMore(document, 'resources', {
      type: storageAccount,
      apiVersion: '2025-01-01',
      name: strange,
      properties: {},
    }) ?? withOneMore(document, 'value', listed(storageAccount, strange, {})),
  'gcp-assets': (document) =>
    Array.isArray(document)
      ? [
          ...(document as unknown[]),
          {
            name: `//storage.googleapis.com/${strange}`,
            assetType: 'storage.googleapis.com/Bucket',
            resource: { version: 'v1', data: { name: strange } },
            // With one, an export says of the others that they have none.
            ...(hasIamPolicies(document) ? { iamPolicy: { bindings: [] } } : {}),
          },
        ]
      : undefined,
};

const hasIamPolicies = (assets: readonly unknown[]): boolean =>
  assets.some((one) => isMap(one) && ('iamPolicy' in one || 'iam_policy' in one));

/** Logical IDs, wherever a template names them. */
export function renameAll(value: unknown, names: ReadonlyMap<string, string>, key = ''): unknown {
  const named = (text: string): string => {
    const [first = '', ...rest] = text.split('.');
    return [names.get(first) ?? first, ...rest].join('.');
  };
  if (typeof value === 'string') {
    if (key === 'Ref' || key === 'Fn::GetAtt' || key === 'DependsOn') return named(value);
    return key === 'Fn::Sub'
      ? value.replaceAll(/\$\{([^!}][^}]*)\}/g, (_, name: string) => `\${${named(name)}}`)
      : value;
  }
  if (Array.isArray(value)) {
    const below = key === 'Fn::GetAtt' || key === 'DependsOn' || key === 'Fn::Sub';
    return value.map((one: unknown, index) =>
      renameAll(one, names, below && (key === 'DependsOn' || index === 0) ? key : ''),
    );
  }
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      key === 'Resources' ? (names.get(name) ?? name) : name,
      renameAll(one, names, name),
    ]),
  );
}

/** Resources that name one another, by a reference or by a name that is written out, stay together. */
function partsOf(resources: Fields): Fields[] {
  const names = Object.keys(resources);
  let parts = names.map((name) => ({
    names: [name],
    words: new Set([name, ...(JSON.stringify(resources[name]).match(/[\w-]+/g) ?? [])]),
  }));
  for (const name of names) {
    // All parts that know a name of this resource become one.
    const known = [name, ...namesIn(resources[name])];
    const [one, ...others] = parts.filter(
      (part) => part.names.includes(name) || known.some((word) => part.words.has(word)),
    );
    if (!one) continue;
    const together = {
      names: [one, ...others].flatMap((part) => part.names),
      words: new Set([one, ...others].flatMap((part) => [...part.words])),
    };
    parts = [...parts.filter((part) => part !== one && !others.includes(part)), together];
  }
  return parts.map((part) => Object.fromEntries(part.names.map((name) => [name, resources[name]])));
}

/** What a resource is called, or calls others, beside its logical ID. */
function namesIn(value: unknown, key = ''): string[] {
  if (typeof value === 'string')
    return /(?:Name|Id|Arn|Bucket)$/.test(key) ? (value.match(/[\w-]+$/) ?? []) : [];
  if (Array.isArray(value)) return value.flatMap((one: unknown) => namesIn(one, key));
  return isMap(value) ? Object.entries(value).flatMap(([name, one]) => namesIn(one, name)) : [];
}

/** CloudFormation takes `"true"` and `"7"` for `true` and `7`. */
function inTexts(value: unknown): unknown {
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(inTexts);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inTexts(one)]));
}
