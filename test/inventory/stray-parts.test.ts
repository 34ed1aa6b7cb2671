// A part whose owner the plan does not tell may be any owner's: none of them passes for want of it.
import { expect, test } from 'vitest';
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
