// A part that is joined into another resource fails there, and a person mends the part: findings are placed at it.
import { expect, it } from 'vitest';
import { partAtFault } from '../../../src/inventory/attributes/normalise.ts';
import { readInventory } from '../../../src/inventory/read.ts';
import { createChecker } from '../../../src/project/check/checker.ts';
import { libraryPolicies } from '../../support/policy-library.ts';
import { Reference, planDocument, templateDocument } from '../../inventory/attributes/aws/twins.ts';

const checker = createChecker({
  policies: libraryPolicies.map(({ policy }) => ({ policy, key: policy.name })),
  exemptions: [],
  now: 0,
  all: false,
});

/** The address of the part because of which the first resource of a document fails a policy. */
function partOf(policy: string, document: object): string | undefined {
  const read = readInventory(JSON.stringify(document));
  if (!read.ok) throw new Error(read.problem.message);
  const [first] = read.inventory.resources;
  if (!first) throw new Error('no resource');
  expect(checker.fails(policy, first.resource)).toBe(true);
  return partAtFault(first.resource, (resource) => checker.fails(policy, resource))?.address;
}

const noSsh = 'aws-ec2-security-group-no-public-ssh';
const openings = (port: number) => ({
  IpProtocol: 'tcp',
  FromPort: port,
  ToPort: port,
  CidrIp: '0.0.0.0/0',
});
const alone = (port: number): [string, Record<string, unknown>] => [
  'AWS::EC2::SecurityGroupIngress',
  { GroupId: { 'Fn::GetAtt': ['It', 'GroupId'] }, ...openings(port) },
];
const group = (...rules: object[]): [string, Record<string, unknown>] => [
  'AWS::EC2::SecurityGroup',
  { GroupDescription: 'web', SecurityGroupIngress: rules },
];

it('is the rule beside its group that opens the port, not one that opens another', () => {
  const document = templateDocument({ It: group(), Https: alone(443), Ssh: alone(22) });
  expect(partOf(noSsh, document)).toBe('Ssh');
});

it('is none where the group itself opens the port', () => {
  const document = templateDocument({ It: group(openings(22)), Ssh: alone(22) });
  expect(partOf(noSsh, document)).toBeUndefined();
});

it('is the binding that lets everybody read a bucket', () => {
  const bucket = new Reference('google_storage_bucket.it.name');
  const document = planDocument({
    'google_storage_bucket.it': { name: 'it' },
    'google_storage_bucket_iam_member.team': {
      bucket,
      role: 'roles/storage.objectViewer',
      member: 'group:team@example.com',
    },
    'google_storage_bucket_iam_member.everybody': {
      bucket,
      role: 'roles/storage.objectViewer',
      member: 'allUsers',
    },
  });
  expect(partOf('gcp-storage-bucket-no-public-access', document)).toBe(
    'google_storage_bucket_iam_member.everybody',
  );
});

it('is the rule of a network security group of Azure', () => {
  const rule = (name: string, port: string) => ({
    type: 'Microsoft.Network/networkSecurityGroups/securityRules',
    apiVersion: '2023-09-01',
    name: `it/${name}`,
    properties: {
      access: 'Allow',
      direction: 'Inbound',
      priority: 100,
      protocol: 'Tcp',
      sourceAddressPrefix: 'Internet',
      destinationPortRange: port,
    },
  });
  const document = {
    $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
    resources: [
      { type: 'Microsoft.Network/networkSecurityGroups', apiVersion: '2023-09-01', name: 'it' },
      rule('https', '443'),
      rule('rdp', '3389'),
    ],
  };
  expect(partOf('azure-nsg-no-public-ssh-rdp', document)).toMatch(/rdp$/);
});
