import { describe, expect, test } from 'vitest';
import { Reference, attributesOfItem, attributesOfPlan, attributesOfTemplate } from './twins.ts';
import type { Twins } from './twins.ts';

const root = {
  Statement: [
    { Effect: 'Allow', Principal: { AWS: 'arn:aws:iam::123456789012:root' }, Action: 'kms:*' },
  ],
};

const trail = {
  logging: { enabled: true },
  multi_region: true,
  include_global_service_events: true,
  log_file_validation: true,
  cloudwatch_logs: { enabled: true },
  data_events: { s3: true },
  encryption: { customer_managed: true, kms_key_id: 'alias/audit' },
};

const twins: Record<string, Twins & { readonly expected: Record<string, unknown> }> = {
  'a key that rotates': {
    template: {
      It: [
        'AWS::KMS::Key',
        { KeyPolicy: root, EnableKeyRotation: 'true', RotationPeriodInDays: 180 },
      ],
    },
    plan: {
      'aws_kms_key.it': {
        policy: JSON.stringify(root),
        enable_key_rotation: true,
        rotation_period_in_days: 180,
      },
    },
    expected: {
      policy: {
        statements: [
          expect.objectContaining({
            principals: ['arn:aws:iam::123456789012:root'],
            actions: ['kms:*'],
          }),
        ],
      },
      key_manager: 'CUSTOMER',
      key_spec: 'SYMMETRIC_DEFAULT',
      key_origin: 'AWS_KMS',
      rotation: { enabled: true, interval_days: 180 },
    },
  },
  'a secret that rotates': {
    template: {
      It: ['AWS::SecretsManager::Secret', { KmsKeyId: { Ref: 'Key' } }],
      Key: ['AWS::KMS::Key', {}],
      Schedule: [
        'AWS::SecretsManager::RotationSchedule',
        { SecretId: { Ref: 'It' }, RotationRules: { ScheduleExpression: 'rate(30 days)' } },
      ],
    },
    plan: {
      'aws_secretsmanager_secret.it': { kms_key_id: new Reference('aws_kms_key.it.arn') },
      'aws_kms_key.it': {},
      'aws_secretsmanager_secret_rotation.it': {
        secret_id: new Reference('aws_secretsmanager_secret.it.id'),
        rotation_rules: [{ automatically_after_days: 30 }],
      },
    },
    expected: {
      rotation: { enabled: true, interval_days: 30 },
      encryption: { customer_managed: true, kms_key_id: 'not known' },
      policy: { statements: [] },
    },
  },
  'a secret that does not': {
    template: {
      It: ['AWS::SecretsManager::Secret', { KmsKeyId: 'alias/aws/secretsmanager' }],
      Other: ['AWS::SecretsManager::Secret', {}],
      Schedule: ['AWS::SecretsManager::RotationSchedule', { SecretId: { Ref: 'Other' } }],
    },
    plan: {
      'aws_secretsmanager_secret.it': { kms_key_id: 'alias/aws/secretsmanager' },
      'aws_secretsmanager_secret.other': {},
      'aws_secretsmanager_secret_rotation.other': {
        secret_id: new Reference('aws_secretsmanager_secret.other.id'),
      },
    },
    expected: {
      rotation: { enabled: false },
      encryption: { customer_managed: false, kms_key_id: 'alias/aws/secretsmanager' },
      policy: { statements: [] },
    },
  },
  'a certificate': {
    template: { It: ['AWS::CertificateManager::Certificate', { KeyAlgorithm: 'EC_prime256v1' }] },
    plan: { 'aws_acm_certificate.it': { key_algorithm: 'EC_prime256v1' } },
    expected: { key_algorithm: 'EC_prime256v1' },
  },
  'a trail with all its settings': {
    template: {
      It: [
        'AWS::CloudTrail::Trail',
        {
          IsLogging: true,
          IsMultiRegionTrail: true,
          IncludeGlobalServiceEvents: true,
          EnableLogFileValidation: true,
          KMSKeyId: 'alias/audit',
          CloudWatchLogsLogGroupArn: { 'Fn::GetAtt': ['Group', 'Arn'] },
          EventSelectors: [
            {
              DataResources: [
                { Type: 'AWS::S3::Object', Values: [{ 'Fn::Sub': 'arn:${AWS::Partition}:s3' }] },
              ],
            },
          ],
        },
      ],
      Group: ['AWS::Logs::LogGroup', {}],
    },
    plan: {
      'aws_cloudtrail.it': {
        enable_logging: true,
        is_multi_region_trail: true,
        include_global_service_events: true,
        enable_log_file_validation: true,
        kms_key_id: 'alias/audit',
        cloud_watch_logs_group_arn: new Reference('aws_cloudwatch_log_group.it.arn'),
        advanced_event_selector: [
          {
            field_selector: [
              { field: 'eventCategory', equals: ['Data'] },
              { field: 'resources.type', equals: ['AWS::S3::Object'] },
            ],
          },
        ],
      },
      'aws_cloudwatch_log_group.it': {},
    },
    expected: trail,
  },
  'a trail that records the objects of one bucket': {
    template: {
      It: [
        'AWS::CloudTrail::Trail',
        {
          IsLogging: false,
          EventSelectors: [
            { DataResources: [{ Type: 'AWS::S3::Object', Values: ['arn:aws:s3:::one/'] }] },
          ],
        },
      ],
    },
    plan: {
      'aws_cloudtrail.it': {
        enable_logging: false,
        event_selector: [
          { data_resource: [{ type: 'AWS::S3::Object', values: ['arn:aws:s3:::one/'] }] },
        ],
      },
    },
    expected: {
      logging: { enabled: false },
      multi_region: false,
      include_global_service_events: true,
      log_file_validation: false,
      cloudwatch_logs: { enabled: false },
      data_events: { s3: false },
      encryption: { customer_managed: false },
    },
  },
  'a log group that is kept forever': {
    template: { It: ['AWS::Logs::LogGroup', {}] },
    plan: { 'aws_cloudwatch_log_group.it': { retention_in_days: 0 } },
    expected: { encryption: { customer_managed: false } },
  },
  'a log group with a retention': {
    template: { It: ['AWS::Logs::LogGroup', { RetentionInDays: 30, KmsKeyId: 'alias/logs' }] },
    plan: { 'aws_cloudwatch_log_group.it': { retention_in_days: 30, kms_key_id: 'alias/logs' } },
    expected: {
      retention_days: 30,
      encryption: { customer_managed: true, kms_key_id: 'alias/logs' },
    },
  },
  'an alarm with an action': {
    template: { It: ['AWS::CloudWatch::Alarm', { AlarmActions: ['arn:aws:sns:::a'] }] },
    plan: { 'aws_cloudwatch_metric_alarm.it': { alarm_actions: ['arn:aws:sns:::a'] } },
    expected: {
      actions: { enabled: true, alarm: ['arn:aws:sns:::a'], ok: [], insufficient_data: [] },
    },
  },
  'a recorder without a group, which records everything': {
    template: { It: ['AWS::Config::ConfigurationRecorder', {}] },
    plan: { 'aws_config_configuration_recorder.it': {} },
    expected: {
      recording: { all_supported: true, excluded_types: [], include_global_types: false },
    },
  },
  'a recorder that leaves types out': {
    template: {
      It: [
        'AWS::Config::ConfigurationRecorder',
        {
          RecordingGroup: {
            AllSupported: false,
            ExclusionByResourceTypes: { ResourceTypes: ['AWS::EC2::Volume'] },
          },
        },
      ],
    },
    plan: {
      'aws_config_configuration_recorder.it': {
        recording_group: [
          {
            all_supported: false,
            exclusion_by_resource_types: [{ resource_types: ['AWS::EC2::Volume'] }],
          },
        ],
      },
    },
    expected: {
      recording: {
        all_supported: false,
        excluded_types: ['AWS::EC2::Volume'],
        include_global_types: false,
      },
    },
  },
};

describe('keys and logs of AWS have the same attributes in a template and in a plan', () => {
  test.each(Object.entries(twins))('%s', (_name, { template, plan, expected }) => {
    expect(attributesOfTemplate(template)).toEqual(expected);
    expect(attributesOfPlan(plan)).toEqual(expected);
  });
});

describe('an item of AWS Config', () => {
  test('gives a key with its policy and rotation', () => {
    expect(
      attributesOfItem([
        'AWS::KMS::Key',
        { keyManager: 'AWS', keySpec: 'RSA_2048', origin: 'EXTERNAL' },
        { Policy: JSON.stringify(root), KeyRotationStatus: false },
      ]),
    ).toMatchObject({
      policy: { statements: [{ actions: ['kms:*'] }] },
      key_manager: 'AWS',
      key_spec: 'RSA_2048',
      key_origin: 'EXTERNAL',
      rotation: { enabled: false },
    });
  });

  test('does not tell whose key it is where it leaves that out', () => {
    expect(attributesOfItem(['AWS::KMS::Key', { keySpec: 'RSA_2048' }])).toMatchObject({
      key_manager: 'not known',
    });
  });

  test('gives a certificate with its date', () => {
    expect(
      attributesOfItem([
        'AWS::ACM::Certificate',
        { notAfter: '2027-05-01T00:00:00Z', status: 'ISSUED', keyAlgorithm: 'RSA-2048' },
      ]),
    ).toEqual({
      expires_at: '2027-05-01T00:00:00Z',
      status: 'ISSUED',
      key_algorithm: 'RSA_2048',
    });
  });

  test('does not say whether a trail is running', () => {
    expect(
      attributesOfItem([
        'AWS::CloudTrail::Trail',
        {
          isMultiRegionTrail: true,
          logFileValidationEnabled: true,
          includeGlobalServiceEvents: true,
          cloudWatchLogsLogGroupArn: 'arn:aws:logs:::group',
          hasCustomEventSelectors: true,
          kmsKeyId: 'alias/audit',
        },
      ]),
    ).toEqual({ ...trail, logging: { enabled: 'not known' }, data_events: { s3: 'not known' } });
  });
});
