import { planned } from '../aws/plan-value.ts';
import { joinedAttribute } from '../joined.ts';
import { normaliser } from '../normaliser.ts';
import { flag, isGiven, isOneOf, isUnknown, mapList, number, some } from '../values.ts';
import { knownSince, sinceApiVersion } from './api-version.ts';
import { at, allowedCidrs, isEnabled, isListed, parentOf } from './read-azure.ts';

export const keyVaults = normaliser({
  types: ['Azure::KeyVault::vaults'],
  source: 'Azure Resource Manager template reference, Microsoft.KeyVault/vaults, 2023-07-01',
  attributes: {
    public_access: {
      type: 'bool',
      meaning:
        'publicNetworkAccess is not Disabled; Azure ignores this setting before API version 2021-06-01',
      absent: true,
    },
    'network.allowed_cidrs': {
      type: 'list<string>',
      meaning: 'IP rules, if the default action is Deny',
      absent: ['0.0.0.0/0', '::/0'],
    },
    'rbac.enabled': {
      type: 'bool',
      meaning:
        'Azure RBAC replaces access policies; Azure ignores this setting before API version 2019-09-01',
      absent: false,
      source:
        'Azure Key Vault, Azure RBAC as default access control, 2026-02-01: true in templates since that API version',
    },
    'soft_delete.enabled': {
      type: 'bool',
      meaning: 'deleted vaults and keys can be recovered',
      absent: true,
      source: 'Azure Key Vault, Soft-delete is enabled on all key vaults, 2025-02',
    },
    purge_protection: {
      type: 'bool',
      meaning: 'deleted vaults and keys cannot be purged early',
      absent: false,
    },
  },
  arguments: {
    enablePurgeProtection: 'purge_protection_enabled',
    enableRbacAuthorization: ['rbac_authorization_enabled', 'enable_rbac_authorization'],
    'networkAcls.defaultAction': 'network_acls.default_action',
  },
  from: {
    azure: (raw) => {
      const { properties } = raw;
      const written = (name: string, since: string): unknown =>
        isListed(raw) ? at(properties, name) : knownSince(raw, since, at(properties, name));
      return {
        public_access: isEnabled(written('publicNetworkAccess', '2021-06-01')),
        'network.allowed_cidrs': allowedCidrs(
          at(properties, 'networkAcls', 'defaultAction'),
          mapList(at(properties, 'networkAcls', 'ipRules'), (rule) => at(rule, 'value')),
        ),
        'rbac.enabled':
          flag(written('enableRbacAuthorization', '2019-09-01')) ??
          (isListed(raw) ? false : sinceApiVersion(raw, false, [['2026-02-01', true]])),
        'soft_delete.enabled': flag(at(properties, 'enableSoftDelete')),
        purge_protection: flag(at(properties, 'enablePurgeProtection')),
      };
    },
    terraform: ({ properties }) => ({
      public_access: flag(planned(properties, 'public_network_access_enabled')),
      'network.allowed_cidrs': allowedCidrs(
        planned(properties, 'network_acls', 'default_action'),
        planned(properties, 'network_acls', 'ip_rules'),
      ),
      'rbac.enabled':
        flag(planned(properties, 'rbac_authorization_enabled')) ??
        flag(planned(properties, 'enable_rbac_authorization')),
      'soft_delete.enabled': flag(planned(properties, 'soft_delete_enabled')),
      purge_protection: flag(planned(properties, 'purge_protection_enabled')),
    }),
  },
});

/** Access policies that are a resource of their own: Resource Manager calls those that it takes away `remove`. */
export const keyVaultAccessPolicies = normaliser({
  types: ['Azure::KeyVault::vaults/accessPolicies'],
  source:
    'Azure Resource Manager template reference, Microsoft.KeyVault/vaults/accessPolicies, 2023-07-01',
  attributes: {
    grants: { type: 'bool', meaning: 'the resource adds access policies to a vault' },
    ...joinedAttribute('the vault', 'Azure::KeyVault::vaults'),
  },
  from: {
    azure: (raw, related) => ({
      grants: raw.name === undefined || isUnknown(raw.name) || !/(^|\/)remove$/i.test(raw.name),
      joined: related.find(parentOf(raw), 'Azure::KeyVault::vaults') !== undefined,
    }),
    terraform: (raw, related) => ({
      grants: true,
      joined: related.find(raw.properties['key_vault_id'], 'Azure::KeyVault::vaults') !== undefined,
    }),
  },
});

export const keyVaultKeys = normaliser({
  types: ['Azure::KeyVault::vaults/keys'],
  source: 'Azure Resource Manager template reference, Microsoft.KeyVault/vaults/keys, 2023-07-01',
  attributes: {
    expires_at: { type: 'timestamp', meaning: 'attributes.exp' },
    'rotation.enabled': {
      type: 'bool',
      meaning: 'the key has a rotation policy with automatic rotation',
      absent: false,
    },
  },
  arguments: {
    'attributes.exp': 'expiration_date',
    rotationPolicy: 'rotation_policy',
  },
  from: {
    azure: ({ properties }) => ({
      expires_at: timestampOf(at(properties, 'attributes', 'exp')),
      'rotation.enabled': some(at(properties, 'rotationPolicy', 'lifetimeActions'), (one) =>
        isOneOf(at(one, 'action', 'type'), 'rotate'),
      ),
    }),
    terraform: ({ properties }) => ({
      expires_at: planned(properties, 'expiration_date'),
      'rotation.enabled': isGiven(
        planned(properties, 'rotation_policy', 'automatic', 'time_after_creation') ??
          planned(properties, 'rotation_policy', 'automatic', 'time_before_expiry'),
      ),
    }),
  },
});

/** Seconds since 1970, as Terraform writes the time. */
function timestampOf(value: unknown) {
  const seconds = number(value);
  if (seconds === undefined || isUnknown(seconds)) return seconds;
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace('.000Z', 'Z');
}
