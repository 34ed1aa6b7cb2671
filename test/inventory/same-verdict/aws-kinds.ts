// What a resource of AWS can be set to, in the spelling of each source. `absent` is what AWS does where nothing is set.
import { Reference } from '../attributes/aws/twins.ts';
import { keyArn } from './documents.ts';
import type { Fields, Kind, Setting, Value } from './kind.ts';
import { as, choice, kind, setting } from './kind.ts';
import { put } from './spelled.ts';

/** A switch that providers word; on, off. */
const words = (on: string, off: string) => [
  as(true, { template: on }),
  as(false, { template: off }),
];
/** On, off. */
const both = [true, false];

const tagSets = [
  {
    owner: 'shop',
    'cost-center': '42',
    environment: 'production',
    'data-classification': 'internal',
  },
  { environment: 'development', purpose: 'scratch' },
  { 'data-classification': 'confidential', tier: 'public' },
];

/** @param template how the template has them */
const tags = (
  template: (tags: Fields) => Fields = (given) => ({
    Tags: Object.entries(given).map(([Key, Value]) => ({ Key, Value })),
  }),
): Setting =>
  choice(
    'tags',
    tagSets.map((given) => ({
      native: { tags: given, environment: given.environment },
      template: template(given),
      plan: { tags: given },
      item: { tags: given },
    })),
  );

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
        differs: 'PENDING',
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
          master_password: { source: 'managed' },
        },
        template: {
          Engine: 'postgres',
          ManageMasterUserPassword: true,
          DBSubnetGroupName: 'private',
        },
        plan: {
          engine: 'postgres',
          manage_master_user_password: true,
          db_subnet_group_name: 'private',
        },
        item: {
          engine: 'postgres',
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
      setting('encryption.enabled', 'StorageEncrypted', both, false),
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
        native: { engine: 'aurora-mysql', master_password: { source: 'managed' } },
        template: { Engine: 'aurora-mysql', ManageMasterUserPassword: true },
        plan: { engine: 'aurora-mysql', manage_master_user_password: true },
        item: { engine: 'aurora-mysql', masterUserSecret: { secretStatus: 'active' } },
      },
    },
  ),
  kind(
    'AWS::Redshift::Cluster',
    'aws_redshift_cluster',
    [
      setting('encryption.enabled', 'Encrypted', both),
      setting('public_access', 'PubliclyAccessible', [false, true], false),
      setting('backup.retention_days', 'AutomatedSnapshotRetentionPeriod', [35, 7, 1, 0], 1, {
        differs: 'PENDING',
      }),
      setting('version_upgrade', 'AllowVersionUpgrade', both, true, { differs: 'PENDING' }),
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
      'PENDING',
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
    setting('public_access', 'PubliclyAccessible', [false, true]),
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

const keys: readonly Kind[] = [
  kind('AWS::KMS::Key', 'aws_kms_key', [
    setting('rotation.enabled', 'EnableKeyRotation', both, false, {
      item: 'supplementaryConfiguration.KeyRotationStatus',
    }),
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

export const awsKinds: readonly Kind[] = [
  ...storage,
  ...databases,
  ...messaging,
  ...keys,
  ...logging,
  ...containers,
  ...network,
];
