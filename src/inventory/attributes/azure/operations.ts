import { UnknownValue } from '../../../contract/resources.ts';
import { planned } from '../aws/plan-value.ts';
import type { RawResource } from '../../model.ts';
import { normaliser } from '../normaliser.ts';
import { flag, isOneOf, isUnknown, joinLists, list, not, number } from '../values.ts';
import { kept } from './network.ts';
import { at, itemsOrOne, partsOf, minimumTls } from './read-azure.ts';
import { tlsVersions } from '../tls-version.ts';

const tableType = 'Azure::OperationalInsights::workspaces/tables';

export const logWorkspaces = normaliser({
  types: ['Azure::OperationalInsights::workspaces'],
  source:
    'Azure Resource Manager template reference, Microsoft.OperationalInsights/workspaces, 2022-10-01',
  attributes: {
    retention_days: {
      type: 'int',
      meaning: 'retentionInDays or, if longer, the total retention of a table',
      absent: 30,
      source: 'Azure Monitor Logs, Log Analytics workspace retention, 2022-10: 7 in the Free tier',
    },
  },
  arguments: {
    retentionInDays: 'retention_in_days',
  },
  from: {
    azure: (raw, related) => ({
      retention_days: longest([
        at(raw.properties, 'retentionInDays') ?? ofTier(at(raw.properties, 'sku', 'name')),
        ...partsOf(raw, related, tableType).map((one) =>
          at(one.properties, 'totalRetentionInDays'),
        ),
      ]),
    }),
    terraform: (raw, related) => ({
      retention_days: longest([
        planned(raw.properties, 'retention_in_days') ?? ofTier(planned(raw.properties, 'sku')),
        ...related
          .referring(raw, tableType, ofWorkspace)
          .map((one) => planned(one.properties, 'total_retention_in_days')),
      ]),
    }),
  },
});

/** The days that a workspace has without a setting of its own. */
const ofTier = (tier: unknown) => {
  const isFree = isOneOf(tier, 'Free');
  return isUnknown(isFree) ? isFree : isFree ? 7 : 30;
};

const ofWorkspace = (part: RawResource): unknown => part.properties['workspace_id'];

function longest(days: readonly unknown[]) {
  const given = days.map(number).filter((one) => one !== undefined);
  const unknown = given.find(isUnknown);
  const known = given.filter((one) => typeof one === 'number');
  return unknown ?? (known.length === 0 ? undefined : Math.max(...known));
}

export const messagingNamespaces = [
  { service: 'ServiceBus', called: 'Service Bus', localAuth: 'local_auth_enabled' },
  { service: 'EventHub', called: 'Event Hubs', localAuth: 'local_authentication_enabled' },
].map(({ service, called, localAuth }) =>
  normaliser({
    types: [`Azure::${service}::namespaces`],
    source: `Azure Resource Manager template reference, Microsoft.${service}/namespaces, 2021-11-01`,
    attributes: {
      local_auth: { type: 'bool', meaning: 'shared access keys are accepted', absent: true },
      'tls.minimum_version': {
        type: 'string',
        spelling: tlsVersions,
        meaning: 'minimumTlsVersion',
        absent: '1.2',
        source: `Azure ${called}, Configure the minimum TLS version for a namespace, 2025-10-20: earlier versions have been rejected since then`,
      },
    },
    arguments: {
      'disableLocalAuth: true': `${localAuth} = false`,
      minimumTlsVersion: 'minimum_tls_version',
    },
    from: {
      azure: ({ properties }) => ({
        local_auth: not(flag(at(properties, 'disableLocalAuth'))),
        'tls.minimum_version': minimumTls(at(properties, 'minimumTlsVersion')),
      }),
      terraform: ({ properties }) => ({
        local_auth: flag(planned(properties, localAuth)),
        'tls.minimum_version': minimumTls(planned(properties, 'minimum_tls_version')),
      }),
    },
  }),
);

export const logProfiles = normaliser({
  types: ['Azure::Insights::logProfiles'],
  source: 'Azure Resource Manager template reference, Microsoft.Insights/logprofiles, 2016-03-01',
  attributes: {
    categories: {
      type: 'list<string>',
      meaning: 'retained categories of the activity log: `action`, `delete` or `write`',
      spelling: 'lower',
      absent: [],
    },
    locations: {
      type: 'list<string>',
      meaning:
        'regions whose events are retained, such as `westeurope`; `global` for events without a region',
      spelling: 'lower',
      absent: [],
    },
    retention_days: {
      type: 'int',
      meaning: 'retention period in days; if missing or 0, logs are kept indefinitely',
    },
  },
  arguments: {
    categories: 'categories',
    locations: 'locations',
    'retentionPolicy.days': 'retention_policy.days',
  },
  from: {
    azure: ({ properties }) => ({
      categories: at(properties, 'categories'),
      locations: at(properties, 'locations'),
      retention_days: kept(
        flag(at(properties, 'retentionPolicy', 'enabled')),
        at(properties, 'retentionPolicy', 'days'),
      ),
    }),
    terraform: ({ properties }) => ({
      categories: planned(properties, 'categories'),
      locations: planned(properties, 'locations'),
      retention_days: kept(
        flag(planned(properties, 'retention_policy', 'enabled')),
        planned(properties, 'retention_policy', 'days'),
      ),
    }),
  },
});

export const diagnosticSettings = normaliser({
  types: ['Azure::Insights::diagnosticSettings'],
  source:
    'Azure Resource Manager template reference, Microsoft.Insights/diagnosticSettings, 2021-05-01-preview',
  attributes: {
    'logging.categories': {
      type: 'list<string>',
      meaning:
        'categories and category groups that are logged, such as `administrative`, `auditevent` or `alllogs`',
      spelling: 'lower',
      absent: [],
    },
  },
  arguments: { logs: 'enabled_log' },
  from: {
    azure: ({ properties }) => ({ 'logging.categories': loggedIn(at(properties, 'logs')) }),
    terraform: ({ properties }) => ({
      'logging.categories': joinLists(
        loggedIn(planned(properties, 'enabled_log'), true),
        loggedIn(planned(properties, 'log'), true),
      ),
    }),
  },
});

/** The categories of a list of logs. Those of Terraform are on unless they say otherwise. */
function loggedIn(logs: unknown, byDefault = false): unknown[] | UnknownValue {
  const items = list(logs);
  if (isUnknown(items)) return items;
  return items.flatMap((one) => {
    const enabled = flag(at(one, 'enabled')) ?? byDefault;
    if (enabled === false) return [];
    const name = at(one, 'category') || at(one, 'categoryGroup') || at(one, 'category_group');
    return [isUnknown(enabled) ? enabled : isUnknown(one) ? one : name];
  });
}

export const activityLogAlerts = normaliser({
  types: ['Azure::Insights::activityLogAlerts'],
  source:
    'Azure Resource Manager template reference, Microsoft.Insights/activityLogAlerts, 2020-10-01',
  attributes: {
    enabled: { type: 'bool', meaning: 'the alert is enabled', absent: true },
    scopes: {
      type: 'list<string>',
      meaning: 'IDs of the resources that the alert monitors',
      absent: [],
    },
    category: {
      type: 'string',
      meaning: 'category of the events, such as `administrative`, `security` or `servicehealth`',
      spelling: 'lower',
    },
    operation_name: {
      type: 'string',
      meaning:
        'operation that triggers the alert, such as `microsoft.network/networksecuritygroups/write`',
      spelling: 'lower',
    },
  },
  arguments: { enabled: 'enabled' },
  from: {
    azure: ({ properties }) => ({
      enabled: flag(at(properties, 'enabled')),
      scopes: at(properties, 'scopes'),
      category: conditionOf(properties, 'category'),
      operation_name: conditionOf(properties, 'operationName'),
    }),
    terraform: ({ properties }) => ({
      enabled: flag(planned(properties, 'enabled')),
      scopes: planned(properties, 'scopes'),
      category: planned(properties, 'criteria', 'category'),
      operation_name: planned(properties, 'criteria', 'operation_name'),
    }),
  },
});

/**
 * What a field of the event must be equal to; undefined where nothing is asked of it. Of one that may be one of several
 * (`anyOf`, `containsAny`) no one value says which events are meant: unknown, unless there is only one.
 */
function conditionOf(properties: unknown, field: string): unknown {
  const all = list(at(properties, 'condition', 'allOf'));
  if (isUnknown(all)) return all;
  const asked = all.flatMap((one): unknown[] => {
    const either = itemsOrOne(at(one, 'anyOf'));
    const about = [one, ...either].filter((leaf) => isOneOf(at(leaf, 'field'), field) === true);
    const values = about.flatMap((leaf) => [
      ...itemsOrOne(at(leaf, 'equals')),
      ...itemsOrOne(at(leaf, 'containsAny')),
    ]);
    const hidden = [one, ...either].find(isUnknown);
    if (hidden) return [hidden];
    if (about.length === 0) return [];
    return [values.length === 1 && either.length <= 1 ? values[0] : severalValues];
  });
  return asked.find((one) => !isUnknown(one)) ?? asked[0];
}

const severalValues = new UnknownValue('one of several values');
