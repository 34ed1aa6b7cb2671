// A plan shows an owner that it leaves alone as it was refreshed: with the rules, policies and settings of parts that it is
// about to delete or change.
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../src/engine/evaluate.ts';
import { readInventory } from '../../../../src/inventory/read.ts';
import { libraryFor } from '../../../support/policy-library.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Case {
  readonly policy: string;
  readonly owner: string;
  readonly values: Fields;
  readonly part: string;
  readonly before: Fields;
  /** What the part is changed to. */
  readonly after?: Fields;
}

const planOf = ({ owner, values, part, before, after }: Case, config: Fields = {}): string => {
  const change = (type: string, actions: readonly string[], from: Fields, to: Fields | null) => ({
    address: `${type}.it`,
    mode: 'managed',
    type,
    name: 'it',
    change: { actions, before: from, after: to, after_unknown: {} },
  });
  const expressions = (type: string, given: Fields) => ({
    address: `${type}.it`,
    mode: 'managed',
    type,
    name: 'it',
    expressions: given,
  });
  return JSON.stringify({
    format_version: '1.2',
    terraform_version: '1.9.0',
    resource_changes: [
      change(owner, ['no-op'], values, values),
      change(part, after ? ['update'] : ['delete'], before, after ?? null),
    ],
    configuration: {
      root_module: {
        resources: [expressions(owner, config), ...(after ? [expressions(part, {})] : [])],
      },
    },
  });
};

function statusOf(plan: string, { owner, policy }: Case): string | undefined {
  const read = readInventory(plan);
  if (!read.ok) throw new Error(read.problem.message);
  const its = read.inventory.resources.find(({ address }) => address === `${owner}.it`)?.resource;
  const found = its && libraryFor(its.type).find((one) => one.policy.name === policy);
  return found && evaluate(found, its, Date.UTC(2026, 0, 1)).status;
}

const statement = (fields: Fields): string =>
  JSON.stringify({ Statement: [{ Effect: 'Allow', Principal: '*', Action: '*', Resource: '*', ...fields }] }); // prettier-ignore
const everybody = statement({});
const closed = statement({ Principal: { AWS: 'arn:aws:iam::123456789012:root' } });

const group = (cidrs: readonly string[]): Fields => ({
  id: 'sg-1',
  name: 'web',
  ingress: [
    { protocol: 'tcp', from_port: 22, to_port: 22, cidr_blocks: cidrs, ipv6_cidr_blocks: [], prefix_list_ids: [], security_groups: [], self: false, description: '' },
    { protocol: 'tcp', from_port: 443, to_port: 443, cidr_blocks: ['0.0.0.0/0'], ipv6_cidr_blocks: [], prefix_list_ids: [], security_groups: [], self: false, description: '' },
  ],
}); // prettier-ignore
const open: Fields = { type: 'ingress', security_group_id: 'sg-1', protocol: 'tcp', from_port: 22, to_port: 22, cidr_blocks: ['0.0.0.0/0'] }; // prettier-ignore
const rule: Case = {
  policy: 'aws-ec2-security-group-no-public-ssh',
  owner: 'aws_security_group',
  values: group(['0.0.0.0/0']),
  part: 'aws_security_group_rule',
  before: open,
};
const bucket: Fields = { id: 'shop', bucket: 'shop', arn: 'arn:aws:s3:::shop' };
const nsg = (source: string): Fields => ({ name: 'ssh', access: 'Allow', direction: 'Inbound', priority: 100, protocol: 'Tcp', source_address_prefix: source, source_port_range: '*', destination_address_prefix: '*', destination_port_range: '22' }); // prettier-ignore

describe('a plan that mends what an owner was refreshed with passes', () => {
  test.each<[what: string, one: Case]>([
    ['a rule of a security group is deleted', rule],
    [
      'a rule is narrowed in place',
      {
        ...rule,
        part: 'aws_vpc_security_group_ingress_rule',
        before: { security_group_id: 'sg-1', ip_protocol: 'tcp', from_port: 22, to_port: 22, cidr_ipv4: '0.0.0.0/0' }, // prettier-ignore
        after: { security_group_id: 'sg-1', ip_protocol: 'tcp', from_port: 22, to_port: 22, cidr_ipv4: '10.0.0.0/8' }, // prettier-ignore
      },
    ],
    [
      'a rule of all traffic is deleted, whose ports are written in several ways',
      {
        ...rule,
        values: { id: 'sg-1', name: 'web', ingress: [{ protocol: '-1', from_port: 0, to_port: 0, cidr_blocks: ['0.0.0.0/0'], self: false }] }, // prettier-ignore
        part: 'aws_vpc_security_group_ingress_rule',
        before: { security_group_id: 'sg-1', ip_protocol: '-1', from_port: null, to_port: null, cidr_ipv4: '0.0.0.0/0' }, // prettier-ignore
      },
    ],
    [
      'an administrator policy is detached',
      {
        policy: 'aws-iam-role-no-administrator-access',
        owner: 'aws_iam_role',
        values: { id: 'app', name: 'app', managed_policy_arns: ['arn:aws:iam::aws:policy/AdministratorAccess'] }, // prettier-ignore
        part: 'aws_iam_role_policy_attachment',
        before: { role: 'app', policy_arn: 'arn:aws:iam::aws:policy/AdministratorAccess' },
      },
    ],
    [
      'an inline policy is deleted',
      {
        policy: 'aws-iam-role-no-full-administrator',
        owner: 'aws_iam_role',
        values: { id: 'app', name: 'app', inline_policy: [{ name: 'all', policy: everybody }] },
        part: 'aws_iam_role_policy',
        before: { role: 'app', name: 'all', policy: everybody },
      },
    ],
    [
      'the policy of a bucket is corrected',
      {
        policy: 'aws-s3-no-public-grants',
        owner: 'aws_s3_bucket',
        values: { ...bucket, policy: everybody },
        part: 'aws_s3_bucket_policy',
        before: { bucket: 'shop', policy: everybody },
        after: { bucket: 'shop', policy: closed },
      },
    ],
    [
      'the policy of a queue is deleted',
      {
        policy: 'aws-sqs-queue-not-public',
        owner: 'aws_sqs_queue',
        values: { id: 'https://sqs/q', url: 'https://sqs/q', name: 'q', policy: everybody },
        part: 'aws_sqs_queue_policy',
        before: { queue_url: 'https://sqs/q', policy: everybody },
      },
    ],
    [
      'a rule of a network security group is narrowed',
      {
        policy: 'azure-nsg-no-public-ssh-rdp',
        owner: 'azurerm_network_security_group',
        values: { id: 'web', name: 'web', security_rule: [nsg('*')] },
        part: 'azurerm_network_security_rule',
        before: { ...nsg('*'), network_security_group_name: 'web' },
        after: { ...nsg('10.0.0.0/8'), network_security_group_name: 'web' },
      },
    ],
  ])('%s', (_, one) => {
    expect(statusOf(planOf(one), one)).toBe('PASS');
  });

  test('but not what the rule did not open, and what the owner sets itself', () => {
    const two = { ...rule, values: group(['0.0.0.0/0', '198.51.100.0/24']), before: { ...open, cidr_blocks: ['198.51.100.0/24'] } }; // prettier-ignore
    expect(statusOf(planOf(two), two)).toBe('FAIL');
    const own = { ingress: { constant_value: [] } };
    expect(statusOf(planOf(rule, own), rule)).toBe('FAIL');
    const other = { ...rule, before: { ...open, security_group_id: 'sg-2' } };
    expect(statusOf(planOf(other), other)).toBe('FAIL');
    const elsewhere: Case = {
      policy: 'azure-nsg-no-public-ssh-rdp',
      owner: 'azurerm_network_security_group',
      values: { id: 'web', name: 'web', resource_group_name: 'one', security_rule: [nsg('*')] },
      part: 'azurerm_network_security_rule',
      before: { ...nsg('*'), network_security_group_name: 'web', resource_group_name: 'two' },
    };
    expect(statusOf(planOf(elsewhere), elsewhere)).toBe('FAIL');
  });
});

test.each<[what: string, one: Case]>([
  [
    'the versioning of a bucket',
    {
      policy: 'aws-s3-versioning',
      owner: 'aws_s3_bucket',
      values: { ...bucket, versioning: [{ enabled: true, mfa_delete: false }] },
      part: 'aws_s3_bucket_versioning',
      before: { bucket: 'shop', versioning_configuration: [{ status: 'Enabled' }] },
    },
  ],
  [
    'the network rules of a storage account',
    {
      policy: 'azure-storage-account-network-rules',
      owner: 'azurerm_storage_account',
      values: { id: '/s', name: 's', public_network_access_enabled: true, network_rules: [{ default_action: 'Deny' }] }, // prettier-ignore
      part: 'azurerm_storage_account_network_rules',
      before: { storage_account_id: '/s', default_action: 'Deny' },
    },
  ],
])('a plan that deletes %s fails', (_, one) => {
  expect(statusOf(planOf(one), one)).toBe('FAIL');
});

test('a part of an Azure resource with the ID of that is no second one', () => {
  const id = '/subscriptions/s/resourceGroups/r/providers/Microsoft.Storage/storageAccounts/shop';
  const resource = (type: string, values: Fields) => ({ address: `${type}.it`, mode: 'managed', type, name: 'it', values }); // prettier-ignore
  const read = readInventory(
    JSON.stringify({
      format_version: '1.0',
      terraform_version: '1.9.0',
      values: {
        root_module: {
          resources: [
            resource('azurerm_storage_account', { id, name: 'shop' }),
            resource('azurerm_storage_account_network_rules', { id, storage_account_id: id, default_action: 'Deny' }), // prettier-ignore
            resource('azurerm_storage_account_static_website', { id, storage_account_id: id }),
          ],
        },
      },
    }),
  );
  if (!read.ok) throw new Error(read.problem.message);
  expect(read.inventory.resources.map(({ resource: { type } }) => type)).toEqual([
    'Azure::Storage::storageAccounts',
    'Azure::Storage::storageAccounts/blobServices',
    'Azure::Azurerm::storage_account_network_rules',
    'Azure::Azurerm::storage_account_static_website',
  ]);
});
