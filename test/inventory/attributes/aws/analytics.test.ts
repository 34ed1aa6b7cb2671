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
