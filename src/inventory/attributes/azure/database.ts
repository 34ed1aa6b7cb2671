import type { UnknownValue } from '../../../contract/resources.ts';
import type { RawResource } from '../../model.ts';
import { planned } from '../aws/plan-value.ts';
import { joinedAttribute } from '../joined.ts';
import { normaliser } from '../normaliser.ts';
import type { Related } from '../related.ts';
import type { Maybe } from '../values.ts';
import {
  and,
  eitherWord,
  flag,
  hasItems,
  isGiven,
  isOneOf,
  isUnknown,
  not,
  number,
} from '../values.ts';
import { at, cidrs, isEnabled, parentOf, partsIfTold } from './read-azure.ts';

/** The parameter of a server by which it refuses plain text. */
const tlsParameter = 'require_secure_transport';

const configurationTypes = {
  'Azure::DBforPostgreSQL::flexibleServers':
    'Azure::DBforPostgreSQL::flexibleServers/configurations',
  'Azure::DBforMySQL::flexibleServers': 'Azure::DBforMySQL::flexibleServers/configurations',
} as const;

export const flexibleServers = Object.entries(configurationTypes).map(([type, configurations]) =>
  normaliser({
    types: [type],
    source: `Azure Resource Manager template reference, ${type.replace('Azure::', 'Microsoft.').replace('::', '/')}, ${
      type.includes('MySQL') ? '2023-12-30' : '2022-12-01'
    }`,
    attributes: {
      public_access: {
        type: 'bool',
        meaning: 'publicNetworkAccess is not Disabled, and the server has no delegated subnet',
        absent: true,
      },
      'tls.required': {
        type: 'bool',
        meaning: 'the server parameter require_secure_transport is not off',
        absent: true,
      },
      'backup.retention_days': { type: 'int', meaning: 'backupRetentionDays', absent: 7 },
      multi_az: { type: 'bool', meaning: 'high availability is zone-redundant', absent: false },
    },
    arguments: serverArguments(type),
    from: {
      azure: (raw, related) => ({
        public_access: and(
          isEnabled(at(raw.properties, 'network', 'publicNetworkAccess')) ?? true,
          not(isGiven(at(raw.properties, 'network', 'delegatedSubnetResourceId'))),
        ),
        'tls.required': requiresTls(partsIfTold(raw, related, configurations)),
        'backup.retention_days': number(at(raw.properties, 'backup', 'backupRetentionDays')),
        multi_az: isOneOf(at(raw.properties, 'highAvailability', 'mode'), 'ZoneRedundant'),
      }),
      terraform: (raw, related) => ({
        public_access: and(
          flag(planned(raw.properties, 'public_network_access_enabled')) ??
            isEnabled(planned(raw.properties, 'public_network_access')) ??
            true,
          not(isGiven(planned(raw.properties, 'delegated_subnet_id'))),
        ),
        'tls.required':
          requiresTls(related.referring(raw, configurations, ofServer)) ??
          related.stray(
            'a server parameter',
            configurations,
            ofServer,
            (part) => isOneOf(planned(part.properties, 'name'), tlsParameter) !== false,
          ),
        'backup.retention_days': number(planned(raw.properties, 'backup_retention_days')),
        multi_az: isOneOf(planned(raw.properties, 'high_availability', 'mode'), 'ZoneRedundant'),
      }),
    },
  }),
);

/** What policies name of a server, in Terraform's words. */
function serverArguments(type: string): Readonly<Record<string, string>> {
  return type.includes('MySQL')
    ? {
        'network.delegatedSubnetResourceId': 'delegated_subnet_id',
        'network.publicNetworkAccess: Disabled': 'public_network_access = "Disabled"',
      }
    : {
        'backup.backupRetentionDays': 'backup_retention_days',
        'highAvailability.mode': 'high_availability.mode',
        'network.delegatedSubnetResourceId': 'delegated_subnet_id',
        'network.publicNetworkAccess: Disabled': 'public_network_access_enabled = false',
      };
}

const ofServer = (part: RawResource): unknown =>
  part.properties['server_id'] ?? part.properties['server_name'];

/** What these parameters say; undefined where none of them is about it. */
function requiresTls(parameters: readonly RawResource[] | UnknownValue): Maybe<boolean> {
  if (isUnknown(parameters)) return parameters;
  const values = parameters.map(secureTransport).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : and(...values);
}

/** Templates have the name in that of the resource. */
function secureTransport({ name, properties, source }: RawResource): Maybe<boolean> {
  const inPlan = source['format'] === 'terraform';
  const isMeant = isOneOf(inPlan ? planned(properties, 'name') : name, tlsParameter);
  if (isMeant === false) return undefined;
  if (isUnknown(isMeant)) return isMeant;
  const value = inPlan ? planned(properties, 'value') : at(properties, 'value');
  return eitherWord(value, ['on', '1', 'true'], ['off', '0', 'false']) ?? true;
}

export const serverParameters = Object.entries(configurationTypes).map(([server, type]) =>
  normaliser({
    types: [type],
    source:
      'Azure Resource Manager template reference, Microsoft.DBforPostgreSQL/flexibleServers/configurations, 2022-12-01',
    attributes: {
      'tls.required': {
        type: 'bool',
        meaning: 'true, unless the parameter is require_secure_transport with the value off',
        absent: true,
      },
      ...joinedAttribute('the server', server),
    },
    from: {
      azure: (raw, related) => ({
        'tls.required': secureTransport(raw),
        joined: hasServer(parentOf(raw), related),
      }),
      terraform: (raw, related) => ({
        'tls.required': secureTransport(raw),
        joined: hasServer(ofServer(raw), related),
      }),
    },
  }),
);

const hasServer = (server: unknown, related: Related): boolean =>
  related.find(server, ...Object.keys(configurationTypes)) !== undefined;

/** Servers of the older kind, which Azure has retired and templates still have. */
export const singleServers = normaliser({
  types: [
    'Azure::DBforMariaDB::servers',
    'Azure::DBforMySQL::servers',
    'Azure::DBforPostgreSQL::servers',
  ],
  source:
    'Azure Resource Manager template reference, Microsoft.DBforPostgreSQL/servers, 2017-12-01',
  attributes: {
    public_access: { type: 'bool', meaning: 'publicNetworkAccess is not Disabled', absent: true },
    'tls.required': { type: 'bool', meaning: 'sslEnforcement is not Disabled', absent: true },
  },
  arguments: {
    'publicNetworkAccess: Disabled': 'public_network_access_enabled = false',
    'sslEnforcement: Enabled': 'ssl_enforcement_enabled = true',
  },
  from: {
    azure: ({ properties }) => ({
      public_access: isEnabled(at(properties, 'publicNetworkAccess')),
      'tls.required': isEnabled(at(properties, 'sslEnforcement')),
    }),
    terraform: ({ properties }) => ({
      public_access: flag(planned(properties, 'public_network_access_enabled')),
      'tls.required':
        flag(planned(properties, 'ssl_enforcement_enabled')) ??
        isEnabled(planned(properties, 'ssl_enforcement')),
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
      meaning: 'IP rules; `[]` if only virtual networks are allowed',
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
