import { expect, test } from 'vitest';
import { attributesOfItem, attributesOfPlan, testTwins } from './twins.ts';

const key = 'arn:aws:kms:eu-central-1:123456789012:key/1';
const encryption = { customer_managed: true, kms_key_id: key };

const emrConfiguration = {
  EncryptionConfiguration: {
    EnableAtRestEncryption: true,
    AtRestEncryptionConfiguration: { S3EncryptionConfiguration: { EncryptionMode: 'SSE-S3' } },
    EnableInTransitEncryption: true,
    InTransitEncryptionConfiguration: {
      TLSCertificateConfiguration: { CertificateProviderType: 'PEM' },
    },
  },
};

testTwins({
  'an endpoint configuration': {
    template: { It: ['AWS::SageMaker::EndpointConfig', { KmsKeyId: key }] },
    plan: { 'aws_sagemaker_endpoint_configuration.it': { kms_key_arn: key } },
    expected: { encryption },
  },
  'a notebook': {
    template: {
      It: ['AWS::SageMaker::NotebookInstance', { KmsKeyId: key, DirectInternetAccess: 'Disabled' }],
    },
    plan: {
      'aws_sagemaker_notebook_instance.it': { kms_key_id: key, direct_internet_access: 'Disabled' },
    },
    expected: { encryption, direct_internet_access: false },
  },
  'a notebook with nothing set': {
    template: { It: ['AWS::SageMaker::NotebookInstance', {}] },
    plan: { 'aws_sagemaker_notebook_instance.it': {} },
    expected: { encryption: { customer_managed: false }, direct_internet_access: true },
  },
  'a cluster of EMR': {
    template: {
      It: [
        'AWS::EMR::Cluster',
        { KerberosAttributes: { Realm: 'EC2.INTERNAL', KdcAdminPassword: 'hunter2' } },
      ],
    },
    plan: {
      'aws_emr_cluster.it': {
        kerberos_attributes: [{ realm: 'EC2.INTERNAL', kdc_admin_password: 'hunter2' }],
      },
    },
    expected: { kerberos: { enabled: true } },
  },
  'a security configuration of EMR': {
    template: {
      It: ['AWS::EMR::SecurityConfiguration', { SecurityConfiguration: emrConfiguration }],
    },
    plan: {
      'aws_emr_security_configuration.it': { configuration: JSON.stringify(emrConfiguration) },
    },
    expected: { encryption: { enabled: true }, tls: { required: true } },
  },
  'an empty security configuration of EMR': {
    template: { It: ['AWS::EMR::SecurityConfiguration', { SecurityConfiguration: '{}' }] },
    plan: { 'aws_emr_security_configuration.it': { configuration: '{}' } },
    expected: { encryption: { enabled: false }, tls: { required: false } },
  },
  'the encryption of the Glue catalog': {
    template: {
      It: [
        'AWS::Glue::DataCatalogEncryptionSettings',
        {
          CatalogId: '123456789012',
          DataCatalogEncryptionSettings: {
            EncryptionAtRest: { CatalogEncryptionMode: 'SSE-KMS', SseAwsKmsKeyId: key },
            ConnectionPasswordEncryption: { ReturnConnectionPasswordEncrypted: true },
          },
        },
      ],
    },
    plan: {
      'aws_glue_data_catalog_encryption_settings.it': {
        data_catalog_encryption_settings: [
          {
            encryption_at_rest: [{ catalog_encryption_mode: 'SSE-KMS', sse_aws_kms_key_id: key }],
            connection_password_encryption: [{ return_connection_password_encrypted: true }],
          },
        ],
      },
    },
    expected: {
      encryption: { enabled: true, ...encryption },
      connection_passwords: { encrypted: true },
    },
  },
  'a Glue catalog that is not encrypted': {
    template: {
      It: [
        'AWS::Glue::DataCatalogEncryptionSettings',
        {
          DataCatalogEncryptionSettings: {
            EncryptionAtRest: { CatalogEncryptionMode: 'DISABLED' },
          },
        },
      ],
    },
    plan: {
      'aws_glue_data_catalog_encryption_settings.it': {
        data_catalog_encryption_settings: [
          { encryption_at_rest: [{ catalog_encryption_mode: 'DISABLED' }] },
        ],
      },
    },
    expected: {
      encryption: { enabled: false, customer_managed: false },
      connection_passwords: { encrypted: false },
    },
  },
  'a security configuration of Glue': {
    template: {
      It: [
        'AWS::Glue::SecurityConfiguration',
        {
          EncryptionConfiguration: {
            S3Encryptions: [{ S3EncryptionMode: 'SSE-S3' }],
            CloudWatchEncryption: { CloudWatchEncryptionMode: 'sse-kms', KmsKeyArn: key },
            JobBookmarksEncryption: { JobBookmarksEncryptionMode: 'CSE-KMS', KmsKeyArn: key },
          },
        },
      ],
    },
    plan: {
      'aws_glue_security_configuration.it': {
        encryption_configuration: [
          {
            s3_encryption: [{ s3_encryption_mode: 'SSE-S3' }],
            cloudwatch_encryption: [{ cloudwatch_encryption_mode: 'sse-kms', kms_key_arn: key }],
            job_bookmarks_encryption: [
              { job_bookmarks_encryption_mode: 'CSE-KMS', kms_key_arn: key },
            ],
          },
        ],
      },
    },
    expected: { encryption: { enabled: true, logs: true, job_bookmarks: true } },
  },
  'a security configuration of Glue that encrypts nothing': {
    template: {
      It: [
        'AWS::Glue::SecurityConfiguration',
        { EncryptionConfiguration: { S3Encryptions: [{ S3EncryptionMode: 'DISABLED' }] } },
      ],
    },
    plan: {
      'aws_glue_security_configuration.it': {
        encryption_configuration: [
          { s3_encryption: [{ s3_encryption_mode: 'DISABLED' }], cloudwatch_encryption: [{}] },
        ],
      },
    },
    expected: { encryption: { enabled: false, logs: false, job_bookmarks: false } },
  },
  'a mode of encryption that nobody has seen': {
    template: {
      It: [
        'AWS::Glue::SecurityConfiguration',
        {
          EncryptionConfiguration: {
            S3Encryptions: [{ S3EncryptionMode: 'SSE-S3' }, { S3EncryptionMode: 'SSE-MOON' }],
          },
        },
      ],
    },
    plan: {
      'aws_glue_security_configuration.it': {
        encryption_configuration: [{ s3_encryption: [{ s3_encryption_mode: 'SSE-MOON' }] }],
      },
    },
    expected: { encryption: { enabled: 'not known', logs: false, job_bookmarks: false } },
  },
  'a connection by JDBC': {
    template: {
      It: [
        'AWS::Glue::Connection',
        {
          ConnectionInput: {
            ConnectionType: 'JDBC',
            ConnectionProperties: { JDBC_ENFORCE_SSL: 'true', PASSWORD: 'hunter2' },
          },
        },
      ],
    },
    plan: {
      'aws_glue_connection.it': {
        connection_properties: { JDBC_ENFORCE_SSL: 'true', PASSWORD: 'hunter2' },
      },
    },
    expected: {
      connection_type: 'JDBC',
      tls: { required: true },
      password: { source: 'plaintext' },
    },
  },
  'a connection by JDBC with nothing set': {
    template: {
      It: ['AWS::Glue::Connection', { ConnectionInput: { ConnectionType: 'JDBC' } }],
    },
    plan: { 'aws_glue_connection.it': {} },
    expected: { connection_type: 'JDBC', tls: { required: false } },
  },
  'a connection to Kafka with nothing set': {
    template: {
      It: ['AWS::Glue::Connection', { ConnectionInput: { ConnectionType: 'KAFKA' } }],
    },
    plan: { 'aws_glue_connection.it': { connection_type: 'KAFKA' } },
    expected: { connection_type: 'KAFKA', tls: { required: true } },
  },
  'a connection to a network': {
    template: {
      It: ['AWS::Glue::Connection', { ConnectionInput: { ConnectionType: 'NETWORK' } }],
    },
    plan: { 'aws_glue_connection.it': { connection_type: 'NETWORK' } },
    expected: { connection_type: 'NETWORK' },
  },
  'a broker': {
    template: {
      It: [
        'AWS::AmazonMQ::Broker',
        {
          EncryptionOptions: { UseAwsOwnedKey: false, KmsKeyId: key },
          PubliclyAccessible: true,
          Users: [{ Username: 'shop', Password: 'hunter2' }],
        },
      ],
    },
    plan: {
      'aws_mq_broker.it': {
        encryption_options: [{ use_aws_owned_key: false, kms_key_id: key }],
        publicly_accessible: true,
        user: [{ username: 'shop', password: 'hunter2' }],
      },
    },
    expected: {
      encryption: { configured: true, ...encryption },
      public_access: true,
      users: [{ name: 'shop', password: { source: 'plaintext' } }],
    },
  },
  'a broker with nothing set': {
    template: { It: ['AWS::AmazonMQ::Broker', {}] },
    plan: { 'aws_mq_broker.it': { encryption_options: [] } },
    expected: {
      encryption: { configured: false, customer_managed: false },
      public_access: false,
      users: [],
    },
  },
  'a fleet of game servers': {
    template: {
      It: [
        'AWS::GameLift::Fleet',
        {
          EC2InboundPermissions: [
            { FromPort: '1900', ToPort: 2000, IpRange: '0.0.0.0/0', Protocol: 'UDP' },
          ],
        },
      ],
    },
    plan: {
      'aws_gamelift_fleet.it': {
        ec2_inbound_permission: [
          { from_port: 1900, to_port: 2000, ip_range: '0.0.0.0/0', protocol: 'UDP' },
        ],
      },
    },
    expected: {
      ingress: [
        {
          access: 'allow',
          protocol: 'udp',
          from_port: 1900,
          to_port: 2000,
          cidrs: ['0.0.0.0/0'],
          groups: [],
        },
      ],
    },
  },
  'a desktop': {
    template: {
      It: [
        'AWS::WorkSpaces::Workspace',
        {
          RootVolumeEncryptionEnabled: 'true',
          UserVolumeEncryptionEnabled: true,
          VolumeEncryptionKey: key,
        },
      ],
    },
    plan: {
      'aws_workspaces_workspace.it': {
        root_volume_encryption_enabled: true,
        user_volume_encryption_enabled: true,
        volume_encryption_key: key,
      },
    },
    expected: { encryption: { enabled: true, ...encryption } },
  },
  'a desktop with one volume encrypted': {
    template: { It: ['AWS::WorkSpaces::Workspace', { UserVolumeEncryptionEnabled: true }] },
    plan: { 'aws_workspaces_workspace.it': { user_volume_encryption_enabled: true } },
    expected: { encryption: { enabled: false, customer_managed: false } },
  },
  'a policy for devices': {
    template: {
      It: [
        'AWS::IoT::Policy',
        { PolicyDocument: { Statement: { Effect: 'Allow', Action: 'iot:*', Resource: '*' } } },
      ],
    },
    plan: {
      'aws_iot_policy.it': {
        policy: '{"Statement": [{"Effect": "Allow", "Action": ["iot:*"], "Resource": "*"}]}',
      },
    },
    expected: {
      policy: {
        statements: [
          {
            effect: 'Allow',
            principals: [],
            not_principals: [],
            actions: ['iot:*'],
            not_actions: [],
            resources: ['*'],
            not_resources: [],
            conditions: {},
          },
        ],
      },
    },
  },
});
test.each([
  ['says no mode', { S3EncryptionConfiguration: {} }],
  ['is left out', undefined],
])('data at rest is not encrypted where how it would be %s', (_title, atRest) => {
  const configuration = {
    EncryptionConfiguration: {
      ...emrConfiguration.EncryptionConfiguration,
      AtRestEncryptionConfiguration: atRest,
    },
  };
  expect(
    attributesOfPlan({
      'aws_emr_security_configuration.it': { configuration: JSON.stringify(configuration) },
    }),
  ).toEqual({ encryption: { enabled: false }, tls: { required: true } });
});

test('an item of AWS Config does not show the passwords of a broker', () => {
  expect(
    attributesOfItem(['AWS::AmazonMQ::Broker', { Users: [{ Username: 'shop' }] }]).users,
  ).toEqual([{ name: 'shop', password: { source: 'not known' } }]);
});
