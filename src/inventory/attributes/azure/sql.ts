import { UnknownValue } from '../../../contract/resources.ts';
import type { RawResource } from '../../model.ts';
import { planned } from '../aws/plan-value.ts';
import { joinedAttribute } from '../joined.ts';
import { normaliser } from '../normaliser.ts';
import type { Related } from '../related.ts';
import { and, flag, isOneOf, isUnknown, joinLists, not, number, or } from '../values.ts';
import {
  at,
  isEnabled,
  itemsOrOne,
  partsIfTold,
  parentOf,
  partsOf,
  rangeCidrs,
  minimumTls,
} from './read-azure.ts';
import { tlsVersions } from '../tls-version.ts';

const firewall = 'Azure::Sql::servers/firewallRules';
const ipv6Firewall = 'Azure::Sql::servers/ipv6FirewallRules';
const auditing = 'Azure::Sql::servers/auditingSettings';
const serverType = 'Azure::Sql::servers';
const databaseType = `${serverType}/databases`;
const encryption = `${databaseType}/transparentDataEncryption`;
const onlyEntra = `${serverType}/azureADOnlyAuthentications`;
const extendedAuditing = 'Azure::Sql::servers/extendedAuditingSettings';

export const sqlServers = normaliser({
  types: [serverType],
  source: 'Azure Resource Manager template reference, Microsoft.Sql/servers, 2021-11-01',
  attributes: {
    public_access: { type: 'bool', meaning: 'publicNetworkAccess is not Disabled', absent: true },
    'network.allowed_cidrs': {
      type: 'list<string>',
      meaning:
        'firewall rules, with ranges as CIDR blocks; `0.0.0.0/32` stands for "Allow Azure services"',
      absent: [],
    },
    'tls.minimum_version': {
      type: 'string',
      spelling: tlsVersions,
      meaning: 'minimalTlsVersion',
      absent: '1.2',
      source:
        'Azure SQL Database, Connectivity settings, 2025-08-31: earlier versions have been rejected since then',
    },
    local_auth: {
      type: 'bool',
      meaning: 'SQL logins are accepted, because Microsoft Entra-only authentication is off',
      absent: true,
    },
    'logging.enabled': { type: 'bool', meaning: 'auditing is on', absent: false },
    'logging.retention_days': {
      type: 'int',
      meaning:
        'retention period of audit logs in days; if missing or 0, logs are kept indefinitely',
    },
  },
  arguments: {
    'administrators.azureADOnlyAuthentication': {
      azurerm_mssql_server: 'azuread_administrator.azuread_authentication_only',
      azurerm_sql_server:
        'azuread_administrator.azuread_authentication_only of azurerm_mssql_server',
    },
    auditingSettings: 'azurerm_mssql_server_extended_auditing_policy',
    'auditingSettings.retentionDays':
      'retention_in_days of azurerm_mssql_server_extended_auditing_policy',
    minimalTlsVersion: {
      azurerm_mssql_server: 'minimum_tls_version',
      azurerm_sql_server: 'minimum_tls_version of azurerm_mssql_server',
    },
  },
  from: {
    azure: (raw, related) => {
      const { properties } = raw;
      const entra = partsOf(raw, related, onlyEntra);
      const audits = partsIfTold(raw, related, auditing, extendedAuditing);
      const rules = partsIfTold(raw, related, firewall);
      return {
        public_access: isEnabled(at(properties, 'publicNetworkAccess')),
        'network.allowed_cidrs': joinLists(
          isUnknown(rules) ? rules : rules.flatMap((rule) => ruleCidrs(rule)),
          partsOf(raw, related, ipv6Firewall).flatMap((rule) => ruleCidrs(rule)),
        ),
        'tls.minimum_version': minimumTls(at(properties, 'minimalTlsVersion')),
        local_auth: not(
          or(
            flag(at(properties, 'administrators', 'azureADOnlyAuthentication')),
            ...entra.map((one) => flag(at(one.properties, 'azureADOnlyAuthentication'))),
          ),
        ),
        'logging.enabled': isUnknown(audits)
          ? audits
          : or(...audits.map((one) => isOneOf(at(one.properties, 'state'), 'Enabled'))),
        'logging.retention_days': isUnknown(audits)
          ? new UnknownValue(audits.expression, { present: false })
          : retention(audits.map((one) => at(one.properties, 'retentionDays'))),
      };
    },
    terraform: (raw, related) => {
      const { properties } = raw;
      const audits = related.referring(raw, extendedAuditing, ofServer);
      const own = itemsOrOne(planned(properties, 'extended_auditing_policy'));
      return {
        public_access: flag(planned(properties, 'public_network_access_enabled')),
        'network.allowed_cidrs': [
          ...related.referring(raw, firewall, ofServer).flatMap((rule) => plannedRuleCidrs(rule)),
          ...itemsOrOne(related.stray('a firewall rule', firewall, ofServer)),
        ],
        'tls.minimum_version': minimumTls(planned(properties, 'minimum_tls_version')),
        local_auth: not(
          flag(planned(properties, 'azuread_administrator', 'azuread_authentication_only')),
        ),
        'logging.enabled': or(
          own.length > 0,
          ...audits.map((one) => flag(planned(one.properties, 'enabled')) ?? true),
        ),
        'logging.retention_days': retention(
          [...own, ...audits.map((one) => one.properties)].map((one) =>
            planned(one, 'retention_in_days'),
          ),
        ),
      };
    },
  },
});

export const auditingSettings = normaliser({
  types: [auditing, extendedAuditing],
  source:
    'Azure Resource Manager template reference, Microsoft.Sql/servers/auditingSettings, 2021-11-01',
  attributes: {
    'logging.enabled': { type: 'bool', meaning: 'auditing is on', absent: false },
    'logging.retention_days': {
      type: 'int',
      meaning:
        'retention period of audit logs in days; if missing or 0, logs are kept indefinitely',
    },
    ...joinedAttribute('the server', serverType),
  },
  from: {
    azure: (raw, related) => ({
      'logging.enabled': isOneOf(at(raw.properties, 'state'), 'Enabled'),
      'logging.retention_days': retention([at(raw.properties, 'retentionDays')]),
      joined: related.find(parentOf(raw), serverType) !== undefined,
    }),
    terraform: (raw, related) => ({
      'logging.enabled': flag(planned(raw.properties, 'enabled')) ?? true,
      'logging.retention_days': retention([planned(raw.properties, 'retention_in_days')]),
      joined: related.find(ofServer(raw), serverType) !== undefined,
    }),
  },
});

const ofServer = (part: RawResource): unknown =>
  part.properties['server_id'] ?? part.properties['server_name'];

const ruleCidrs = ({ properties }: RawResource): unknown[] =>
  rangeCidrs(
    at(properties, 'startIpAddress') ??
      at(properties, 'startIp') ??
      at(properties, 'startIPv6Address'),
    at(properties, 'endIpAddress') ?? at(properties, 'endIp') ?? at(properties, 'endIPv6Address'),
  );

const plannedRuleCidrs = ({ properties }: RawResource): unknown[] =>
  rangeCidrs(
    planned(properties, 'start_ip_address') ?? planned(properties, 'start_ip'),
    planned(properties, 'end_ip_address') ?? planned(properties, 'end_ip'),
  );

/** Rules of databases and caches. Only a SQL server is judged with its rules. */
export const firewallRules = normaliser({
  types: [
    firewall,
    ipv6Firewall,
    'Azure::Cache::redis/firewallRules',
    'Azure::DBforMariaDB::servers/firewallRules',
    'Azure::DBforMySQL::flexibleServers/firewallRules',
    'Azure::DBforMySQL::servers/firewallRules',
    'Azure::DBforPostgreSQL::flexibleServers/firewallRules',
    'Azure::DBforPostgreSQL::servers/firewallRules',
    'Azure::DBforPostgreSQL::serverGroupsv2/firewallRules',
    'Azure::DocumentDB::mongoClusters/firewallRules',
    'Azure::Synapse::workspaces/firewallRules',
  ],
  like: /^Azure::.+\/(?:ipv6)?firewallRules$/i,
  source:
    'Azure Resource Manager template reference, Microsoft.Sql/servers/firewallRules, 2021-11-01',
  attributes: {
    'network.allowed_cidrs': {
      type: 'list<string>',
      meaning:
        'range of the firewall rule, as CIDR blocks; also available for any other Azure type that ends in /firewallRules',
      absent: [],
    },
    ...joinedAttribute('the server', serverType),
  },
  from: {
    azure: (raw, related) => ({
      'network.allowed_cidrs': ruleCidrs(raw),
      joined: isJoined(raw, parentOf(raw), related),
    }),
    terraform: (raw, related) => ({
      'network.allowed_cidrs': plannedRuleCidrs(raw),
      joined: isJoined(raw, ofServer(raw), related),
    }),
  },
});

/** The rule of another database may name a server that is called like a SQL server of the input. */
const isJoined = ({ type }: RawResource, server: unknown, related: Related): boolean =>
  (type === firewall || type === ipv6Firewall) && related.find(server, serverType) !== undefined;

/** Days; 0 keeps for ever and so has none. */
function retention(days: readonly unknown[]) {
  const given = days.map(number).find((one) => one !== undefined);
  return given === 0 ? undefined : given;
}

export const sqlDatabases = normaliser({
  types: [databaseType],
  source: 'Azure SQL, Transparent data encryption, 2017-05: on in databases created since then',
  attributes: {
    'encryption.enabled': {
      type: 'bool',
      meaning: 'transparent data encryption is on',
      absent: true,
    },
  },
  arguments: {
    'transparentDataEncryption.state: Enabled': 'transparent_data_encryption_enabled = true',
  },
  from: {
    azure: (raw, related) => ({ 'encryption.enabled': encrypted(raw, related) }),
    terraform: ({ properties }) => ({
      'encryption.enabled': flag(planned(properties, 'transparent_data_encryption_enabled')),
    }),
  },
});

function encrypted(raw: RawResource, related: Related) {
  const settings = partsIfTold(raw, related, encryption);
  if (isUnknown(settings)) return settings;
  return settings.length === 0 ? undefined : and(...settings.map(isOn));
}

const isOn = ({ properties }: RawResource) =>
  isOneOf(at(properties, 'state') ?? at(properties, 'status'), 'Enabled');

/** The encryption of a database that may be declared elsewhere. */
export const databaseEncryption = normaliser({
  types: [encryption],
  source:
    'Azure Resource Manager template reference, Microsoft.Sql/servers/databases/transparentDataEncryption, 2021-11-01',
  attributes: {
    'encryption.enabled': { type: 'bool', meaning: 'state is Enabled', absent: false },
    ...joinedAttribute('the database', databaseType),
  },
  from: {
    azure: (raw, related) => ({
      'encryption.enabled': isOn(raw),
      joined: related.find(parentOf(raw), databaseType) !== undefined,
    }),
  },
});

/** Whether a server that may be declared elsewhere accepts Entra ID only. */
export const entraOnly = normaliser({
  types: [onlyEntra],
  source:
    'Azure Resource Manager template reference, Microsoft.Sql/servers/azureADOnlyAuthentications, 2021-11-01',
  attributes: {
    local_auth: { type: 'bool', meaning: 'azureADOnlyAuthentication is not true', absent: true },
    ...joinedAttribute('the server', serverType),
  },
  from: {
    azure: (raw, related) => ({
      local_auth: not(flag(at(raw.properties, 'azureADOnlyAuthentication'))),
      joined: related.find(parentOf(raw), serverType) !== undefined,
    }),
  },
});
