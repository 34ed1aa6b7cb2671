import { planned } from '../aws/plan-value.ts';
import { normaliser } from '../normaliser.ts';
import { and, at, flag, isGiven, isOneOf, isUnknown, not, number, or, text } from '../values.ts';

export const applicationGateways = normaliser({
  types: ['Azure::Network::applicationGateways'],
  attributes: {
    'waf.enabled': {
      type: 'bool',
      meaning: 'a WAF tier with a firewall that is on',
      absent: false,
    },
    'waf.mode': { type: 'string', meaning: '`detection` or `prevention`', absent: 'detection' },
  },
  from: {
    azure: ({ properties }, related) => {
      const policy = at(properties, 'firewallPolicy', 'id');
      const found = related.find(typeof policy === 'string' ? policy.toLowerCase() : policy);
      const settings = at(found?.properties, 'policySettings');
      return {
        'waf.enabled': and(
          isOneOf(at(properties, 'sku', 'tier'), 'WAF', 'WAF_v2'),
          or(
            flag(at(properties, 'webApplicationFirewallConfiguration', 'enabled')),
            and(isGiven(policy), not(isOneOf(at(settings, 'state'), 'Disabled'))),
          ),
        ),
        'waf.mode': lower(
          at(settings, 'mode') ??
            at(properties, 'webApplicationFirewallConfiguration', 'firewallMode'),
        ),
      };
    },
    terraform: ({ properties }, related) => {
      const policy = planned(properties, 'firewall_policy_id');
      const found = related.find(policy);
      const own = flag(planned(found?.properties, 'policy_settings', 'enabled'));
      return {
        'waf.enabled': and(
          isOneOf(planned(properties, 'sku', 'tier'), 'WAF', 'WAF_v2'),
          or(
            flag(planned(properties, 'waf_configuration', 'enabled')),
            and(isGiven(policy), own ?? true),
          ),
        ),
        'waf.mode': lower(
          planned(found?.properties, 'policy_settings', 'mode') ??
            planned(properties, 'waf_configuration', 'firewall_mode'),
        ),
      };
    },
  },
});

function lower(value: unknown) {
  const mode = text(value);
  return mode === undefined || isUnknown(mode) ? mode : mode.toLowerCase();
}

export const flowLogs = normaliser({
  types: ['Azure::Network::networkWatchers/flowLogs'],
  attributes: {
    'logging.enabled': { type: 'bool', meaning: 'the flow log is on', absent: false },
    'logging.retention_days': {
      type: 'int',
      meaning: 'the retention policy; none (or 0): kept forever',
    },
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
function kept(enabled: ReturnType<typeof flag>, days: unknown) {
  if (isUnknown(enabled)) return enabled;
  const given = number(days);
  return enabled === true && given !== 0 ? given : undefined;
}
