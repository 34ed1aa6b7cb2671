import { UnknownValue } from '../../../contract/resources.ts';
import type { RawResource } from '../../model.ts';
import { planned, plannedBlock } from '../aws/plan-value.ts';
import { normaliser } from '../normaliser.ts';
import { and, flag, isGiven, isOneOf, isUnknown, number, or, text } from '../values.ts';
import { at } from './read-azure.ts';

export const applicationGateways = normaliser({
  types: ['Azure::Network::applicationGateways'],
  source:
    'Azure Resource Manager template reference, Microsoft.Network/applicationGateways, 2023-09-01',
  attributes: {
    'waf.enabled': {
      type: 'bool',
      meaning: 'the gateway has a WAF tier, and its firewall is enabled',
      absent: false,
    },
    'waf.mode': {
      type: 'string',
      spelling: ['detection', 'prevention'],
      meaning: '`detection` or `prevention`',
      absent: 'detection',
    },
  },
  arguments: {
    'sku.tier': 'sku.tier',
  },
  from: {
    azure: ({ properties }, related) => {
      const policy = at(properties, 'firewallPolicy', 'id');
      const found = related.find(typeof policy === 'string' ? policy.toLowerCase() : policy);
      const settings = settingsOf(policy, found, at(found?.properties, 'policySettings'));
      return {
        'waf.enabled': and(
          isOneOf(at(properties, 'sku', 'tier'), 'WAF', 'WAF_v2'),
          or(
            flag(at(properties, 'webApplicationFirewallConfiguration', 'enabled')),
            and(isGiven(policy), isOneOf(at(settings, 'state') ?? 'Enabled', 'Enabled')),
          ),
        ),
        'waf.mode': text(
          at(settings, 'mode') ??
            at(properties, 'webApplicationFirewallConfiguration', 'firewallMode'),
        ),
      };
    },
    terraform: ({ properties }, related) => {
      const policy = planned(properties, 'firewall_policy_id');
      const found = related.find(policy);
      const settings = settingsOf(
        policy,
        found,
        plannedBlock(found?.properties, 'policy_settings'),
      );
      return {
        'waf.enabled': and(
          isOneOf(planned(properties, 'sku', 'tier'), 'WAF', 'WAF_v2'),
          or(
            flag(planned(properties, 'waf_configuration', 'enabled')),
            and(isGiven(policy), flag(at(settings, 'enabled')) ?? true),
          ),
        ),
        'waf.mode': text(
          at(settings, 'mode') ?? planned(properties, 'waf_configuration', 'firewall_mode'),
        ),
      };
    },
  },
});

/** The settings of a firewall policy; unknown where the gateway has one that the input does not. */
const settingsOf = (policy: unknown, found: RawResource | undefined, settings: unknown): unknown =>
  found === undefined && policy !== undefined
    ? new UnknownValue('the firewall policy, which is not in this input', { present: false })
    : settings;

export const flowLogs = normaliser({
  types: ['Azure::Network::networkWatchers/flowLogs'],
  source:
    'Azure Resource Manager template reference, Microsoft.Network/networkWatchers/flowLogs, 2023-09-01',
  attributes: {
    'logging.enabled': { type: 'bool', meaning: 'the flow log is enabled', absent: false },
    'logging.retention_days': {
      type: 'int',
      meaning: 'retention period in days; if missing or 0, logs are kept indefinitely',
    },
  },
  arguments: {
    enabled: 'enabled',
    'retentionPolicy.days': 'retention_policy.days',
  },
  from: {
    azure: ({ properties }) => ({
      'logging.enabled': flag(at(properties, 'enabled')),
      'logging.retention_days': kept(
        flag(at(properties, 'retentionPolicy', 'enabled')),
        at(properties, 'retentionPolicy', 'days'),
      ),
    }),
    terraform: ({ properties }) => ({
      'logging.enabled': flag(planned(properties, 'enabled')),
      'logging.retention_days': kept(
        flag(planned(properties, 'retention_policy', 'enabled')),
        planned(properties, 'retention_policy', 'days'),
      ),
    }),
  },
});

/** Days, where the retention policy is on; 0 keeps for ever. */
export function kept(enabled: ReturnType<typeof flag>, days: unknown) {
  if (isUnknown(enabled)) return enabled;
  const given = number(days);
  return enabled === true && given !== 0 ? given : undefined;
}
