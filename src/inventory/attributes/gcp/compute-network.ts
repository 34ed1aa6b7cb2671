import { normaliser } from '../normaliser.ts';
import { planned } from '../aws/plan-value.ts';
import { flag, hasItems, or, text } from '../values.ts';
import { fromGoogle, tlsVersion } from './read-google.ts';

export const computeNetwork = normaliser({
  types: ['GCP::Compute::Network'],
  attributes: {
    auto_create_subnetworks: { type: 'bool', meaning: 'auto mode', absent: true },
  },
  from: fromGoogle((get) => ({ auto_create_subnetworks: flag(get('autoCreateSubnetworks')) })),
});

export const computeSslPolicy = normaliser({
  types: ['GCP::Compute::SslPolicy'],
  attributes: {
    'tls.minimum_version': { type: 'string', meaning: 'minTlsVersion', absent: '1.0' },
    'tls.profile': {
      type: 'string',
      meaning: '`COMPATIBLE`, `MODERN`, `RESTRICTED`, `FIPS_202205` or `CUSTOM`',
      spelling: ['COMPATIBLE', 'MODERN', 'RESTRICTED', 'FIPS_202205', 'CUSTOM'],
      absent: 'COMPATIBLE',
    },
  },
  from: fromGoogle((get) => ({
    'tls.minimum_version': tlsVersion(get('minTlsVersion')),
    'tls.profile': text(get('profile')),
  })),
});

export const computeSubnetwork = normaliser({
  types: ['GCP::Compute::Subnetwork'],
  attributes: {
    purpose: {
      type: 'string',
      meaning: '`PRIVATE`, or such as `REGIONAL_MANAGED_PROXY`, `PRIVATE_SERVICE_CONNECT`',
      absent: 'PRIVATE',
    },
    'flow_logs.enabled': { type: 'bool', meaning: 'logConfig.enable', absent: false },
    private_google_access: { type: 'bool', meaning: 'privateIpGoogleAccess', absent: false },
  },
  from: fromGoogle((get, raw) => ({
    purpose: text(get('purpose')),
    // In a plan the block alone turns the logs on.
    'flow_logs.enabled': or(
      flag(get('logConfig', 'enable')),
      flag(get('enableFlowLogs')),
      hasItems(planned(raw.properties, 'log_config')),
    ),
    private_google_access: flag(get('privateIpGoogleAccess')),
  })),
});
