import { describe, expect, test } from 'vitest';
import { Reference, attributesOfItem, attributesOfPlan, attributesOfTemplate } from './twins.ts';
import type { Twins } from './twins.ts';

const twins: Record<string, Twins & { readonly expected: Record<string, unknown> }> = {
  'a database': {
    template: {
      It: [
        'AWS::RDS::DBInstance',
        {
          Engine: 'postgres',
          StorageEncrypted: 'true',
          KmsKeyId: { Ref: 'Key' },
          PubliclyAccessible: false,
          BackupRetentionPeriod: '7',
          MultiAZ: true,
          DeletionProtection: true,
          AutoMinorVersionUpgrade: true,
          EnableIAMDatabaseAuthentication: true,
          EnableCloudwatchLogsExports: ['postgresql'],
          MonitoringInterval: 60,
          MasterUsername: 'root',
          ManageMasterUserPassword: true,
        },
      ],
      Key: ['AWS::KMS::Key', {}],
    },
    plan: {
      'aws_db_instance.it': {
        engine: 'postgres',
        storage_encrypted: true,
        kms_key_id: new Reference('aws_kms_key.main.arn'),
        publicly_accessible: false,
        backup_retention_period: 7,
        multi_az: true,
        deletion_protection: true,
        auto_minor_version_upgrade: true,
        iam_database_authentication_enabled: true,
        enabled_cloudwatch_logs_exports: ['postgresql'],
        monitoring_interval: 60,
        username: 'root',
        manage_master_user_password: true,
      },
      'aws_kms_key.main': {},
    },
    expected: {
      engine: 'postgres',
      encryption: { enabled: true, kms_key_id: 'not known' },
      public_access: false,
      backup: { retention_days: 7 },
      multi_az: true,
      deletion_protection: true,
      auto_minor_version_upgrade: true,
      iam_authentication: true,
      logging: { types: ['postgresql'] },
      monitoring: { interval_seconds: 60 },
      master_username: { source: 'plaintext' },
      master_password: { source: 'managed' },
    },
  },
  'a member of a cluster, which decides for it': {
    template: {
      It: [
        'AWS::RDS::DBInstance',
        { DBClusterIdentifier: { Ref: 'Cluster' }, Engine: 'aurora-mysql' },
      ],
      Cluster: [
        'AWS::RDS::DBCluster',
        {
          Engine: 'aurora-mysql',
          StorageEncrypted: true,
          BackupRetentionPeriod: 14,
          DeletionProtection: true,
          DBSubnetGroupName: 'private',
        },
      ],
    },
    plan: {
      'aws_rds_cluster_instance.it': {
        cluster_identifier: new Reference('aws_rds_cluster.main.id'),
        engine: 'aurora-mysql',
        publicly_accessible: false,
      },
      'aws_rds_cluster.main': {
        engine: 'aurora-mysql',
        storage_encrypted: true,
        backup_retention_period: 14,
        deletion_protection: true,
        db_subnet_group_name: 'private',
      },
    },
    expected: {
      cluster_id: 'not known',
      encryption: { enabled: true },
      backup: { retention_days: 14 },
      deletion_protection: true,
      public_access: false,
    },
  },
  'a cluster': {
    template: {
      It: [
        'AWS::RDS::DBCluster',
        {
          Engine: 'aurora-mysql',
          StorageEncrypted: true,
          BacktrackWindow: 86_400,
          DeletionProtection: 'false',
          MasterUserPassword: 'secret',
        },
      ],
    },
    plan: {
      'aws_rds_cluster.it': {
        engine: 'aurora-mysql',
        storage_encrypted: true,
        backtrack_window: 86_400,
        deletion_protection: false,
        master_password: 'secret',
      },
    },
    expected: {
      engine: 'aurora-mysql',
      encryption: { enabled: true },
      backup: { retention_days: 1 },
      backtrack: { window_seconds: 86_400 },
      deletion_protection: false,
      master_password: { source: 'plaintext' },
    },
  },
  'a cluster of the first serverless kind, always encrypted': {
    template: { It: ['AWS::RDS::DBCluster', { EngineMode: 'serverless' }] },
    plan: { 'aws_rds_cluster.it': { engine_mode: 'serverless' } },
    expected: { encryption: { enabled: true } },
  },
  'a warehouse': {
    template: {
      It: [
        'AWS::Redshift::Cluster',
        {
          Encrypted: true,
          PubliclyAccessible: 'true',
          LoggingProperties: { BucketName: 'logs' },
          AutomatedSnapshotRetentionPeriod: 7,
          PreferredMaintenanceWindow: 'sun:03:00-sun:03:30',
          AllowVersionUpgrade: true,
          EnhancedVpcRouting: true,
          ManageMasterPassword: true,
        },
      ],
    },
    plan: {
      'aws_redshift_cluster.it': {
        encrypted: true,
        publicly_accessible: true,
        automated_snapshot_retention_period: 7,
        preferred_maintenance_window: 'sun:03:00-sun:03:30',
        allow_version_upgrade: true,
        enhanced_vpc_routing: true,
        manage_master_password: true,
      },
      'aws_redshift_logging.it': {
        cluster_identifier: new Reference('aws_redshift_cluster.it.id'),
      },
    },
    expected: {
      encryption: { enabled: true },
      public_access: true,
      logging: { enabled: true },
      backup: { retention_days: 7 },
      maintenance_window: 'sun:03:00-sun:03:30',
      version_upgrade: true,
      enhanced_vpc_routing: true,
      master_password: { source: 'managed' },
    },
  },
  'a table': {
    template: {
      It: [
        'AWS::DynamoDB::Table',
        {
          BillingMode: 'PAY_PER_REQUEST',
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          SSESpecification: { SSEEnabled: true, KMSMasterKeyId: { 'Fn::GetAtt': ['Key', 'Arn'] } },
          DeletionProtectionEnabled: true,
        },
      ],
      Key: ['AWS::KMS::Key', {}],
    },
    plan: {
      'aws_dynamodb_table.it': {
        billing_mode: 'PAY_PER_REQUEST',
        point_in_time_recovery: [{ enabled: true }],
        server_side_encryption: [
          { enabled: true, kms_key_arn: new Reference('aws_kms_key.main.arn') },
        ],
        deletion_protection_enabled: true,
      },
      'aws_kms_key.main': {},
    },
    expected: {
      billing_mode: 'PAY_PER_REQUEST',
      backup: { point_in_time_recovery: true },
      encryption: { enabled: true, kms: true, customer_managed: true },
      deletion_protection: true,
    },
  },
  'a table of which nothing is said': {
    template: { It: ['AWS::DynamoDB::Table', {}] },
    plan: { 'aws_dynamodb_table.it': {} },
    expected: {
      backup: { point_in_time_recovery: false },
      encryption: { enabled: true, kms: false, customer_managed: false },
      deletion_protection: false,
    },
  },
  'a cache that prefers TLS but takes plain text too': {
    template: {
      It: [
        'AWS::ElastiCache::ReplicationGroup',
        {
          AtRestEncryptionEnabled: 'true',
          TransitEncryptionEnabled: true,
          TransitEncryptionMode: 'preferred',
          EngineVersion: 7.1,
        },
      ],
    },
    plan: {
      'aws_elasticache_replication_group.it': {
        at_rest_encryption_enabled: 'true',
        transit_encryption_enabled: true,
        transit_encryption_mode: 'preferred',
        engine_version: '7.1',
      },
    },
    expected: {
      encryption: { enabled: true },
      tls: { required: false },
      engine_version: '7.1',
    },
  },
  'a DAX cluster': {
    template: {
      It: [
        'AWS::DAX::Cluster',
        { SSESpecification: { SSEEnabled: true }, ClusterEndpointEncryptionType: 'TLS' },
      ],
    },
    plan: {
      'aws_dax_cluster.it': {
        server_side_encryption: [{ enabled: true }],
        cluster_endpoint_encryption_type: 'TLS',
      },
    },
    expected: { encryption: { enabled: true }, tls: { required: true } },
  },
  'an endpoint with a password': {
    template: { It: ['AWS::DMS::Endpoint', { EngineName: 'postgres', Password: 'secret' }] },
    plan: { 'aws_dms_endpoint.it': { engine_name: 'postgres', password: 'secret' } },
    expected: { engine: 'postgres', password: { source: 'plaintext' } },
  },
};

describe('the same attributes come from a template and from a plan of', () => {
  test.each(Object.entries(twins))('%s', (_title, { template, plan, expected }) => {
    const attributes = attributesOfTemplate(template);
    expect(attributes).toMatchObject(expected);
    expect(attributesOfPlan(plan)).toEqual(attributes);
  });
});

describe('of a database', () => {
  const instance = (properties: object) =>
    attributesOfTemplate({ It: ['AWS::RDS::DBInstance', { ...properties }] });

  test.each([
    ['names no subnet group', {}, true],
    ['names one', { DBSubnetGroupName: 'private' }, false],
    ['says so', { DBSubnetGroupName: 'private', PubliclyAccessible: true }, true],
    ['belongs to a cluster that is elsewhere', { DBClusterIdentifier: 'orders' }, 'not known'],
  ])('public access of one that %s', (_title, properties, expected) => {
    expect(instance(properties)).toHaveProperty('public_access', expected);
  });

  test.each([
    ['of its own', {}, 1],
    ['of a read replica', { SourceDBInstanceIdentifier: 'orders' }, 0],
    [
      'of a read replica that is told to',
      { SourceDBInstanceIdentifier: 'orders', BackupRetentionPeriod: 3 },
      3,
    ],
  ])('backups %s', (_title, properties, expected) => {
    expect(instance(properties)).toHaveProperty('backup.retention_days', expected);
  });

  test("Terraform's default is to keep no backups", () => {
    expect(attributesOfPlan({ 'aws_db_instance.it': {} })).toHaveProperty(
      'backup.retention_days',
      0,
    );
  });

  test('a secret parameter is told from one that is shown', () => {
    const password = { MasterUserPassword: { Ref: 'Password' }, MasterUsername: { Ref: 'Name' } };
    const attributes = attributesOfTemplate(
      { It: ['AWS::RDS::DBInstance', password] },
      { Password: { Type: 'String', NoEcho: true }, Name: { Type: 'String' } },
    );
    expect(attributes).toMatchObject({
      master_password: { source: 'secret_parameter' },
      master_username: { source: 'parameter' },
    });
  });

  test('an item of AWS Config has its settings, but not where its user came from', () => {
    const attributes = attributesOfItem([
      'AWS::RDS::DBInstance',
      {
        engine: 'postgres',
        storageEncrypted: false,
        kmsKeyId: null,
        dBClusterIdentifier: null,
        publiclyAccessible: true,
        backupRetentionPeriod: 7,
        multiAZ: false,
        autoMinorVersionUpgrade: true,
        iAMDatabaseAuthenticationEnabled: true,
        enabledCloudwatchLogsExports: ['postgresql'],
        monitoringInterval: 0,
        masterUsername: 'root',
      },
    ]);
    expect(attributes).toEqual({
      engine: 'postgres',
      encryption: { enabled: false },
      public_access: true,
      backup: { retention_days: 7 },
      multi_az: false,
      deletion_protection: false,
      auto_minor_version_upgrade: true,
      iam_authentication: true,
      logging: { types: ['postgresql'] },
      monitoring: { interval_seconds: 0 },
      tls: { required: 'not known' },
      parameter_group: { joined: false },
    });
  });
});

describe('of a table in AWS Config', () => {
  const table = [
    'AWS::DynamoDB::Table',
    { sSEDescription: { status: 'ENABLED', kMSMasterKeyArn: 'item-1' } },
    {
      ContinuousBackupsDescription: {
        pointInTimeRecoveryDescription: { pointInTimeRecoveryStatus: 'ENABLED' },
      },
    },
  ] as const;

  test.each([
    ['the key is the account’s own', 'CUSTOMER', true],
    ['the key is managed by AWS', 'AWS', false],
  ])('%s', (_title, keyManager, expected) => {
    expect(attributesOfItem(table, ['AWS::KMS::Key', { keyManager }])).toMatchObject({
      backup: { point_in_time_recovery: true },
      encryption: { kms: true, kms_key_id: 'item-1', customer_managed: expected },
    });
  });

  test('whose key it is, is not known without its item', () => {
    expect(attributesOfItem(table)).toHaveProperty('encryption.customer_managed', 'not known');
  });
});

test('a read replica is encrypted as its source is', () => {
  expect(
    attributesOfTemplate({
      It: ['AWS::RDS::DBInstance', { SourceDBInstanceIdentifier: { Ref: 'Main' } }],
      Main: ['AWS::RDS::DBInstance', { StorageEncrypted: true }],
    })['encryption'],
  ).toMatchObject({ enabled: true });
  expect(
    attributesOfPlan({
      'aws_db_instance.it': {
        replicate_source_db: new Reference('aws_db_instance.main.identifier'),
      },
      'aws_db_instance.main': { storage_encrypted: true },
    })['encryption'],
  ).toMatchObject({ enabled: true });
});

test.each([
  ['postgres14', {}, false],
  ['postgres15', {}, true],
  ['postgres16', { 'rds.force_ssl': 0 }, false],
  ['POSTGRES9.6', { 'rds.force_ssl': '1' }, true],
  ['aurora-postgresql16', {}, false],
  ['aurora-postgresql17', {}, 'not known'],
  ['sqlserver-ee-15.0', {}, false],
  ['mysql8.0', {}, false],
  ['aurora-mysql8.0', { require_secure_transport: 'ON' }, true],
  ['mariadb10.11', { require_secure_transport: 'off' }, false],
  ['mysql8.4', {}, 'not known'],
  ['mariadb11.8', {}, true],
  ['sqlserver-web-16.00', {}, false],
  ['oracle-ee-19', {}, undefined],
])('a parameter group of %s with %j requires TLS: %s', (family, parameters, required) => {
  const tls = required === undefined ? undefined : { required };
  const { tls: ofTemplate } = attributesOfTemplate({
    It: ['AWS::RDS::DBParameterGroup', { Family: family, Parameters: parameters }],
  });
  expect(ofTemplate).toEqual(tls);
  const { tls: ofPlan } = attributesOfPlan({
    'aws_rds_cluster_parameter_group.it': {
      family,
      parameter: Object.entries(parameters).map(([name, value]) => ({ name, value })),
    },
  });
  expect(ofPlan).toEqual(tls);
});

describe('whether a database refuses plain text', () => {
  const forced = { Family: 'postgres14', Parameters: { 'rds.force_ssl': '1' } };
  const plannedGroup = {
    family: 'postgres14',
    parameter: [{ name: 'rds.force_ssl', value: '1' }],
  };
  const joined = { tls: { required: true }, parameter_group: { joined: true } };
  const alone = (required: unknown) => ({
    ...(required === undefined ? {} : { tls: { required } }),
    parameter_group: { joined: false },
  });

  test('is what its parameter group says', () => {
    expect(
      attributesOfTemplate({
        It: [
          'AWS::RDS::DBInstance',
          { Engine: 'postgres', DBParameterGroupName: { Ref: 'Group' } },
        ],
        Group: ['AWS::RDS::DBParameterGroup', forced],
      }),
    ).toMatchObject(joined);
    expect(
      attributesOfPlan({
        'aws_db_instance.it': {
          engine: 'postgres',
          parameter_group_name: new Reference('aws_db_parameter_group.it.name'),
        },
        'aws_db_parameter_group.it': plannedGroup,
      }),
    ).toMatchObject(joined);
  });

  test('is what the group of its cluster says', () => {
    const group = ['AWS::RDS::DBClusterParameterGroup', forced] as const;
    const cluster = [
      'AWS::RDS::DBCluster',
      { Engine: 'postgres', DBClusterParameterGroupName: { Ref: 'Group' } },
    ] as const;
    expect(attributesOfTemplate({ It: cluster, Group: group })).toMatchObject(joined);
    expect(
      attributesOfTemplate({
        It: ['AWS::RDS::DBInstance', { DBClusterIdentifier: { Ref: 'Cluster' } }],
        Cluster: cluster,
        Group: group,
      }),
    ).toMatchObject(joined);
    // Something else may have the cluster's name.
    expect(
      attributesOfTemplate({
        It: ['AWS::RDS::DBInstance', { DBClusterIdentifier: 'orders' }],
        Cluster: ['AWS::RDS::DBCluster', { ...cluster[1], DBClusterIdentifier: 'orders' }],
        Queue: ['AWS::SQS::Queue', { QueueName: 'orders' }],
        Group: group,
      }),
    ).toMatchObject(joined);
    expect(
      attributesOfPlan({
        'aws_rds_cluster_instance.it': {
          cluster_identifier: new Reference('aws_rds_cluster.it.id'),
        },
        'aws_rds_cluster.it': {
          engine: 'postgres',
          db_cluster_parameter_group_name: new Reference('aws_rds_cluster_parameter_group.it.name'),
        },
        'aws_rds_cluster_parameter_group.it': plannedGroup,
      }),
    ).toMatchObject(joined);
    expect(
      attributesOfTemplate({ It: ['AWS::RDS::DBInstance', { DBClusterIdentifier: 'elsewhere' }] }),
    ).toMatchObject(alone('not known'));
  });

  test.each([
    ['postgres', '14.9', undefined, false],
    ['postgres', '16', undefined, true],
    ['postgres', undefined, 'default.postgres14', false],
    ['postgres', '14.9', 'elsewhere', 'not known'],
    ['postgres', undefined, undefined, 'not known'],
    ['mysql', '8.0.35', undefined, false],
    ['mysql', '8.4.3', undefined, 'not known'],
    ['mariadb', '10.11.6', undefined, false],
    ['mariadb', '11.8.3', undefined, true],
    ['sqlserver-ee', '15.00.4312.2.v1', undefined, false],
    ['sqlserver-ee', undefined, undefined, false],
    ['oracle-ee', '19', undefined, undefined],
    [undefined, undefined, undefined, 'not known'],
  ])('of %s %s with the group %s: %s', (engine, version, group, required) => {
    expect(
      attributesOfTemplate({
        It: [
          'AWS::RDS::DBInstance',
          { Engine: engine, EngineVersion: version, DBParameterGroupName: group },
        ],
      }),
    ).toMatchObject(alone(required));
    expect(
      attributesOfPlan({
        'aws_db_instance.it': { engine, engine_version: version, parameter_group_name: group },
      }),
    ).toMatchObject(alone(required));
  });

  test('is what the default group says that an item of AWS Config names', () => {
    expect(
      attributesOfItem([
        'AWS::RDS::DBInstance',
        {
          engine: 'postgres',
          engineVersion: '14.9',
          dBParameterGroups: [{ dBParameterGroupName: 'default.postgres14' }],
        },
      ]),
    ).toMatchObject(alone(false));
  });

  test('is not known of a replica that takes the group of its source', () => {
    expect(
      attributesOfPlan({
        'aws_db_instance.it': {
          engine: 'postgres',
          engine_version: '14',
          replicate_source_db: 'main',
        },
      }),
    ).toMatchObject(alone('not known'));
  });
});
