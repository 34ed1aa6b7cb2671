import { describe, expect, test } from 'vitest';
import { Reference, attributesOfItem, attributesOfPlan, attributesOfTemplate } from './twins.ts';
import type { Twins } from './twins.ts';

const open = {
  Statement: [{ Effect: 'Allow', Principal: { AWS: '*' }, Action: 'sqs:*', Resource: '*' }],
};

const statement = {
  effect: 'Allow',
  principals: ['*'],
  not_principals: [],
  actions: ['sqs:*'],
  not_actions: [],
  resources: ['*'],
  not_resources: [],
  conditions: {},
};

const twins: Record<string, Twins & { readonly expected: Record<string, unknown> }> = {
  'a topic with a key and a policy': {
    template: {
      It: ['AWS::SNS::Topic', { KmsMasterKeyId: { Ref: 'Key' } }],
      Key: ['AWS::KMS::Key', {}],
      Policy: ['AWS::SNS::TopicPolicy', { Topics: [{ Ref: 'It' }], PolicyDocument: open }],
    },
    plan: {
      'aws_sns_topic.it': { kms_master_key_id: new Reference('aws_kms_key.it.id') },
      'aws_kms_key.it': {},
      'aws_sns_topic_policy.it': {
        arn: new Reference('aws_sns_topic.it.arn'),
        policy: JSON.stringify(open),
      },
    },
    expected: {
      policy: { statements: [{ ...statement, declared_by: 'AWS::SNS::TopicPolicy' }] },
      encryption: { enabled: true, customer_managed: true, kms_key_id: 'not known' },
    },
  },
  'a topic of which nothing is said': {
    template: { It: ['AWS::SNS::Topic', {}] },
    plan: { 'aws_sns_topic.it': { kms_master_key_id: '' } },
    expected: {
      policy: { statements: [] },
      encryption: { enabled: false, customer_managed: false },
    },
  },
  'a queue of which nothing is said, which SQS encrypts': {
    template: { It: ['AWS::SQS::Queue', {}] },
    plan: { 'aws_sqs_queue.it': {} },
    expected: {
      policy: { statements: [] },
      encryption: { enabled: true, customer_managed: false },
    },
  },
  'a queue that is not to be encrypted, with a policy': {
    template: {
      It: ['AWS::SQS::Queue', { SqsManagedSseEnabled: false }],
      Policy: ['AWS::SQS::QueuePolicy', { Queues: [{ Ref: 'It' }], PolicyDocument: open }],
    },
    plan: {
      'aws_sqs_queue.it': { sqs_managed_sse_enabled: false },
      'aws_sqs_queue_policy.it': {
        queue_url: new Reference('aws_sqs_queue.it.id'),
        policy: JSON.stringify(open),
      },
    },
    expected: {
      policy: { statements: [{ ...statement, declared_by: 'AWS::SQS::QueuePolicy' }] },
      encryption: { enabled: false, customer_managed: false },
    },
  },
  'an encrypted stream': {
    template: {
      It: [
        'AWS::Kinesis::Stream',
        { StreamEncryption: { EncryptionType: 'KMS', KeyId: 'alias/aws/kinesis' } },
      ],
    },
    plan: {
      'aws_kinesis_stream.it': { encryption_type: 'KMS', kms_key_id: 'alias/aws/kinesis' },
    },
    expected: {
      encryption: { enabled: true, customer_managed: false, kms_key_id: 'alias/aws/kinesis' },
      retention_hours: 24,
    },
  },
  'a delivery stream that reads from another one, with a written-out password': {
    template: {
      It: [
        'AWS::KinesisFirehose::DeliveryStream',
        {
          DeliveryStreamType: 'KinesisStreamAsSource',
          RedshiftDestinationConfiguration: { Password: 'hunter2' },
        },
      ],
    },
    plan: {
      'aws_kinesis_firehose_delivery_stream.it': {
        kinesis_source_configuration: [{ role_arn: 'r' }],
        redshift_configuration: [{ password: 'hunter2' }],
      },
    },
    expected: {
      source_type: 'KinesisStreamAsSource',
      encryption: { enabled: false },
      redshift_destination: { enabled: true, password: { source: 'plaintext' } },
      splunk_destination: { enabled: false },
    },
  },
  'an encrypted delivery stream whose token is in Secrets Manager': {
    template: {
      It: [
        'AWS::KinesisFirehose::DeliveryStream',
        {
          DeliveryStreamEncryptionConfigurationInput: { KeyType: 'AWS_OWNED_CMK' },
          SplunkDestinationConfiguration: { SecretsManagerConfiguration: { Enabled: true } },
        },
      ],
    },
    plan: {
      'aws_kinesis_firehose_delivery_stream.it': {
        server_side_encryption: [{ enabled: true }],
        splunk_configuration: [{ secrets_manager_configuration: [{ enabled: true }] }],
      },
    },
    expected: {
      source_type: 'DirectPut',
      encryption: { enabled: true },
      redshift_destination: { enabled: false },
      splunk_destination: { enabled: true, hec_token: { source: 'secrets_manager' } },
    },
  },
};

describe('messaging of AWS has the same attributes in a template and in a plan', () => {
  test.each(Object.entries(twins))('%s', (_name, { template, plan, expected }) => {
    expect(attributesOfTemplate(template)).toEqual(expected);
    expect(attributesOfPlan(plan)).toEqual(expected);
  });
});

test('AWS Config gives the attributes of topics, queues and streams', () => {
  const key = 'arn:aws:kms:eu-central-1:123456789012:key/k';
  // Whose key it is, only the key's own item tells.
  const encryption = { enabled: true, customer_managed: 'not known', kms_key_id: key };
  const policy = { statements: [statement] };
  expect(
    attributesOfItem([
      'AWS::SNS::Topic',
      { KmsMasterKeyId: key },
      { Policy: JSON.stringify(open) },
    ]),
  ).toEqual({ policy, encryption });
  expect(
    attributesOfItem(['AWS::SQS::Queue', { KmsMasterKeyId: key, Policy: JSON.stringify(open) }]),
  ).toEqual({ policy, encryption });
  expect(
    attributesOfItem([
      'AWS::Kinesis::Stream',
      { StreamEncryption: { EncryptionType: 'KMS', KeyId: key } },
    ]),
  ).toMatchObject({ encryption });
  expect(
    attributesOfItem([
      'AWS::KinesisFirehose::DeliveryStream',
      { RedshiftDestinationConfiguration: { Username: 'loader' } },
    ]),
  ).toMatchObject({ redshift_destination: { enabled: true, password: { source: 'not known' } } });
});
