import type { RawResource } from '../../model.ts';
import { UnknownValue } from '../../../contract/resources.ts';
import { planned } from '../aws/plan-value.ts';
import { joinedAttribute } from '../joined.ts';
import { normaliser } from '../normaliser.ts';
import {
  and,
  eitherWord,
  flag,
  hasItems,
  isGiven,
  isOneOf,
  mapList,
  number,
  or,
} from '../values.ts';
import { knownSince, sinceApiVersion } from './api-version.ts';
import { at, allowedCidrs, isEnabled, isListed, parentOf, minimumTls } from './read-azure.ts';
import { tlsVersions } from '../tls-version.ts';

const accountType = 'Azure::Storage::storageAccounts';
const rulesType = 'Azure::Azurerm::storage_account_network_rules';

export const storageAccounts = normaliser({
  types: [accountType],
  source:
    'Azure Resource Manager template reference, Microsoft.Storage/storageAccounts, 2023-01-01',
  attributes: {
    'tls.required': {
      type: 'bool',
      meaning: 'supportsHttpsTrafficOnly',
      absent: true,
      source:
        'Azure Resource Manager template reference, Microsoft.Storage/storageAccounts, 2019-04-01: false in templates before that API version',
    },
    'tls.minimum_version': {
      type: 'string',
      spelling: tlsVersions,
      meaning: 'minimumTlsVersion; Azure ignores this setting before API version 2019-04-01',
      absent: '1.0',
    },
    anonymous_access: {
      type: 'bool',
      meaning: 'allowBlobPublicAccess; Azure ignores this setting before API version 2019-04-01',
      absent: true,
      source:
        'Azure Resource Manager template reference, Microsoft.Storage/storageAccounts, 2023-01-01: false in templates since that API version',
    },
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
    local_auth: {
      type: 'bool',
      meaning: 'Shared Key authorization is allowed (allowSharedKeyAccess)',
      absent: true,
    },
    'encryption.customer_managed': {
      type: 'bool',
      meaning: 'keySource is Microsoft.Keyvault',
      absent: false,
    },
  },
  arguments: {
    allowBlobPublicAccess: ['allow_nested_items_to_be_public', 'allow_blob_public_access'],
    allowSharedKeyAccess: 'shared_access_key_enabled',
    minimumTlsVersion: 'min_tls_version',
    'networkAcls.defaultAction': 'network_rules.default_action',
    'publicNetworkAccess: Disabled': 'public_network_access_enabled = false',
    supportsHttpsTrafficOnly: ['https_traffic_only_enabled', 'enable_https_traffic_only'],
  },
  from: {
    azure: (raw) => ({
      ...untilNow(raw),
      'network.allowed_cidrs': allowedCidrs(
        at(raw.properties, 'networkAcls', 'defaultAction'),
        mapList(at(raw.properties, 'networkAcls', 'ipRules'), (rule) => at(rule, 'value')),
      ),
      local_auth: flag(at(raw.properties, 'allowSharedKeyAccess')),
      'encryption.customer_managed': isOneOf(
        at(raw.properties, 'encryption', 'keySource'),
        'Microsoft.Keyvault',
      ),
    }),
    terraform: (raw, related) => {
      const { properties } = raw;
      const [apart] = related.referring(raw, rulesType, ofAccount);
      const rules = apart?.properties ?? planned(properties, 'network_rules');
      const keys = related.referring(
        raw,
        'Azure::Azurerm::storage_account_customer_managed_key',
        ofAccount,
      );
      return {
        'tls.required':
          flag(planned(properties, 'https_traffic_only_enabled')) ??
          flag(planned(properties, 'enable_https_traffic_only')),
        'tls.minimum_version': minimumTls(planned(properties, 'min_tls_version')),
        anonymous_access: plannedAnonymousAccess(raw),
        public_access: flag(planned(properties, 'public_network_access_enabled')),
        'network.allowed_cidrs': allowedCidrs(
          planned(rules, 'default_action'),
          planned(rules, 'ip_rules'),
        ),
        local_auth: flag(planned(properties, 'shared_access_key_enabled')),
        'encryption.customer_managed': or(
          hasItems(planned(properties, 'customer_managed_key')),
          keys.length > 0,
        ),
      };
    },
  },
});

const plannedAnonymousAccess = ({ properties }: RawResource) =>
  flag(planned(properties, 'allow_nested_items_to_be_public')) ??
  flag(planned(properties, 'allow_blob_public_access')) ??
  true;

/** What Azure's newer API versions know, or choose otherwise. */
function untilNow(raw: RawResource) {
  const { properties } = raw;
  const https = flag(at(properties, 'supportsHttpsTrafficOnly'));
  const version = at(properties, 'minimumTlsVersion');
  const anonymous = at(properties, 'allowBlobPublicAccess');
  const network = at(properties, 'publicNetworkAccess');
  if (isListed(raw)) {
    return {
      'tls.required':
        https ??
        new UnknownValue('supportsHttpsTrafficOnly, which the resource list does not contain'),
      'tls.minimum_version': minimumTls(version),
      anonymous_access: flag(anonymous) ?? true,
      public_access: isEnabled(network),
    };
  }
  return {
    'tls.required': https ?? sinceApiVersion(raw, false, [['2019-04-01', true]]),
    'tls.minimum_version': minimumTls(knownSince(raw, '2019-04-01', version)),
    anonymous_access:
      flag(knownSince(raw, '2019-04-01', anonymous)) ??
      sinceApiVersion(raw, true, [['2023-01-01', false]]),
    public_access: isEnabled(knownSince(raw, '2021-06-01', network)),
  };
}

const ofAccount = (part: RawResource): unknown =>
  part.properties['storage_account_id'] ?? part.properties['storage_account_name'];

/** Terraform's rules of an account that are a resource of their own. */
export const accountNetworkRules = normaliser({
  types: [rulesType],
  source:
    'Azure Resource Manager template reference, Microsoft.Storage/storageAccounts, 2023-01-01',
  attributes: {
    'network.allowed_cidrs': {
      type: 'list<string>',
      meaning: 'IP rules, if the default action is Deny',
      absent: ['0.0.0.0/0', '::/0'],
    },
    ...joinedAttribute('the storage account', accountType),
  },
  arguments: { 'networkAcls.defaultAction': 'default_action' },
  from: {
    terraform: (raw, related) => ({
      'network.allowed_cidrs': allowedCidrs(
        planned(raw.properties, 'default_action'),
        planned(raw.properties, 'ip_rules'),
      ),
      joined: related.find(ofAccount(raw), accountType) !== undefined,
    }),
  },
});

export const blobContainers = normaliser({
  types: ['Azure::Storage::storageAccounts/blobServices/containers'],
  source:
    'Azure Resource Manager template reference, Microsoft.Storage/storageAccounts/blobServices/containers, 2023-01-01',
  attributes: {
    anonymous_access: {
      type: 'bool',
      meaning:
        'publicAccess is Blob or Container, unless a storage account in the same input disallows public access (allowBlobPublicAccess)',
      absent: false,
    },
  },
  arguments: { 'publicAccess: None': 'container_access_type = "private"' },
  from: {
    azure: (raw, related) => {
      const service = parentOf(raw);
      const account =
        typeof service === 'string' ? service.replace(/\/blobServices\/[^/]*$/i, '') : service;
      const its = related.find(account, accountType);
      return {
        anonymous_access: and(
          isAnonymous(at(raw.properties, 'publicAccess')),
          its ? untilNow(its).anonymous_access : true,
        ),
      };
    },
    terraform: (raw, related) => {
      const its = related.find(ofAccount(raw), accountType);
      return {
        anonymous_access: and(
          isAnonymous(planned(raw.properties, 'container_access_type')),
          its ? plannedAnonymousAccess(its) : true,
        ),
      };
    },
  },
});

const isAnonymous = (access: unknown) =>
  eitherWord(access, ['Blob', 'Container'], ['None', 'private']);

export const blobServices = normaliser({
  types: ['Azure::Storage::storageAccounts/blobServices'],
  source:
    'Azure Resource Manager template reference, Microsoft.Storage/storageAccounts/blobServices, 2023-01-01',
  attributes: {
    'soft_delete.enabled': {
      type: 'bool',
      meaning: 'deleteRetentionPolicy.enabled',
      absent: false,
    },
    'soft_delete.retention_days': { type: 'int', meaning: 'deleteRetentionPolicy.days', absent: 0 },
    'versioning.enabled': { type: 'bool', meaning: 'isVersioningEnabled', absent: false },
  },
  arguments: {
    deleteRetentionPolicy: 'blob_properties.delete_retention_policy',
    isVersioningEnabled: 'blob_properties.versioning_enabled',
  },
  from: {
    azure: ({ properties }) => ({
      'soft_delete.enabled': flag(at(properties, 'deleteRetentionPolicy', 'enabled')),
      'soft_delete.retention_days': number(at(properties, 'deleteRetentionPolicy', 'days')),
      'versioning.enabled': flag(at(properties, 'isVersioningEnabled')),
    }),
    // In a plan the block alone turns it on.
    terraform: ({ properties }) => ({
      'soft_delete.enabled': isGiven(planned(properties, 'delete_retention_policy', 'days')),
      'soft_delete.retention_days': number(planned(properties, 'delete_retention_policy', 'days')),
      'versioning.enabled': flag(planned(properties, 'versioning_enabled')),
    }),
  },
});
