// What is closed as its provider documents it, or there for nothing but a redirect, has no finding; its open twin has one.
import { describe, expect, it } from 'vitest';
import { readInventory } from '../../src/inventory/read.ts';
import { verdictsOf } from '../support/policy-library.ts';

type Fields = Record<string, unknown>;

/** The policies of both sets with such a name that a document's first resource does not pass. */
function findings(document: unknown, about: RegExp): string[] {
  const read = readInventory(JSON.stringify(document));
  if (!read.ok) throw new Error(read.problem.message);
  const [first] = read.inventory.resources;
  const verdicts = first ? Object.entries(verdictsOf(first.resource)) : [];
  const asked = verdicts.filter(([policy]) => about.test(policy));
  expect(asked).not.toEqual([]);
  return asked.filter(([, verdict]) => !verdict.startsWith('PASS')).map(([policy]) => policy);
}

const template = (Type: string, Properties: Fields, more: Fields = {}) => ({
  Resources: { It: { Type, Properties }, ...more },
});
/** A plan that has nothing but the values that it plans. */
const plan = (type: string, values: Fields) => {
  const resource = { address: `${type}.it`, mode: 'managed', type, name: 'it', values };
  return { planned_values: { root_module: { resources: [resource] } } };
};

describe('a security group without egress', () => {
  const group = (...SecurityGroupEgress: Fields[]) =>
    template('AWS::EC2::SecurityGroup', { GroupDescription: 'x', SecurityGroupEgress });
  const plannedGroup = (...egress: Fields[]) =>
    plan('aws_security_group', { description: 'x', ingress: [], egress });
  const none = { IpProtocol: '-1', Description: 'none', CidrIp: '127.0.0.1/32' };
  const all = { IpProtocol: '-1', Description: 'all', CidrIp: '0.0.0.0/0' };

  it.each([
    ['loopback alone', group(none)],
    ['loopback of both versions', group(none, { IpProtocol: -1, CidrIpv6: '::1/128' })],
    ['the broadcast address', group({ ...none, CidrIp: '255.255.255.255/32' })],
    ['an empty list in Terraform', plannedGroup()],
    ['loopback in Terraform', plannedGroup({ protocol: '-1', cidr_blocks: ['127.0.0.1/32'] })],
    [
      'loopback in a rule of its own',
      template('AWS::EC2::SecurityGroupEgress', { GroupId: 'sg-1', ...none }),
    ],
  ])('has no finding: %s', (_, document) => {
    expect(findings(document, /egress/)).toEqual([]);
  });

  it('has one where something else is open beside', () => {
    expect(findings(group(none, all), /egress/)).toContain(
      'aws-ec2-security-group-egress-not-open',
    );
  });
});

describe('a listener in plain HTTP', () => {
  const type = 'AWS::ElasticLoadBalancingV2::Listener';
  const listener = (action: Fields, ...rules: Fields[]) =>
    template(
      type,
      { Protocol: 'HTTP', Port: 80, LoadBalancerArn: 'arn', DefaultActions: [action] },
      Object.fromEntries(
        rules.map((rule, index) => [
          `Rule${index}`,
          {
            Type: `${type}Rule`,
            Properties: { ListenerArn: { Ref: 'It' }, Priority: index + 1, Actions: [rule] },
          },
        ]),
      ),
    );
  const redirect = { Type: 'redirect', RedirectConfig: { Protocol: 'HTTPS', StatusCode: '301' } };
  const fixed = { Type: 'fixed-response', FixedResponseConfig: { StatusCode: '404' } };
  const forward = { Type: 'forward', TargetGroupArn: 'arn' };
  const planned = (action: Fields) =>
    plan('aws_lb_listener', { protocol: 'HTTP', port: 80, default_action: [action] });

  it.each([
    ['it redirects to HTTPS', listener(redirect)],
    ['and so do its rules', listener(redirect, redirect, fixed)],
    ['it answers with a fixed text', listener(fixed)],
    [
      'it redirects in Terraform',
      planned({ type: 'redirect', redirect: [{ protocol: 'HTTPS', status_code: 'HTTP_301' }] }),
    ],
    [
      'it answers with a fixed text in Terraform',
      planned({ type: 'fixed-response', fixed_response: [{ status_code: '404' }] }),
    ],
  ])('has no finding where %s', (_, document) => {
    expect(findings(document, /listener/)).toEqual([]);
  });

  it.each([
    ['it forwards', listener(forward)],
    ['a rule forwards', listener(redirect, forward)],
    ['a rule of a dummy forwards', listener(fixed, forward)],
    ['it redirects to HTTP', listener({ Type: 'redirect', RedirectConfig: { Host: 'b' } })],
    ['it forwards in Terraform', planned({ type: 'forward', target_group_arn: 'arn' })],
  ])('has one where %s', (_, document) => {
    expect(findings(document, /listener/)).toContain('aws-elbv2-listener-https');
  });
});

describe('a database with private addresses only', () => {
  const arm = (type: string, properties: Fields, ...parts: Fields[]) => ({
    $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
    contentVersion: '1.0.0.0',
    resources: [{ type, apiVersion: '2024-08-01', name: 'it', properties }, ...parts],
  });
  const subnet = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v';
  const firewall = {
    type: 'Microsoft.Sql/servers/firewallRules',
    apiVersion: '2024-08-01',
    name: 'it/all',
    properties: { startIpAddress: '0.0.0.0', endIpAddress: '255.255.255.255' },
  };
  const open = { authorized_networks: [{ value: '0.0.0.0/0' }] };
  const google = (ip_configuration: Fields) =>
    plan('google_sql_database_instance', {
      name: 'it',
      settings: [{ ip_configuration: [ip_configuration] }],
    });

  it.each([
    ['of RDS', template('AWS::RDS::DBInstance', { Engine: 'postgres', PubliclyAccessible: false })],
    ['of RDS in Terraform', plan('aws_db_instance', { engine: 'postgres' })],
    [
      'PostgreSQL of Azure in a subnet',
      arm('Microsoft.DBforPostgreSQL/flexibleServers', {
        network: { delegatedSubnetResourceId: `${subnet}/subnets/db` },
      }),
    ],
    [
      'SQL of Azure whose firewall would let in everybody',
      arm('Microsoft.Sql/servers', { publicNetworkAccess: 'Disabled' }, firewall),
    ],
    ['of Cloud SQL', google({ ipv4_enabled: false, private_network: 'n', ...open })],
  ])('has no finding: %s', (_, document) => {
    expect(findings(document, /public-access|open-network/)).toEqual([]);
  });

  it.each([
    ['of RDS', template('AWS::RDS::DBInstance', { Engine: 'postgres', PubliclyAccessible: true })],
    ['of Azure', arm('Microsoft.Sql/servers', { publicNetworkAccess: 'Enabled' }, firewall)],
    ['of Cloud SQL', google({ ipv4_enabled: true, ...open })],
  ])('has one with public addresses: %s', (_, document) => {
    expect(findings(document, /public-access|open-network/)).toHaveLength(1);
  });
});

it('an instance of a cluster that a plan does not name is not judged by what its cluster decides', () => {
  const instance = plan('aws_rds_cluster_instance', { engine: 'aurora-postgresql' });
  expect(findings(instance, /backups-enabled|deletion-protection|instance-encryption/)).toEqual([]);
});
