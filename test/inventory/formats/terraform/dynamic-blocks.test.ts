// A plan has no expressions of dynamic blocks. What such a block gives, or how many of it there are, may be known only after
// apply; then policies that need it cannot pass.
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../src/engine/evaluate.ts';
import { readInventory } from '../../../../src/inventory/read.ts';
import { libraryFor } from '../../../support/policy-library.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Case {
  readonly type: string;
  readonly policy: string;
  readonly after: Fields;
  readonly unknown: Fields;
}

/** Static blocks would be among the expressions. */
const planOf = ({ type, after, unknown }: Case): string =>
  JSON.stringify({
    format_version: '1.2',
    terraform_version: '1.9.0',
    resource_changes: [
      {
        ...{ address: `${type}.it`, mode: 'managed', type, name: 'it' },
        change: { actions: ['create'], before: null, after, after_unknown: unknown },
      },
    ],
    configuration: {
      root_module: {
        resources: [
          {
            ...{ address: `${type}.it`, mode: 'managed', type, name: 'it' },
            expressions: { name: { constant_value: 'it' } },
          },
        ],
      },
    },
  });

function statusOf(given: Case): string | undefined {
  const read = readInventory(planOf(given));
  if (!read.ok) throw new Error(read.problem.message);
  const [its] = read.inventory.resources;
  const found = its && libraryFor(its.resource.type).find(({ policy }) => policy.name === given.policy); // prettier-ignore
  return found && its && evaluate(found, its.resource, Date.UTC(2026, 0, 1)).status;
}

const unknownNumber: Readonly<Record<string, Case>> = {
  'the access configurations of an instance template': {
    type: 'google_compute_instance_template',
    policy: 'gcp-instance-template-no-public-ip',
    after: { network_interface: [{ network: 'default' }] },
    unknown: { network_interface: [{ access_config: true }] },
  },
  'the service accounts of a VM instance': {
    type: 'google_compute_instance',
    policy: 'gcp-instance-no-default-service-account',
    after: { name: 'it' },
    unknown: { service_account: true },
  },
  'what a firewall of Google Cloud allows': {
    type: 'google_compute_firewall',
    policy: 'gcp-firewall-no-public-ssh-rdp',
    after: { name: 'it', direction: 'INGRESS', source_ranges: ['0.0.0.0/0'] },
    unknown: { allow: true },
  },
  'the networks that a Cloud SQL instance authorizes': {
    type: 'google_sql_database_instance',
    policy: 'gcp-cloudsql-no-open-network',
    after: { settings: [{ ip_configuration: [{ ipv4_enabled: true }] }] },
    unknown: { settings: [{ ip_configuration: [{ authorized_networks: true }] }] },
  },
  'the volumes of a launch template': {
    type: 'aws_launch_template',
    policy: 'aws-ec2-launch-template-encrypted-volumes',
    after: { name: 'it' },
    unknown: { block_device_mappings: true },
  },
  'the public addresses of a scale set': {
    type: 'azurerm_linux_virtual_machine_scale_set',
    policy: 'azure-vm-scale-set-no-public-ip',
    after: { network_interface: [{ name: 'it', ip_configuration: [{ name: 'it' }] }] },
    unknown: { network_interface: [{ ip_configuration: [{ public_ip_address: true }] }] },
  },
  'the network interfaces of a scale set': {
    type: 'azurerm_orchestrated_virtual_machine_scale_set',
    policy: 'azure-vm-scale-set-no-public-ip',
    after: { sku_name: 'Standard_D2s_v5' },
    unknown: { network_interface: true },
  },
  'how to sign in to a flexible scale set': {
    type: 'azurerm_orchestrated_virtual_machine_scale_set',
    policy: 'azure-vm-scale-set-linux-no-password',
    after: { sku_name: 'Standard_D2s_v5' },
    unknown: { os_profile: true },
  },
};

const unknownContent: Readonly<Record<string, Case>> = {
  'the addresses of a rule of a security group': {
    type: 'aws_security_group',
    policy: 'aws-ec2-security-group-no-public-ssh',
    after: {
      ingress: [{ protocol: 'tcp', from_port: 22, to_port: 22, ipv6_cidr_blocks: [], self: false }],
    },
    unknown: { ingress: [{ cidr_blocks: true }] },
  },
  'the ports of a rule of a security group': {
    type: 'aws_security_group',
    policy: 'aws-ec2-security-group-no-public-ssh',
    after: { ingress: [{ protocol: 'tcp', cidr_blocks: ['0.0.0.0/0'], self: false }] },
    unknown: { ingress: [{ from_port: true, to_port: true }] },
  },
  'the addresses of a rule of a network security group': {
    type: 'azurerm_network_security_group',
    policy: 'azure-nsg-no-public-ssh-rdp',
    after: {
      security_rule: [
        {
          ...{ name: 'ssh', priority: 100, direction: 'Inbound', access: 'Allow', protocol: 'Tcp' },
          destination_port_range: '22',
        },
      ],
    },
    unknown: { security_rule: [{ source_address_prefix: true }] },
  },
  'a network that a cluster authorizes': {
    type: 'google_container_cluster',
    policy: 'gcp-gke-control-plane-access',
    after: { master_authorized_networks_config: [{ cidr_blocks: [{ display_name: 'office' }] }] },
    unknown: { master_authorized_networks_config: [{ cidr_blocks: [{ cidr_block: true }] }] },
  },
};

describe('a policy cannot pass where a dynamic block decides after apply', () => {
  test.each(Object.entries(unknownNumber))('how many there are: %s', (_title, given) => {
    expect(statusOf(given)).toBe('ERROR');
  });

  test.each(Object.entries(unknownContent))('what is in it: %s', (_title, given) => {
    expect(statusOf(given)).toBe('ERROR');
  });

  test('but what the provider fills in by itself is taken for unset', () => {
    const given = {
      type: 'google_sql_database_instance',
      policy: 'gcp-cloudsql-tls',
      after: { settings: [{ ip_configuration: [{ ipv4_enabled: true }] }] },
      unknown: { settings: [{ ip_configuration: [{ ssl_mode: true }] }] },
    };
    expect(statusOf(given)).toBe('FAIL');
  });
});
