import { planned } from '../aws/plan-value.ts';
import type { RawResource } from '../../model.ts';
import { normaliser } from '../normaliser.ts';
import { flag, isOneOf, isUnknown, not, number } from '../values.ts';
import { at, partsOf, tlsVersion } from './read-azure.ts';

const tableType = 'Azure::OperationalInsights::workspaces/tables';

export const logWorkspaces = normaliser({
  types: ['Azure::OperationalInsights::workspaces'],
  source:
    'Azure Resource Manager template reference, Microsoft.OperationalInsights/workspaces, 2022-10-01',
  attributes: {
    retention_days: {
      type: 'int',
      meaning: 'retentionInDays; for a table with its own total retention, the longest',
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

export const serviceBusNamespaces = normaliser({
  types: ['Azure::ServiceBus::namespaces'],
  source: 'Azure Resource Manager template reference, Microsoft.ServiceBus/namespaces, 2021-11-01',
  attributes: {
    local_auth: { type: 'bool', meaning: 'shared access keys are accepted', absent: true },
    'tls.minimum_version': {
      type: 'string',
      meaning: 'minimumTlsVersion',
      absent: '1.2',
      source:
        'Azure Service Bus, Configure the minimum TLS version for a namespace, 2025-10-20: older versions are refused since then',
    },
  },
  arguments: {
    'disableLocalAuth: true': 'local_auth_enabled = false',
    minimumTlsVersion: 'minimum_tls_version',
  },
  from: {
    azure: ({ properties }) => ({
      local_auth: not(flag(at(properties, 'disableLocalAuth'))),
      'tls.minimum_version': tlsVersion(at(properties, 'minimumTlsVersion')),
    }),
    terraform: ({ properties }) => ({
      local_auth: flag(planned(properties, 'local_auth_enabled')),
      'tls.minimum_version': tlsVersion(planned(properties, 'minimum_tls_version')),
    }),
  },
});
