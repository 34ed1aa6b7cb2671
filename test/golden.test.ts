// Resources as the guides of their providers configure them (test/golden) have no finding in the baseline set of the policy
// library, and each mistake that is made in one of them has at most one.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { matchesType } from '../src/contract/resources.ts';
import { PolicyDocument } from '../src/project/documents/policy.ts';
import { evaluate, preparePolicy } from '../src/engine/evaluate.ts';
import type { PreparedPolicy } from '../src/engine/evaluate.ts';
import { normaliseAll } from '../src/inventory/attributes/normalise.ts';
import { readers } from '../src/inventory/formats/readers.ts';
import { parseText } from '../src/inventory/text/parse.ts';
import { isInSet } from '../src/project/policy-sets.ts';

const golden = path.join(import.meta.dirname, 'golden');
const library = path.resolve(import.meta.dirname, '../policies-example');

const filesBelow = (folder: string, pattern: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => pattern.test(file))
    .sort();

const policies = filesBelow(library, /^(aws|azure|gcp)\/.*(?<!\.test)\.yaml$/)
  .map((file) => PolicyDocument.parse(parse(readFileSync(path.join(library, file), 'utf8'))))
  .filter(({ enabled }) => enabled !== false)
  .map((policy) => preparePolicy({ policy }));
const baseline = policies.filter(({ policy }) => isInSet(policy.tags, 'baseline'));

const files = filesBelow(golden, /\.yaml$/);

function documentOf(file: string): unknown {
  const read = parseText(readFileSync(path.join(golden, file), 'utf8'));
  if (!read.ok) throw new Error(`${file}: ${JSON.stringify(read.problem)}`);
  return read.parsed.document;
}

/** What policies find in a document, by resource; a document that no reader takes has no resources. */
function examine(document: unknown, by: readonly PreparedPolicy[]) {
  const reader = readers.find((one) => one.detects(document));
  const { raws = [] } = reader?.read(document, {}) ?? {};
  const now = Date.parse('2026-01-01');
  return normaliseAll(raws, reader?.format ?? 'native').map(({ resource }) => {
    const about = by.filter(({ policy }) => matchesType(resource.type, policy.resource_type));
    const findings = about.map((policy) => evaluate(policy, resource, now));
    const named = (status: string): string[] =>
      findings.flatMap((each) => (each.status === status ? [each.policy] : []));
    const { id, type } = resource;
    return { id, type, policies: about.length, fail: named('FAIL'), error: named('ERROR') };
  });
}

describe('resources that are configured as their provider says', () => {
  test('are of at least 40 kinds, in the formats of three clouds', () => {
    const kinds = new Set(
      files.flatMap((file) => examine(documentOf(file), []).map((r) => r.type)),
    );
    expect(kinds.size).toBeGreaterThanOrEqual(40);
    expect(new Set(files.map((file) => file.split('/')[0]))).toEqual(
      new Set(['aws', 'azure', 'gcp']),
    );
  });

  test.each(files)('%s: have no finding in the baseline', (file) => {
    const found = examine(documentOf(file), baseline);
    expect(found.flatMap(({ id, fail, error }) => [...fail, ...error].map((p) => [id, p]))).toEqual(
      [],
    );
  });

  test.each(files)('%s: are decided by the policies of both sets', (file) => {
    const found = examine(documentOf(file), policies);
    expect(found.some((each) => each.policies > 0)).toBe(true);
    expect(found.flatMap(({ error }) => error)).toEqual([]);
  });
});

/** As Terraform plans it: with the defaults of its provider, and without what the cloud fills in. */
const planned = (type: string, after: Readonly<Record<string, unknown>>) => ({
  format_version: '1.2',
  terraform_version: '1.9.0',
  resource_changes: [
    {
      address: `${type}.bare`,
      mode: 'managed',
      type,
      name: 'bare',
      change: { actions: ['create'], before: null, after, after_unknown: { id: true } },
    },
  ],
  configuration: {
    root_module: { resources: [{ address: `${type}.bare`, mode: 'managed', type, name: 'bare' }] },
  },
});

const bareBuckets: [document: unknown, fail: readonly string[]][] = [
  [{ Resources: { Bare: { Type: 'AWS::S3::Bucket' } } }, ['aws-s3-tls-only', 'aws-s3-versioning']],
  [
    [
      {
        name: '//storage.googleapis.com/bare',
        assetType: 'storage.googleapis.com/Bucket',
        resource: { version: 'v1', data: { name: 'bare' } },
        iamPolicy: { bindings: [] },
      },
    ],
    [
      'gcp-storage-bucket-public-access-prevention',
      'gcp-storage-bucket-uniform-access',
      'gcp-storage-bucket-versioning',
    ],
  ],
  [
    {
      $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
      resources: [
        {
          type: 'Microsoft.Storage/storageAccounts',
          apiVersion: '2023-05-01',
          name: 'bare',
          properties: {},
        },
      ],
    },
    [
      'azure-storage-account-network-rules',
      'azure-storage-account-secure-transfer',
      'azure-blob-service-recovery',
    ],
  ],
  [
    planned('aws_s3_bucket', { bucket: 'bare', force_destroy: false, tags: null }),
    ['aws-s3-tls-only', 'aws-s3-versioning'],
  ],
  [
    planned('google_storage_bucket', {
      name: 'bare',
      location: 'EU',
      force_destroy: false,
      storage_class: 'STANDARD',
    }),
    [
      'gcp-storage-bucket-public-access-prevention',
      'gcp-storage-bucket-uniform-access',
      'gcp-storage-bucket-versioning',
    ],
  ],
  [
    planned('azurerm_storage_account', {
      name: 'bare',
      account_tier: 'Standard',
      account_replication_type: 'LRS',
      allow_nested_items_to_be_public: true,
      https_traffic_only_enabled: true,
      min_tls_version: 'TLS1_2',
      public_network_access_enabled: true,
      shared_access_key_enabled: true,
    }),
    [
      'azure-storage-account-network-rules',
      'azure-storage-account-no-anonymous-access',
      'azure-blob-service-recovery',
    ],
  ],
];

test.each(bareBuckets)('a bare bucket has at most three findings: %#', (document, expected) => {
  const examined = examine(document, baseline);
  expect(examined.flatMap(({ fail }) => fail)).toEqual(expected);
  expect(examined.flatMap(({ error }) => error)).toEqual([]);
  expect(expected.length).toBeLessThanOrEqual(3);
});

type Step = string | number;
interface Mistake {
  readonly at: readonly Step[];
  /** What stands there instead; undefined: nothing. */
  readonly value?: unknown;
}

/** Each small part of a document left out, and each switch turned: single mistakes. */
function mistakesIn(value: unknown, at: readonly Step[] = []): Mistake[] {
  if (typeof value === 'boolean') return [{ at }, { at, value: !value }];
  if (typeof value !== 'object' || value === null) return at.length > 0 ? [{ at }] : [];
  const parts = Array.isArray(value)
    ? value.map((item: unknown, index): [Step, unknown] => [index, item])
    : Object.entries(value);
  if (decidesKind(at.at(-1))) return [];
  const inner = parts.flatMap(([step, part]) => mistakesIn(part, [...at, step]));
  return isOneDecision(value) && !isWhole(at.at(-1)) ? [{ at }, ...inner] : inner;
}

/** A value, values side by side, or what leads to nothing else; larger parts are several decisions. */
function isOneDecision(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const parts: unknown[] = Object.values(value);
  if (parts.length === 1) return isOneDecision(parts[0]);
  return parts.every((part) => typeof part !== 'object' || part === null);
}

/** All that is said of a resource, or of a document. */
const isWhole = (step: Step | undefined): boolean =>
  step === undefined || /^(properties|data)$/i.test(String(step));

/** Without these a resource is of another kind, which has other duties. */
const decidesKind = (step: Step | undefined): boolean => step === 'DBClusterIdentifier';

function withMistake(document: unknown, { at, value }: Mistake): unknown {
  const copy = structuredClone(document);
  const last = at.at(-1) as Step;
  const holder = at.slice(0, -1).reduce((part, step) => (part as never)[step], copy) as never;
  if (value !== undefined) (holder as Record<Step, unknown>)[last] = value;
  else if (Array.isArray(holder)) (holder as unknown[]).splice(last as number, 1);
  else Reflect.deleteProperty(holder, last);
  return copy;
}

describe('one mistake in such a resource', () => {
  test.each(files)('%s: is at most one finding of the baseline', (file) => {
    const document = documentOf(file);
    const doubles = mistakesIn(document).flatMap((mistake) =>
      examine(withMistake(document, mistake), baseline)
        .filter(({ fail }) => fail.length > 1)
        .map(({ id, fail }) => [mistake.at.join('.'), mistake.value, id, ...fail].join(' ')),
    );
    expect(doubles).toEqual([]);
  });

  test('is found in most of the files', () => {
    const found = files.filter((file) => {
      const document = documentOf(file);
      return mistakesIn(document).some((mistake) =>
        examine(withMistake(document, mistake), baseline).some(({ fail }) => fail.length > 0),
      );
    });
    expect(found.length).toBeGreaterThanOrEqual(35);
  });
});
