// What a resource of AWS can be set to, in the spelling of each source. `absent` is what AWS does where nothing is set.
import { Reference } from '../attributes/aws/twins.ts';
import { awsServices } from './aws-services.ts';
import { keyArn } from './clouds.ts';
import type { Fields, Kind, Setting, Value } from './kind.ts';
import { as, both, choice, kind, setting, tagsAs } from './kind.ts';
import { put } from './spelled.ts';

/** A switch that providers word; on, off. */
const readOnly = 'arn:aws:iam::aws:policy/ReadOnlyAccess';
const auroraVersion = '8.0.mysql_aurora.3.08.0';

const words = (on: string, off: string) => [
  as(true, { template: on }),
  as(false, { template: off }),
];
/** Why some settings are never left out here. */
const stated = 'A policy asks templates to state it.';

/** @param template how the template has them */
const tags = (
  template: (tags: Fields) => Fields = (given) => ({
    Tags: Object.entries(given).map(([Key, Value]) => ({ Key, Value })),
  }),
): Setting => tagsAs(template);

/** A customer's own key of the same document, or AWS's own by its alias. */
function key(
  template = 'KmsKeyId',
  plan = 'kms_key_id',
  item = 'kmsKeyId',
  native = 'encryption',
): Setting {
  const spell = (isOwn: boolean, fields: Omit<Value, 'native'>): Value => ({
    native: put(native, { customer_managed: isOwn, ...(isOwn ? { kms_key_id: keyArn } : {}) }),
    ...fields,
  });
  return choice(
    'key',
    [
      spell(true, {
        template: put(template, { 'Fn::GetAtt': ['Key', 'Arn'] }),
        plan: put(plan, new Reference('aws_kms_key.key.arn')),
        item: put(item, keyArn),
      }),
    ],
    spell(false, {}),
  );
}

const storage: readonly Kind[] = [
  kind('AWS::EC2::Volume', 'aws_ebs_volume', [
    setting('encryption.enabled', 'Encrypted', both, false),
    key(),
    setting('volume_type', 'VolumeType', ['gp3', 'io2', 'gp2', 'standard'], 'gp2', {
      plan: 'type',
    }),
    setting('size_gb', 'Size', [20, 2000]),
    tags(),
  ]),
  kind('AWS::EFS::FileSystem', 'aws_efs_file_system', [
    setting('encryption.enabled', 'Encrypted', both, false),
    key(),
    choice(
      'backups',
      [
        {
          native: { backup: { enabled: true } },
          template: { BackupPolicy: { Status: 'ENABLED' } },
          item: { BackupPolicy: { Status: 'ENABLED' } },
          beside: {
            plan: {
              'aws_efs_backup_policy.it': {
                file_system_id: new Reference('aws_efs_file_system.it.id'),
                backup_policy: [{ status: 'ENABLED' }],
              },
            },
          },
        },
      ],
      { native: { backup: { enabled: false } } },
    ),
    tags((given) => ({
      FileSystemTags: Object.entries(given).map(([Key, Value]) => ({ Key, Value })),
    })),
  ]),
];

const databases: readonly Kind[] = [
  kind(
    'AWS::RDS::DBInstance',
    'aws_db_instance',
    [
      setting('encryption.enabled', 'StorageEncrypted', both, false),
      setting('public_access', 'PubliclyAccessible', [false, true], false),
      setting('backup.retention_days', 'BackupRetentionPeriod', [35, 14, 7, 1, 0], 1, {
        differs: 'Terraform turns backups off (0) where AWS itself keeps them for a day.',
      }),
      setting('multi_az', 'MultiAZ', both, false, { plan: 'multi_az' }),
      setting('deletion_protection', 'DeletionProtection', both, false),
      setting('auto_minor_version_upgrade', 'AutoMinorVersionUpgrade', both, true, {
        differs: stated,
      }),
      setting('iam_authentication', 'EnableIAMDatabaseAuthentication', both, false, {
        plan: 'iam_database_authentication_enabled',
        item: 'iAMDatabaseAuthenticationEnabled',
      }),
      setting('logging.types', 'EnableCloudwatchLogsExports', [['error', 'audit'], []], [], {
        plan: 'enabled_cloudwatch_logs_exports',
        item: 'enabledCloudwatchLogsExports',
      }),
      setting('monitoring.interval_seconds', 'MonitoringInterval', [60, 0], 0),
      tags(),
    ],
    {
      always: {
        native: {
          engine: 'postgres',
          tls: { required: true },
          master_password: { source: 'managed' },
        },
        template: {
          Engine: 'postgres',
          EngineVersion: '16.4',
          ManageMasterUserPassword: true,
          DBSubnetGroupName: 'private',
        },
        plan: {
          engine: 'postgres',
          engine_version: '16.4',
          manage_master_user_password: true,
          db_subnet_group_name: 'private',
        },
        item: {
          engine: 'postgres',
          engineVersion: '16.4',
          masterUserSecret: { secretStatus: 'active' },
          dBSubnetGroup: { dBSubnetGroupName: 'private' },
        },
      },
    },
  ),
  kind(
    'AWS::RDS::DBCluster',
    'aws_rds_cluster',
    [
      setting('encryption.enabled', 'StorageEncrypted', both, true, {
        differs: 'New Aurora clusters are encrypted; one that is deployed may be older.',
      }),
      setting('backup.retention_days', 'BackupRetentionPeriod', [35, 7, 1], 1),
      setting('backtrack.window_seconds', 'BacktrackWindow', [86400, 0], 0),
      setting('deletion_protection', 'DeletionProtection', both, false),
      setting('logging.types', 'EnableCloudwatchLogsExports', [['error', 'audit'], []], [], {
        plan: 'enabled_cloudwatch_logs_exports',
        item: 'enabledCloudwatchLogsExports',
      }),
      tags(),
    ],
    {
      always: {
        native: {
          engine: 'aurora-mysql',
          tls: { required: false },
          master_password: { source: 'managed' },
        },
        template: {
          Engine: 'aurora-mysql',
          EngineVersion: auroraVersion,
          ManageMasterUserPassword: true,
        },
        plan: {
          engine: 'aurora-mysql',
          engine_version: auroraVersion,
          manage_master_user_password: true,
        },
        item: {
          engine: 'aurora-mysql',
          engineVersion: auroraVersion,
          masterUserSecret: { secretStatus: 'active' },
        },
      },
    },
  ),
  kind(
    'AWS::Redshift::Cluster',
    'aws_redshift_cluster',
    [
      setting('encryption.enabled', 'Encrypted', both, true),
      setting('public_access', 'PubliclyAccessible', [false, true], false),
      setting('backup.retention_days', 'AutomatedSnapshotRetentionPeriod', [35, 7, 1, 0], 1, {
        differs: stated,
      }),
      setting('version_upgrade', 'AllowVersionUpgrade', both, true, { differs: stated }),
      setting('enhanced_vpc_routing', 'EnhancedVpcRouting', both, false),
      setting('maintenance_window', 'PreferredMaintenanceWindow', [
        'sun:03:00-sun:03:30',
        'mon:10:00-mon:10:30',
      ]),
      choice(
        'logging',
        [
          {
            native: { logging: { enabled: true } },
            template: { LoggingProperties: { BucketName: 'logs' } },
            item: { supplementaryConfiguration: { LoggingStatus: { loggingEnabled: true } } },
            beside: {
              plan: {
                'aws_redshift_logging.it': {
                  cluster_identifier: new Reference('aws_redshift_cluster.it.id'),
                  log_destination_type: 's3',
                  bucket_name: 'logs',
                },
              },
            },
          },
          {
            native: { logging: { enabled: true } },
            template: { LoggingProperties: { BucketName: 'logs' } },
            plan: { logging: [{ enable: true, bucket_name: 'logs' }] },
            item: { supplementaryConfiguration: { LoggingStatus: { loggingEnabled: true } } },
          },
        ],
        {
          native: { logging: { enabled: false } },
          item: { supplementaryConfiguration: { LoggingStatus: { loggingEnabled: false } } },
        },
      ),
      tags(),
    ],
    {
      always: {
        native: { master_password: { source: 'managed' } },
        template: { ManageMasterPassword: true },
        plan: { manage_master_password: true },
        item: {
          masterPasswordSecretArn: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:it',
        },
      },
    },
  ),
  kind('AWS::DynamoDB::Table', 'aws_dynamodb_table', [
    choice(
      'point-in-time recovery',
      both.map((on) => ({
        native: { backup: { point_in_time_recovery: on } },
        template: { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: on } },
        plan: { point_in_time_recovery: [{ enabled: on }] },
        item: {
          supplementaryConfiguration: {
            ContinuousBackupsDescription: {
              pointInTimeRecoveryDescription: {
                pointInTimeRecoveryStatus: on ? 'ENABLED' : 'DISABLED',
              },
            },
          },
        },
      })),
      { native: { backup: { point_in_time_recovery: false } } },
    ),
    setting('deletion_protection', 'DeletionProtectionEnabled', both, false),
    choice(
      'key',
      [
        {
          native: { encryption: { kms: true, customer_managed: true, kms_key_id: keyArn } },
          template: {
            SSESpecification: {
              SSEEnabled: true,
              SSEType: 'KMS',
              KMSMasterKeyId: { 'Fn::GetAtt': ['Key', 'Arn'] },
            },
          },
          plan: {
            server_side_encryption: [
              { enabled: true, kms_key_arn: new Reference('aws_kms_key.key.arn') },
            ],
          },
          item: {
            sSEDescription: { status: 'ENABLED', sSEType: 'KMS', kMSMasterKeyArn: keyArn },
          },
        },
      ],
      { native: { encryption: { kms: false, customer_managed: false } } },
    ),
    choice(
      'billing',
      ['PAY_PER_REQUEST', 'PROVISIONED'].map((mode) => ({
        native: { billing_mode: mode },
        template: { BillingMode: mode },
        plan: { billing_mode: mode },
        item: { billingModeSummary: { billingMode: mode } },
      })),
      {},
      {},
      stated,
    ),
    tags(),
  ]),
  kind('AWS::ElastiCache::ReplicationGroup', 'aws_elasticache_replication_group', [
    setting('encryption.enabled', 'AtRestEncryptionEnabled', both, false),
    setting('tls.required', 'TransitEncryptionEnabled', both, false),
    tags(),
  ]),
  kind('AWS::DAX::Cluster', 'aws_dax_cluster', [
    choice(
      'encryption',
      both.map((on) => ({
        native: { encryption: { enabled: on } },
        template: { SSESpecification: { SSEEnabled: on } },
        plan: { server_side_encryption: [{ enabled: on }] },
        item: { SSESpecification: { SSEEnabled: on } },
      })),
      {
        native: { encryption: { enabled: false } },
        item: { SSESpecification: { SSEEnabled: false } },
      },
    ),
    setting(
      'tls.required',
      'ClusterEndpointEncryptionType',
      words('TLS', 'NONE'),
      as(false, { template: 'NONE' }),
    ),
    tags((given) => ({ Tags: given })),
  ]),
  kind('AWS::DMS::ReplicationInstance', 'aws_dms_replication_instance', [
    setting('public_access', 'PubliclyAccessible', [false, true], true, {
      differs: 'AWS gives a public address; Terraform asks for none.',
    }),
    tags(),
  ]),
];

const messaging: readonly Kind[] = [
  kind('AWS::SNS::Topic', 'aws_sns_topic', [
    choice(
      'key',
      [
        {
          native: { encryption: { enabled: true, customer_managed: true, kms_key_id: keyArn } },
          template: { KmsMasterKeyId: { 'Fn::GetAtt': ['Key', 'Arn'] } },
          plan: { kms_master_key_id: new Reference('aws_kms_key.key.arn') },
          item: { KmsMasterKeyId: keyArn },
        },
        {
          native: {
            encryption: { enabled: true, customer_managed: false, kms_key_id: 'alias/aws/sns' },
          },
          template: { KmsMasterKeyId: 'alias/aws/sns' },
          plan: { kms_master_key_id: 'alias/aws/sns' },
          item: { KmsMasterKeyId: 'alias/aws/sns' },
        },
      ],
      { native: { encryption: { enabled: false, customer_managed: false } } },
    ),
    choice(
      'policy',
      [],
      { native: { policy: { statements: [] } } },
      {
        item: 'The configuration of a topic has no policy in many items.',
      },
    ),
    tags(),
  ]),
  kind('AWS::SQS::Queue', 'aws_sqs_queue', [
    choice(
      'key',
      [
        {
          native: { encryption: { enabled: true, customer_managed: true, kms_key_id: keyArn } },
          template: { KmsMasterKeyId: { 'Fn::GetAtt': ['Key', 'Arn'] } },
          plan: { kms_master_key_id: new Reference('aws_kms_key.key.arn') },
          item: { KmsMasterKeyId: keyArn },
        },
        {
          native: {
            encryption: { enabled: true, customer_managed: false, kms_key_id: 'alias/aws/sqs' },
          },
          template: { KmsMasterKeyId: 'alias/aws/sqs' },
          plan: { kms_master_key_id: 'alias/aws/sqs' },
          item: { KmsMasterKeyId: 'alias/aws/sqs' },
        },
        {
          native: { encryption: { enabled: false, customer_managed: false } },
          template: { SqsManagedSseEnabled: false },
          plan: { sqs_managed_sse_enabled: false },
          item: { SqsManagedSseEnabled: 'false' },
        },
      ],
      {
        native: { encryption: { enabled: true, customer_managed: false } },
        item: { SqsManagedSseEnabled: 'true' },
      },
    ),
    tags(),
  ]),
  kind('AWS::Kinesis::Stream', 'aws_kinesis_stream', [
    choice(
      'key',
      [
        {
          native: { encryption: { enabled: true, customer_managed: true, kms_key_id: keyArn } },
          template: {
            StreamEncryption: { EncryptionType: 'KMS', KeyId: { 'Fn::GetAtt': ['Key', 'Arn'] } },
          },
          plan: { encryption_type: 'KMS', kms_key_id: new Reference('aws_kms_key.key.arn') },
          item: { StreamEncryption: { EncryptionType: 'KMS', KeyId: keyArn } },
        },
        {
          native: {
            encryption: { enabled: true, customer_managed: false, kms_key_id: 'alias/aws/kinesis' },
          },
          template: { StreamEncryption: { EncryptionType: 'KMS', KeyId: 'alias/aws/kinesis' } },
          plan: { encryption_type: 'KMS', kms_key_id: 'alias/aws/kinesis' },
          item: { StreamEncryption: { EncryptionType: 'KMS', KeyId: 'alias/aws/kinesis' } },
        },
      ],
      {
        native: { encryption: { enabled: false, customer_managed: false } },
        plan: { encryption_type: 'NONE' },
      },
    ),
    setting('retention_hours', 'RetentionPeriodHours', [168, 24], 24, { plan: 'retention_period' }),
    tags(),
  ]),
];

const logging: readonly Kind[] = [
  kind(
    'AWS::CloudTrail::Trail',
    'aws_cloudtrail',
    [
      setting('multi_region', 'IsMultiRegionTrail', both, false),
      setting('include_global_service_events', 'IncludeGlobalServiceEvents', both, true),
      setting('log_file_validation', 'EnableLogFileValidation', both, false, {
        item: 'logFileValidationEnabled',
      }),
      choice(
        'log group',
        [
          {
            native: { cloudwatch_logs: { enabled: true } },
            template: {
              CloudWatchLogsLogGroupArn: 'arn:aws:logs:eu-central-1:123456789012:log-group:t:*',
            },
            plan: {
              cloud_watch_logs_group_arn: 'arn:aws:logs:eu-central-1:123456789012:log-group:t:*',
            },
            item: {
              cloudWatchLogsLogGroupArn: 'arn:aws:logs:eu-central-1:123456789012:log-group:t:*',
            },
          },
        ],
        { native: { cloudwatch_logs: { enabled: false } } },
      ),
      key('KMSKeyId'),
      setting('logging.enabled', 'IsLogging', both, undefined, {
        plan: 'enable_logging',
        untold: { item: 'AWS Config records the settings of a trail, not whether it is running.' },
      }),
      tags(),
    ],
    { always: { native: { logging: { enabled: true } }, template: { IsLogging: true } } },
  ),
  kind('AWS::Logs::LogGroup', 'aws_cloudwatch_log_group', [
    setting('retention_days', 'RetentionInDays', [365, 30, 3653]),
    key(),
    tags(),
  ]),
];

const containers: readonly Kind[] = [
  kind('AWS::ECR::Repository', 'aws_ecr_repository', [
    setting('scan_on_push', 'ImageScanningConfiguration.ScanOnPush', both, false, {
      item: 'ImageScanningConfiguration.ScanOnPush',
    }),
    setting(
      'immutable_tags',
      'ImageTagMutability',
      words('IMMUTABLE', 'MUTABLE'),
      as(false, { template: 'MUTABLE' }),
      {
        item: 'ImageTagMutability',
      },
    ),
    tags(),
  ]),
];

const network: readonly Kind[] = [
  kind('AWS::EC2::Subnet', 'aws_subnet', [
    setting('public_ip_on_launch', 'MapPublicIpOnLaunch', [false, true], false),
    tags(),
  ]),
];

/** A policy document, and the statement that it has. */
interface Document {
  readonly native: Fields;
  readonly document: Fields;
}

const statement = (
  effect: 'Allow' | 'Deny',
  given: {
    readonly principal?: '*' | string;
    readonly service?: string;
    readonly actions: readonly string[];
    readonly resource?: string;
    readonly conditions?: Fields;
  },
): Document => {
  const { principal, service, actions, resource, conditions = {} } = given;
  const principals = [principal, service].filter((one) => one !== undefined);
  return {
    native: {
      effect,
      principals,
      not_principals: [],
      actions,
      not_actions: [],
      resources: resource === undefined ? [] : [resource],
      not_resources: [],
      conditions,
    },
    document: {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: effect,
          ...(principal === '*' ? { Principal: '*' } : {}),
          ...(principal !== undefined && principal !== '*'
            ? { Principal: { AWS: principal } }
            : {}),
          ...(service === undefined ? {} : { Principal: { Service: service } }),
          Action: actions,
          ...(resource === undefined ? {} : { Resource: resource }),
          ...(Object.keys(conditions).length > 0 ? { Condition: conditions } : {}),
        },
      ],
    },
  };
};

const account = 'arn:aws:iam::123456789012:root';
const someStatements = (resource: string, service: string): readonly Document[] => [
  statement('Allow', { principal: account, actions: [`${service}:Get*`], resource }),
  statement('Allow', { principal: '*', actions: [`${service}:*`], resource }),
  statement('Allow', { principal: '*', actions: ['*'], resource }),
  statement('Deny', {
    principal: '*',
    actions: [`${service}:*`],
    resource,
    conditions: { Bool: { 'aws:SecureTransport': ['false'] } },
  }),
  statement('Allow', {
    principal: '*',
    actions: [`${service}:*`],
    resource,
    conditions: { StringEquals: { 'aws:PrincipalOrgID': ['o-1a2b3c4d5e'] } },
  }),
];

/** What an identity may do: nobody is named. */
const permissions: readonly Document[] = [
  statement('Allow', { actions: ['s3:GetObject'], resource: 'arn:aws:s3:::data/*' }),
  statement('Allow', { actions: ['s3:*'], resource: '*' }),
  statement('Allow', { actions: ['*'], resource: '*' }),
  statement('Allow', { actions: ['iam:PassRole', 'sts:AssumeRole'], resource: '*' }),
  statement('Allow', { actions: ['iam:*'], resource: '*' }),
];

/** A policy document that a resource has itself; in an item it is a text, URL-encoded. */
const ownPolicy = (
  property: string,
  documents: readonly Document[],
  item: (document: Fields) => Fields,
  plan = 'policy',
): Setting =>
  choice(
    'policy',
    documents.map(({ native, document }) => ({
      native: { policy: { statements: [native] } },
      template: { [property]: document },
      plan: { [plan]: JSON.stringify(document) },
      item: item(document),
    })),
  );

const always = (native: Fields, template: Fields, plan: Fields, item: Fields): Value => ({
  native,
  template,
  plan,
  item,
});

const keys: readonly Kind[] = [
  kind(
    'AWS::KMS::Key',
    'aws_kms_key',
    [
      setting('rotation.enabled', 'EnableKeyRotation', both, false, {
        item: 'supplementaryConfiguration.KeyRotationStatus',
      }),
      ownPolicy('KeyPolicy', someStatements('*', 'kms'), (document) => ({
        supplementaryConfiguration: { Policy: JSON.stringify(document) },
      })),
      tags(),
    ],
    { always: { item: { keyManager: 'CUSTOMER' } } },
  ),
];

const notInConfig = 'AWS Config does not record the type.';

const blocks = [
  'block_public_acls',
  'block_public_policy',
  'ignore_public_acls',
  'restrict_public_buckets',
];
const inPascal = (word: string): string =>
  word.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
const inCamel = (word: string): string =>
  word.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const each = (names: readonly string[], name: (word: string) => string, value: unknown): Fields =>
  Object.fromEntries(names.map((one) => [name(one), value]));

const bucket = new Reference('aws_s3_bucket.it.id');

/** What AWS sets by itself on new buckets. */
const bucketDefaults: readonly Setting[] = [
  choice(
    'public access block',
    both.map((on) => ({
      native: { public_access_block: { configured: true, ...each(blocks, String, on) } },
      template: { PublicAccessBlockConfiguration: each(blocks, inPascal, on) },
      item: {
        supplementaryConfiguration: { PublicAccessBlockConfiguration: each(blocks, inCamel, on) },
      },
      beside: {
        plan: {
          'aws_s3_bucket_public_access_block.it': { bucket, ...each(blocks, String, on) },
        },
      },
    })),
    {},
    {},
    'AWS blocks public access by itself: what is deployed shows it as set.',
  ),
  choice(
    'encryption',
    [
      {
        native: {
          encryption: {
            configured: true,
            enabled: true,
            algorithm: 'aws:kms',
            customer_managed: true,
            kms_key_id: keyArn,
          },
        },
        template: {
          BucketEncryption: {
            ServerSideEncryptionConfiguration: [
              {
                ServerSideEncryptionByDefault: {
                  SSEAlgorithm: 'aws:kms',
                  KMSMasterKeyID: { 'Fn::GetAtt': ['Key', 'Arn'] },
                },
              },
            ],
          },
        },
        item: {
          supplementaryConfiguration: {
            ServerSideEncryptionConfiguration: {
              rules: [
                {
                  applyServerSideEncryptionByDefault: {
                    sseAlgorithm: 'aws:kms',
                    kmsMasterKeyID: keyArn,
                  },
                },
              ],
            },
          },
        },
        beside: {
          plan: {
            'aws_s3_bucket_server_side_encryption_configuration.it': {
              bucket,
              rule: [
                {
                  apply_server_side_encryption_by_default: [
                    {
                      sse_algorithm: 'aws:kms',
                      kms_master_key_id: new Reference('aws_kms_key.key.arn'),
                    },
                  ],
                },
              ],
            },
          },
        },
      },
      {
        native: {
          encryption: {
            configured: true,
            enabled: true,
            algorithm: 'AES256',
            customer_managed: false,
          },
        },
        template: {
          BucketEncryption: {
            ServerSideEncryptionConfiguration: [
              { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
            ],
          },
        },
        item: {
          supplementaryConfiguration: {
            ServerSideEncryptionConfiguration: {
              rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: 'AES256' } }],
            },
          },
        },
        beside: {
          plan: {
            'aws_s3_bucket_server_side_encryption_configuration.it': {
              bucket,
              rule: [{ apply_server_side_encryption_by_default: [{ sse_algorithm: 'AES256' }] }],
            },
          },
        },
      },
    ],
    {},
    {},
    'AWS encrypts by itself: what is deployed shows it as set.',
  ),
];

const buckets: readonly Kind[] = [
  kind('AWS::S3::Bucket', 'aws_s3_bucket', [
    ...bucketDefaults,
    choice(
      'ACL',
      [
        ['private', 'Private', []] as const,
        ['public-read', 'PublicRead', [['AllUsers', 'Read']]] as const,
        [
          'public-read-write',
          'PublicReadWrite',
          [
            ['AllUsers', 'Read'],
            ['AllUsers', 'Write'],
          ],
        ] as const,
        ['authenticated-read', 'AuthenticatedRead', [['AuthenticatedUsers', 'Read']]] as const,
      ].map(([acl, word, grants]) => ({
        native: { acl },
        template: { AccessControl: word },
        item: {
          supplementaryConfiguration: {
            AccessControlList: JSON.stringify({
              grantSet: null,
              grantList: grants.map(([grantee, permission]) => ({ grantee, permission })),
            }),
          },
        },
        beside: { plan: { 'aws_s3_bucket_acl.it': { bucket, acl } } },
      })),
      { native: { acl: 'private' } },
    ),
    choice(
      'versioning',
      [true, false].map((on) => {
        const status = on ? 'Enabled' : 'Suspended';
        return {
          native: { versioning: { enabled: on } },
          template: { VersioningConfiguration: { Status: status } },
          item: { supplementaryConfiguration: { BucketVersioningConfiguration: { status } } },
          beside: {
            plan: {
              'aws_s3_bucket_versioning.it': { bucket, versioning_configuration: [{ status }] },
            },
          },
        };
      }),
      {
        native: { versioning: { enabled: false } },
        item: { supplementaryConfiguration: { BucketVersioningConfiguration: { status: 'Off' } } },
      },
    ),
    choice(
      'logging',
      [
        {
          native: { logging: { enabled: true, target_bucket: 'the-logs', to_itself: false } },
          template: { LoggingConfiguration: { DestinationBucketName: 'the-logs' } },
          item: {
            supplementaryConfiguration: {
              BucketLoggingConfiguration: { destinationBucketName: 'the-logs', logFilePrefix: '' },
            },
          },
          beside: {
            plan: {
              'aws_s3_bucket_logging.it': { bucket, target_bucket: 'the-logs', target_prefix: '' },
            },
          },
        },
      ],
      {
        native: { logging: { enabled: false } },
        item: {
          supplementaryConfiguration: {
            BucketLoggingConfiguration: { destinationBucketName: null, logFilePrefix: null },
          },
        },
      },
    ),
    choice(
      'lifecycle',
      [7, 90].map((days) => ({
        native: { lifecycle: { rules: [{ enabled: true, abort_incomplete_upload_days: days }] } },
        template: {
          LifecycleConfiguration: {
            Rules: [
              { Status: 'Enabled', AbortIncompleteMultipartUpload: { DaysAfterInitiation: days } },
            ],
          },
        },
        item: {
          supplementaryConfiguration: {
            BucketLifecycleConfiguration: {
              rules: [
                {
                  status: 'Enabled',
                  abortIncompleteMultipartUpload: { daysAfterInitiation: days },
                },
              ],
            },
          },
        },
        beside: {
          plan: {
            'aws_s3_bucket_lifecycle_configuration.it': {
              bucket,
              rule: [
                {
                  id: 'uploads',
                  status: 'Enabled',
                  abort_incomplete_multipart_upload: [{ days_after_initiation: days }],
                },
              ],
            },
          },
        },
      })),
      { native: { lifecycle: { rules: [] } } },
    ),
    choice(
      'object lock',
      [
        {
          native: { object_lock: { enabled: true, mode: 'COMPLIANCE', retention_days: 365 } },
          template: {
            ObjectLockEnabled: true,
            ObjectLockConfiguration: {
              ObjectLockEnabled: 'Enabled',
              Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Years: 1 } },
            },
          },
          plan: { object_lock_enabled: true },
          item: {
            supplementaryConfiguration: {
              ObjectLockConfiguration: {
                objectLockEnabled: 'Enabled',
                rule: { defaultRetention: { mode: 'COMPLIANCE', years: 1 } },
              },
            },
          },
          beside: {
            plan: {
              'aws_s3_bucket_object_lock_configuration.it': {
                bucket,
                rule: [{ default_retention: [{ mode: 'COMPLIANCE', years: 1 }] }],
              },
            },
          },
        },
      ],
      { native: { object_lock: { enabled: false } } },
    ),
    choice(
      'replication',
      [
        {
          native: { replication: { enabled: true } },
          template: {
            ReplicationConfiguration: {
              Role: 'arn:aws:iam::123456789012:role/copy',
              Rules: [{ Status: 'Enabled', Destination: { Bucket: 'arn:aws:s3:::the-copy' } }],
            },
          },
          item: {
            supplementaryConfiguration: {
              BucketReplicationConfiguration: {
                roleARN: 'arn:aws:iam::123456789012:role/copy',
                rules: {
                  all: {
                    status: 'Enabled',
                    destinationConfig: { bucketARN: 'arn:aws:s3:::the-copy' },
                  },
                },
              },
            },
          },
          beside: {
            plan: {
              'aws_s3_bucket_replication_configuration.it': {
                bucket,
                role: 'arn:aws:iam::123456789012:role/copy',
                rule: [{ status: 'Enabled', destination: [{ bucket: 'arn:aws:s3:::the-copy' }] }],
              },
            },
          },
        },
      ],
      { native: { replication: { enabled: false } } },
    ),
    tags(),
  ]),
  kind(
    'AWS::S3::Bucket',
    'aws_s3_bucket',
    [
      ...bucketDefaults,
      choice(
        'policy',
        someStatements('arn:aws:s3:::the-data/*', 's3').map(({ native, document }) => ({
          native: { policy: { statements: [native] } },
          plan: { policy: JSON.stringify(document) },
          item: {
            supplementaryConfiguration: { BucketPolicy: { policyText: JSON.stringify(document) } },
          },
        })),
        { native: { policy: { statements: [] } } },
      ),
    ],
    { unsupported: { template: 'A template has the policy as a separate resource.' } },
  ),
];

/** A rule of a group: which ports are open to whom. */
interface Opening {
  readonly protocol: string;
  readonly from: number;
  readonly to: number;
  readonly cidr: string;
}

const openings: readonly Opening[] = [
  { protocol: 'tcp', from: 443, to: 443, cidr: '10.0.0.0/8' },
  { protocol: 'tcp', from: 443, to: 443, cidr: '0.0.0.0/0' },
  { protocol: 'tcp', from: 22, to: 22, cidr: '0.0.0.0/0' },
  { protocol: 'tcp', from: 22, to: 22, cidr: '::/0' },
  { protocol: 'tcp', from: 3389, to: 3389, cidr: '198.51.100.7/32' },
  { protocol: 'udp', from: 0, to: 65535, cidr: '0.0.0.0/0' },
  { protocol: 'tcp', from: 5432, to: 5432, cidr: '0.0.0.0/0' },
  { protocol: '-1', from: 0, to: 65535, cidr: '0.0.0.0/0' },
];

const isSix = (cidr: string): boolean => cidr.includes(':');

const nativeRule = ({ protocol, from, to, cidr }: Opening): Fields => ({
  access: 'allow',
  protocol: protocol === '-1' ? 'all' : protocol,
  from_port: from,
  to_port: to,
  cidrs: [cidr],
  groups: [],
  description: 'why',
});
const templateRule = ({ protocol, from, to, cidr }: Opening): Fields => ({
  IpProtocol: protocol,
  ...(protocol === '-1' ? {} : { FromPort: from, ToPort: to }),
  ...(isSix(cidr) ? { CidrIpv6: cidr } : { CidrIp: cidr }),
  Description: 'why',
});
const blockRule = ({ protocol, from, to, cidr }: Opening): Fields => ({
  protocol,
  from_port: protocol === '-1' ? 0 : from,
  to_port: protocol === '-1' ? 0 : to,
  cidr_blocks: isSix(cidr) ? [] : [cidr],
  ipv6_cidr_blocks: isSix(cidr) ? [cidr] : [],
  description: 'why',
});
const planRule = ({ protocol, from, to, cidr }: Opening): Fields => ({
  ip_protocol: protocol,
  ...(protocol === '-1' ? {} : { from_port: from, to_port: to }),
  ...(isSix(cidr) ? { cidr_ipv6: cidr } : { cidr_ipv4: cidr }),
  description: 'why',
});
const itemRule = ({ protocol, from, to, cidr }: Opening): Fields => ({
  ipProtocol: protocol,
  ...(protocol === '-1' ? {} : { fromPort: from, toPort: to }),
  ...(isSix(cidr)
    ? { ipv6Ranges: [{ cidrIpv6: cidr, description: 'why' }] }
    : { ipv4Ranges: [{ cidrIp: cidr, description: 'why' }] }),
  userIdGroupPairs: [],
  prefixListIds: [],
});

/** The rule that AWS gives a new group; Terraform takes it away. */
const openEgress: Opening = { protocol: '-1', from: 0, to: 65535, cidr: '0.0.0.0/0' };

const rules = (direction: 'Ingress' | 'Egress', terraform: string): Kind =>
  kind(
    `AWS::EC2::SecurityGroup${direction}`,
    terraform,
    [
      choice(
        'rule',
        openings.map((opening) => ({
          native: nativeRule(opening),
          template: templateRule(opening),
          plan: planRule(opening),
        })),
        {},
        {},
        'A rule without an address is none.',
      ),
    ],
    {
      always: {
        template: { GroupId: 'sg-0123456789abcdef0' },
        plan: { security_group_id: 'sg-0123456789abcdef0' },
      },
      unsupported: { item: notInConfig },
    },
  );

const entries = [
  { allow: true, egress: false, cidr: '10.0.0.0/8', port: 443 },
  { allow: true, egress: false, cidr: '0.0.0.0/0', port: 22 },
  { allow: true, egress: false, cidr: '::/0', port: 3389 },
  { allow: false, egress: false, cidr: '0.0.0.0/0', port: 22 },
  { allow: true, egress: true, cidr: '0.0.0.0/0', port: 443 },
];

/** TLS policies of AWS, and the oldest version that they take. */
const listenerPolicies = [
  ['ELBSecurityPolicy-TLS13-1-2-2021-06', '1.2'],
  ['ELBSecurityPolicy-TLS13-1-3-2021-06', '1.3'],
  ['ELBSecurityPolicy-TLS-1-2-2017-01', '1.2'],
  ['ELBSecurityPolicy-TLS-1-1-2017-01', '1.1'],
  ['ELBSecurityPolicy-2016-08', '1.0'],
] as const;

const certificate = 'arn:aws:acm:eu-central-1:123456789012:certificate/1a2b';

const attribute = (name: string, key: string, plan: string): Setting =>
  choice(
    name,
    both.map((on) => ({
      native: { [name]: on },
      template: { LoadBalancerAttributes: [{ Key: key, Value: String(on) }] },
      plan: { [plan]: on },
      item: {
        supplementaryConfiguration: {
          LoadBalancerAttributes: [{ key, value: String(on) }],
        },
      },
    })),
    {
      native: { [name]: false },
      item: { supplementaryConfiguration: { LoadBalancerAttributes: [{ key, value: 'false' }] } },
    },
  );

const networks: readonly Kind[] = [
  kind(
    'AWS::EC2::SecurityGroup',
    'aws_security_group',
    [
      choice(
        'ingress',
        openings.map((opening) => ({
          native: { ingress: [nativeRule(opening)] },
          template: { SecurityGroupIngress: [templateRule(opening)] },
          plan: { ingress: [blockRule(opening)] },
          item: { ipPermissions: [itemRule(opening)] },
        })),
        { native: { ingress: [] } },
      ),
      choice(
        'egress',
        [openings[0], openings[1], openEgress].flatMap((opening) =>
          opening === undefined
            ? []
            : {
                native: { egress: [nativeRule(opening)] },
                template: { SecurityGroupEgress: [templateRule(opening)] },
                plan: { egress: [blockRule(opening)] },
                item: { ipPermissionsEgress: [itemRule(opening)] },
              },
        ),
        {},
        {},
        'AWS adds a rule that allows all; Terraform removes it.',
      ),
      tags(),
    ],
    {
      always: always(
        { group_name: 'web', description: 'web servers' },
        { GroupName: 'web', GroupDescription: 'web servers' },
        { name: 'web', description: 'web servers' },
        { groupName: 'web', description: 'web servers' },
      ),
    },
  ),
  rules('Ingress', 'aws_vpc_security_group_ingress_rule'),
  rules('Egress', 'aws_vpc_security_group_egress_rule'),
  kind(
    'AWS::EC2::NetworkAclEntry',
    'aws_network_acl_rule',
    [
      choice(
        'entry',
        entries.map(({ allow, egress, cidr, port }) => ({
          native: {
            access: allow ? 'allow' : 'deny',
            direction: egress ? 'egress' : 'ingress',
            protocol: 'tcp',
            from_port: port,
            to_port: port,
            cidrs: [cidr],
            ipv6: isSix(cidr),
            priority: 100,
          },
          template: {
            RuleNumber: 100,
            RuleAction: allow ? 'allow' : 'deny',
            Egress: egress,
            Protocol: 6,
            PortRange: { From: port, To: port },
            ...(isSix(cidr) ? { Ipv6CidrBlock: cidr } : { CidrBlock: cidr }),
          },
          plan: {
            rule_number: 100,
            rule_action: allow ? 'allow' : 'deny',
            egress,
            protocol: 'tcp',
            from_port: port,
            to_port: port,
            ...(isSix(cidr) ? { ipv6_cidr_block: cidr } : { cidr_block: cidr }),
          },
        })),
        {},
        {},
        'An entry without an address is none.',
      ),
    ],
    { unsupported: { item: notInConfig } },
  ),
  kind(
    'AWS::EC2::Route',
    'aws_route',
    [
      choice(
        'route',
        [
          ['0.0.0.0/0', 'igw-0123456789abcdef0', true] as const,
          ['0.0.0.0/0', 'vgw-0123456789abcdef0', false] as const,
          ['192.168.0.0/16', 'igw-0123456789abcdef0', true] as const,
        ].map(([cidr, gateway, isInternet]) => ({
          native: {
            destination_cidrs: [cidr],
            gateway_id: gateway,
            to_internet_gateway: isInternet,
          },
          template: { DestinationCidrBlock: cidr, GatewayId: gateway },
          plan: { destination_cidr_block: cidr, gateway_id: gateway },
        })),
        {},
        {},
        'A route without a destination is none.',
      ),
    ],
    { unsupported: { item: notInConfig } },
  ),
  kind('AWS::EC2::VPC', 'aws_vpc', [
    choice(
      'flow log',
      [
        {
          native: { flow_logs: { enabled: true } },
          beside: {
            template: {
              FlowLog: [
                'AWS::EC2::FlowLog',
                { ResourceId: { Ref: 'It' }, ResourceType: 'VPC', TrafficType: 'ALL' },
              ],
            },
            plan: {
              'aws_flow_log.it': { vpc_id: new Reference('aws_vpc.it.id'), traffic_type: 'ALL' },
            },
            item: [
              {
                resourceType: 'AWS::EC2::FlowLog',
                configuration: {
                  resourceId: 'item-0',
                  trafficType: 'ALL',
                  flowLogStatus: 'ACTIVE',
                },
              },
            ],
          },
        },
      ],
      { native: { flow_logs: { enabled: false } } },
    ),
    tags(),
  ]),
  kind(
    'AWS::ElasticLoadBalancingV2::LoadBalancer',
    'aws_lb',
    [
      setting(
        'public_access',
        'Scheme',
        [
          as(false, { template: 'internal', plan: true }),
          as(true, { template: 'internet-facing', plan: false }),
        ],
        as(true, { template: 'internet-facing', plan: false }),
        { plan: 'internal' },
      ),
      attribute('deletion_protection', 'deletion_protection.enabled', 'enable_deletion_protection'),
      attribute(
        'drop_invalid_headers',
        'routing.http.drop_invalid_header_fields.enabled',
        'drop_invalid_header_fields',
      ),
      choice(
        'logging',
        both.map((on) => ({
          native: { logging: { enabled: on } },
          template: {
            LoadBalancerAttributes: [{ Key: 'access_logs.s3.enabled', Value: String(on) }],
          },
          plan: { access_logs: [{ enabled: on, bucket: 'the-logs' }] },
          item: {
            supplementaryConfiguration: {
              LoadBalancerAttributes: [{ key: 'access_logs.s3.enabled', value: String(on) }],
            },
          },
        })),
        { native: { logging: { enabled: false } } },
      ),
      tags(),
    ],
    {
      always: always(
        { load_balancer_type: 'application' },
        { Type: 'application' },
        { load_balancer_type: 'application' },
        { type: 'application' },
      ),
    },
  ),
  kind('AWS::ElasticLoadBalancingV2::Listener', 'aws_lb_listener', [
    choice(
      'protocol',
      [
        ...listenerPolicies.map(([policy, version]) => ({
          native: {
            protocol: 'HTTPS',
            security_policy: policy,
            tls: { minimum_version: version },
            acm_certificate: true,
          },
          template: {
            Protocol: 'HTTPS',
            SslPolicy: policy,
            Certificates: [{ CertificateArn: certificate }],
          },
          plan: { protocol: 'HTTPS', ssl_policy: policy, certificate_arn: certificate },
          item: {
            Protocol: 'HTTPS',
            SslPolicy: policy,
            Certificates: [{ CertificateArn: certificate }],
          },
        })),
        {
          native: { protocol: 'HTTP' },
          template: { Protocol: 'HTTP' },
          plan: { protocol: 'HTTP' },
          item: { Protocol: 'HTTP' },
        },
      ],
      {},
      {},
      'A listener of an application load balancer has a protocol.',
    ),
    choice(
      'redirect',
      [
        {
          native: { redirects_to_https: true, serves_requests: false },
          template: {
            DefaultActions: [
              { Type: 'redirect', RedirectConfig: { Protocol: 'HTTPS', StatusCode: 'HTTP_301' } },
            ],
          },
          plan: {
            default_action: [
              { type: 'redirect', redirect: [{ protocol: 'HTTPS', status_code: 'HTTP_301' }] },
            ],
          },
          item: {
            DefaultActions: [
              { Type: 'redirect', RedirectConfig: { Protocol: 'HTTPS', StatusCode: 'HTTP_301' } },
            ],
          },
        },
        {
          native: { redirects_to_https: false, serves_requests: true },
          template: { DefaultActions: [{ Type: 'forward' }] },
          plan: { default_action: [{ type: 'forward' }] },
          item: { DefaultActions: [{ Type: 'forward' }] },
        },
        {
          native: { redirects_to_https: false, serves_requests: false },
          template: { DefaultActions: [{ Type: 'fixed-response' }] },
          plan: { default_action: [{ type: 'fixed-response', fixed_response: [{}] }] },
          item: { DefaultActions: [{ Type: 'fixed-response' }] },
        },
      ],
      {},
      {},
      'A listener has an action.',
    ),
  ]),
  kind('AWS::ElasticLoadBalancing::LoadBalancer', 'aws_elb', [
    setting(
      'public_access',
      'Scheme',
      [
        as(false, { template: 'internal', plan: true }),
        as(true, { template: 'internet-facing', plan: false }),
      ],
      as(true, { template: 'internet-facing', plan: false }),
      { plan: 'internal' },
    ),
    choice(
      'logging',
      both.map((on) => ({
        native: { logging: { enabled: on } },
        template: { AccessLoggingPolicy: { Enabled: on, S3BucketName: 'the-logs' } },
        plan: { access_logs: [{ enabled: on, bucket: 'the-logs' }] },
        item: {
          supplementaryConfiguration: {
            LoadBalancerAttributes: { accessLog: { enabled: on, s3BucketName: 'the-logs' } },
          },
        },
      })),
      {
        native: { logging: { enabled: false } },
        item: {
          supplementaryConfiguration: { LoadBalancerAttributes: { accessLog: { enabled: false } } },
        },
      },
    ),
    choice(
      'cross zone',
      both.map((on) => ({
        native: { cross_zone: on },
        template: { CrossZone: on },
        plan: { cross_zone_load_balancing: on },
        item: {
          supplementaryConfiguration: {
            LoadBalancerAttributes: { crossZoneLoadBalancing: { enabled: on } },
          },
        },
      })),
      {},
      {},
      'Terraform turns it on (true) where AWS leaves it off.',
    ),
    choice(
      'listener',
      [
        ['HTTPS', certificate] as const,
        ['HTTPS', 'arn:aws:iam::123456789012:server-certificate/old'] as const,
        ['HTTP', undefined] as const,
        ['SSL', certificate] as const,
      ].map(([protocol, id]) => ({
        native: { listeners: [{ protocol, acm_certificate: id === certificate }] },
        template: {
          Listeners: [
            {
              Protocol: protocol,
              LoadBalancerPort: '443',
              InstancePort: '80',
              ...(id === undefined ? {} : { SSLCertificateId: id }),
            },
          ],
        },
        plan: {
          listener: [
            {
              lb_protocol: protocol,
              lb_port: 443,
              instance_port: 80,
              instance_protocol: protocol,
              ...(id === undefined ? {} : { ssl_certificate_id: id }),
            },
          ],
        },
        item: {
          listenerDescriptions: [
            {
              listener: {
                protocol,
                loadBalancerPort: 443,
                instancePort: 80,
                ...(id === undefined ? {} : { sslcertificateId: id }),
              },
              policyNames: [],
            },
          ],
        },
      })),
      {},
      {},
      'A classic load balancer has a listener.',
    ),
    tags(),
  ]),
];

const serverless: readonly Kind[] = [
  kind('AWS::Lambda::Function', 'aws_lambda_function', [
    setting('runtime', 'Runtime', ['nodejs22.x', 'python3.7', 'nodejs16.x']),
    choice(
      'variables',
      [{ STAGE: 'prod' }, { DB_PASSWORD: 'hunter2hunter2' }].map((variables) => ({
        native: { environment_variables: variables },
        template: { Environment: { Variables: variables } },
        plan: { environment: [{ variables }] },
        item: { environment: { variables } },
      })),
      { native: { environment_variables: {} } },
    ),
    key('KmsKeyArn', 'kms_key_arn', 'kmsKeyArn'),
    choice(
      'network',
      [
        {
          native: { vpc: { enabled: true } },
          template: { VpcConfig: { SubnetIds: ['subnet-1'], SecurityGroupIds: ['sg-1'] } },
          plan: { vpc_config: [{ subnet_ids: ['subnet-1'], security_group_ids: ['sg-1'] }] },
          item: { vpcConfig: { subnetIds: ['subnet-1'], securityGroupIds: ['sg-1'] } },
        },
      ],
      {
        native: { vpc: { enabled: false } },
        plan: { vpc_config: [] },
        item: { vpcConfig: { subnetIds: [], securityGroupIds: [] } },
      },
    ),
    choice(
      'dead letters',
      [
        {
          native: { dead_letter_queue: { enabled: true } },
          template: {
            DeadLetterConfig: { TargetArn: 'arn:aws:sqs:eu-central-1:123456789012:dlq' },
          },
          plan: {
            dead_letter_config: [{ target_arn: 'arn:aws:sqs:eu-central-1:123456789012:dlq' }],
          },
          item: { deadLetterConfig: { targetArn: 'arn:aws:sqs:eu-central-1:123456789012:dlq' } },
        },
      ],
      { native: { dead_letter_queue: { enabled: false } }, plan: { dead_letter_config: [] } },
    ),
    choice(
      'concurrency',
      [
        {
          native: { reserved_concurrency: 10 },
          template: { ReservedConcurrentExecutions: 10 },
          plan: { reserved_concurrent_executions: 10 },
          item: {
            supplementaryConfiguration: { Concurrency: { reservedConcurrentExecutions: 10 } },
          },
        },
      ],
      { plan: { reserved_concurrent_executions: -1 } },
    ),
    tags(),
  ]),
  kind(
    'AWS::Lambda::Url',
    'aws_lambda_function_url',
    [
      setting('auth_type', 'AuthType', ['AWS_IAM', 'NONE'], undefined, {
        plan: 'authorization_type',
        differs: 'It is required.',
      }),
    ],
    { unsupported: { item: notInConfig } },
  ),
  kind(
    'AWS::Lambda::Permission',
    'aws_lambda_permission',
    [
      choice(
        'who',
        [
          ['s3.amazonaws.com', 'service', '123456789012'] as const,
          ['s3.amazonaws.com', 'service', undefined] as const,
          ['*', 'everybody', undefined] as const,
          ['123456789012', 'account', undefined] as const,
        ].map(([principal, kindOf, source]) => ({
          native: {
            actions: ['lambda:InvokeFunction'],
            principal,
            principal_kind: kindOf,
            ...(source === undefined ? {} : { source_account: source }),
          },
          template: {
            Action: 'lambda:InvokeFunction',
            Principal: principal,
            ...(source === undefined ? {} : { SourceAccount: source }),
          },
          plan: {
            action: 'lambda:InvokeFunction',
            principal,
            ...(source === undefined ? {} : { source_account: source }),
          },
        })),
        {},
        {},
        'A permission is for somebody.',
      ),
    ],
    { unsupported: { item: notInConfig } },
  ),
  kind(
    'AWS::ApiGateway::Stage',
    'aws_api_gateway_stage',
    [
      choice(
        'log',
        [
          {
            native: { logging: { enabled: true } },
            template: {
              AccessLogSetting: { DestinationArn: 'arn:aws:logs:eu-central-1:1:log-group:a' },
            },
            plan: {
              access_log_settings: [
                {
                  destination_arn: 'arn:aws:logs:eu-central-1:1:log-group:a',
                  format: '$context.requestId',
                },
              ],
            },
            item: {
              accessLogSettings: {
                destinationArn: 'arn:aws:logs:eu-central-1:1:log-group:a',
                format: '$context.requestId',
              },
            },
          },
        ],
        { native: { logging: { enabled: false } } },
      ),
      choice(
        'methods',
        [
          ['INFO', true, true] as const,
          ['OFF', true, false] as const,
          ['ERROR', false, false] as const,
        ].map(([level, cached, encrypted]) => ({
          native: {
            method_settings: [
              { path: '*/*', logging_level: level, cache: { enabled: cached, encrypted } },
            ],
          },
          template: {
            MethodSettings: [
              {
                ResourcePath: '/*',
                HttpMethod: '*',
                LoggingLevel: level,
                CachingEnabled: cached,
                CacheDataEncrypted: encrypted,
              },
            ],
          },
          item: {
            methodSettings: {
              '*/*': { loggingLevel: level, cachingEnabled: cached, cacheDataEncrypted: encrypted },
            },
          },
          beside: {
            plan: {
              'aws_api_gateway_method_settings.it': {
                rest_api_id: 'a1b2c3',
                stage_name: 'live',
                method_path: '*/*',
                settings: [
                  {
                    logging_level: level,
                    caching_enabled: cached,
                    cache_data_encrypted: encrypted,
                  },
                ],
              },
            },
          },
        })),
        { native: { method_settings: [] } },
      ),
      tags(),
    ],
    {
      always: {
        template: { RestApiId: 'a1b2c3', StageName: 'live' },
        plan: { rest_api_id: 'a1b2c3', stage_name: 'live' },
        item: { restApiId: 'a1b2c3', stageName: 'live' },
      },
    },
  ),
  kind('AWS::ApiGatewayV2::Stage', 'aws_apigatewayv2_stage', [
    choice(
      'log',
      [
        {
          native: { logging: { enabled: true } },
          template: {
            AccessLogSettings: {
              DestinationArn: 'arn:aws:logs:eu-central-1:1:log-group:a',
              Format: '$context.requestId',
            },
          },
          plan: {
            access_log_settings: [
              {
                destination_arn: 'arn:aws:logs:eu-central-1:1:log-group:a',
                format: '$context.requestId',
              },
            ],
          },
          item: {
            accessLogSettings: {
              destinationArn: 'arn:aws:logs:eu-central-1:1:log-group:a',
              format: '$context.requestId',
            },
          },
        },
      ],
      { native: { logging: { enabled: false } } },
    ),
    tags((given) => ({ Tags: given })),
  ]),
  kind('AWS::ApiGateway::RestApi', 'aws_api_gateway_rest_api', [
    choice(
      'endpoint',
      [['PRIVATE'], ['REGIONAL'], ['EDGE']].map((types) => ({
        native: { endpoint_types: types },
        template: { EndpointConfiguration: { Types: types } },
        plan: { endpoint_configuration: [{ types }] },
        item: { endpointConfiguration: { types } },
      })),
      {},
      {},
      stated,
    ),
    {
      ...ownPolicy('Policy', someStatements('*', 'execute-api'), () => ({})),
      absent: { native: { policy: { statements: [] } } },
      untold: { item: 'AWS Config does not record it.' },
    },
    tags(),
  ]),
  kind(
    'AWS::ApiGateway::DomainName',
    'aws_api_gateway_domain_name',
    [
      choice(
        'TLS',
        [['TLS_1_2', '1.2'] as const, ['TLS_1_0', '1.0'] as const].map(([policy, version]) => ({
          native: { tls: { minimum_version: version } },
          template: { SecurityPolicy: policy },
          plan: { security_policy: policy },
        })),
        {},
        {},
        'What AWS chooses depends on the kind of endpoint.',
      ),
      choice(
        'endpoint',
        [['PRIVATE'], ['REGIONAL'], ['EDGE']].map((types) => ({
          native: { endpoint_types: types },
          template: { EndpointConfiguration: { Types: types } },
          plan: { endpoint_configuration: [{ types }] },
        })),
        {},
        {},
        stated,
      ),
      tags(),
    ],
    { unsupported: { item: notInConfig } },
  ),
  kind(
    'AWS::ApiGateway::Method',
    'aws_api_gateway_method',
    [
      setting('authorization_type', 'AuthorizationType', ['AWS_IAM', 'NONE', 'CUSTOM'], undefined, {
        plan: 'authorization',
        differs: 'Terraform requires it.',
      }),
      setting('http_method', 'HttpMethod', ['GET', 'ANY', 'OPTIONS'], undefined, {
        differs: 'It is required.',
      }),
    ],
    { unsupported: { item: notInConfig } },
  ),
];

const compute: readonly Kind[] = [
  kind('AWS::AutoScaling::LaunchConfiguration', 'aws_launch_configuration', [
    setting('public_ip_on_launch', 'AssociatePublicIpAddress', [false, true]),
    setting(
      'metadata_service.http_tokens',
      'MetadataOptions.HttpTokens',
      ['required', 'optional'],
      'optional',
    ),
    setting(
      'metadata_service.enabled',
      'MetadataOptions.HttpEndpoint',
      words('enabled', 'disabled'),
      as(true, { template: 'enabled' }),
    ),
  ]),
  kind(
    'AWS::EC2::LaunchTemplate',
    'aws_launch_template',
    [
      setting(
        'metadata_service.http_tokens',
        'LaunchTemplateData.MetadataOptions.HttpTokens',
        ['required', 'optional'],
        'optional',
        {
          plan: 'metadata_options[].http_tokens',
          item: 'LaunchTemplateData.MetadataOptions.HttpTokens',
        },
      ),
      setting(
        'metadata_service.enabled',
        'LaunchTemplateData.MetadataOptions.HttpEndpoint',
        words('enabled', 'disabled'),
        as(true, { template: 'enabled' }),
        {
          plan: 'metadata_options[].http_endpoint',
          item: 'LaunchTemplateData.MetadataOptions.HttpEndpoint',
        },
      ),
      choice(
        'user data',
        [
          { secrets: ['password'], script: 'export DB_PASSWORD=hunter22' },
          { secrets: [], script: 'yum update -y' },
        ].map(({ secrets, script }) => ({
          native: { user_data: { secrets } },
          template: { LaunchTemplateData: { UserData: { 'Fn::Base64': script } } },
          plan: { user_data: script },
        })),
        { native: { user_data: { secrets: [] } } },
        { item: 'AWS Config does not record it.' },
      ),
    ],
    {
      always: {
        template: { LaunchTemplateData: { ImageId: 'ami-1' } },
        plan: { image_id: 'ami-1' },
      },
    },
  ),
  kind('AWS::AutoScaling::AutoScalingGroup', 'aws_autoscaling_group', [
    setting(
      'health_check_types',
      'HealthCheckType',
      [as(['ELB'], { template: 'ELB' }), as(['EC2'], { template: 'EC2' })],
      as(['EC2'], { template: 'EC2' }),
    ),
    choice(
      'targets',
      [
        {
          native: { load_balanced: true },
          template: {
            TargetGroupARNs: ['arn:aws:elasticloadbalancing:eu-central-1:1:targetgroup/a/1'],
          },
          plan: {
            target_group_arns: ['arn:aws:elasticloadbalancing:eu-central-1:1:targetgroup/a/1'],
          },
          item: {
            targetGroupARNs: ['arn:aws:elasticloadbalancing:eu-central-1:1:targetgroup/a/1'],
          },
        },
      ],
      { native: { load_balanced: false } },
    ),
  ]),
  kind('AWS::EC2::Instance', 'aws_instance', [
    setting('instance_type', 'InstanceType', ['m7g.large', 't2.micro', 'p4d.24xlarge']),
    setting(
      'metadata_service.http_tokens',
      'MetadataOptions.HttpTokens',
      ['required', 'optional'],
      'optional',
    ),
    setting('ebs_optimized', 'EbsOptimized', both, false),
    setting(
      'detailed_monitoring',
      'Monitoring',
      [
        as(true, { template: true, item: { state: 'enabled' } }),
        as(false, { template: false, item: { state: 'disabled' } }),
      ],
      as(false, { template: false, item: { state: 'disabled' } }),
    ),
    choice('profile', [
      {
        native: {
          iam_instance_profile: 'arn:aws:iam::123456789012:instance-profile/web',
          role: { managed_policy_arns: [readOnly] },
        },
        template: { IamInstanceProfile: { Ref: 'Profile' } },
        plan: { iam_instance_profile: 'web' },
        item: { iamInstanceProfile: { arn: 'web' } },
        beside: {
          template: {
            Profile: ['AWS::IAM::InstanceProfile', { Roles: [{ Ref: 'Role' }] }],
            Role: [
              'AWS::IAM::Role',
              { AssumeRolePolicyDocument: { Statement: [] }, ManagedPolicyArns: [readOnly] },
            ],
          },
          plan: {
            'aws_iam_instance_profile.web': { name: 'web', role: 'web-role' },
            'aws_iam_role.web': {
              name: 'web-role',
              assume_role_policy: '{"Statement":[]}',
              managed_policy_arns: [readOnly],
            },
          },
          item: [
            {
              resourceType: 'AWS::IAM::InstanceProfile',
              resourceName: 'web',
              configuration: { Roles: ['web-role'] },
            },
            {
              resourceType: 'AWS::IAM::Role',
              resourceName: 'web-role',
              configuration: { attachedManagedPolicies: [{ policyArn: readOnly }] },
            },
          ],
        },
      },
    ]),
    choice(
      'public address',
      both.map((on) => ({
        native: { public_access: on, subnet_id: 'subnet-1' },
        template: {
          NetworkInterfaces: [
            { DeviceIndex: '0', AssociatePublicIpAddress: on, SubnetId: 'subnet-1' },
          ],
        },
        plan: { associate_public_ip_address: on, subnet_id: 'subnet-1' },
        item: { subnetId: 'subnet-1', ...(on ? { publicIpAddress: '198.51.100.7' } : {}) },
      })),
      {},
      {},
      'What AWS chooses depends on the subnet.',
    ),
    choice(
      'user data',
      [
        { secrets: ['password'], script: 'export DB_PASSWORD=hunter22' },
        { secrets: [], script: 'yum update -y' },
      ].map(({ secrets, script }) => ({
        native: { user_data: { secrets } },
        template: { UserData: { 'Fn::Base64': script } },
        plan: { user_data: script },
      })),
      { native: { user_data: { secrets: [] } } },
      { item: 'AWS Config does not record it.' },
    ),
    tags(),
  ]),
  kind('AWS::WorkSpaces::Workspace', 'aws_workspaces_workspace', [
    choice(
      'encryption',
      both.map((on) => ({
        native: { encryption: { enabled: on } },
        template: { RootVolumeEncryptionEnabled: on, UserVolumeEncryptionEnabled: on },
        plan: { root_volume_encryption_enabled: on, user_volume_encryption_enabled: on },
        item: { RootVolumeEncryptionEnabled: on, UserVolumeEncryptionEnabled: on },
      })),
      { native: { encryption: { enabled: false } } },
    ),
    key('VolumeEncryptionKey', 'volume_encryption_key', 'VolumeEncryptionKey'),
    tags(),
  ]),
];

const platforms: readonly Kind[] = [
  kind('AWS::EKS::Cluster', 'aws_eks_cluster', [
    setting('public_access', 'ResourcesVpcConfig.EndpointPublicAccess', [false, true], true, {
      plan: 'vpc_config[].endpoint_public_access',
      item: 'ResourcesVpcConfig.EndpointPublicAccess',
    }),
    setting(
      'network.allowed_cidrs',
      'ResourcesVpcConfig.PublicAccessCidrs',
      [['198.51.100.0/24'], ['0.0.0.0/0']],
      undefined,
      { plan: 'vpc_config[].public_access_cidrs', item: 'ResourcesVpcConfig.PublicAccessCidrs' },
    ),
    choice(
      'secrets',
      [
        {
          native: { encryption: { customer_managed: true } },
          template: {
            EncryptionConfig: [{ Resources: ['secrets'], Provider: { KeyArn: keyArn } }],
          },
          plan: {
            encryption_config: [{ resources: ['secrets'], provider: [{ key_arn: keyArn }] }],
          },
          item: { EncryptionConfig: [{ Resources: ['secrets'], Provider: { KeyArn: keyArn } }] },
        },
      ],
      { native: { encryption: { customer_managed: false } } },
    ),
    choice(
      'logs',
      [['api', 'audit', 'authenticator', 'controllerManager', 'scheduler'], ['api']].map(
        (types) => ({
          native: { logging: { types } },
          template: {
            Logging: { ClusterLogging: { EnabledTypes: types.map((Type) => ({ Type })) } },
          },
          plan: { enabled_cluster_log_types: types },
          item: { Logging: { ClusterLogging: { EnabledTypes: types.map((Type) => ({ Type })) } } },
        }),
      ),
      { native: { logging: { types: [] } } },
    ),
    tags(),
  ]),
  kind('AWS::ECS::TaskDefinition', 'aws_ecs_task_definition', [
    choice(
      'containers',
      [
        { privileged: false, readonlyRootFilesystem: true, user: 'app' },
        { privileged: true, readonlyRootFilesystem: false, user: 'root' },
        {},
      ].map((given) => {
        const inPascals = Object.fromEntries(
          Object.entries({ name: 'web', image: 'shop/web:1.2', ...given }).map(([name, value]) => [
            name.charAt(0).toUpperCase() + name.slice(1),
            value,
          ]),
        );
        const {
          privileged = false,
          readonlyRootFilesystem = false,
          user,
        } = given as {
          privileged?: boolean;
          readonlyRootFilesystem?: boolean;
          user?: string;
        };
        return {
          native: {
            containers: [
              {
                name: 'web',
                image: 'shop/web:1.2',
                privileged,
                read_only_root_filesystem: readonlyRootFilesystem,
                ...(user === undefined ? {} : { user }),
              },
            ],
          },
          template: { ContainerDefinitions: [inPascals] },
          plan: {
            container_definitions: JSON.stringify([
              { name: 'web', image: 'shop/web:1.2', ...given },
            ]),
          },
          item: { ContainerDefinitions: [inPascals] },
        };
      }),
      {},
      {},
      'A task has a container.',
    ),
    setting('network_mode', 'NetworkMode', ['awsvpc', 'host', 'bridge'], undefined, {
      item: 'NetworkMode',
    }),
    tags(),
  ]),
  kind('AWS::AppRunner::Service', 'aws_apprunner_service', [
    choice(
      'variables',
      ['STAGE', 'DB_PASSWORD'].map((name) => {
        const path =
          'SourceConfiguration.ImageRepository.ImageConfiguration.RuntimeEnvironmentVariables';
        const pairs = put(path, [{ Name: name, Value: 'x' }]);
        return {
          native: { environment_variables: { [name]: 'x' } },
          template: pairs,
          item: pairs,
          plan: put(
            'source_configuration[].image_repository[].image_configuration[].runtime_environment_variables',
            { [name]: 'x' },
          ),
        };
      }),
      { native: { environment_variables: {} } },
    ),
    tags(),
  ]),
  kind('AWS::CodeBuild::Project', 'aws_codebuild_project', [
    key('EncryptionKey', 'encryption_key', 'encryptionKey'),
    choice(
      'variables',
      [
        { name: 'STAGE', value: 'prod', type: 'PLAINTEXT' },
        { name: 'AWS_SECRET_ACCESS_KEY', value: 'x', type: 'PLAINTEXT' },
        { name: 'DB_PASSWORD', value: 'x', type: 'PLAINTEXT' },
        { name: 'DB_PASSWORD', value: 'x', type: 'PARAMETER_STORE' },
        { name: 'AWS_SECRET_ACCESS_KEY', value: 'x', type: 'SECRETS_MANAGER' },
      ].map(({ name, value, type }) => ({
        native: { variables: [{ name, kind: type }] },
        template: {
          Environment: { EnvironmentVariables: [{ Name: name, Value: value, Type: type }] },
        },
        plan: { environment: [{ environment_variable: [{ name, value, type }] }] },
        item: { environment: { environmentVariables: [{ name, value, type }] } },
      })),
      { native: { variables: [] } },
    ),
    choice(
      'source',
      ['https://github.com/acme/shop.git', 'https://user:token@github.com/acme/shop.git'].map(
        (location) => ({
          native: { sources: [{ kind: 'GITHUB', location }] },
          template: { Source: { Type: 'GITHUB', Location: location } },
          plan: { source: [{ type: 'GITHUB', location }] },
          item: { source: { type: 'GITHUB', location } },
        }),
      ),
      {},
      {},
      'A project has a source.',
    ),
    tags(),
  ]),
  ...['AWS::OpenSearchService::Domain', 'AWS::Elasticsearch::Domain'].map((type) =>
    kind(type, type.includes('Open') ? 'aws_opensearch_domain' : 'aws_elasticsearch_domain', [
      setting('encryption.enabled', 'EncryptionAtRestOptions.Enabled', both, false, {
        plan: 'encrypt_at_rest[].enabled',
      }),
      setting('node_to_node_encryption', 'NodeToNodeEncryptionOptions.Enabled', both, false, {
        plan: 'node_to_node_encryption[].enabled',
      }),
      setting('tls.required', 'DomainEndpointOptions.EnforceHTTPS', both, false, {
        plan: 'domain_endpoint_options[].enforce_https',
      }),
      setting(
        'tls.minimum_version',
        'DomainEndpointOptions.TLSSecurityPolicy',
        [
          as('1.2', { template: 'Policy-Min-TLS-1-2-2019-07' }),
          as('1.2', { template: 'Policy-Min-TLS-1-2-PFS-2023-10' }),
          as('1.0', { template: 'Policy-Min-TLS-1-0-2019-07' }),
        ],
        undefined,
        {
          plan: 'domain_endpoint_options[].tls_security_policy',
          differs: 'The default follows the date of the domain.',
        },
      ),
      choice(
        'network',
        [
          {
            native: { public_access: false },
            template: { VPCOptions: { SubnetIds: ['subnet-1'] } },
            plan: { vpc_options: [{ subnet_ids: ['subnet-1'] }] },
            item: { vPCOptions: { subnetIds: ['subnet-1'] } },
          },
        ],
        { native: { public_access: true } },
      ),
      setting('fine_grained_access_control', 'AdvancedSecurityOptions.Enabled', both, false),
      choice(
        'log',
        [
          {
            native: { logging: { enabled: true, types: ['AUDIT_LOGS'] } },
            template: {
              LogPublishingOptions: {
                AUDIT_LOGS: {
                  Enabled: true,
                  CloudWatchLogsLogGroupArn: 'arn:aws:logs:eu-central-1:1:log-group:a',
                },
              },
            },
            plan: {
              log_publishing_options: [
                {
                  log_type: 'AUDIT_LOGS',
                  enabled: true,
                  cloudwatch_log_group_arn: 'arn:aws:logs:eu-central-1:1:log-group:a',
                },
              ],
            },
            item: {
              logPublishingOptions: {
                AUDIT_LOGS: {
                  enabled: true,
                  cloudWatchLogsLogGroupArn: 'arn:aws:logs:eu-central-1:1:log-group:a',
                },
              },
            },
          },
        ],
        { native: { logging: { enabled: false, types: [] } } },
      ),
      setting(
        'instance_count',
        `${type.includes('Open') ? '' : 'Elasticsearch'}ClusterConfig.InstanceCount`,
        [3, 1],
        1,
        { plan: 'cluster_config[].instance_count' },
      ),
      setting(
        'multi_az',
        `${type.includes('Open') ? '' : 'Elasticsearch'}ClusterConfig.ZoneAwarenessEnabled`,
        both,
        false,
        { plan: 'cluster_config[].zone_awareness_enabled' },
      ),
      setting(
        'dedicated_masters.enabled',
        `${type.includes('Open') ? '' : 'Elasticsearch'}ClusterConfig.DedicatedMasterEnabled`,
        both,
        false,
        { plan: 'cluster_config[].dedicated_master_enabled' },
      ),
      tags(),
    ]),
  ),
  kind('AWS::Kendra::Index', 'aws_kendra_index', [
    key(
      'ServerSideEncryptionConfiguration.KmsKeyId',
      'server_side_encryption_configuration[].kms_key_id',
      'ServerSideEncryptionConfiguration.KmsKeyId',
    ),
    tags(),
  ]),
  kind(
    'AWS::SageMaker::NotebookInstance',
    'aws_sagemaker_notebook_instance',
    [
      key(),
      setting(
        'direct_internet_access',
        'DirectInternetAccess',
        [as(false, { template: 'Disabled' }), as(true, { template: 'Enabled' })],
        as(true, { template: 'Enabled' }),
      ),
      tags(),
    ],
    { unsupported: { item: notInConfig } },
  ),
  kind(
    'AWS::SageMaker::EndpointConfig',
    'aws_sagemaker_endpoint_configuration',
    [key('KmsKeyId', 'kms_key_arn'), tags()],
    { unsupported: { item: notInConfig } },
  ),
  kind('AWS::Glue::Job', 'aws_glue_job', [
    setting('security_configuration', 'SecurityConfiguration', ['jobs'], undefined, {
      item: 'SecurityConfiguration',
    }),
    tags((given) => ({ Tags: given })),
  ]),
  kind('AWS::Cognito::UserPool', 'aws_cognito_user_pool', [
    setting('mfa.mode', 'MfaConfiguration', ['ON', 'OPTIONAL', 'OFF'], 'OFF', {
      item: 'MfaConfiguration',
    }),
  ]),
  kind('AWS::Cognito::IdentityPool', 'aws_cognito_identity_pool', [
    setting(
      'unauthenticated_identities',
      'AllowUnauthenticatedIdentities',
      [false, true],
      undefined,
      { item: 'AllowUnauthenticatedIdentities' },
    ),
  ]),
  kind('AWS::CloudWatch::Alarm', 'aws_cloudwatch_metric_alarm', [
    setting('actions.enabled', 'ActionsEnabled', both, true),
    setting('actions.alarm', 'AlarmActions', [['arn:aws:sns:eu-central-1:1:ops']], []),
    setting('actions.ok', 'OKActions', [['arn:aws:sns:eu-central-1:1:ops']], [], {
      plan: 'ok_actions',
    }),
    setting(
      'actions.insufficient_data',
      'InsufficientDataActions',
      [['arn:aws:sns:eu-central-1:1:ops']],
      [],
    ),
  ]),
  kind('AWS::CertificateManager::Certificate', 'aws_acm_certificate', [
    setting('key_algorithm', 'KeyAlgorithm', ['EC_prime256v1', 'RSA_2048', 'RSA_1024'], 'RSA_2048'),
    tags(),
  ]),
  kind('AWS::SecretsManager::Secret', 'aws_secretsmanager_secret', [
    key('KmsKeyId', 'kms_key_id', 'KmsKeyId'),
    choice(
      'rotation',
      [30, 365].map((days) => ({
        native: { rotation: { enabled: true, interval_days: days } },
        item: { RotationEnabled: true, RotationRules: { AutomaticallyAfterDays: days } },
        beside: {
          template: {
            Rotation: [
              'AWS::SecretsManager::RotationSchedule',
              { SecretId: { Ref: 'It' }, RotationRules: { AutomaticallyAfterDays: days } },
            ],
          },
          plan: {
            'aws_secretsmanager_secret_rotation.it': {
              secret_id: new Reference('aws_secretsmanager_secret.it.id'),
              rotation_rules: [{ automatically_after_days: days }],
            },
          },
        },
      })),
      { native: { rotation: { enabled: false } } },
    ),
    choice(
      'policy',
      [],
      { native: { policy: { statements: [] } } },
      { item: 'AWS Config does not record the policies of secrets.' },
    ),
    tags(),
  ]),
];

const identity: readonly Kind[] = [
  kind(
    'AWS::IAM::ManagedPolicy',
    'aws_iam_policy',
    [
      {
        ...ownPolicy('PolicyDocument', permissions, (document) => ({
          policyVersionList: [
            {
              versionId: 'v1',
              isDefaultVersion: true,
              document: encodeURIComponent(JSON.stringify(document)),
            },
          ],
        })),
        differs: 'It is required.',
      },
    ],
    { unsupported: { item: 'AWS Config calls the type AWS::IAM::Policy.' } },
  ),
  kind('AWS::IAM::Role', 'aws_iam_role', [
    choice(
      'trust',
      [
        statement('Allow', { service: 'ec2.amazonaws.com', actions: ['sts:AssumeRole'] }),
        statement('Allow', { principal: '*', actions: ['sts:AssumeRole'] }),
        statement('Allow', {
          principal: 'arn:aws:iam::999999999999:root',
          actions: ['sts:AssumeRole'],
        }),
      ].map(({ native, document }) => ({
        native: { trust_policy: { statements: [native] } },
        template: { AssumeRolePolicyDocument: document },
        plan: { assume_role_policy: JSON.stringify(document) },
        item: { assumeRolePolicyDocument: encodeURIComponent(JSON.stringify(document)) },
      })),
      {},
      {},
      'It is required.',
    ),
    tags(),
  ]),
  kind(
    'AWS::S3::BucketPolicy',
    'aws_s3_bucket_policy',
    [
      {
        ...ownPolicy('PolicyDocument', someStatements('arn:aws:s3:::the-data/*', 's3'), () => ({})),
        differs: 'It is required.',
      },
    ],
    {
      always: { template: { Bucket: 'the-data' }, plan: { bucket: 'the-data' } },
      unsupported: { item: 'AWS Config stores the policy in the item of the bucket.' },
    },
  ),
  kind(
    'AWS::SQS::QueuePolicy',
    'aws_sqs_queue_policy',
    [
      {
        ...ownPolicy('PolicyDocument', someStatements('*', 'sqs'), () => ({})),
        differs: 'It is required.',
      },
    ],
    { unsupported: { item: 'AWS Config stores the policy in the item of the queue.' } },
  ),
  kind(
    'AWS::SNS::TopicPolicy',
    'aws_sns_topic_policy',
    [
      {
        ...ownPolicy('PolicyDocument', someStatements('*', 'sns'), () => ({})),
        differs: 'It is required.',
      },
    ],
    { unsupported: { item: 'AWS Config stores the policy in the item of the topic.' } },
  ),
  kind('AWS::IoT::Policy', 'aws_iot_policy', [
    {
      ...ownPolicy(
        'PolicyDocument',
        [
          statement('Allow', {
            actions: ['iot:Connect'],
            resource: 'arn:aws:iot:eu-central-1:1:client/a',
          }),
          statement('Allow', { actions: ['iot:*'], resource: '*' }),
        ],
        (document) => ({ PolicyDocument: document }),
      ),
      differs: 'It is required.',
    },
  ]),
];

const noPassword =
  'Only a template and a plan show where the password comes from; this compares the template.';

/** A password as a template has it: written out, from a parameter that hides it, or from Secrets Manager. */
const password = (native: string, property: string): Setting => ({
  ...choice(
    native,
    [
      ['secret_parameter', { Ref: 'Secret' }] as const,
      ['plaintext', 'hunter2hunter2'] as const,
      ['secrets_manager', '{{resolve:secretsmanager:db:SecretString:password}}'] as const,
    ].map(([source, value]) => ({
      native: put(native, { source }),
      template: put(property, value),
    })),
  ),
  differs: 'It is required.',
});

const ofTemplateAlone = { plan: noPassword, state: noPassword, item: noPassword };

const passwords: readonly Kind[] = [
  ['AWS::RDS::DBInstance', 'master_password', 'MasterUserPassword'] as const,
  ['AWS::RDS::DBCluster', 'master_password', 'MasterUserPassword'] as const,
  ['AWS::Redshift::Cluster', 'master_password', 'MasterUserPassword'] as const,
  ['AWS::DMS::Endpoint', 'password', 'Password'] as const,
  ['AWS::DirectoryService::MicrosoftAD', 'admin_password', 'Password'] as const,
  ['AWS::DirectoryService::SimpleAD', 'admin_password', 'Password'] as const,
].map(([type, native, property]) =>
  kind(type, '', [password(native, property)], {
    always: { template: { Engine: 'oracle-ee', DBSubnetGroupName: 'private' } },
    unsupported: ofTemplateAlone,
  }),
);

const origin = (given: Fields): Fields => ({ DistributionConfig: { Origins: [given] } });
const oneOrigin = { Id: 'data', DomainName: 'the-data.s3.eu-central-1.amazonaws.com' };

const others: readonly Kind[] = [
  ...passwords,
  kind(
    'AWS::RDS::DBInstance',
    '',
    [
      {
        ...choice(
          'master username',
          [['secret_parameter', { Ref: 'Secret' }] as const, ['plaintext', 'admin'] as const].map(
            ([source, value]) => ({
              native: { master_username: { source } },
              template: { MasterUsername: value },
            }),
          ),
        ),
        differs: 'It is required.',
      },
    ],
    {
      always: { template: { Engine: 'oracle-ee', DBSubnetGroupName: 'private' } },
      unsupported: ofTemplateAlone,
    },
  ),
  kind(
    'AWS::IAM::User',
    '',
    [
      {
        ...choice(
          'profile',
          [
            ['secret_parameter', { Ref: 'Secret' }, true] as const,
            ['plaintext', 'hunter2hunter2', false] as const,
          ].map(([source, value, reset]) => ({
            native: {
              console_access: true,
              login_profile: { password: { source }, password_reset_required: reset },
            },
            template: { LoginProfile: { Password: value, PasswordResetRequired: reset } },
          })),
          { native: { console_access: false } },
        ),
      },
      choice(
        'MFA',
        [
          {
            native: { mfa: { enabled: true } },
            beside: {
              template: {
                Device: ['AWS::IAM::VirtualMFADevice', { Users: [{ Ref: 'It' }] }],
              },
            },
          },
        ],
        { native: { mfa: { enabled: false } } },
      ),
    ],
    { unsupported: ofTemplateAlone },
  ),
  kind(
    'AWS::EMR::Cluster',
    'aws_emr_cluster',
    [
      choice(
        'Kerberos',
        [
          {
            native: { kerberos: { enabled: true } },
            template: {
              KerberosAttributes: { Realm: 'EXAMPLE.COM', KdcAdminPassword: 'hunter2hunter2' },
            },
            plan: {
              kerberos_attributes: [{ realm: 'EXAMPLE.COM', kdc_admin_password: 'hunter2hunter2' }],
            },
          },
        ],
        { native: { kerberos: { enabled: false } } },
      ),
      tags(),
    ],
    { unsupported: { item: notInConfig } },
  ),
  kind(
    'AWS::Batch::JobDefinition',
    'aws_batch_job_definition',
    [
      choice(
        'container',
        both.map((privileged) => ({
          native: { containers: [{ image: 'shop/job:1', privileged }] },
          template: { ContainerProperties: { Image: 'shop/job:1', Privileged: privileged } },
          plan: { container_properties: JSON.stringify({ image: 'shop/job:1', privileged }) },
        })),
        { native: { containers: [] } },
      ),
    ],
    { unsupported: { item: notInConfig } },
  ),
  kind('AWS::Config::ConfigurationRecorder', 'aws_config_configuration_recorder', [
    choice(
      'group',
      both.map((on) => ({
        native: { recording: { all_supported: on, include_global_types: on } },
        template: { RecordingGroup: { AllSupported: on, IncludeGlobalResourceTypes: on } },
        plan: { recording_group: [{ all_supported: on, include_global_resource_types: on }] },
        item: { recordingGroup: { allSupported: on, includeGlobalResourceTypes: on } },
      })),
      { native: { recording: { all_supported: true, include_global_types: false } } },
    ),
  ]),
  kind('AWS::AmazonMQ::Broker', 'aws_mq_broker', [
    setting('public_access', 'PubliclyAccessible', [false, true], false, {
      item: 'PubliclyAccessible',
    }),
    choice(
      'key',
      [
        {
          native: { encryption: { configured: true, customer_managed: true, kms_key_id: keyArn } },
          template: {
            EncryptionOptions: {
              UseAwsOwnedKey: false,
              KmsKeyId: { 'Fn::GetAtt': ['Key', 'Arn'] },
            },
          },
          plan: {
            encryption_options: [
              { use_aws_owned_key: false, kms_key_id: new Reference('aws_kms_key.key.arn') },
            ],
          },
          item: { EncryptionOptions: { UseAwsOwnedKey: false, KmsKeyId: keyArn } },
        },
      ],
      { native: { encryption: { configured: false, customer_managed: false } } },
    ),
  ]),
  kind(
    'AWS::AmazonMQ::Broker',
    '',
    [
      {
        ...choice(
          'user',
          [
            ['secret_parameter', { Ref: 'Secret' }] as const,
            ['plaintext', 'hunter2hunter2'] as const,
          ].map(([source, value]) => ({
            native: { users: [{ name: 'app', password: { source } }] },
            template: { Users: [{ Username: 'app', Password: value }] },
          })),
        ),
        differs: 'It is required.',
      },
    ],
    { unsupported: ofTemplateAlone },
  ),
  ...(['Redshift', 'Splunk'] as const).map((target) =>
    kind(
      'AWS::KinesisFirehose::DeliveryStream',
      '',
      [
        choice(
          'destination',
          [
            ['secret_parameter', { Ref: 'Secret' }] as const,
            ['plaintext', 'hunter2hunter2'] as const,
          ].map(([source, value]) => {
            const name = `${target.toLowerCase()}_destination`;
            const secret = target === 'Redshift' ? 'password' : 'hec_token';
            return {
              native: { [name]: { enabled: true, [secret]: { source } } },
              template: {
                [`${target}DestinationConfiguration`]: {
                  [target === 'Redshift' ? 'Password' : 'HECToken']: value,
                },
              },
            };
          }),
          { native: { [`${target.toLowerCase()}_destination`]: { enabled: false } } },
        ),
      ],
      { unsupported: ofTemplateAlone },
    ),
  ),
  kind('AWS::CloudFront::Distribution', 'aws_cloudfront_distribution', [
    choice(
      'behavior',
      ['redirect-to-https', 'allow-all', 'https-only'].map((policy) => ({
        native: { behaviors: [{ path_pattern: '*', viewer_protocol_policy: policy }] },
        template: {
          DistributionConfig: { DefaultCacheBehavior: { ViewerProtocolPolicy: policy } },
        },
        plan: { default_cache_behavior: [{ viewer_protocol_policy: policy }] },
        item: { distributionConfig: { defaultCacheBehavior: { viewerProtocolPolicy: policy } } },
      })),
      {},
      {},
      'It is required.',
    ),
    choice(
      'certificate',
      [
        ['TLSv1.2_2021', '1.2', 'sni-only'] as const,
        ['TLSv1_2016', '1.0', 'vip'] as const,
        ['TLSv1.1_2016', '1.1', 'sni-only'] as const,
      ].map(([policy, version, support]) => ({
        native: {
          custom_certificate: true,
          tls: { minimum_version: version, sni: support === 'sni-only' },
        },
        template: {
          DistributionConfig: {
            ViewerCertificate: {
              AcmCertificateArn: certificate,
              MinimumProtocolVersion: policy,
              SslSupportMethod: support,
            },
          },
        },
        plan: {
          viewer_certificate: [
            {
              acm_certificate_arn: certificate,
              minimum_protocol_version: policy,
              ssl_support_method: support,
            },
          ],
        },
        item: {
          distributionConfig: {
            viewerCertificate: {
              aCMCertificateArn: certificate,
              minimumProtocolVersion: policy,
              sSLSupportMethod: support,
            },
          },
        },
      })),
      {
        native: { custom_certificate: false, tls: { minimum_version: '1.0', sni: false } },
        plan: { viewer_certificate: [{ cloudfront_default_certificate: true }] },
        item: {
          distributionConfig: {
            viewerCertificate: {
              cloudFrontDefaultCertificate: true,
              minimumProtocolVersion: 'TLSv1',
            },
          },
        },
      },
    ),
    choice('root', [
      {
        native: { default_root_object: 'index.html' },
        template: { DistributionConfig: { DefaultRootObject: 'index.html' } },
        plan: { default_root_object: 'index.html' },
        item: { distributionConfig: { defaultRootObject: 'index.html' } },
      },
    ]),
    choice(
      'origin',
      [
        {
          native: { origins: [{ s3: true, access_identity: true }] },
          template: origin({ ...oneOrigin, S3OriginConfig: {}, OriginAccessControlId: 'E1' }),
          plan: {
            origin: [
              {
                origin_id: 'data',
                domain_name: oneOrigin.DomainName,
                origin_access_control_id: 'E1',
              },
            ],
          },
          item: {
            distributionConfig: {
              origins: {
                quantity: 1,
                items: [
                  {
                    id: 'data',
                    domainName: oneOrigin.DomainName,
                    s3OriginConfig: { originAccessIdentity: '' },
                    originAccessControlId: 'E1',
                  },
                ],
              },
            },
          },
        },
        {
          native: { origins: [{ s3: true, access_identity: false }] },
          template: origin(oneOrigin),
          plan: { origin: [{ origin_id: 'data', domain_name: oneOrigin.DomainName }] },
          item: {
            distributionConfig: {
              origins: {
                quantity: 1,
                items: [
                  {
                    id: 'data',
                    domainName: oneOrigin.DomainName,
                    s3OriginConfig: { originAccessIdentity: '' },
                  },
                ],
              },
            },
          },
        },
        {
          native: { origins: [{ s3: false, access_identity: false }] },
          template: origin({
            Id: 'shop',
            DomainName: 'shop.example.com',
            CustomOriginConfig: { OriginProtocolPolicy: 'https-only' },
          }),
          plan: {
            origin: [
              {
                origin_id: 'shop',
                domain_name: 'shop.example.com',
                custom_origin_config: [{ origin_protocol_policy: 'https-only' }],
              },
            ],
          },
          item: {
            distributionConfig: {
              origins: {
                quantity: 1,
                items: [
                  {
                    id: 'shop',
                    domainName: 'shop.example.com',
                    customOriginConfig: { originProtocolPolicy: 'https-only' },
                  },
                ],
              },
            },
          },
        },
      ],
      {},
      {},
      'It is required.',
    ),
    choice(
      'failover',
      [
        {
          native: { origin_failover: true },
          template: {
            DistributionConfig: {
              OriginGroups: {
                Quantity: 1,
                Items: [
                  {
                    Id: 'both',
                    Members: { Quantity: 2, Items: [{ OriginId: 'data' }, { OriginId: 'copy' }] },
                  },
                ],
              },
            },
          },
          plan: {
            origin_group: [
              { origin_id: 'both', member: [{ origin_id: 'data' }, { origin_id: 'copy' }] },
            ],
          },
          item: {
            distributionConfig: {
              originGroups: {
                quantity: 1,
                items: [
                  {
                    id: 'both',
                    members: { quantity: 2, items: [{ originId: 'data' }, { originId: 'copy' }] },
                  },
                ],
              },
            },
          },
        },
      ],
      { native: { origin_failover: false } },
    ),
    choice(
      'firewall',
      [
        {
          native: { waf: { enabled: true } },
          template: {
            DistributionConfig: { WebACLId: 'arn:aws:wafv2:us-east-1:1:global/webacl/a/1' },
          },
          plan: { web_acl_id: 'arn:aws:wafv2:us-east-1:1:global/webacl/a/1' },
          item: { distributionConfig: { webACLId: 'arn:aws:wafv2:us-east-1:1:global/webacl/a/1' } },
        },
      ],
      { native: { waf: { enabled: false } }, item: { distributionConfig: { webACLId: '' } } },
    ),
    choice(
      'log',
      [
        {
          native: { logging: { enabled: true } },
          template: { DistributionConfig: { Logging: { Bucket: 'the-logs.s3.amazonaws.com' } } },
          plan: { logging_config: [{ bucket: 'the-logs.s3.amazonaws.com' }] },
          item: {
            distributionConfig: { logging: { enabled: true, bucket: 'the-logs.s3.amazonaws.com' } },
          },
        },
      ],
      {
        native: { logging: { enabled: false } },
        item: { distributionConfig: { logging: { enabled: false, bucket: '' } } },
      },
    ),
    tags(),
  ]),
];

export const awsKinds: readonly Kind[] = [
  ...storage,
  ...buckets,
  ...databases,
  ...messaging,
  ...keys,
  ...logging,
  ...containers,
  ...platforms,
  ...network,
  ...networks,
  ...serverless,
  ...compute,
  ...identity,
  ...others,
  ...awsServices,
];
