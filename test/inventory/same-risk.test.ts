// The same risk is one finding of the same severity, whichever form of a resource it is written in. A risk is described
// once, and each form of it is made of the description.
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../src/engine/evaluate.ts';
import { readInventory } from '../../src/inventory/read.ts';
import { isInSet } from '../../src/project/policy-sets.ts';
import type { PolicySet } from '../../src/project/policy-sets.ts';
import { libraryFor } from '../support/policy-library.ts';
import {
  Reference,
  itemsDocument,
  planDocument,
  templateDocument,
} from './attributes/aws/twins.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A risk in all forms that it has. */
interface Risk {
  readonly severity: string;
  /** The policies that report it, by their names. */
  readonly policies: RegExp;
  readonly forms: Readonly<Record<string, Fields>>;
}

/** What a set says of a document: the severity of each finding, or the ERROR. */
function findingsOf(document: Fields, policies: RegExp, set: PolicySet = 'baseline'): string[] {
  const read = readInventory(JSON.stringify(document));
  if (!read.ok) throw new Error(read.problem.message);
  return read.inventory.resources.flatMap(({ resource }) =>
    libraryFor(resource.type)
      .filter(({ policy }) => isInSet(policy.tags, set) && policies.test(policy.name))
      .flatMap((prepared) => {
        const { status } = evaluate(prepared, resource, Date.UTC(2026, 0, 1));
        if (status !== 'FAIL' && status !== 'ERROR') return [];
        return [`${status} ${prepared.policy.severity} ${prepared.policy.name}`];
      }),
  );
}

function testRisks(risks: Readonly<Record<string, Risk>>): void {
  describe.each(Object.entries(risks))('%s', (_title, { severity, policies, forms }) => {
    test.each(Object.entries(forms))('%s', (_form, document) => {
      const found = findingsOf(document, policies);
      expect(
        found.map((one) => one.split(' ').slice(0, 2).join(' ')),
        found.join(', '),
      ).toEqual([`FAIL ${severity}`]);
    });
  });
}

interface Opening {
  readonly protocol: 'tcp' | 'all';
  readonly from: number;
  readonly to: number;
  /** Who is let in, by its range of addresses; everybody where none is named. */
  readonly cidr?: string;
}

const awsOpening = ({ protocol, from, to, cidr = '0.0.0.0/0' }: Opening) => {
  const ports = protocol === 'all' ? {} : { FromPort: from, ToPort: to };
  const rule = { IpProtocol: protocol === 'all' ? '-1' : protocol, ...ports, CidrIp: cidr };
  const planned = {
    protocol: rule.IpProtocol,
    from_port: protocol === 'all' ? 0 : from,
    to_port: protocol === 'all' ? 0 : to,
    cidr_blocks: [cidr],
  };
  const plannedAlone = {
    ip_protocol: rule.IpProtocol,
    ...(protocol === 'all' ? {} : { from_port: from, to_port: to }),
    cidr_ipv4: cidr,
  };
  const group = (rules: Fields): readonly [string, Fields] => [
    'AWS::EC2::SecurityGroup',
    { GroupDescription: 'web', ...rules },
  ];
  const alone = (to: unknown): readonly [string, Fields] => [
    'AWS::EC2::SecurityGroupIngress',
    { GroupId: to, ...rule },
  ];
  const groupId = new Reference('aws_security_group.it.id');
  const plannedGroup = { 'aws_security_group.it': { description: 'web' } };
  return {
    'a template, in the group': templateDocument({ It: group({ SecurityGroupIngress: [rule] }) }),
    'a template, beside the group': templateDocument({
      It: group({}),
      Rule: alone({ 'Fn::GetAtt': ['It', 'GroupId'] }),
    }),
    'a template, without its group': templateDocument({ Rule: alone('sg-0a1b2c3d') }),
    'a template, for a group that is a parameter': templateDocument(
      { Rule: alone({ Ref: 'Group' }) },
      { Group: { Type: 'String' } },
    ),
    'a plan, in the group': planDocument({
      'aws_security_group.it': { description: 'web', ingress: [planned] },
    }),
    'a plan, beside the group': planDocument({
      ...plannedGroup,
      'aws_vpc_security_group_ingress_rule.a': { security_group_id: groupId, ...plannedAlone },
    }),
    'a plan, beside the group, older resource': planDocument({
      ...plannedGroup,
      'aws_security_group_rule.a': { type: 'ingress', security_group_id: groupId, ...planned },
    }),
    'a plan, without its group': planDocument({
      'aws_vpc_security_group_ingress_rule.a': {
        security_group_id: 'sg-0a1b2c3d',
        ...plannedAlone,
      },
    }),
    'a plan, without its group, older resource': planDocument({
      'aws_security_group_rule.a': {
        type: 'ingress',
        security_group_id: 'sg-0a1b2c3d',
        ...planned,
      },
    }),
    'an item of AWS Config': itemsDocument({
      resourceType: 'AWS::EC2::SecurityGroup',
      configuration: {
        groupName: 'web',
        description: 'web',
        ipPermissions: [
          {
            ipProtocol: rule.IpProtocol,
            ...(protocol === 'all' ? {} : { fromPort: from, toPort: to }),
            ipv4Ranges: [{ cidrIp: cidr }],
          },
        ],
      },
    }),
  };
};

const azureOpening = ({ protocol, from, to, cidr = '*' }: Opening) => {
  const range = protocol === 'all' ? '*' : from === to ? String(from) : `${from}-${to}`;
  const rule = {
    access: 'Allow',
    direction: 'Inbound',
    priority: 100,
    protocol: protocol === 'all' ? '*' : 'Tcp',
    sourceAddressPrefix: cidr,
    sourcePortRange: '*',
    destinationAddressPrefix: '*',
    destinationPortRange: range,
  };
  const planned = {
    name: 'r',
    access: 'Allow',
    direction: 'Inbound',
    priority: 100,
    protocol: rule.protocol,
    source_address_prefix: cidr,
    source_port_range: '*',
    destination_address_prefix: '*',
    destination_port_range: range,
  };
  const template = (...resources: readonly Fields[]): Fields => ({
    $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
    resources: resources.map((one) => ({ apiVersion: '2023-09-01', ...one })),
  });
  const type = 'Microsoft.Network/networkSecurityGroups';
  const group = { type, name: 'it', properties: {} };
  const alone = { type: `${type}/securityRules`, name: 'it/r', properties: rule };
  return {
    'a template, in the group': template({
      ...group,
      properties: { securityRules: [{ name: 'r', properties: rule }] },
    }),
    'a template, under the group': template({
      ...group,
      resources: [{ type: 'securityRules', apiVersion: '2023-09-01', name: 'r', properties: rule }],
    }),
    'a template, beside the group': template(group, alone),
    'a template, without its group': template(alone),
    'a plan, in the group': planDocument({
      'azurerm_network_security_group.it': { name: 'it', security_rule: [planned] },
    }),
    'a plan, beside the group': planDocument({
      'azurerm_network_security_group.it': { name: 'it' },
      'azurerm_network_security_rule.r': {
        network_security_group_name: new Reference('azurerm_network_security_group.it.name'),
        ...planned,
      },
    }),
    'a plan, without its group': planDocument({
      'azurerm_network_security_rule.r': { network_security_group_name: 'other', ...planned },
    }),
  };
};

const gcpOpening = ({ protocol, from, to, cidr = '0.0.0.0/0' }: Opening) => {
  const ports = protocol === 'all' ? [] : [from === to ? String(from) : `${from}-${to}`];
  const withPorts = ports.length > 0 ? { ports } : {};
  return {
    'a plan': planDocument({
      'google_compute_firewall.it': {
        name: 'it',
        network: 'n',
        source_ranges: [cidr],
        allow: [{ protocol, ...withPorts }],
      },
    }),
    'an asset': {
      name: '//compute.googleapis.com/projects/p/global/firewalls/it',
      asset_type: 'compute.googleapis.com/Firewall',
      resource: {
        data: {
          name: 'it',
          direction: 'INGRESS',
          sourceRanges: [cidr],
          allowed: [{ IPProtocol: protocol, ...withPorts }],
        },
      },
    },
  };
};

const prefixed = (provider: string, forms: Readonly<Record<string, Fields>>) =>
  Object.fromEntries(Object.entries(forms).map(([name, form]) => [`${provider}: ${name}`, form]));

const openTo = (severity: string, opening: Opening): Risk => ({
  severity,
  policies: /-(security-group|nsg|firewall)-/,
  forms: {
    ...prefixed('AWS', awsOpening(opening)),
    ...prefixed('Azure', azureOpening(opening)),
    ...prefixed('Google Cloud', gcpOpening(opening)),
  },
});

testRisks({
  'SSH is open to the internet': openTo('CRITICAL', { protocol: 'tcp', from: 22, to: 22 }),
  'RDP is open to the internet': openTo('CRITICAL', { protocol: 'tcp', from: 3389, to: 3389 }),
  'a database is open to the internet': openTo('CRITICAL', {
    protocol: 'tcp',
    from: 5432,
    to: 5432,
  }),
  'everything is open to the internet': openTo('CRITICAL', {
    protocol: 'all',
    from: 0,
    to: 65_535,
  }),
  'many ports are open to the internet': openTo('HIGH', {
    protocol: 'tcp',
    from: 20_000,
    to: 25_000,
  }),
});

const half = '128.0.0.0/1';
testRisks({
  'SSH is open to half of the internet': openTo('CRITICAL', {
    protocol: 'tcp',
    from: 22,
    to: 22,
    cidr: half,
  }),
  'a database is open to half of the internet': openTo('CRITICAL', {
    protocol: 'tcp',
    from: 5432,
    to: 5432,
    cidr: half,
  }),
  'many ports are open to half of the internet': openTo('HIGH', {
    protocol: 'tcp',
    from: 20_000,
    to: 25_000,
    cidr: half,
  }),
});

const office: Opening = { protocol: 'tcp', from: 22, to: 22, cidr: '198.51.100.0/24' };

describe('SSH for one public network', () => {
  const { forms } = openTo('HIGH', office);

  test.each(Object.entries(forms))('%s: is left to the set strict', (_form, document) => {
    expect(findingsOf(document, /-ssh/, 'baseline')).toEqual([]);
    const [found, ...others] = findingsOf(document, /-ssh/, 'strict');
    expect(found).toMatch(/^FAIL HIGH \S+-private-ssh-rdp$/);
    expect(others).toEqual([]);
  });
});

test('a rule beside a group is judged, also where nobody knows the rules in the group', () => {
  const document = templateDocument(
    {
      It: ['AWS::EC2::SecurityGroup', { SecurityGroupIngress: { Ref: 'Rules' } }],
      Rule: [
        'AWS::EC2::SecurityGroupIngress',
        {
          GroupId: { Ref: 'It' },
          IpProtocol: 'tcp',
          FromPort: 22,
          ToPort: 22,
          CidrIp: '0.0.0.0/0',
        },
      ],
    },
    { Rules: { Type: 'CommaDelimitedList' } },
  );
  expect(findingsOf(document, /-security-group-/)).toContain(
    'FAIL CRITICAL aws-ec2-security-group-no-public-ssh',
  );
});

interface Granted {
  /** Terraform's type, and how its IAM resources are called and name it. */
  readonly type: string;
  readonly iam?: string;
  readonly by: string;
  /** The attribute of the resource that they name it by. */
  readonly key?: string;
  readonly role: string;
  /** The type of the asset. */
  readonly asset?: string;
}

/** A role for everybody, given by each of Terraform's resources beside what it is about, and without it. */
function publicRole({ type, iam = type, by, key = 'id', role, asset }: Granted) {
  const members = ['allUsers'];
  const policy = JSON.stringify({ bindings: [{ role, members }] });
  const parts: Fields = {
    member: { role, member: 'allUsers' },
    binding: { role, members },
    policy: { policy_data: policy },
  };
  const forms = Object.entries(parts).flatMap(([kind, grant]): [string, Fields][] => {
    const part = (of: unknown): Readonly<Record<string, Fields>> => ({
      [`${iam}_iam_${kind}.a`]: { [by]: of, ...(grant as Fields) },
    });
    const whole = { [`${type}.it`]: { name: 'it' } };
    return [
      [
        `${type}: ${iam}_iam_${kind} beside it`,
        planDocument({ ...whole, ...part(new Reference(`${type}.it.${key}`)) }),
      ],
      [`${type}: ${iam}_iam_${kind} without it`, planDocument(part('other'))],
    ];
  });
  const export_ = asset && {
    name: `//example.googleapis.com/it`,
    asset_type: asset,
    resource: { data: { name: 'it' } },
    iam_policy: { bindings: [{ role, members }] },
  };
  return Object.fromEntries([...forms, ...(export_ ? [[`${type}: an asset`, export_]] : [])]);
}

/** A part of a Terraform plan beside what it is part of, and where the plan has its name only, or nothing. */
function besideOrAlone(
  type: string,
  whole: Fields,
  part: string,
  by: string,
  values: Fields,
  key = by,
): Readonly<Record<string, Fields>> {
  const alone = (of: unknown) => ({ [`${part}.p`]: { [by]: of, ...values } });
  return {
    [`${part} ${Object.keys(values).join()}: beside it`]: planDocument({
      [`${type}.it`]: whole,
      ...alone(new Reference(`${type}.it.${key}`)),
    }),
    [`${part} ${Object.keys(values).join()}: without it, by its name`]: planDocument(
      alone('other'),
    ),
    [`${part} ${Object.keys(values).join()}: without it, from a data source`]: planDocument(
      alone(new Reference('data.anything.else.id')),
    ),
  };
}

const withTitles = (title: string, forms: Risk['forms']) =>
  Object.fromEntries(Object.entries(forms).map(([form, one]) => [`${title}: ${form}`, one]));

const azureTemplate = (...resources: readonly Fields[]): Fields => ({
  $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
  resources: resources.map((one) => ({ apiVersion: '2022-09-01', ...one })),
});

/** The grant of S3 that a canned ACL makes. */
function publicGrant(acl: string) {
  const group = acl === 'authenticated-read' ? 'AuthenticatedUsers' : 'AllUsers';
  const permission = acl === 'public-read-write' ? 'WRITE' : 'READ';
  const uri = `http://acs.amazonaws.com/groups/global/${group}`;
  return { permission, grantee: [{ type: 'Group', uri }] };
}

const publicly =
  /-(no-public-(access|members|invokers)|not-public|cloud-run-access|cloud-functions-access)$/;

testRisks({
  'everybody has a role of Google Cloud': {
    severity: 'CRITICAL',
    policies: publicly,
    forms: [
      {
        type: 'google_storage_bucket',
        by: 'bucket',
        key: 'name',
        role: 'roles/storage.objectViewer',
        asset: 'storage.googleapis.com/Bucket',
      },
      {
        type: 'google_pubsub_topic',
        by: 'topic',
        role: 'roles/pubsub.publisher',
        asset: 'pubsub.googleapis.com/Topic',
      },
      {
        type: 'google_kms_crypto_key',
        by: 'crypto_key_id',
        role: 'roles/cloudkms.cryptoKeyDecrypter',
        asset: 'cloudkms.googleapis.com/CryptoKey',
      },
      {
        type: 'google_bigquery_dataset',
        by: 'dataset_id',
        role: 'roles/bigquery.dataViewer',
        asset: 'bigquery.googleapis.com/Dataset',
      },
      {
        type: 'google_project',
        by: 'project',
        key: 'project_id',
        role: 'roles/viewer',
        asset: 'cloudresourcemanager.googleapis.com/Project',
      },
      // Nothing is known of these but who holds their roles.
      { type: 'google_secret_manager_secret', by: 'secret_id', role: 'roles/secretmanager.viewer' },
      { type: 'google_pubsub_subscription', by: 'subscription', role: 'roles/pubsub.subscriber' },
      { type: 'google_tomorrow_thing', by: 'thing', role: 'roles/tomorrow.viewer' },
    ].reduce<Risk['forms']>((all, one) => ({ ...all, ...publicRole(one) }), {}),
  },
  'everybody has a role by an access entry of a dataset': {
    severity: 'CRITICAL',
    policies: publicly,
    forms: besideOrAlone(
      'google_bigquery_dataset',
      { dataset_id: 'it' },
      'google_bigquery_dataset_access',
      'dataset_id',
      { role: 'READER', special_group: 'allAuthenticatedUsers' },
    ),
  },
  'everybody has a role by an ACL of Cloud Storage': {
    severity: 'CRITICAL',
    policies: publicly,
    forms: Object.entries({
      bucket_acl: { predefined_acl: 'publicRead' },
      'bucket_acl ': { role_entity: ['READER:allUsers'] },
      bucket_access_control: { role: 'READER', entity: 'allUsers' },
      default_object_acl: { role_entity: ['OWNER:allAuthenticatedUsers'] },
      default_object_access_control: { role: 'READER', entity: 'allUsers' },
    }).reduce<Risk['forms']>(
      (all, [name, values]) => ({
        ...all,
        ...besideOrAlone(
          'google_storage_bucket',
          { name: 'it' },
          `google_storage_${name.trim()}`,
          'bucket',
          values,
        ),
      }),
      {
        'an ACL of an object': planDocument({
          'google_storage_object_acl.p': {
            bucket: 'other',
            object: 'o',
            predefined_acl: 'publicRead',
          },
        }),
        'an ACL of an object, beside the bucket': planDocument({
          'google_storage_bucket.it': { name: 'it' },
          'google_storage_object_access_control.p': {
            bucket: new Reference('google_storage_bucket.it.name'),
            object: 'o',
            role: 'READER',
            entity: 'allUsers',
          },
        }),
      },
    ),
  },
  'everybody may read or write a bucket by its ACL': {
    severity: 'CRITICAL',
    policies: /^aws-s3-(public-(read|write)-acl|no-public-grants|bucket-acl-not-public)$/,
    forms: ['public-read', 'public-read-write', 'authenticated-read'].reduce<Risk['forms']>(
      (all, acl) => ({
        ...all,
        ...withTitles(
          acl,
          besideOrAlone('aws_s3_bucket', { bucket: 'it' }, 'aws_s3_bucket_acl', 'bucket', { acl }),
        ),
        ...withTitles(
          `${acl}, by a grant`,
          besideOrAlone('aws_s3_bucket', { bucket: 'it' }, 'aws_s3_bucket_acl', 'bucket', {
            access_control_policy: [{ grant: [publicGrant(acl)] }],
          }),
        ),
      }),
      {},
    ),
  },
  'the public access block of a bucket is off': {
    severity: 'HIGH',
    policies: /^aws-s3-(block-public-access|public-access-block-resource-on)$/,
    forms: besideOrAlone(
      'aws_s3_bucket',
      { bucket: 'it' },
      'aws_s3_bucket_public_access_block',
      'bucket',
      { block_public_acls: true },
    ),
  },
  'the firewall of a SQL server lets in everybody': {
    severity: 'CRITICAL',
    policies: /^azure-(sql-server-no-open-network|database-firewall-rule-not-open)$/,
    forms: {
      ...besideOrAlone(
        'azurerm_mssql_server',
        { name: 'it' },
        'azurerm_mssql_firewall_rule',
        'server_id',
        { start_ip_address: '0.0.0.0', end_ip_address: '255.255.255.255' },
        'id',
      ),
      'a template: without it': azureTemplate({
        type: 'Microsoft.Sql/servers/firewallRules',
        name: 'it/all',
        properties: { startIpAddress: '0.0.0.0', endIpAddress: '255.255.255.255' },
      }),
      'a template: beside it': azureTemplate(
        { type: 'Microsoft.Sql/servers', name: 'it', properties: {} },
        {
          type: 'Microsoft.Sql/servers/firewallRules',
          name: 'it/all',
          properties: { startIpAddress: '0.0.0.0', endIpAddress: '255.255.255.255' },
        },
      ),
    },
  },
  'a storage account is open to all networks': {
    severity: 'HIGH',
    policies: /^azure-storage-account-network-rules(-resource)?$/,
    forms: besideOrAlone(
      'azurerm_storage_account',
      { name: 'it' },
      'azurerm_storage_account_network_rules',
      'storage_account_id',
      { default_action: 'Allow' },
      'id',
    ),
  },
  'everybody may read a blob container': {
    severity: 'CRITICAL',
    policies: /^azure-blob-container-not-public$/,
    forms: {
      ...besideOrAlone(
        'azurerm_storage_account',
        { name: 'it' },
        'azurerm_storage_container',
        'storage_account_id',
        { container_access_type: 'blob' },
        'id',
      ),
      'a template: without it': azureTemplate({
        type: 'Microsoft.Storage/storageAccounts/blobServices/containers',
        name: 'it/default/c',
        properties: { publicAccess: 'Container' },
      }),
    },
  },
  'everybody may call a service of Google Cloud': {
    severity: 'HIGH',
    policies: publicly,
    forms: [
      {
        type: 'google_cloud_run_v2_service',
        by: 'name',
        key: 'name',
        role: 'roles/run.invoker',
        asset: 'run.googleapis.com/Service',
      },
      { type: 'google_cloud_run_service', by: 'service', key: 'name', role: 'roles/run.invoker' },
      {
        type: 'google_cloudfunctions2_function',
        by: 'cloud_function',
        key: 'name',
        role: 'roles/cloudfunctions.invoker',
        asset: 'cloudfunctions.googleapis.com/Function',
      },
      {
        type: 'google_cloudfunctions2_function',
        iam: 'google_cloud_run_service',
        by: 'service',
        key: 'name',
        role: 'roles/run.invoker',
      },
      {
        type: 'google_cloudfunctions_function',
        by: 'cloud_function',
        key: 'name',
        role: 'roles/cloudfunctions.invoker',
      },
    ].reduce<Risk['forms']>((all, one) => ({ ...all, ...publicRole(one) }), {}),
  },
});

const allow = (statement: Fields) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', ...statement }],
});
const trust = allow({ Action: 'sts:AssumeRole', Principal: { Service: 'ec2.amazonaws.com' } });

/** A policy of roles, users and groups in all forms: in the holder, beside it, and without it. */
function inlinePolicies(document: Fields): Readonly<Record<string, Fields>> {
  const text = JSON.stringify(document);
  const inline = { PolicyName: 'p', PolicyDocument: document };
  const ofHolders = (['Role', 'User', 'Group'] as const).flatMap((word): [string, Fields][] => {
    const own = word === 'Role' ? { AssumeRolePolicyDocument: trust } : {};
    const holder = (properties: Fields = {}): readonly [string, Fields] => [
      `AWS::IAM::${word}`,
      { ...own, ...properties },
    ];
    const beside = (named: unknown): readonly [string, Fields] => [
      `AWS::IAM::${word}Policy`,
      { [`${word}Name`]: named, ...inline },
    ];
    const name = word.toLowerCase();
    const plannedHolder = {
      [`aws_iam_${name}.it`]: word === 'Role' ? { assume_role_policy: JSON.stringify(trust) } : {},
    };
    const planned = (named: unknown) => ({
      [`aws_iam_${name}_policy.p`]: { [name]: named, policy: text },
    });
    return [
      [`a template: in the ${name}`, templateDocument({ It: holder({ Policies: [inline] }) })],
      [
        `a template: beside the ${name}`,
        templateDocument({ It: holder(), P: beside({ Ref: 'It' }) }),
      ],
      [`a template: without the ${name}`, templateDocument({ P: beside('other') })],
      [
        `a plan: beside the ${name}`,
        planDocument({ ...plannedHolder, ...planned(new Reference(`aws_iam_${name}.it.name`)) }),
      ],
      [`a plan: without the ${name}`, planDocument(planned('other'))],
    ];
  });
  return {
    ...Object.fromEntries(ofHolders),
    'a template: AWS::IAM::Policy': templateDocument({
      It: ['AWS::IAM::Policy', { ...inline, Roles: ['other'] }],
    }),
    'a template: a managed policy': templateDocument({
      It: ['AWS::IAM::ManagedPolicy', { PolicyDocument: document }],
    }),
    'a template: a SAM function': templateDocument({
      It: ['AWS::Serverless::Function', { InlineCode: 'pass', Policies: document }],
    }),
    'a plan: in the role': planDocument({
      'aws_iam_role.it': {
        assume_role_policy: JSON.stringify(trust),
        inline_policy: [{ name: 'p', policy: text }],
      },
    }),
    'a plan: a managed policy': planDocument({ 'aws_iam_policy.it': { policy: text } }),
    'an item of AWS Config': itemsDocument({
      resourceType: 'AWS::IAM::Role',
      configuration: {
        assumeRolePolicyDocument: JSON.stringify(trust),
        rolePolicyList: [{ policyName: 'p', policyDocument: text }],
      },
    }),
  };
}

function attachedPolicies(arn: string): Readonly<Record<string, Fields>> {
  const ofHolders = ['role', 'user', 'group'].flatMap((name): [string, Fields][] => {
    const word = name.charAt(0).toUpperCase() + name.slice(1);
    const own = name === 'role' ? { AssumeRolePolicyDocument: trust } : {};
    const holder = {
      [`aws_iam_${name}.it`]: name === 'role' ? { assume_role_policy: JSON.stringify(trust) } : {},
    };
    const attached = (named: unknown) => ({
      [`aws_iam_${name}_policy_attachment.a`]: { [name]: named, policy_arn: arn },
    });
    const exclusive = (named: unknown) => ({
      [`aws_iam_${name}_policy_attachments_exclusive.a`]: {
        [`${name}_name`]: named,
        policy_arns: ['arn:aws:iam::aws:policy/ReadOnlyAccess', arn],
      },
    });
    const reference = new Reference(`aws_iam_${name}.it.name`);
    return [
      [
        `a template: in the ${name}`,
        templateDocument({ It: [`AWS::IAM::${word}`, { ...own, ManagedPolicyArns: [arn] }] }),
      ],
      [`a plan: beside the ${name}`, planDocument({ ...holder, ...attached(reference) })],
      [`a plan: without the ${name}`, planDocument(attached('other'))],
      [
        `a plan: all that the ${name} may have`,
        planDocument({ ...holder, ...exclusive(reference) }),
      ],
      [`a plan: all that another ${name} may have`, planDocument(exclusive('other'))],
    ];
  });
  return {
    ...Object.fromEntries(ofHolders),
    'a template: a SAM function': templateDocument({
      It: ['AWS::Serverless::Function', { InlineCode: 'pass', Policies: arn }],
    }),
    'a plan: one attachment for several': planDocument({
      'aws_iam_policy_attachment.a': { name: 'a', users: ['u'], roles: ['r'], policy_arn: arn },
    }),
  };
}

/** A resource policy in what it is about, beside it, and without it. */
function resourcePolicies(
  statement: Fields,
  {
    template,
    plan,
  }: {
    readonly template: readonly [
      type: string,
      policyType: string,
      naming: (named: unknown) => Fields,
      document?: string,
    ];
    readonly plan: readonly [type: string, policyType: string, by: string];
  },
): Readonly<Record<string, Fields>> {
  const document = allow({ Principal: '*', ...statement });
  const policy = JSON.stringify(document);
  const [type, policyType, naming, inTemplate = 'PolicyDocument'] = template;
  const [planned, plannedPolicy, by] = plan;
  const beside = (named: unknown): readonly [string, Fields] => [
    policyType,
    { ...naming(named), [inTemplate]: document },
  ];
  const plannedBeside = (named: unknown) => ({ [`${plannedPolicy}.p`]: { [by]: named, policy } });
  return {
    [`${type}: a template, beside it`]: templateDocument({
      It: [type, {}],
      P: beside({ Ref: 'It' }),
    }),
    [`${type}: a template, without it`]: templateDocument({ P: beside('other') }),
    [`${type}: a plan, in it`]: planDocument({ [`${planned}.it`]: { policy } }),
    [`${type}: a plan, beside it`]: planDocument({
      [`${planned}.it`]: {},
      ...plannedBeside(new Reference(`${planned}.it.id`)),
    }),
    [`${type}: a plan, without it`]: planDocument(plannedBeside('other')),
  };
}

const samFunction = (properties: Fields): Fields => ({
  Transform: 'AWS::Serverless-2016-10-31',
  Resources: {
    Fn: {
      Type: 'AWS::Serverless::Function',
      Properties: { Runtime: 'nodejs22.x', Handler: 'a.b', CodeUri: '.', ...properties },
    },
  },
});
const openUrl = [
  'AWS::Lambda::Url',
  { AuthType: 'NONE', TargetFunctionArn: { Ref: 'Fn' } },
] as const;
const urlPermission = (properties: Fields): readonly [string, Fields] => [
  'AWS::Lambda::Permission',
  { FunctionName: { 'Fn::GetAtt': ['Fn', 'Arn'] }, Principal: '*', ...properties },
];
const plannedName = new Reference('aws_lambda_function.fn.function_name');

const pullPolicy = (repository: unknown) => ({
  'aws_ecr_repository_policy.p': {
    repository,
    policy: JSON.stringify(allow({ Principal: '*', Action: 'ecr:BatchGetImage' })),
  },
});

testRisks({
  'an IAM policy allows everything': {
    severity: 'HIGH',
    policies: /-no-full-administrator$/,
    forms: inlinePolicies(allow({ Action: '*', Resource: '*' })),
  },
  'an IAM policy allows everything on every ARN': {
    severity: 'HIGH',
    policies: /-no-full-administrator$/,
    forms: inlinePolicies(allow({ Action: '*:*', Resource: 'arn:aws:*:*:*:*' })),
  },
  'an IAM policy allows everything on all resources but one': {
    severity: 'HIGH',
    policies: /-no-full-administrator$/,
    forms: inlinePolicies(allow({ Action: '*', NotResource: 'arn:aws:s3:::it' })),
  },
  'an IAM policy passes every role of an account': {
    severity: 'HIGH',
    policies: /-no-open-passrole$/,
    forms: inlinePolicies(
      allow({ Action: 'iam:PassR*', Resource: 'arn:aws:iam::111122223333:role/*' }),
    ),
  },
  'AdministratorAccess is attached': {
    severity: 'HIGH',
    policies: /-no-administrator-access$/,
    forms: attachedPolicies('arn:aws:iam::aws:policy/AdministratorAccess'),
  },
  'everybody is named by a resource policy': {
    severity: 'CRITICAL',
    policies: /-(not-public|no-public-grants)$/,
    forms: {
      ...resourcePolicies(
        { Action: 's3:GetObject', Resource: 'arn:aws:s3:::it/*' },
        {
          template: ['AWS::S3::Bucket', 'AWS::S3::BucketPolicy', (Bucket) => ({ Bucket })],
          plan: ['aws_s3_bucket', 'aws_s3_bucket_policy', 'bucket'],
        },
      ),
      ...resourcePolicies(
        { Action: 'sqs:SendMessage', Resource: '*' },
        {
          template: ['AWS::SQS::Queue', 'AWS::SQS::QueuePolicy', (one) => ({ Queues: [one] })],
          plan: ['aws_sqs_queue', 'aws_sqs_queue_policy', 'queue_url'],
        },
      ),
      ...resourcePolicies(
        { Action: 'sns:Publish', Resource: '*' },
        {
          template: ['AWS::SNS::Topic', 'AWS::SNS::TopicPolicy', (one) => ({ Topics: [one] })],
          plan: ['aws_sns_topic', 'aws_sns_topic_policy', 'arn'],
        },
      ),
      ...resourcePolicies(
        { Action: 'secretsmanager:GetSecretValue', Resource: '*' },
        {
          template: [
            'AWS::SecretsManager::Secret',
            'AWS::SecretsManager::ResourcePolicy',
            (SecretId) => ({ SecretId }),
            'ResourcePolicy',
          ],
          plan: ['aws_secretsmanager_secret', 'aws_secretsmanager_secret_policy', 'secret_arn'],
        },
      ),
      'AWS::ECR::Repository: a template': templateDocument({
        It: [
          'AWS::ECR::Repository',
          { RepositoryPolicyText: allow({ Principal: '*', Action: 'ecr:BatchGetImage' }) },
        ],
      }),
      'AWS::ECR::Repository: a plan, beside it': planDocument({
        'aws_ecr_repository.it': {},
        ...pullPolicy(new Reference('aws_ecr_repository.it.name')),
      }),
      'AWS::ECR::Repository: a plan, without it': planDocument(pullPolicy('other')),
      'AWS::KMS::Key: a template': templateDocument({
        It: [
          'AWS::KMS::Key',
          { KeyPolicy: allow({ Principal: '*', Action: 'kms:Decrypt', Resource: '*' }) },
        ],
      }),
      ...Object.fromEntries(
        Object.entries(
          resourcePolicies(
            { Action: 'kms:Decrypt', Resource: '*' },
            {
              template: ['AWS::KMS::Key', 'AWS::KMS::KeyPolicy', (KeyId) => ({ KeyId })],
              plan: ['aws_kms_key', 'aws_kms_key_policy', 'key_id'],
            },
          ),
        ).filter(([form]) => form.includes(': a plan')), // CloudFormation has it in the key only
      ),
    },
  },
  'everybody may call a function': {
    severity: 'HIGH',
    policies: /-lambda-permission-not-public$/,
    forms: {
      'a template': templateDocument({
        It: [
          'AWS::Lambda::Permission',
          { Action: 'lambda:InvokeFunction', FunctionName: 'f', Principal: '*' },
        ],
      }),
      'a plan': planDocument({
        'aws_lambda_permission.it': {
          action: 'lambda:InvokeFunction',
          function_name: 'f',
          principal: '*',
        },
      }),
    },
  },
  'everybody may call the URL of a function': {
    severity: 'HIGH',
    policies: /-lambda-(url-authentication|permission-not-public)$/,
    forms: {
      'a SAM template': samFunction({ FunctionUrlConfig: { AuthType: 'NONE' } }),
      'a SAM template, with an alias': samFunction({
        AutoPublishAlias: 'live',
        FunctionUrlConfig: { AuthType: 'NONE' },
      }),
      'a template, the URL alone': templateDocument({ Url: openUrl }),
      'a template, with its permissions': templateDocument({
        Fn: ['AWS::Lambda::Function', {}],
        Url: openUrl,
        It: urlPermission({ Action: 'lambda:InvokeFunctionUrl', FunctionUrlAuthType: 'NONE' }),
        Invoke: urlPermission({ Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true }),
      }),
      'a template, the permission alone': templateDocument({
        It: urlPermission({ Action: 'lambda:InvokeFunctionUrl', FunctionUrlAuthType: 'NONE' }),
      }),
      'a template, whose URL asks for a signature': templateDocument({
        Fn: ['AWS::Lambda::Function', {}],
        Url: ['AWS::Lambda::Url', { AuthType: 'AWS_IAM', TargetFunctionArn: { Ref: 'Fn' } }],
        It: urlPermission({ Action: 'lambda:InvokeFunctionUrl' }),
      }),
      'a plan, with its permission': planDocument({
        'aws_lambda_function.fn': { function_name: 'fn' },
        'aws_lambda_function_url.it': { authorization_type: 'NONE', function_name: plannedName },
        'aws_lambda_permission.it': {
          action: 'lambda:InvokeFunctionUrl',
          function_name: plannedName,
          function_url_auth_type: 'NONE',
          principal: '*',
        },
      }),
    },
  },
});

test('everybody may call a function beside its URL, too: two findings', () => {
  const document = templateDocument({
    Fn: ['AWS::Lambda::Function', {}],
    Url: openUrl,
    It: urlPermission({ Action: 'lambda:InvokeFunction' }),
  });
  expect(findingsOf(document, /-lambda-(url-authentication|permission-not-public)$/)).toHaveLength(
    2,
  );
});

/** What a machine runs when it starts, in all forms. */
function scripts(script: string): Readonly<Record<string, Fields>> {
  const encoded = btoa(script);
  const machine = (properties: Fields, type = 'virtualMachines'): Fields => ({
    $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
    resources: [
      {
        type: `Microsoft.Compute/${type}`,
        apiVersion: '2024-03-01',
        name: 'it',
        properties,
      },
    ],
  });
  const metadata = { items: [{ key: 'startup-script', value: script }] };
  return {
    'a template: an instance': templateDocument({
      It: ['AWS::EC2::Instance', { UserData: { 'Fn::Base64': script } }],
    }),
    'a template: an instance, with a name that only the deployment gives': templateDocument({
      It: [
        'AWS::EC2::Instance',
        { UserData: { 'Fn::Base64': { 'Fn::Sub': `echo \${AWS::StackName}\n${script}` } } },
      ],
    }),
    'a template: a launch template': templateDocument({
      It: ['AWS::EC2::LaunchTemplate', { LaunchTemplateData: { UserData: encoded } }],
    }),
    'a template: a launch configuration': templateDocument({
      It: ['AWS::AutoScaling::LaunchConfiguration', { UserData: encoded }],
    }),
    'a plan: an instance': planDocument({ 'aws_instance.it': { user_data: script } }),
    'a plan: an instance, in base64': planDocument({
      'aws_instance.it': { user_data_base64: encoded },
    }),
    'a plan: a launch template': planDocument({ 'aws_launch_template.it': { user_data: encoded } }),
    'a plan: a launch configuration': planDocument({
      'aws_launch_configuration.it': { user_data: script },
    }),
    'an item of AWS Config': itemsDocument({
      resourceType: 'AWS::AutoScaling::LaunchConfiguration',
      configuration: { userData: encoded },
    }),
    'a template: an instance of Lightsail': templateDocument({
      It: ['AWS::Lightsail::Instance', { UserData: script }],
    }),
    'a plan: an instance of Lightsail': planDocument({
      'aws_lightsail_instance.it': { user_data: script },
    }),
    'a template: a notebook': templateDocument({
      It: ['AWS::SageMaker::NotebookInstanceLifecycleConfig', { OnStart: [{ Content: encoded }] }],
    }),
    'a plan: a notebook': planDocument({
      'aws_sagemaker_notebook_instance_lifecycle_configuration.it': { on_create: encoded },
    }),
    'Azure: a template': machine({ osProfile: { customData: encoded } }),
    'Azure: a template, user data': machine({ userData: encoded }),
    'Azure: a plan': planDocument({
      'azurerm_linux_virtual_machine.it': { name: 'it', custom_data: encoded },
    }),
    ...Object.fromEntries(
      [{ osProfile: { customData: encoded } }, { userData: encoded }].map(
        (virtualMachineProfile) => [
          `Azure: a template, a scale set, ${Object.keys(virtualMachineProfile).join('')}`,
          machine({ virtualMachineProfile }, 'virtualMachineScaleSets'),
        ],
      ),
    ),
    'Azure: a plan, a scale set': planDocument({
      'azurerm_windows_virtual_machine_scale_set.it': { name: 'it', custom_data: encoded },
    }),
    'Azure: a plan, a scale set of before': planDocument({
      'azurerm_virtual_machine_scale_set.it': { name: 'it', os_profile: [{ custom_data: script }] },
    }),
    'Azure: a plan, an orchestrated scale set': planDocument({
      'azurerm_orchestrated_virtual_machine_scale_set.it': {
        name: 'it',
        user_data_base64: encoded,
      },
    }),
    'Azure: a plan, the profile of an orchestrated scale set': planDocument({
      'azurerm_orchestrated_virtual_machine_scale_set.it': {
        name: 'it',
        os_profile: [{ custom_data: encoded }],
      },
    }),
    'Google Cloud: a plan, a template of instances': planDocument({
      'google_compute_instance_template.it': { name: 'it', metadata_startup_script: script },
    }),
    'Google Cloud: a plan, a regional template of instances': planDocument({
      'google_compute_region_instance_template.it': { name: 'it', metadata: { a: script } },
    }),
    'Google Cloud: an asset, a template of instances': {
      name: '//compute.googleapis.com/projects/p/global/instanceTemplates/it',
      asset_type: 'compute.googleapis.com/InstanceTemplate',
      resource: { data: { name: 'it', properties: { metadata } } },
    },
    'Google Cloud: a plan, the startup script': planDocument({
      'google_compute_instance.it': { name: 'it', metadata_startup_script: script },
    }),
    'Google Cloud: a plan, metadata': planDocument({
      'google_compute_instance.it': { name: 'it', metadata: { 'user-data': script } },
    }),
    'Google Cloud: an asset': {
      name: '//compute.googleapis.com/projects/p/zones/z/instances/it',
      asset_type: 'compute.googleapis.com/Instance',
      resource: { data: { name: 'it', metadata } },
    },
  };
}

testRisks({
  'a key is written in what a machine runs when it starts': {
    severity: 'HIGH',
    policies: /-no-secrets-in-(user-data|metadata|scripts)$/,
    forms: scripts(`#!/bin/sh\nexport AWS_ACCESS_KEY_ID=AKIA${'IOSFODNN7EXAMPLE'}\n`),
  },
});

testRisks({
  'the password of a database or a cache is written in the code': {
    severity: 'HIGH',
    policies: /-no-plaintext-(password|auth-token)$/,
    forms: Object.fromEntries(
      (
        [
          ['AWS::RDS::DBInstance', 'MasterUserPassword', 'aws_db_instance', 'password'],
          ['AWS::RDS::DBCluster', 'MasterUserPassword', 'aws_rds_cluster', 'master_password'],
          [
            'AWS::Redshift::Cluster',
            'MasterUserPassword',
            'aws_redshift_cluster',
            'master_password',
          ],
          ['AWS::DocDB::DBCluster', 'MasterUserPassword', 'aws_docdb_cluster', 'master_password'],
          [
            'AWS::ElastiCache::ReplicationGroup',
            'AuthToken',
            'aws_elasticache_replication_group',
            'auth_token',
          ],
        ] as const
      ).flatMap(([type, property, terraformType, argument]) => [
        [`${type}: a template`, templateDocument({ It: [type, { [property]: 'hunter2hunter2' }] })],
        [
          `${type}: a plan`,
          planDocument({ [`${terraformType}.it`]: { [argument]: 'hunter2hunter2' } }),
        ],
      ]),
    ),
  },
});

const password = { Name: 'DB_PASSWORD', Value: 'hunter22' };
const beanstalkPassword = {
  Namespace: 'aws:elasticbeanstalk:application:environment',
  OptionName: 'DB_PASSWORD',
  Value: 'hunter22',
};
const plannedPassword = { name: 'DB_PASSWORD', value: 'hunter22' };

/** A site, and its app settings as a part of their own. */
const appTemplate = (properties: Fields, settings?: Fields): Fields => ({
  $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
  resources: [
    { type: 'Microsoft.Web/sites', apiVersion: '2023-12-01', name: 'it', properties },
    ...(settings
      ? [
          {
            type: 'Microsoft.Web/sites/config',
            apiVersion: '2023-12-01',
            name: 'it/appsettings',
            properties: settings,
          },
        ]
      : []),
  ],
});

const googleAsset = (service: string, type: string, data: Fields): Fields => ({
  name: `//${service}.googleapis.com/projects/p/locations/l/${type}/it`,
  asset_type: `${service}.googleapis.com/${type}`,
  resource: { data },
});

testRisks({
  'a password is written in an environment variable': {
    severity: 'HIGH',
    policies: /-no-secrets-in-environment$/,
    forms: {
      'a template: a function': templateDocument({
        It: ['AWS::Lambda::Function', { Environment: { Variables: { DB_PASSWORD: 'hunter22' } } }],
      }),
      'a template: a task': templateDocument({
        It: ['AWS::ECS::TaskDefinition', { ContainerDefinitions: [withPassword('Name', 'Value')] }],
      }),
      'a template: a batch job': templateDocument({
        It: ['AWS::Batch::JobDefinition', { ContainerProperties: withPassword('Name', 'Value') }],
      }),
      'a plan: a function': planDocument({
        'aws_lambda_function.it': {
          environment: [{ variables: { DB_PASSWORD: 'hunter22' } }],
        },
      }),
      'a plan: a task': planDocument({
        'aws_ecs_task_definition.it': {
          container_definitions: JSON.stringify([withPassword('name', 'value')]),
        },
      }),
      'a template: a batch job on Kubernetes': templateDocument({
        It: [
          'AWS::Batch::JobDefinition',
          {
            EksProperties: {
              PodProperties: {
                Containers: [{ Env: [{ Name: 'DB_PASSWORD', Value: 'hunter22' }] }],
              },
            },
          },
        ],
      }),
      'a plan: a batch job on Kubernetes': planDocument({
        'aws_batch_job_definition.it': {
          eks_properties: [
            {
              pod_properties: [
                { containers: [{ env: [{ name: 'DB_PASSWORD', value: 'hunter22' }] }] },
              ],
            },
          ],
        },
      }),
      'a plan: a batch job': planDocument({
        'aws_batch_job_definition.it': {
          container_properties: JSON.stringify(withPassword('name', 'value')),
        },
      }),
      'a template: a build': templateDocument({
        It: ['AWS::CodeBuild::Project', { Environment: { EnvironmentVariables: [password] } }],
      }),
      'a plan: a build': planDocument({
        'aws_codebuild_project.it': { environment: [{ environment_variable: [plannedPassword] }] },
      }),
      'a template: a service of App Runner': templateDocument({
        It: [
          'AWS::AppRunner::Service',
          {
            SourceConfiguration: {
              ImageRepository: { ImageConfiguration: { RuntimeEnvironmentVariables: [password] } },
            },
          },
        ],
      }),
      'a plan: a service of App Runner': planDocument({
        'aws_apprunner_service.it': {
          source_configuration: [
            {
              image_repository: [
                {
                  image_configuration: [
                    { runtime_environment_variables: { DB_PASSWORD: 'hunter22' } },
                  ],
                },
              ],
            },
          ],
        },
      }),
      'a template: Elastic Beanstalk': templateDocument({
        It: ['AWS::ElasticBeanstalk::Environment', { OptionSettings: [beanstalkPassword] }],
      }),
      'a plan: Elastic Beanstalk': planDocument({
        'aws_elastic_beanstalk_environment.it': {
          setting: [
            {
              namespace: beanstalkPassword.Namespace,
              name: 'DB_PASSWORD',
              value: 'hunter22',
            },
          ],
        },
      }),
      'Azure: a template: an app': appTemplate({
        siteConfig: { appSettings: [plannedPassword] },
      }),
      'Azure: a template: an app, settings apart': appTemplate({}, { DB_PASSWORD: 'hunter22' }),
      'Azure: a plan: an app': planDocument({
        'azurerm_linux_web_app.it': { app_settings: { DB_PASSWORD: 'hunter22' } },
      }),
      'Azure: a plan: a function': planDocument({
        'azurerm_windows_function_app.it': { app_settings: { DB_PASSWORD: 'hunter22' } },
      }),
      'Google Cloud: an asset: a service': googleAsset('run', 'Service', {
        template: { containers: [{ env: [plannedPassword] }] },
      }),
      'Google Cloud: a plan: a service': planDocument({
        'google_cloud_run_v2_service.it': {
          template: [{ containers: [{ env: [plannedPassword] }] }],
        },
      }),
      'Google Cloud: a plan: a service, older resource': planDocument({
        'google_cloud_run_service.it': {
          template: [{ spec: [{ containers: [{ env: [plannedPassword] }] }] }],
        },
      }),
      'Google Cloud: a plan: a job': planDocument({
        'google_cloud_run_v2_job.it': {
          template: [{ template: [{ containers: [{ env: [plannedPassword] }] }] }],
        },
      }),
      'Google Cloud: an asset: a function': googleAsset('cloudfunctions', 'Function', {
        serviceConfig: { environmentVariables: { DB_PASSWORD: 'hunter22' } },
      }),
      'Google Cloud: a plan: a function': planDocument({
        'google_cloudfunctions2_function.it': {
          service_config: [{ environment_variables: { DB_PASSWORD: 'hunter22' } }],
        },
      }),
      'Google Cloud: an asset: a function of the first generation': googleAsset(
        'cloudfunctions',
        'CloudFunction',
        { environmentVariables: { DB_PASSWORD: 'hunter22' } },
      ),
      'Google Cloud: a plan: a function of the first generation': planDocument({
        'google_cloudfunctions_function.it': {
          environment_variables: { DB_PASSWORD: 'hunter22' },
        },
      }),
    },
  },
});

const url = 'postgres://shop:hunter22@db.example.com/shop';
const withUrl = { Name: 'DATABASE', Value: url };
const plannedUrl = { name: 'DATABASE', value: url };

testRisks({
  'a URL with a password is the value of an environment variable': {
    severity: 'HIGH',
    policies: /-no-secrets-in-environment$/,
    forms: {
      'a template: a function': templateDocument({
        It: ['AWS::Lambda::Function', { Environment: { Variables: { DATABASE: url } } }],
      }),
      'a template: a function, with a host that only the deployment gives': templateDocument({
        It: [
          'AWS::Lambda::Function',
          {
            Environment: {
              Variables: {
                DATABASE: { 'Fn::Sub': 'mysql://shop:hunter22@db.${AWS::StackName}.example.com' },
              },
            },
          },
        ],
      }),
      ...Object.fromEntries(
        [
          'postgres://shop:hunter22@${Host}/shop',
          'postgres://${Host}:hunter22@db/shop',
          '${Host}://shop:hunter22@db/shop',
          'postgres://shop:hunter22@${Queue.QueueName}/shop',
        ].map((text) => [
          `a template: a function, with ${text}`,
          templateDocument(
            {
              Queue: ['AWS::SQS::Queue', {}],
              It: [
                'AWS::Lambda::Function',
                { Environment: { Variables: { DATABASE: { 'Fn::Sub': text } } } },
              ],
            },
            { Host: { Type: 'String' } },
          ),
        ]),
      ),
      'a plan: a function': planDocument({
        'aws_lambda_function.it': { environment: [{ variables: { DATABASE: url } }] },
      }),
      'an item: a function': itemsDocument({
        resourceType: 'AWS::Lambda::Function',
        configuration: { environment: { variables: { DATABASE: url } } },
      }),
      'a template: a task': templateDocument({
        It: ['AWS::ECS::TaskDefinition', { ContainerDefinitions: [{ Environment: [withUrl] }] }],
      }),
      'a plan: a task': planDocument({
        'aws_ecs_task_definition.it': {
          container_definitions: JSON.stringify([{ environment: [plannedUrl] }]),
        },
      }),
      'a template: a build': templateDocument({
        It: ['AWS::CodeBuild::Project', { Environment: { EnvironmentVariables: [withUrl] } }],
      }),
      'a plan: a build': planDocument({
        'aws_codebuild_project.it': { environment: [{ environment_variable: [plannedUrl] }] },
      }),
      'Azure: a template: an app': appTemplate({ siteConfig: { appSettings: [plannedUrl] } }),
      'Azure: a template: an app, with a host that is a parameter': appTemplate({
        siteConfig: {
          appSettings: [
            {
              name: 'DATABASE',
              value: "[concat('postgres://shop:hunter22@', parameters('host'), '/shop')]",
            },
          ],
        },
      }),
      'Azure: a plan: an app': planDocument({
        'azurerm_linux_web_app.it': { app_settings: { DATABASE: url } },
      }),
      'Google Cloud: an asset: a service': googleAsset('run', 'Service', {
        template: { containers: [{ env: [plannedUrl] }] },
      }),
      'Google Cloud: a plan: a job': planDocument({
        'google_cloud_run_v2_job.it': {
          template: [{ template: [{ containers: [{ env: [plannedUrl] }] }] }],
        },
      }),
      'Google Cloud: a plan: a function': planDocument({
        'google_cloudfunctions2_function.it': {
          service_config: [{ environment_variables: { DATABASE: url } }],
        },
      }),
    },
  },
});

test.each<[string, unknown]>([
  ['a URL without a password', 'https://shop@example.com:443/a:b@c'],
  [
    'a URL that gets its password from Secrets Manager',
    { 'Fn::Sub': 'postgres://a:{{resolve:secretsmanager:db}}@db' },
  ],
  ['a value that only the deployment gives', { Ref: 'Url' }],
])('a variable with %s is no finding', (_form, value) => {
  const document = templateDocument(
    { It: ['AWS::Lambda::Function', { Environment: { Variables: { DATABASE: value } } }] },
    { Url: { Type: 'String' } },
  );
  expect(findingsOf(document, /-no-secrets-in-environment$/)).toEqual([]);
});

function withPassword(name: string, value: string): Fields {
  const variables = [{ [name]: 'DB_PASSWORD', [value]: 'hunter22' }];
  return name === 'Name' ? { Environment: variables } : { environment: variables };
}

test.each(
  Object.entries(
    scripts(
      '#!/bin/sh\npassword=$(aws secretsmanager get-secret-value --secret-id db)\nTOKEN=`curl -s http://x`\n',
    ),
  ),
)('a script that asks for its password is no finding: %s', (_form, document) => {
  expect(findingsOf(document, /-no-secrets-in-(user-data|metadata|scripts)$/)).toEqual([]);
});

test('a script of which nothing is known may contain any key', () => {
  const document = templateDocument(
    { It: ['AWS::EC2::Instance', { UserData: { 'Fn::Base64': { Ref: 'Script' } } }] },
    { Script: { Type: 'String' } },
  );
  expect(findingsOf(document, /-no-secrets-in-user-data$/)).toEqual([
    'ERROR HIGH aws-ec2-instance-no-secrets-in-user-data',
  ]);
});

/** A SAM template whose function has one route, of an API that is implied or one of the template. */
function samRoute(
  kind: 'Api' | 'HttpApi',
  event: Fields,
  api?: Fields,
  globals: Fields = {},
): Fields {
  const names = kind === 'Api' ? 'RestApiId' : 'ApiId';
  const Properties = {
    Path: '/orders',
    Method: 'post',
    ...(api ? { [names]: { Ref: 'It' } } : {}),
    ...event,
  };
  return {
    Transform: 'AWS::Serverless-2016-10-31',
    Globals: globals,
    Resources: {
      Fn: {
        Type: 'AWS::Serverless::Function',
        Properties: { Runtime: 'nodejs22.x', Events: { Post: { Type: kind, Properties } } },
      },
      ...(api ? { It: { Type: `AWS::Serverless::${kind}`, Properties: api } } : {}),
    },
  };
}

const openDefinition = { openapi: '3.0.1', paths: { '/orders': { post: {}, options: {} } } };

const closedApi = { Auth: { DefaultAuthorizer: 'Users', Authorizers: { Users: {} } } };

testRisks({
  'everybody may call a route of an API': {
    severity: 'HIGH',
    policies: /-api-gateway-(method|v2-route|rest-api-definition|v2-api-definition)-authorization$/,
    forms: {
      'a template, a method': templateDocument({
        It: ['AWS::ApiGateway::Method', { HttpMethod: 'POST', AuthorizationType: 'NONE' }],
      }),
      'a template, a route': templateDocument({
        It: ['AWS::ApiGatewayV2::Route', { RouteKey: 'POST /orders' }],
      }),
      'a plan, a method': planDocument({
        'aws_api_gateway_method.it': { http_method: 'POST', authorization: 'NONE' },
      }),
      'a plan, a route': planDocument({
        'aws_apigatewayv2_route.it': { route_key: 'POST /orders' },
      }),
      'a template, the definition of a REST API': templateDocument({
        It: ['AWS::ApiGateway::RestApi', { Body: openDefinition }],
      }),
      'a template, the definition of an HTTP API': templateDocument({
        It: ['AWS::ApiGatewayV2::Api', { Body: openDefinition }],
      }),
      'a plan, the definition of a REST API': planDocument({
        'aws_api_gateway_rest_api.it': { body: JSON.stringify(openDefinition) },
      }),
      'a plan, the definition of an HTTP API': planDocument({
        'aws_apigatewayv2_api.it': { body: JSON.stringify(openDefinition) },
      }),
      'a SAM template, a definition': {
        Transform: 'AWS::Serverless-2016-10-31',
        Resources: {
          It: {
            Type: 'AWS::Serverless::Api',
            Properties: { StageName: 'live', DefinitionBody: openDefinition },
          },
        },
      },
      ...Object.fromEntries(
        (['Api', 'HttpApi'] as const).flatMap((kind) => [
          [`a SAM template, ${kind}: implied`, samRoute(kind, {})],
          [`a SAM template, ${kind}: declared`, samRoute(kind, {}, { StageName: 'live' })],
          [
            `a SAM template, ${kind}: an exception from the default`,
            samRoute(kind, { Auth: { Authorizer: 'NONE' } }, closedApi),
          ],
        ]),
      ),
    },
  },
});

test.each(
  (['Api', 'HttpApi'] as const).flatMap((kind): [string, Fields][] => [
    [`${kind}, an authorizer of the event`, samRoute(kind, { Auth: { Authorizer: 'AWS_IAM' } })],
    [`${kind}, the default of the API`, samRoute(kind, {}, closedApi)],
    [`${kind}, the default of all`, samRoute(kind, {}, undefined, { [kind]: closedApi })],
    [`${kind}, the preflight of browsers`, samRoute(kind, { Method: 'options' })],
    [`${kind}, a document of its own`, samRoute(kind, {}, { DefinitionBody: { paths: {} } })],
  ]),
)('a route of SAM that asks who calls is no finding: %s', (_form, document) => {
  expect(findingsOf(document, /-api-gateway-(method|v2-route)-authorization$/)).toEqual([]);
});
