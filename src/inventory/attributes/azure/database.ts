import { planned } from '../aws/plan-value.ts';
import { normaliser } from '../normaliser.ts';
import { and, flag, hasItems, isGiven, isOneOf, isUnknown, not, number } from '../values.ts';
import { at, cidrs, isEnabled } from './read-azure.ts';

export const postgresqlServers = normaliser({
  types: ['Azure::DBforPostgreSQL::flexibleServers'],
  source:
    'Azure Resource Manager template reference, Microsoft.DBforPostgreSQL/flexibleServers, 2022-12-01',
  attributes: {
    public_access: {
      type: 'bool',
      meaning: 'publicNetworkAccess is not Disabled and no delegated subnet',
      absent: true,
    },
    'backup.retention_days': { type: 'int', meaning: 'backupRetentionDays', absent: 7 },
    multi_az: { type: 'bool', meaning: 'zone-redundant high availability', absent: false },
  },
  arguments: {
    'backup.backupRetentionDays': 'backup_retention_days',
    'highAvailability.mode': 'high_availability.mode',
    'network.delegatedSubnetResourceId': 'delegated_subnet_id',
    'network.publicNetworkAccess: Disabled': 'public_network_access_enabled = false',
  },
  from: {
    azure: ({ properties }) => ({
      public_access: and(
        isEnabled(at(properties, 'network', 'publicNetworkAccess')) ?? true,
        not(isGiven(at(properties, 'network', 'delegatedSubnetResourceId'))),
      ),
      'backup.retention_days': number(at(properties, 'backup', 'backupRetentionDays')),
      multi_az: isOneOf(at(properties, 'highAvailability', 'mode'), 'ZoneRedundant'),
    }),
    terraform: ({ properties }) => ({
      public_access: and(
        flag(planned(properties, 'public_network_access_enabled')) ?? true,
        not(isGiven(planned(properties, 'delegated_subnet_id'))),
      ),
      'backup.retention_days': number(planned(properties, 'backup_retention_days')),
      multi_az: isOneOf(planned(properties, 'high_availability', 'mode'), 'ZoneRedundant'),
    }),
  },
});

export const cosmosAccounts = normaliser({
  types: ['Azure::DocumentDB::databaseAccounts'],
  source:
    'Azure Resource Manager template reference, Microsoft.DocumentDB/databaseAccounts, 2023-04-15',
  attributes: {
    public_access: { type: 'bool', meaning: 'publicNetworkAccess is not Disabled', absent: true },
    'network.allowed_cidrs': {
      type: 'list<string>',
      meaning: 'IP rules; `[]` where only virtual networks are let in',
      absent: ['0.0.0.0/0', '::/0'],
    },
    local_auth: { type: 'bool', meaning: 'account keys are accepted', absent: true },
  },
  arguments: {
    'disableLocalAuth: true': 'local_authentication_disabled = true',
    ipRules: 'ip_range_filter',
    'publicNetworkAccess: Disabled': 'public_network_access_enabled = false',
  },
  from: {
    azure: ({ properties }) => ({
      public_access: isEnabled(at(properties, 'publicNetworkAccess')),
      'network.allowed_cidrs': letIn(
        at(properties, 'ipRules') === undefined
          ? at(properties, 'ipRangeFilter')
          : addressesOf(at(properties, 'ipRules')),
        flag(at(properties, 'isVirtualNetworkFilterEnabled')),
      ),
      local_auth: not(flag(at(properties, 'disableLocalAuth'))),
    }),
    terraform: ({ properties }) => ({
      public_access: flag(planned(properties, 'public_network_access_enabled')),
      'network.allowed_cidrs': letIn(
        planned(properties, 'ip_range_filter'),
        flag(planned(properties, 'is_virtual_network_filter_enabled')),
      ),
      local_auth: not(flag(planned(properties, 'local_authentication_disabled'))),
    }),
  },
});

const addressesOf = (rules: unknown): unknown =>
  Array.isArray(rules) ? rules.map((rule) => at(rule, 'ipAddressOrRange')) : rules;

/** Addresses, in older versions as one text with commas; without any, virtual networks only or everybody. */
function letIn(addresses: unknown, virtualNetworks: ReturnType<typeof flag>) {
  const split =
    typeof addresses === 'string' ? addresses.split(',').filter((one) => one !== '') : addresses;
  const given = hasItems(split);
  if (isUnknown(given)) return given;
  if (given) return cidrs(split);
  return isUnknown(virtualNetworks) ? virtualNetworks : virtualNetworks === true ? [] : undefined;
}
