// The same infrastructure has the same verdict, whichever source it is read from.
import { describe, expect, test } from 'vitest';
import { UnknownValue } from '../../../src/contract/resources.ts';
import type { Resource } from '../../../src/contract/resources.ts';
import { readInventory } from '../../../src/inventory/read.ts';
import { readPathsOf } from '../../support/attribute-model.ts';
import { libraryFor, verdictsOf } from '../../support/policy-library.ts';
import { awsKinds } from './aws-kinds.ts';
import { azureKinds } from './azure-kinds.ts';
import { googleKinds } from './google-kinds.ts';
import type { Variant } from './documents.ts';
import { documentOf, sourcesOf } from './documents.ts';
import type { Fields, Kind, Source } from './kind.ts';
import { isMap } from './spelled.ts';

const kinds = [...awsKinds, ...azureKinds, ...googleKinds];

describe.each(kinds.map((kind) => [kind.type, kind.terraform, kind] as const))(
  '%s, %s',
  (_type, _terraform, kind) => {
    test('gets the attributes that are described, from every source', () => {
      expect(differences(kind, compareAttributes)).toEqual([]);
    });

    test('has the same verdicts from every source', () => {
      expect(differences(kind, compareVerdicts)).toEqual([]);
    });
  },
);

test.each([
  ['AWS', awsKinds, 70],
  ['Azure', azureKinds, 25],
  ['Google Cloud', googleKinds, 25],
])('of %s many kinds are described', (_cloud, described, least) => {
  expect(described.length).toBeGreaterThanOrEqual(least);
});

test('at least 40 kinds of AWS are in every source, and the list of what a source cannot tell only gets shorter', () => {
  const excuses = kinds.flatMap(({ type, settings, unsupported }) => [
    ...Object.entries(unsupported).map(([source, why]) => `${type}, ${source}: ${why}`),
    ...settings.flatMap(({ name, untold }) =>
      Object.entries(untold).map(([source, why]) => `${type}, ${name}, ${source}: ${why}`),
    ),
  ]);
  const everywhere = awsKinds.filter(({ unsupported }) => Object.keys(unsupported).length === 0);
  expect(new Set(everywhere.map(({ type }) => type)).size).toBeGreaterThanOrEqual(40);
  expect(excuses.length, excuses.join('\n')).toBeLessThanOrEqual(64);
});

/** What differs from the native resource, each with the first variant where it does. */
function differences(kind: Kind, compare: Compare): string[] {
  const found = new Map<string, string>();
  for (const [title, variant] of variantsOf(kind)) {
    const expected = read(kind, variant, 'native');
    for (const source of otherSources(kind)) {
      for (const one of compare(kind, source, read(kind, variant, source), expected)) {
        const difference = `${source}: ${one}`;
        if (!found.has(difference)) found.set(difference, `${difference} (${title})`);
      }
    }
  }
  return [...found.values()];
}

type Compare = (kind: Kind, source: Source, resource: Resource, expected: Resource) => string[];

const compareAttributes: Compare = (kind, source, resource, expected) =>
  leavesOf(expected).flatMap(([path, wanted]) => {
    const found = valueAt(resource, path);
    if (isSame(found, wanted)) return [];
    if (isUntold(kind, source, path) && found instanceof UnknownValue) return [];
    return [`${path} is ${show(found)}, not ${show(wanted)}`];
  });

const compareVerdicts: Compare = (kind, source, resource, expected) => {
  const found = verdictsOf(resource);
  return Object.entries(verdictsOf(expected)).flatMap(([policy, wanted]) => {
    const verdict = found[policy] ?? 'missing';
    if (verdict === wanted || readsDocument(kind, policy)) return [];
    if (verdict.startsWith('ERROR') && readsUntold(kind, source, policy)) return [];
    return [`${policy} is ${verdict}, not ${wanted}`];
  });
};

const otherSources = (kind: Kind): Source[] =>
  sourcesOf(kind).filter((source) => source !== 'native');

/** Nothing set; one setting alone; all with their first value; the same with one of them otherwise, or not set. */
function variantsOf({ settings }: Kind): [title: string, variant: Variant][] {
  const none: Variant = settings.map(({ differs }) => (differs === undefined ? undefined : 0));
  const first: Variant = settings.map(({ values }) => (values.length > 0 ? 0 : undefined));
  return [
    ['nothing set', none],
    ['all set', first],
    ...settings.flatMap(({ name, values }, index): [string, Variant][] => [
      [`all but ${name}`, first.with(index, none[index])],
      ...values.flatMap((_, value): [string, Variant][] => [
        [`${name} #${value} alone`, none.with(index, value)],
        [`all with ${name} #${value}`, first.with(index, value)],
      ]),
    ]),
  ];
}

function read(kind: Kind, variant: Variant, source: Source): Resource {
  const inventory = readInventory(JSON.stringify(documentOf(kind, variant, source)));
  if (!inventory.ok) throw new Error(inventory.problem.message);
  const found = inventory.inventory.resources.find(({ resource }) => resource.type === kind.type);
  if (!found) throw new Error(`no ${kind.type} in the ${source}`);
  return found.resource;
}

const isUntold = ({ settings }: Kind, source: Source, path: string): boolean =>
  settings.some(
    ({ untold, absent, values }) =>
      untold[source] !== undefined &&
      [absent, ...values].some((one) => leavesOf(one.native ?? {}).some(([leaf]) => leaf === path)),
  );

const pathsOf = (kind: Kind, policy: string): string[] =>
  libraryFor(kind.type)
    .filter((one) => one.policy.name === policy)
    .flatMap((one) => one.policy.rules.flatMap(({ condition }) => readPathsOf(condition)));

const readsUntold = (kind: Kind, source: Source, policy: string): boolean =>
  pathsOf(kind, policy).some((path) => isUntold(kind, source, path));

/** Some policies judge what a template says, not what it deploys. */
const readsDocument = (kind: Kind, policy: string): boolean =>
  pathsOf(kind, policy).some((path) => /^(?:properties|source)\b/.test(path));

/** What depends on where a document stands. */
const own = new Set(['id', 'type', 'provider', 'properties', 'environment']);

/** The values inside maps, by dotted path; keys and ARNs of others are named otherwise by each source. */
function leavesOf(fields: Fields, above = ''): [path: string, value: unknown][] {
  return Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    if (above === '' && own.has(name)) return [];
    if (isMap(value) && Object.keys(value).length > 0) return leavesOf(value, `${above}${name}.`);
    return typeof value === 'string' && value.startsWith('arn:')
      ? []
      : [[`${above}${name}`, value]];
  });
}

const valueAt = (resource: Resource, path: string): unknown =>
  path.split('.').reduce<unknown>((here, step) => (isMap(here) ? here[step] : undefined), resource);

/** Elements of lists may tell more than is described. */
function isSame(found: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(found) &&
      found.length === expected.length &&
      expected.every((one, index) => isSame(found[index], one))
    );
  }
  if (isMap(expected)) {
    return (
      isMap(found) && Object.entries(expected).every(([name, one]) => isSame(found[name], one))
    );
  }
  return found === expected || (typeof expected === 'string' && expected.startsWith('arn:'));
}

const show = (value: unknown): string =>
  value instanceof UnknownValue ? `unknown (${value.expression})` : JSON.stringify(value);
