import { describe, expect, test } from 'vitest';
import { verdictsOf } from '../../../support/policy-library.ts';
import { attributesOf, planOf, readOne } from '../provider-twins.ts';
import type { Fields } from '../provider-twins.ts';

const twins: readonly [name: string, type: string, data: Fields, plan: Fields][] = [
  [
    'a bucket',
    'storage.googleapis.com/Bucket',
    {
      iamConfiguration: {
        publicAccessPrevention: 'enforced',
        uniformBucketLevelAccess: { enabled: true },
      },
      versioning: { enabled: true },
      encryption: { defaultKmsKeyName: 'k' },
      retentionPolicy: { isLocked: true, retentionPeriod: '864000' },
      logging: { logBucket: 'logs' },
    },
    {
      'google_storage_bucket.a': {
        public_access_prevention: 'enforced',
        uniform_bucket_level_access: true,
        versioning: [{ enabled: true }],
        encryption: [{ default_kms_key_name: 'k' }],
        retention_policy: [{ is_locked: true, retention_period: 864_000 }],
        logging: [{ log_bucket: 'logs' }],
      },
    },
  ],
  [
    'an open bucket',
    'storage.googleapis.com/Bucket',
    { iamConfiguration: { publicAccessPrevention: 'inherited' } },
    { 'google_storage_bucket.a': { public_access_prevention: 'inherited', versioning: [] } },
  ],
  [
    'a firewall',
    'compute.googleapis.com/Firewall',
    {
      direction: 'INGRESS',
      priority: 1_000,
      sourceRanges: ['0.0.0.0/0'],
      allowed: [{ IPProtocol: 'tcp', ports: ['22', '8000-9000'] }],
    },
    {
      'google_compute_firewall.a': {
        direction: 'INGRESS',
        priority: 1_000,
        source_ranges: ['0.0.0.0/0'],
        allow: [{ protocol: 'tcp', ports: ['22', '8000-9000'] }],
      },
    },
  ],
  [
    'a machine',
    'compute.googleapis.com/Instance',
    {
      networkInterfaces: [{ accessConfigs: [{ natIP: '8.8.8.8' }] }],
      serviceAccounts: [
        {
          email: '1-compute@developer.gserviceaccount.com',
          scopes: ['https://www.googleapis.com/auth/cloud-platform'],
        },
      ],
      metadata: { items: [{ key: 'enable-oslogin', value: 'TRUE' }] },
      shieldedInstanceConfig: {
        enableVtpm: true,
        enableIntegrityMonitoring: true,
        enableSecureBoot: false,
      },
    },
    {
      'google_compute_instance.a': {
        network_interface: [{ access_config: [{ nat_ip: '8.8.8.8' }] }],
        service_account: [
          { email: '1-compute@developer.gserviceaccount.com', scopes: ['cloud-platform'] },
        ],
        metadata: { 'enable-oslogin': 'TRUE' },
        shielded_instance_config: [
          { enable_vtpm: true, enable_integrity_monitoring: true, enable_secure_boot: false },
        ],
      },
    },
  ],
  [
    'a cluster',
    'container.googleapis.com/Cluster',
    {
      privateClusterConfig: { enablePrivateNodes: true, enablePrivateEndpoint: false },
      masterAuthorizedNetworksConfig: {
        enabled: true,
        cidrBlocks: [{ cidrBlock: '10.0.0.0/8' }],
      },
      networkPolicy: { enabled: true, provider: 'CALICO' },
      workloadIdentityConfig: { workloadPool: 'p.svc.id.goog' },
      legacyAbac: { enabled: true },
      databaseEncryption: { state: 'ENCRYPTED', keyName: 'k' },
    },
    {
      'google_container_cluster.a': {
        private_cluster_config: [{ enable_private_nodes: true, enable_private_endpoint: false }],
        master_authorized_networks_config: [{ cidr_blocks: [{ cidr_block: '10.0.0.0/8' }] }],
        network_policy: [{ enabled: true, provider: 'CALICO' }],
        workload_identity_config: [{ workload_pool: 'p.svc.id.goog' }],
        enable_legacy_abac: true,
        database_encryption: [{ state: 'ENCRYPTED', key_name: 'k' }],
      },
    },
  ],
  [
    'a pool of nodes',
    'container.googleapis.com/NodePool',
    { management: { autoUpgrade: true, autoRepair: false } },
    {
      'google_container_node_pool.a': { management: [{ auto_upgrade: true, auto_repair: false }] },
    },
  ],
  [
    'a database',
    'sqladmin.googleapis.com/Instance',
    {
      databaseVersion: 'POSTGRES_15',
      settings: {
        availabilityType: 'REGIONAL',
        deletionProtectionEnabled: true,
        ipConfiguration: {
          ipv4Enabled: true,
          sslMode: 'ENCRYPTED_ONLY',
          authorizedNetworks: [{ value: '0.0.0.0/0' }],
        },
        backupConfiguration: {
          enabled: true,
          pointInTimeRecoveryEnabled: true,
          backupRetentionSettings: { retainedBackups: 14 },
        },
      },
    },
    {
      'google_sql_database_instance.a': {
        database_version: 'POSTGRES_15',
        settings: [
          {
            availability_type: 'REGIONAL',
            deletion_protection_enabled: true,
            ip_configuration: [
              {
                ipv4_enabled: true,
                ssl_mode: 'ENCRYPTED_ONLY',
                authorized_networks: [{ value: '0.0.0.0/0' }],
              },
            ],
            backup_configuration: [
              {
                enabled: true,
                point_in_time_recovery_enabled: true,
                backup_retention_settings: [{ retained_backups: 14 }],
              },
            ],
          },
        ],
      },
    },
  ],
  [
    'a key',
    'cloudkms.googleapis.com/CryptoKey',
    { purpose: 'ENCRYPT_DECRYPT', rotationPeriod: '7776000s' },
    {
      'google_kms_crypto_key.a': { purpose: 'ENCRYPT_DECRYPT', rotation_period: '7776000s' },
    },
  ],
  [
    'a subnetwork',
    'compute.googleapis.com/Subnetwork',
    { purpose: 'PRIVATE', logConfig: { enable: true }, privateIpGoogleAccess: true },
    {
      'google_compute_subnetwork.a': {
        purpose: 'PRIVATE',
        log_config: [{ aggregation_interval: 'INTERVAL_5_SEC' }],
        private_ip_google_access: true,
      },
    },
  ],
  [
    'a dataset',
    'bigquery.googleapis.com/Dataset',
    {
      access: [{ role: 'READER', specialGroup: 'allAuthenticatedUsers' }],
      defaultEncryptionConfiguration: { kmsKeyName: 'k' },
    },
    {
      'google_bigquery_dataset.a': {
        access: [{ role: 'READER', special_group: 'allAuthenticatedUsers' }],
        default_encryption_configuration: [{ kms_key_name: 'k' }],
      },
    },
  ],
  [
    'a perimeter',
    'accesscontextmanager.googleapis.com/ServicePerimeter',
    {
      perimeterType: 'PERIMETER_TYPE_REGULAR',
      status: {
        resources: ['projects/1'],
        accessLevels: ['accessPolicies/1/accessLevels/office'],
        restrictedServices: ['storage.googleapis.com'],
      },
    },
    {
      'google_access_context_manager_service_perimeter.a': {
        perimeter_type: 'PERIMETER_TYPE_REGULAR',
        status: [
          {
            resources: ['projects/1'],
            access_levels: ['accessPolicies/1/accessLevels/office'],
            restricted_services: ['storage.googleapis.com'],
          },
        ],
      },
    },
  ],
  [
    'a perimeter that is tried out',
    'accesscontextmanager.googleapis.com/ServicePerimeter',
    { spec: { restrictedServices: ['storage.googleapis.com'] }, useExplicitDryRunSpec: true },
    {
      'google_access_context_manager_service_perimeter.a': {
        spec: [{ restricted_services: ['storage.googleapis.com'] }],
        use_explicit_dry_run_spec: true,
      },
    },
  ],
  [
    'a zone',
    'dns.googleapis.com/ManagedZone',
    { visibility: 'PUBLIC', dnssecConfig: { state: 'on' } },
    { 'google_dns_managed_zone.a': { visibility: 'public', dnssec_config: [{ state: 'on' }] } },
  ],
];

const typeOf = (assetType: string): string => {
  const [host = '', type = ''] = assetType.split('.googleapis.com/');
  return `GCP::${host.charAt(0).toUpperCase()}${host.slice(1)}::${type}`;
};

describe('an asset and a plan of Google give the same attributes and verdicts:', () => {
  test.each(twins)('%s', (_, assetType, data, plan) => {
    const name = `//${assetType.split('/')[0] ?? ''}/a`;
    const type = typeOf(assetType);
    // A plan says who gets access; of an asset, the export of IAM policies does.
    const asset = { name, asset_type: assetType, resource: { data }, iam_policy: {} };
    const fromAsset = readOne(asset, type);
    const fromPlan = readOne(planOf(plan), type);
    expect(attributesOf(fromPlan)).toEqual(attributesOf(fromAsset));
    const verdicts = verdictsOf(fromAsset);
    expect(Object.keys(verdicts).length).toBeGreaterThan(0);
    expect(verdictsOf(fromPlan)).toEqual(verdicts);
    expect(Object.values(verdicts).filter((one) => String(one).startsWith('ERROR'))).toEqual([]);
  });
});

test('an export of access policies says the same of a perimeter as one of resources', () => {
  const path = 'accessPolicies/1/servicePerimeters/a';
  const type = 'GCP::Accesscontextmanager::ServicePerimeter';
  const exported = readOne(
    {
      name: '//cloudresourcemanager.googleapis.com/organizations/1',
      asset_type: 'cloudresourcemanager.googleapis.com/Organization',
      service_perimeter: {
        name: path,
        perimeter_type: 'PERIMETER_TYPE_BRIDGE',
        status: { resources: ['projects/1'], restricted_services: ['storage.googleapis.com'] },
      },
    },
    type,
  );
  const listed = readOne(
    {
      name: `//accesscontextmanager.googleapis.com/${path}`,
      asset_type: 'accesscontextmanager.googleapis.com/ServicePerimeter',
      resource: {
        data: {
          name: path,
          perimeterType: 'PERIMETER_TYPE_BRIDGE',
          status: { resources: ['projects/1'], restrictedServices: ['storage.googleapis.com'] },
        },
      },
    },
    type,
  );
  expect(exported.id).toBe(listed.id);
  expect(attributesOf(exported)).toEqual(attributesOf(listed));
  expect(exported).toMatchObject({
    perimeter_type: 'bridge',
    restricted_services: ['storage.googleapis.com'],
    protected_projects: ['projects/1'],
    access_levels: [],
  });
});

describe('who may read a dataset', () => {
  const dataset = (data: Readonly<Record<string, unknown>>) =>
    verdictsOf(
      readOne(
        {
          name: '//bigquery.googleapis.com/projects/p/datasets/a',
          asset_type: 'bigquery.googleapis.com/Dataset',
          resource: { data },
        },
        'GCP::Bigquery::Dataset',
      ),
    )['gcp-bigquery-dataset-not-public'];

  test('is known from its access entries, in an export without IAM policies', () => {
    expect(dataset({ access: [{ role: 'OWNER', userByEmail: 'ana@example.com' }] })).toMatch(
      /^PASS/,
    );
    expect(
      dataset({ access: [{ role: 'READER', specialGroup: 'allAuthenticatedUsers' }] }),
    ).toMatch(/^FAIL/);
    expect(
      dataset({ access: [{ role: 'READER', specialGroup: 'ALLAUTHENTICATEDUSERS' }] }),
    ).toMatch(/^FAIL/);
    expect(dataset({ access: [{ role: 'READER', iamMember: 'allUsers' }] })).toMatch(/^FAIL/);
  });

  test('is not known of a special group that nobody has seen', () => {
    expect(dataset({ access: [{ role: 'READER', specialGroup: 'everyoneOfTomorrow' }] })).toMatch(
      /^ERROR/,
    );
  });

  test('is not known without either', () => {
    expect(dataset({})).toMatch(/^ERROR/);
  });
});

test('ACLs of a bucket whose uniform access is not known are not known', () => {
  const document = planOf({
    'google_storage_bucket.a': { name: 'a' },
    'google_storage_bucket_acl.a': { bucket: 'a', predefined_acl: 'publicRead' },
  });
  const plan = JSON.parse(JSON.stringify(document)) as {
    resource_changes: { type: string; change: Record<string, unknown> }[];
  };
  const verdictWhere = (uniform: Fields): string | undefined => {
    const resource_changes = plan.resource_changes.map((one) =>
      one.type === 'google_storage_bucket'
        ? { ...one, change: { ...one.change, ...uniform } }
        : one,
    );
    const configuration = {
      root_module: {
        resources: [
          {
            address: 'google_storage_bucket.a',
            mode: 'managed',
            type: 'google_storage_bucket',
            name: 'a',
            expressions: { uniform_bucket_level_access: { references: ['local.uniform'] } },
          },
        ],
      },
    };
    const bucket = readOne({ ...plan, resource_changes, configuration }, 'GCP::Storage::Bucket');
    return verdictsOf(bucket)['gcp-storage-bucket-no-public-access'];
  };
  expect(verdictWhere({ after_unknown: { uniform_bucket_level_access: true } })).toMatch(/^ERROR/);
  expect(verdictWhere({ after: { name: 'a', uniform_bucket_level_access: true } })).toMatch(
    /^PASS/,
  );
  expect(verdictWhere({ after: { name: 'a', uniform_bucket_level_access: false } })).toMatch(
    /^FAIL/,
  );
});
