import { describe, expect, test } from 'vitest';
import { Reference, attributesOfItem, attributesOfTemplate, testTwins } from './twins.ts';

const key = 'arn:aws:kms:eu-central-1:123456789012:key/1';
const group = 'arn:aws:logs:eu-central-1:123456789012:log-group:shop';

const bareDomain = {
  encryption: { enabled: false, customer_managed: false },
  node_to_node_encryption: false,
  tls: { required: false, minimum_version: '1.0' },
  public_access: true,
  policy: { statements: [] },
  fine_grained_access_control: false,
  logging: { enabled: false, types: [] },
  instance_count: 1,
  multi_az: false,
  dedicated_masters: { enabled: false, count: 3 },
};

const fullDomain = {
  encryption: { enabled: true, customer_managed: true, kms_key_id: key },
  node_to_node_encryption: true,
  tls: { required: true, minimum_version: '1.2' },
  public_access: false,
  policy: { statements: [] },
  fine_grained_access_control: true,
  logging: { enabled: true, types: ['AUDIT_LOGS'] },
  instance_count: 3,
  multi_az: true,
  dedicated_masters: { enabled: true, count: 5 },
};

const fullPlan = {
  cluster_config: [
    {
      instance_count: 3,
      zone_awareness_enabled: true,
      dedicated_master_enabled: true,
      dedicated_master_count: 5,
    },
  ],
  encrypt_at_rest: [{ enabled: true, kms_key_id: key }],
  node_to_node_encryption: [{ enabled: true }],
  domain_endpoint_options: [
    { enforce_https: true, tls_security_policy: 'Policy-Min-TLS-1-2-2019-07' },
  ],
  vpc_options: [{ subnet_ids: ['subnet-1'] }],
  advanced_security_options: [{ enabled: true }],
  log_publishing_options: [
    { log_type: 'AUDIT_LOGS', cloudwatch_log_group_arn: group },
    { log_type: 'INDEX_SLOW_LOGS', cloudwatch_log_group_arn: group, enabled: false },
  ],
};

const settings = {
  EncryptionAtRestOptions: { Enabled: 'true', KmsKeyId: key },
  NodeToNodeEncryptionOptions: { Enabled: true },
  DomainEndpointOptions: {
    EnforceHTTPS: true,
    TLSSecurityPolicy: 'Policy-Min-TLS-1-2-2019-07',
  },
  VPCOptions: { SubnetIds: ['subnet-1'] },
  AdvancedSecurityOptions: { Enabled: true },
  LogPublishingOptions: {
    AUDIT_LOGS: { Enabled: true, CloudWatchLogsLogGroupArn: group },
    INDEX_SLOW_LOGS: { Enabled: false, CloudWatchLogsLogGroupArn: group },
  },
};

const cluster = {
  InstanceCount: '3',
  ZoneAwarenessEnabled: true,
  DedicatedMasterEnabled: true,
  DedicatedMasterCount: 5,
};

testTwins({
  'an OpenSearch domain with everything set': {
    template: { It: ['AWS::OpenSearchService::Domain', { ...settings, ClusterConfig: cluster }] },
    plan: { 'aws_opensearch_domain.it': fullPlan },
    expected: fullDomain,
  },
  'an Elasticsearch domain with everything set': {
    template: {
      It: ['AWS::Elasticsearch::Domain', { ...settings, ElasticsearchClusterConfig: cluster }],
    },
    plan: { 'aws_elasticsearch_domain.it': fullPlan },
    expected: fullDomain,
  },
  'a domain with nothing set': {
    template: { It: ['AWS::OpenSearchService::Domain', {}] },
    plan: {
      'aws_opensearch_domain.it': { cluster_config: [], vpc_options: [], encrypt_at_rest: [] },
    },
    expected: bareDomain,
  },
  'a domain whose log group and subnets are made with it': {
    template: {
      It: [
        'AWS::OpenSearchService::Domain',
        {
          VPCOptions: { SubnetIds: [{ Ref: 'Subnet' }] },
          LogPublishingOptions: {
            AUDIT_LOGS: {
              Enabled: true,
              CloudWatchLogsLogGroupArn: { 'Fn::GetAtt': ['Group', 'Arn'] },
            },
          },
        },
      ],
      Subnet: ['AWS::EC2::Subnet', {}],
      Group: ['AWS::Logs::LogGroup', {}],
    },
    plan: {
      'aws_opensearch_domain.it': {
        vpc_options: [{ subnet_ids: new Reference('aws_subnet.it.id') }],
        log_publishing_options: [
          {
            log_type: 'AUDIT_LOGS',
            cloudwatch_log_group_arn: new Reference('aws_cloudwatch_log_group.it.arn'),
          },
        ],
      },
      'aws_subnet.it': {},
      'aws_cloudwatch_log_group.it': {},
    },
    expected: {
      ...bareDomain,
      public_access: false,
      logging: { enabled: true, types: ['AUDIT_LOGS'] },
    },
  },
  'a Kendra index': {
    template: {
      It: ['AWS::Kendra::Index', { ServerSideEncryptionConfiguration: { KmsKeyId: key } }],
    },
    plan: {
      'aws_kendra_index.it': { server_side_encryption_configuration: [{ kms_key_id: key }] },
    },
    expected: { encryption: { customer_managed: true, kms_key_id: key } },
  },
});
test.each([
  ['without a group', { Enabled: true }],
  ['without a switch', { CloudWatchLogsLogGroupArn: group }],
  ['with a number for a group', { Enabled: true, CloudWatchLogsLogGroupArn: 123 }],
  ['with a list for a group', { Enabled: true, CloudWatchLogsLogGroupArn: [] }],
  ['that is off', { Enabled: 'false', CloudWatchLogsLogGroupArn: group }],
])('a log %s is not written', (_title, log) => {
  const domain = { LogPublishingOptions: { AUDIT_LOGS: log } };
  const { logging } = attributesOfTemplate({ It: ['AWS::OpenSearchService::Domain', domain] });
  expect(logging).toEqual({ enabled: false, types: [] });
});

test('a log with a switch that is not known yet may be written', () => {
  const domain = {
    LogPublishingOptions: {
      AUDIT_LOGS: { Enabled: { Ref: 'Audited' }, CloudWatchLogsLogGroupArn: group },
    },
  };
  const { logging } = attributesOfTemplate(
    { It: ['AWS::OpenSearchService::Domain', domain] },
    { Audited: { Type: 'String' } },
  );
  expect(logging).toEqual({ enabled: 'not known', types: ['not known'] });
});

describe('an item of AWS Config gives', () => {
  test('the attributes of an Elasticsearch domain, which its API spells otherwise', () => {
    expect(
      attributesOfItem([
        'AWS::Elasticsearch::Domain',
        {
          elasticsearchClusterConfig: {
            instanceCount: 3,
            zoneAwarenessEnabled: true,
            dedicatedMasterEnabled: true,
            dedicatedMasterCount: 5,
          },
          encryptionAtRestOptions: { enabled: true, kmsKeyId: key },
          nodeToNodeEncryptionOptions: { enabled: true },
          domainEndpointOptions: {
            enforceHTTPS: true,
            tlssecurityPolicy: 'Policy-Min-TLS-1-2-2019-07',
          },
          vpcoptions: { subnetIds: ['subnet-1'] },
          advancedSecurityOptions: { enabled: true },
          logPublishingOptions: {
            AUDIT_LOGS: { cloudWatchLogsLogGroupArn: group, enabled: true },
          },
        },
      ]),
    ).toEqual({
      ...fullDomain,
      // Whose key it is, only the key's own item tells.
      encryption: { ...fullDomain.encryption, customer_managed: 'not known' },
    });
  });
});
