// A part whose owner the plan does not tell may be any owner's: none of them passes for want of it.
import { expect, test } from 'vitest';
import type { Finding } from '../../src/contract/findings.ts';
import { evaluate } from '../../src/engine/evaluate.ts';
import { readInventory } from '../../src/inventory/read.ts';
import { libraryFor } from '../support/policy-library.ts';

interface Part {
  readonly owner: string;
  readonly part: string;
  /** The argument that names the owner. */
  readonly by: string;
  readonly open: object;
  readonly harmless: object | undefined;
}

const everybody = JSON.stringify({
  Statement: { Effect: 'Allow', Principal: '*', Action: '*', Resource: '*' },
});

/** A plan of an owner, and of a part that takes its name from a local. */
const plan = ({ owner, part, by }: Part, values: object): string =>
  JSON.stringify({
    format_version: '1.2',
    resource_changes: [
      { type: owner, after: { name: 'it', bucket: 'it' } },
      { type: part, after: values, after_unknown: { [by]: true } },
    ].map(({ type, ...change }) => ({
      address: `${type}.it`,
      mode: 'managed',
      type,
      name: 'it',
      change: { actions: ['create'], before: null, ...change },
    })),
    configuration: {
      root_module: {
        resources: [
          { address: `${owner}.it`, type: owner, name: 'it', mode: 'managed', expressions: {} },
          {
            address: `${part}.it`,
            type: part,
            name: 'it',
            mode: 'managed',
            expressions: { [by]: { references: ['local.owner'] } },
          },
        ],
      },
    },
  });

test.each<[policy: string, Part]>([
  [
    'aws-s3-public-read-acl',
    {
      owner: 'aws_s3_bucket',
      part: 'aws_s3_bucket_acl',
      by: 'bucket',
      open: { acl: 'public-read' },
      harmless: { acl: 'private' },
    },
  ],
  [
    'aws-s3-versioning',
    {
      owner: 'aws_s3_bucket',
      part: 'aws_s3_bucket_versioning',
      by: 'bucket',
      open: { versioning_configuration: [{ status: 'Suspended' }] },
      harmless: undefined,
    },
  ],
  [
    'gcp-storage-bucket-no-public-access',
    {
      owner: 'google_storage_bucket',
      part: 'google_storage_bucket_acl',
      by: 'bucket',
      open: { predefined_acl: 'publicRead' },
      harmless: { predefined_acl: 'private' },
    },
  ],
  [
    'gcp-storage-bucket-no-public-access',
    {
      owner: 'google_storage_bucket',
      part: 'google_storage_bucket_access_control',
      by: 'bucket',
      open: { role: 'READER', entity: 'allUsers' },
      harmless: { role: 'READER', entity: 'user-ann@example.com' },
    },
  ],
  [
    'azure-sql-server-no-open-network',
    {
      owner: 'azurerm_mssql_server',
      part: 'azurerm_mssql_firewall_rule',
      by: 'server_id',
      open: { start_ip_address: '0.0.0.0', end_ip_address: '255.255.255.255' },
      harmless: undefined,
    },
  ],
  [
    'aws-ec2-security-group-no-public-ssh',
    {
      owner: 'aws_security_group',
      part: 'aws_vpc_security_group_ingress_rule',
      by: 'security_group_id',
      open: { cidr_ipv4: '0.0.0.0/0', ip_protocol: 'tcp', from_port: 22, to_port: 22 },
      harmless: undefined,
    },
  ],
  [
    'aws-iam-role-no-full-administrator',
    {
      owner: 'aws_iam_role',
      part: 'aws_iam_role_policy',
      by: 'role',
      open: { policy: everybody },
      harmless: undefined,
    },
  ],
  [
    'aws-s3-no-public-grants',
    {
      owner: 'aws_s3_bucket',
      part: 'aws_s3_bucket_policy',
      by: 'bucket',
      open: { policy: everybody },
      harmless: undefined,
    },
  ],
  [
    'gcp-storage-bucket-no-public-access',
    {
      owner: 'google_storage_bucket',
      part: 'google_storage_bucket_iam_member',
      by: 'bucket',
      open: { role: 'roles/storage.objectViewer', member: 'allUsers' },
      harmless: undefined,
    },
  ],
])('%s says that it does not know where a part of $part may be the owner’s', (name, part) => {
  const statusOf = (values: object): string | undefined => {
    const read = readInventory(plan(part, values));
    if (!read.ok) throw new Error(read.problem.message);
    const owner = read.inventory.resources.find(
      ({ resource }) => resource.id === `${part.owner}.it`,
    );
    const policy = owner && libraryFor(owner.resource.type).find((one) => one.policy.name === name);
    return policy && evaluate(policy, owner.resource, Date.UTC(2026, 0, 1)).status;
  };
  expect(statusOf(part.open)).toBe('ERROR');
  if (part.harmless) expect(statusOf(part.harmless)).toBe('PASS');
});

/** A plan of parts only. */
const partsOnly = (parts: Readonly<Record<string, object>>): string =>
  JSON.stringify({
    format_version: '1.2',
    resource_changes: Object.entries(parts).map(([type, after]) => ({
      address: `${type}.it`,
      mode: 'managed',
      type,
      name: 'it',
      change: { actions: ['create'], before: null, after },
    })),
  });

test('a part whose owner is declared elsewhere has a finding of its own, at its own place', () => {
  const parts = {
    aws_s3_bucket_policy: { bucket: 'elsewhere', policy: everybody },
    aws_opensearch_domain_policy: { domain_name: 'elsewhere', access_policies: everybody },
    aws_eip_association: { instance_id: 'i-0a1b2c3d4e5f60718', allocation_id: 'eipalloc-1' },
    aws_lb_ssl_negotiation_policy: { load_balancer: 'elsewhere', lb_port: 443, attribute: [] },
    aws_efs_backup_policy: { file_system_id: 'fs-1', backup_policy: [{ status: 'DISABLED' }] },
    aws_s3_bucket_versioning: {
      bucket: 'elsewhere',
      versioning_configuration: [{ status: 'Suspended' }],
    },
    azurerm_mssql_server_extended_auditing_policy: { server_id: 'elsewhere', enabled: false },
    azurerm_key_vault_access_policy: { key_vault_id: 'elsewhere', object_id: 'somebody' },
    google_project_iam_audit_config: {
      project: 'elsewhere',
      service: 'allServices',
      audit_log_config: [{ log_type: 'DATA_READ', exempted_members: ['user:ann@example.com'] }],
    },
  };
  const read = readInventory(partsOnly(parts));
  if (!read.ok) throw new Error(read.problem.message);
  const found = read.inventory.resources.flatMap(({ resource, at }) => {
    const statuses = libraryFor(resource.type).map(
      (one): Finding['status'] => evaluate(one, resource, Date.UTC(2026, 0, 1)).status,
    );
    return statuses.some((status) => status === 'FAIL' || status === 'ERROR')
      ? [[resource.id, ...at.slice(0, 2)]]
      : [];
  });
  expect(found).toEqual(
    Object.keys(parts).map((type, at) => [`${type}.it`, 'resource_changes', at]),
  );
});

/** A rule that opens SSH, and security groups, of modules; the group of the rule comes from a local. */
function openGroups(addresses: readonly string[], rule: string): Readonly<Record<string, string>> {
  const change = (address: string, after: object, after_unknown = {}) => {
    const [name = '', type = ''] = address.split('.').reverse();
    const change = { actions: ['create'], before: null, after, after_unknown };
    return { address, mode: 'managed', type, name, change };
  };
  const open = { type: 'ingress', cidr_blocks: ['0.0.0.0/0'], protocol: 'tcp', from_port: 22, to_port: 22 }; // prettier-ignore
  const read = readInventory(
    JSON.stringify({
      format_version: '1.2',
      resource_changes: [
        ...addresses.map((address) => change(address, { name: address })),
        change(rule, open, { security_group_id: true }),
      ],
    }),
  );
  if (!read.ok) throw new Error(read.problem.message);
  const [policy] = libraryFor('AWS::EC2::SecurityGroup').filter(
    (one) => one.policy.name === 'aws-ec2-security-group-no-public-ssh',
  );
  const groups = read.inventory.resources.filter(({ resource }) => addresses.includes(resource.id));
  return Object.fromEntries(
    groups.flatMap(({ resource }) =>
      policy ? [[resource.id, evaluate(policy, resource, Date.UTC(2026, 0, 1)).status]] : [],
    ),
  );
}

test('a part of a module whose owner is not known belongs to the only resource of the module that it can, or may belong to each', () => {
  const rule = 'module.web.aws_security_group_rule.ssh';
  const [web, other] = ['module.web.aws_security_group.this', 'module.other.aws_security_group.this']; // prettier-ignore
  expect(openGroups([web, other], rule)).toEqual({ [web]: 'FAIL', [other]: 'PASS' });
  const [inner, root] = ['module.web.module.db["a.b"].aws_security_group.this', 'aws_security_group.this']; // prettier-ignore
  expect(openGroups([web, inner, other, root], rule)).toEqual({ [web]: 'ERROR', [inner]: 'ERROR', [other]: 'PASS', [root]: 'PASS' }); // prettier-ignore
  expect(openGroups([other, root], rule)).toEqual({ [other]: 'ERROR', [root]: 'ERROR' });
});

test('a part of a template may belong to a resource of the branch that is taken; a parameter is none of the template’s', () => {
  const statusOf = (group: object): string | undefined => {
    const rule = { GroupId: group, CidrIp: '0.0.0.0/0', IpProtocol: 'tcp', FromPort: 22, ToPort: 22 }; // prettier-ignore
    const read = readInventory(
      JSON.stringify({
        Parameters: { Given: { Type: 'String' }, Own: { Type: 'String' } },
        Conditions: { Own: { 'Fn::Equals': [{ Ref: 'Own' }, 'yes'] } },
        Resources: {
          Web: { Type: 'AWS::EC2::SecurityGroup', Properties: { GroupDescription: 'web' } },
          Rule: { Type: 'AWS::EC2::SecurityGroupIngress', Properties: rule },
        },
      }),
    );
    if (!read.ok) throw new Error(read.problem.message);
    const web = read.inventory.resources.find(({ resource }) => resource.id === 'Web')?.resource;
    const policy = libraryFor('AWS::EC2::SecurityGroup').find((one) => one.policy.name === 'aws-ec2-security-group-no-public-ssh'); // prettier-ignore
    return web && policy && evaluate(policy, web, Date.UTC(2026, 0, 1)).status;
  };
  const own = { 'Fn::GetAtt': ['Web', 'GroupId'] };
  expect(statusOf(own)).toBe('FAIL');
  expect(statusOf({ 'Fn::If': ['Own', own, { Ref: 'Given' }] })).toBe('ERROR');
  expect(statusOf({ Ref: 'Given' })).toBe('PASS');
  expect(statusOf({ 'Fn::ImportValue': 'group' })).toBe('PASS');
});
