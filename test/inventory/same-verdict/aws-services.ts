// Further services of AWS, as `aws-kinds.ts` describes others.
import type { Kind } from './kind.ts';
import { as, both, choice, kind, setting } from './kind.ts';

const notInItems = { unsupported: { item: 'AWS Config does not record the type.' } } as const;
const onlyInTerraform = 'Templates do not share it.';

export const awsServices: readonly Kind[] = [
  kind('AWS::MSK::Cluster', 'aws_msk_cluster', [
    setting(
      'tls.required',
      'EncryptionInfo.EncryptionInTransit.ClientBroker',
      [
        as(true, { template: 'TLS' }),
        as(false, { template: 'TLS_PLAINTEXT' }),
        as(false, { template: 'PLAINTEXT' }),
      ],
      as(true, { template: 'TLS' }),
    ),
    setting(
      'public_access',
      'BrokerNodeGroupInfo.ConnectivityInfo.PublicAccess.Type',
      [as(false, { template: 'DISABLED' }), as(true, { template: 'SERVICE_PROVIDED_EIPS' })],
      as(false, { template: 'DISABLED' }),
    ),
    choice(
      'authentication',
      [false, true].map((open) => ({
        native: { unauthenticated_access: open },
        template: { ClientAuthentication: { Unauthenticated: { Enabled: open } } },
        plan: { client_authentication: [{ unauthenticated: open }] },
        item: { ClientAuthentication: { Unauthenticated: { Enabled: open } } },
      })),
      { native: { unauthenticated_access: true } },
    ),
    ...['CloudWatchLogs', 'Firehose', 'S3'].map((to) =>
      choice(
        `logs to ${to}`,
        [
          {
            native: { logging: { enabled: true } },
            template: { LoggingInfo: { BrokerLogs: { [to]: { Enabled: true } } } },
            plan: {
              logging_info: [
                {
                  broker_logs: [
                    {
                      [to === 'CloudWatchLogs' ? 'cloudwatch_logs' : to.toLowerCase()]: [
                        { enabled: true },
                      ],
                    },
                  ],
                },
              ],
            },
            item: { LoggingInfo: { BrokerLogs: { [to]: { Enabled: true } } } },
          },
        ],
        {},
      ),
    ),
  ]),
  kind('AWS::Neptune::DBCluster', 'aws_neptune_cluster', [
    setting('encryption.enabled', 'StorageEncrypted', both, false),
    setting('iam_authentication', 'IamAuthEnabled', both, false, {
      plan: 'iam_database_authentication_enabled',
      item: 'iamdatabaseAuthenticationEnabled',
    }),
    setting('deletion_protection', 'DeletionProtection', both, false),
    setting('backup.retention_days', 'BackupRetentionPeriod', [35, 7, 1], 1),
    setting('logging.types', 'EnableCloudwatchLogsExports', [['audit'], []], [], {
      item: 'enabledCloudwatchLogsExports',
    }),
  ]),
  kind('AWS::EFS::AccessPoint', 'aws_efs_access_point', [
    setting('root_directory', 'RootDirectory.Path', ['/app', '/'], '/', {
      item: 'RootDirectory.Path',
    }),
    choice(
      'user',
      [
        {
          native: { posix_user: { set: true } },
          template: { PosixUser: { Uid: '1000', Gid: '1000' } },
          plan: { posix_user: [{ uid: 1000, gid: 1000 }] },
          item: { PosixUser: { Uid: '1000', Gid: '1000' } },
        },
      ],
      { native: { posix_user: { set: false } } },
    ),
  ]),
  kind('AWS::MemoryDB::Cluster', 'aws_memorydb_cluster', [
    setting('tls.required', 'TLSEnabled', both, true),
    setting('acl', 'ACLName', ['app', 'open-access']),
  ]),
  kind('AWS::Transfer::Server', 'aws_transfer_server', [
    setting('protocols', 'Protocols', [['FTPS'], ['SFTP', 'FTP']], ['SFTP']),
  ]),
  kind('AWS::AppSync::GraphQLApi', 'aws_appsync_graphql_api', [
    setting('authorization_type', 'AuthenticationType', ['AWS_IAM', 'API_KEY', 'OPENID_CONNECT']),
    setting(
      'logging.enabled',
      'LogConfig.FieldLogLevel',
      [
        as(true, { template: 'ERROR' }),
        as(true, { template: 'ALL' }),
        as(false, { template: 'NONE' }),
      ],
      as(false, { template: 'NONE' }),
    ),
  ]),
  kind('AWS::ECS::Service', 'aws_ecs_service', [
    setting(
      'public_access',
      'NetworkConfiguration.AwsvpcConfiguration.AssignPublicIp',
      [
        as(false, { template: 'DISABLED', plan: false }),
        as(true, { template: 'ENABLED', plan: true }),
      ],
      as(false, { template: 'DISABLED', plan: false }),
      { plan: 'network_configuration[].assign_public_ip' },
    ),
  ]),
  ...(
    [
      ['AWS::RDS::DBSnapshot', 'aws_db_snapshot', 'DBSnapshotAttributes'],
      ['AWS::RDS::DBClusterSnapshot', 'aws_db_cluster_snapshot', 'DBClusterSnapshotAttributes'],
    ] as const
  ).map(([type, terraform, part]) =>
    kind(
      type,
      terraform,
      [
        choice(
          'shared',
          [['210987654321'], ['all']].map((accounts) => ({
            native: { shared_with: accounts },
            plan: { shared_accounts: accounts },
            item: {
              supplementaryConfiguration: {
                [part]: [{ attributeName: 'restore', attributeValues: accounts }],
              },
            },
          })),
          { native: { shared_with: [] }, item: { supplementaryConfiguration: {} } },
        ),
      ],
      { unsupported: { template: onlyInTerraform } },
    ),
  ),
  kind(
    'AWS::EC2::ImageLaunchPermission',
    'aws_ami_launch_permission',
    [choice('group', [{ native: { group: 'all' }, plan: { group: 'all' } }])],
    { unsupported: { template: onlyInTerraform, ...notInItems.unsupported } },
  ),
  kind(
    'AWS::SSM::Document',
    'aws_ssm_document',
    [
      choice(
        'shared',
        [
          {
            native: { shared_with: ['210987654321'] },
            plan: { permissions: { type: 'Share', account_ids: '210987654321' } },
          },
          {
            native: { shared_with: ['all'] },
            plan: { permissions: { type: 'Share', account_ids: 'All' } },
          },
        ],
        { native: { shared_with: [] } },
      ),
    ],
    { unsupported: { template: onlyInTerraform, ...notInItems.unsupported } },
  ),
  ...(
    ['AWS::ElasticBeanstalk::Environment', 'AWS::ElasticBeanstalk::ConfigurationTemplate'] as const
  ).map((type) =>
    kind(
      type,
      type.endsWith('Environment')
        ? 'aws_elastic_beanstalk_environment'
        : 'aws_elastic_beanstalk_configuration_template',
      [
        choice(
          'variables',
          ['STAGE', 'DB_PASSWORD'].map((name) => ({
            native: { environment_variables: { [name]: 'x' } },
            template: {
              OptionSettings: [
                {
                  Namespace: 'aws:elasticbeanstalk:application:environment',
                  OptionName: name,
                  Value: 'x',
                },
                { Namespace: 'aws:autoscaling:asg', OptionName: 'MinSize', Value: '1' },
              ],
            },
            plan: {
              setting: [
                { namespace: 'aws:elasticbeanstalk:application:environment', name, value: 'x' },
                { namespace: 'aws:autoscaling:asg', name: 'MinSize', value: '1' },
              ],
            },
          })),
          { native: { environment_variables: {} } },
        ),
      ],
      notInItems,
    ),
  ),
];
