// What a provider would refuse, and what it takes in another spelling, over all that the documents of Azure and Google say.
import { describe, expect, test } from 'vitest';
import { verdictsOf } from '../../support/policy-library.ts';
import { attributesOf, readOne } from './provider-twins.ts';
import type { Fields } from './provider-twins.ts';

const $schema = 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#';

/** Resources that are well kept. */
const azure: readonly (readonly [type: string, resource: Fields])[] = [
  [
    'Storage/storageAccounts',
    {
      supportsHttpsTrafficOnly: true,
      minimumTlsVersion: 'TLS1_2',
      allowBlobPublicAccess: false,
      allowSharedKeyAccess: false,
      publicNetworkAccess: 'Disabled',
      networkAcls: { defaultAction: 'Deny', ipRules: [] },
    },
  ],
  [
    'KeyVault/vaults',
    {
      enableRbacAuthorization: true,
      enablePurgeProtection: true,
      publicNetworkAccess: 'Disabled',
      networkAcls: { defaultAction: 'Deny', ipRules: [] },
    },
  ],
  [
    'Sql/servers',
    {
      minimalTlsVersion: '1.2',
      publicNetworkAccess: 'Disabled',
      administrators: { azureADOnlyAuthentication: true },
    },
  ],
  [
    'Web/sites',
    {
      httpsOnly: true,
      identity: { type: 'SystemAssigned' },
      siteConfig: { minTlsVersion: '1.2', ftpsState: 'Disabled', remoteDebuggingEnabled: false },
    },
  ],
  ['Compute/disks', { networkAccessPolicy: 'DenyAll', publicNetworkAccess: 'Disabled' }],
  [
    'ContainerService/managedClusters',
    {
      enableRBAC: true,
      disableLocalAccounts: true,
      apiServerAccessProfile: { enablePrivateCluster: true },
      networkProfile: { networkPolicy: 'calico' },
    },
  ],
  [
    'ContainerRegistry/registries',
    { adminUserEnabled: false, anonymousPullEnabled: false, publicNetworkAccess: 'Disabled' },
  ],
  ['DocumentDB/databaseAccounts', { publicNetworkAccess: 'Disabled', disableLocalAuth: true }],
  ['ServiceBus/namespaces', { disableLocalAuth: true, minimumTlsVersion: '1.2' }],
  ['Network/networkWatchers/flowLogs', { enabled: true }],
];

const google: readonly (readonly [asset: string, data: Fields])[] = [
  [
    'sqladmin.googleapis.com/Instance',
    {
      settings: {
        availabilityType: 'REGIONAL',
        deletionProtectionEnabled: true,
        ipConfiguration: { ipv4Enabled: false, sslMode: 'ENCRYPTED_ONLY' },
        backupConfiguration: { enabled: true, pointInTimeRecoveryEnabled: true },
      },
    },
  ],
  [
    'storage.googleapis.com/Bucket',
    {
      versioning: { enabled: true },
      iamConfiguration: {
        publicAccessPrevention: 'enforced',
        uniformBucketLevelAccess: { enabled: true },
      },
    },
  ],
  ['compute.googleapis.com/Network', { autoCreateSubnetworks: false }],
  ['compute.googleapis.com/SslPolicy', { minTlsVersion: 'TLS_1_2', profile: 'MODERN' }],
  [
    'compute.googleapis.com/Instance',
    {
      shieldedInstanceConfig: {
        enableVtpm: true,
        enableIntegrityMonitoring: true,
        enableSecureBoot: true,
      },
    },
  ],
  [
    'container.googleapis.com/Cluster',
    {
      autopilot: { enabled: true },
      legacyAbac: { enabled: false },
      databaseEncryption: { state: 'ENCRYPTED' },
      privateClusterConfig: { enablePrivateEndpoint: true, enablePrivateNodes: true },
    },
  ],
  [
    'redis.googleapis.com/Instance',
    { authEnabled: true, transitEncryptionMode: 'SERVER_AUTHENTICATION' },
  ],
  ['run.googleapis.com/Service', { ingress: 'INGRESS_TRAFFIC_INTERNAL_ONLY' }],
];

const ofAzure = (type: string, properties: Fields) =>
  readOne(
    {
      $schema,
      resources: [{ type: `Microsoft.${type}`, apiVersion: '2023-01-01', name: 'a/b', properties }],
    },
    `Azure::${type.replace('/', '::')}`,
  );

function ofGoogle(asset: string, data: Fields) {
  const [service = '', kind = ''] = asset.split('.googleapis.com/');
  return readOne(
    {
      assets: [
        {
          asset_type: asset,
          name: '//x/a',
          resource: { data: { name: 'a', ...data } },
          iam_policy: { bindings: [] },
        },
      ],
    },
    `GCP::${service.charAt(0).toUpperCase()}${service.slice(1)}::${kind}`,
  );
}

const isMap = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The document once for each of its words, switches and numbers, with another value there. */
function variants(value: Fields, other: (old: unknown) => unknown): Fields[] {
  return Object.entries(value).flatMap(([name, inner]): Fields[] => {
    if (isMap(inner)) return variants(inner, other).map((one) => ({ ...value, [name]: one }));
    return Array.isArray(inner) ? [] : [{ ...value, [name]: other(inner) }];
  });
}

const rename = (value: unknown, to: (name: string) => string): unknown =>
  isMap(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [to(name), rename(inner, to)]),
      )
    : value;

const passed = (verdicts: Fields): string[] =>
  Object.entries(verdicts).flatMap(([name, verdict]) => (verdict === 'PASS' ? [name] : []));

/** Policies whose verdict a word that nobody knows turned into a pass. */
function passesMore(before: Fields, after: Fields): string[] {
  const had = passed(before);
  return passed(after).filter((name) => !had.includes(name));
}

describe('a word that nobody knows never makes a policy pass, and never leaves one that looks at it passing:', () => {
  const all = [
    ...azure.map(([type, document]) => [type, document, ofAzure] as const),
    ...google.map(([asset, document]) => [asset, document, ofGoogle] as const),
  ];
  test.each(all)('%s', (type, document, read) => {
    const kept = verdictsOf(read(type, document));
    const words = variants(document, () => 'by pigeon');
    const opposites = variants(document, (old) => (typeof old === 'boolean' ? !old : undefined));
    for (const [index, odd] of words.entries()) {
      const verdicts = verdictsOf(read(type, odd));
      expect(passesMore(kept, verdicts)).toEqual([]);
      // What another setting, or none, would not let pass does not pass with one that nobody knows.
      const opposite = verdictsOf(read(type, opposites[index] ?? {}));
      const decided = passed(kept).filter((name) => opposite[name] !== kept[name]);
      expect(passed(verdicts).filter((name) => decided.includes(name))).toEqual([]);
    }
  });
});

describe("Azure's names of properties and its words are the same in any case:", () => {
  test.each(azure)('%s', (type, document) => {
    const expected = attributesOf(ofAzure(type, document));
    for (const to of [(name: string) => name.toUpperCase(), (name: string) => name.toLowerCase()])
      expect(attributesOf(ofAzure(type, rename(document, to) as Fields))).toEqual(expected);
    const shouted = variants(document, (old) =>
      typeof old === 'string' ? old.toUpperCase() : old,
    );
    for (const one of shouted) expect(attributesOf(ofAzure(type, one))).toEqual(expected);
  });
});
