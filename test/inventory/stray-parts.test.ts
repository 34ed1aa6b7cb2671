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

const everybody = JSON.stringify({
  Statement: { Effect: 'Allow', Principal: '*', Action: '*', Resource: '*' },
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
