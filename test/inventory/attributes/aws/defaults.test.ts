// What is so where nothing is set, where it depends on more than the type; the sources are in the generated reference.
import { describe, expect, test } from 'vitest';
import { UnknownValue } from '../../../../src/contract/resources.ts';
import { readInventory } from '../../../../src/inventory/read.ts';
import {
  Reference,
  attributesOfItem,
  attributesOfPlan,
  attributesOfState,
  attributesOfTemplate,
} from './twins.ts';
import type { Twins } from './twins.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What follows from silence in a template and in a plan that creates the thing; one value is for both. */
const silent: Readonly<
  Record<string, Twins & { readonly expected: Fields; readonly ofPlan?: Fields }>
> = {
  'a database instance installs minor versions, and is public in the default VPC': {
    template: { It: ['AWS::RDS::DBInstance', { Engine: 'mysql' }] },
    plan: { 'aws_db_instance.it': { engine: 'mysql' } },
    expected: { auto_minor_version_upgrade: true, public_access: true },
    ofPlan: { auto_minor_version_upgrade: true, public_access: false },
  },
  'an instance of Aurora is private': {
    template: { It: ['AWS::RDS::DBInstance', { Engine: 'aurora-mysql' }] },
    plan: { 'aws_rds_cluster_instance.it': { engine: 'aurora-mysql' } },
    expected: { public_access: false },
  },
  'an instance in a subnet group is private': {
    template: {
      It: ['AWS::RDS::DBInstance', { Engine: 'mysql', DBSubnetGroupName: { Ref: 'Group' } }],
      Group: ['AWS::RDS::DBSubnetGroup', {}],
    },
    plan: { 'aws_db_instance.it': { engine: 'mysql', db_subnet_group_name: 'private' } },
    expected: { public_access: false },
  },
  'an instance in the subnet group of the default VPC is public': {
    template: { It: ['AWS::RDS::DBInstance', { Engine: 'mysql', DBSubnetGroupName: 'default' }] },
    plan: { 'aws_db_instance.it': { engine: 'mysql', db_subnet_group_name: 'default' } },
    expected: { public_access: true },
    ofPlan: { public_access: false },
  },
  'an instance of a snapshot is encrypted as that is': {
    template: { It: ['AWS::RDS::DBInstance', { DBSnapshotIdentifier: 'before' }] },
    plan: { 'aws_db_instance.it': { snapshot_identifier: 'before' } },
    expected: { encryption: { enabled: 'not known' } },
  },
  'an instance of a cluster elsewhere is encrypted as that is': {
    template: { It: ['AWS::RDS::DBInstance', { DBClusterIdentifier: 'orders' }] },
    plan: { 'aws_rds_cluster_instance.it': { cluster_identifier: 'orders' } },
    expected: { encryption: { enabled: 'not known' } },
  },
  'an instance of a new Aurora cluster is encrypted': {
    template: {
      It: ['AWS::RDS::DBInstance', { DBClusterIdentifier: { Ref: 'Cluster' } }],
      Cluster: ['AWS::RDS::DBCluster', { Engine: 'aurora-mysql' }],
    },
    plan: {
      'aws_rds_cluster_instance.it': {
        cluster_identifier: new Reference('aws_rds_cluster.cluster.id'),
      },
      'aws_rds_cluster.cluster': { engine: 'aurora-mysql' },
    },
    expected: { encryption: { enabled: true } },
  },
  'a new Aurora cluster is encrypted': {
    template: { It: ['AWS::RDS::DBCluster', { Engine: 'aurora-postgresql' }] },
    plan: { 'aws_rds_cluster.it': { engine: 'aurora-postgresql' } },
    expected: { encryption: { enabled: true } },
  },
  'a cluster of another engine is not': {
    template: { It: ['AWS::RDS::DBCluster', { Engine: 'mysql' }] },
    plan: { 'aws_rds_cluster.it': { engine: 'mysql' } },
    expected: { encryption: { enabled: false } },
  },
  'a cluster of a snapshot is encrypted as that is': {
    template: {
      It: ['AWS::RDS::DBCluster', { Engine: 'aurora-mysql', SnapshotIdentifier: 'before' }],
    },
    plan: { 'aws_rds_cluster.it': { engine: 'aurora-mysql', snapshot_identifier: 'before' } },
    expected: { encryption: { enabled: 'not known' } },
  },
  'a warehouse is encrypted and private, takes upgrades and keeps snapshots for a day': {
    template: { It: ['AWS::Redshift::Cluster', {}] },
    plan: { 'aws_redshift_cluster.it': {} },
    expected: {
      encryption: { enabled: true },
      public_access: false,
      version_upgrade: true,
      backup: { retention_days: 1 },
    },
  },
  'a table is provisioned': {
    template: { It: ['AWS::DynamoDB::Table', {}] },
    plan: { 'aws_dynamodb_table.it': {} },
    expected: { billing_mode: 'PROVISIONED' },
  },
  'a cache of Valkey is encrypted': {
    template: { It: ['AWS::ElastiCache::ReplicationGroup', { Engine: 'valkey' }] },
    plan: { 'aws_elasticache_replication_group.it': { engine: 'valkey' } },
    expected: { encryption: { enabled: true } },
  },
  'a cache of Redis is not': {
    template: { It: ['AWS::ElastiCache::ReplicationGroup', { Engine: 'redis' }] },
    plan: { 'aws_elasticache_replication_group.it': { engine: 'redis' } },
    expected: { encryption: { enabled: false } },
  },
  'a replication instance is public, but for Terraform': {
    template: { It: ['AWS::DMS::ReplicationInstance', {}] },
    plan: { 'aws_dms_replication_instance.it': {} },
    expected: { public_access: true },
    ofPlan: { public_access: false },
  },
  'a file system in one zone is backed up': {
    template: { It: ['AWS::EFS::FileSystem', { AvailabilityZoneName: 'eu-central-1a' }] },
    plan: { 'aws_efs_file_system.it': { availability_zone_name: 'eu-central-1a' } },
    expected: { backup: { enabled: true } },
  },
  'a file system in several zones is not': {
    template: { It: ['AWS::EFS::FileSystem', {}] },
    plan: { 'aws_efs_file_system.it': {} },
    expected: { backup: { enabled: false } },
  },
  'a volume of a snapshot is encrypted as that is': {
    template: { It: ['AWS::EC2::Volume', { SnapshotId: 'snap-1' }] },
    plan: { 'aws_ebs_volume.it': { snapshot_id: 'snap-1' } },
    expected: { encryption: { enabled: 'not known' } },
  },
  'so is that of an instance': {
    template: {
      It: [
        'AWS::EC2::Instance',
        { BlockDeviceMappings: [{ DeviceName: '/dev/sdb', Ebs: { SnapshotId: 'snap-1' } }] },
      ],
    },
    plan: {
      'aws_instance.it': { ebs_block_device: [{ device_name: '/dev/sdb', snapshot_id: 'snap-1' }] },
    },
    expected: { volumes: [{ device: '/dev/sdb', encryption: { enabled: 'not known' } }] },
  },
  'an instance without a subnet is in the default VPC, with a public address': {
    template: { It: ['AWS::EC2::Instance', {}] },
    plan: { 'aws_instance.it': {} },
    expected: { public_access: true },
  },
  'an instance in a subnet elsewhere has the address that the subnet gives': {
    template: { It: ['AWS::EC2::Instance', { SubnetId: 'subnet-1' }] },
    plan: { 'aws_instance.it': { subnet_id: 'subnet-1' } },
    expected: { public_access: 'not known' },
  },
  'an instance in a subnet that gives no addresses has none': {
    template: {
      It: ['AWS::EC2::Instance', { SubnetId: { Ref: 'Subnet' } }],
      Subnet: ['AWS::EC2::Subnet', {}],
    },
    plan: {
      'aws_instance.it': { subnet_id: new Reference('aws_subnet.subnet.id') },
      'aws_subnet.subnet': {},
    },
    expected: { public_access: false },
  },
  'instances of a group are as its subnets have them': {
    template: {
      It: ['AWS::AutoScaling::LaunchConfiguration', {}],
      Group: [
        'AWS::AutoScaling::AutoScalingGroup',
        { LaunchConfigurationName: { Ref: 'It' }, VPCZoneIdentifier: [{ Ref: 'Subnet' }] },
      ],
      Subnet: ['AWS::EC2::Subnet', {}],
    },
    plan: {
      'aws_launch_configuration.it': {},
      'aws_autoscaling_group.group': {
        launch_configuration: new Reference('aws_launch_configuration.it.name'),
        vpc_zone_identifier: [new Reference('aws_subnet.subnet.id')],
      },
      'aws_subnet.subnet': {},
    },
    expected: { public_ip_on_launch: false },
  },
  'instances of a group without subnets are in the default VPC': {
    template: {
      It: ['AWS::AutoScaling::LaunchConfiguration', {}],
      Group: ['AWS::AutoScaling::AutoScalingGroup', { LaunchConfigurationName: { Ref: 'It' } }],
    },
    plan: {
      'aws_launch_configuration.it': {},
      'aws_autoscaling_group.group': {
        launch_configuration: new Reference('aws_launch_configuration.it.name'),
      },
    },
    expected: { public_ip_on_launch: true },
  },
  'an API is optimized for the edge': {
    template: { It: ['AWS::ApiGateway::RestApi', {}] },
    plan: { 'aws_api_gateway_rest_api.it': {} },
    expected: { endpoint_types: ['EDGE'] },
  },
  'a domain name of HTTP and WebSocket APIs takes TLS 1.2 only': {
    template: { It: ['AWS::ApiGatewayV2::DomainName', {}] },
    plan: { 'aws_apigatewayv2_domain_name.it': {} },
    expected: { tls: { minimum_version: '1.2' } },
  },
  'a domain name of REST APIs may take older ones': {
    template: { It: ['AWS::ApiGateway::DomainName', {}] },
    plan: { 'aws_api_gateway_domain_name.it': {} },
    expected: { tls: { minimum_version: '1.0' } },
  },
  'a queue is encrypted': {
    template: { It: ['AWS::SQS::Queue', {}] },
    plan: { 'aws_sqs_queue.it': {} },
    expected: { encryption: { enabled: true } },
  },
};

describe.each(Object.entries(silent))('%s', (_title, { template, plan, expected, ofPlan }) => {
  test('in a template', () => {
    expect(attributesOfTemplate(template)).toMatchObject(expected);
  });

  test('in a plan', () => {
    expect(attributesOfPlan(plan)).toMatchObject(ofPlan ?? expected);
  });
});

test('a parameter may name the subnet group of the default VPC', () => {
  const properties = { Engine: 'mysql', DBSubnetGroupName: { Ref: 'Group' } };
  expect(
    attributesOfTemplate(
      { It: ['AWS::RDS::DBInstance', properties] },
      { Group: { Type: 'String' } },
    ),
  ).toHaveProperty('public_access', 'not known');
});

describe('an account encrypts new volumes where Terraform says so:', () => {
  const account = (id: string) => ({
    assume_role: [{ role_arn: { constant_value: `arn:aws:iam::${id}:role/deploy` } }],
  });
  const there = { region: { constant_value: 'eu-central-1' } };

  /** A volume of the first provider, beside the setting of the second. */
  const volumeOf = (aws: object, other: object = aws, key = 'aws.there') => {
    const read = readInventory(
      JSON.stringify({
        format_version: '1.2',
        terraform_version: '1.9.0',
        resource_changes: [
          ['aws_ebs_volume', {}],
          ['aws_ebs_encryption_by_default', { enabled: true }],
        ].map(([type, after]) => ({
          address: `${String(type)}.it`,
          mode: 'managed',
          type,
          name: 'it',
          provider_name: 'registry.terraform.io/hashicorp/aws',
          change: { actions: ['create'], before: null, after, after_unknown: {} },
        })),
        configuration: {
          provider_config: {
            aws: { name: 'aws', expressions: aws },
            [key]: { name: 'aws', expressions: other },
          },
          root_module: {
            resources: [
              ['aws_ebs_volume', 'aws'],
              ['aws_ebs_encryption_by_default', key],
            ].map(([type, provider_config_key]) => ({
              address: `${String(type)}.it`,
              mode: 'managed',
              type,
              name: 'it',
              provider_config_key,
              expressions: {},
            })),
          },
        },
      }),
    );
    const volume = read.ok ? read.inventory.resources[0]?.resource : undefined;
    const { enabled } = volume?.['encryption'] as { enabled: unknown };
    return enabled instanceof UnknownValue ? 'not known' : enabled;
  };

  test('in its region', () => {
    expect(volumeOf(there)).toBe(true);
    expect(volumeOf(there, { region: { constant_value: 'eu-west-1' } })).toBe(false);
  });

  test('in its account', () => {
    const one = { ...there, ...account('111111111111') };
    expect(volumeOf(one)).toBe(true);
    expect(volumeOf(one, { ...there, ...account('222222222222') })).toBe(false);
    expect(volumeOf(one, { ...there, profile: { constant_value: 'other' } })).toBe('not known');
  });

  test('in whatever region and account, where both have the same provider', () => {
    const variable = { region: { references: ['var.region'] }, profile: {} };
    expect(volumeOf(variable, variable, 'aws')).toBe(true);
    expect(volumeOf(variable, there)).toBe('not known');
  });
});

test('the default subnet of a zone gives public addresses', () => {
  expect(attributesOfPlan({ 'aws_default_subnet.it': {} })).toHaveProperty(
    'public_ip_on_launch',
    true,
  );
});

describe('what is older than a default is not taken for new:', () => {
  test('a queue', () => {
    expect(attributesOfItem(['AWS::SQS::Queue', {}])).toHaveProperty(
      'encryption.enabled',
      'not known',
    );
  });

  test('a warehouse', () => {
    expect(attributesOfItem(['AWS::Redshift::Cluster', {}])).toMatchObject({
      encryption: { enabled: 'not known' },
      public_access: 'not known',
      version_upgrade: 'not known',
      backup: { retention_days: 'not known' },
    });
  });

  test('a database, a broker', () => {
    expect(attributesOfItem(['AWS::RDS::DBInstance', {}])).toMatchObject({
      public_access: 'not known',
      auto_minor_version_upgrade: 'not known',
    });
    expect(attributesOfItem(['AWS::AmazonMQ::Broker', {}])).toMatchObject({
      public_access: 'not known',
    });
  });

  test('an Aurora cluster, whose item says how it is encrypted', () => {
    const cluster = (kind: string) =>
      attributesOfItem([
        'AWS::RDS::DBCluster',
        { engine: 'aurora-mysql', storageEncrypted: false, storageEncryptionType: kind },
      ]);
    expect(cluster('none')).toHaveProperty('encryption.enabled', false);
    expect(cluster('sse-rds')).toHaveProperty('encryption.enabled', true);
  });

  test('a user, whose password and devices Terraform does not tell', () => {
    const user = { 'aws_iam_user.it': { name: 'ana' } };
    expect(attributesOfPlan(user)).toMatchObject({
      console_access: false,
      mfa: { enabled: false },
    });
    expect(attributesOfState(user)).toMatchObject({
      console_access: 'not known',
      mfa: { enabled: 'not known' },
    });
  });
});
