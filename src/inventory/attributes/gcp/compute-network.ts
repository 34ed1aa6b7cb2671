import { normaliser } from '../normaliser.ts';
import { planned } from '../aws/plan-value.ts';
import { flag, hasItems, or, text } from '../values.ts';
import { tlsVersion, tlsVersions } from '../tls-version.ts';
import { fromGoogle, isAsset } from './read-google.ts';

export const computeNetwork = normaliser({
  types: ['GCP::Compute::Network'],
  source: 'Compute Engine API v1 reference, networks, as of 2025-06',
  attributes: {
    auto_create_subnetworks: {
      type: 'bool',
      meaning: 'the network is in auto mode; an asset without this field is a legacy network',
      absent: true,
      source: 'Terraform Registry, google_compute_network, as of 2025-06',
    },
  },
  arguments: {
    'autoCreateSubnetworks: false': 'auto_create_subnetworks = false',
  },
  from: fromGoogle((get, raw) => ({
    // A network that exists without it is a legacy network, which has no subnetworks.
    auto_create_subnetworks: flag(get('autoCreateSubnetworks')) ?? !isAsset(raw),
  })),
});

export const computeSslPolicy = normaliser({
  types: ['GCP::Compute::SslPolicy'],
  source: 'Compute Engine API v1 reference, sslPolicies, as of 2025-06',
  attributes: {
    'tls.minimum_version': {
      type: 'string',
      spelling: tlsVersions,
      meaning: 'minTlsVersion',
      absent: '1.0',
    },
    'tls.profile': {
      type: 'string',
      meaning: '`COMPATIBLE`, `MODERN`, `RESTRICTED`, `FIPS_202205` or `CUSTOM`',
      spelling: ['COMPATIBLE', 'MODERN', 'RESTRICTED', 'FIPS_202205', 'CUSTOM'],
      absent: 'COMPATIBLE',
    },
  },
  arguments: {
    minTlsVersion: 'min_tls_version',
    profile: 'profile',
  },
  from: fromGoogle((get) => ({
    'tls.minimum_version': tlsVersion(get('minTlsVersion')),
    'tls.profile': text(get('profile')),
  })),
});

export const computeSubnetwork = normaliser({
  types: ['GCP::Compute::Subnetwork'],
  source: 'Compute Engine API v1 reference, subnetworks, as of 2025-06',
  attributes: {
    purpose: {
      type: 'string',
      meaning:
        'purpose of the subnet, such as `PRIVATE`, `REGIONAL_MANAGED_PROXY` or `PRIVATE_SERVICE_CONNECT`',
      spelling: [
        'PRIVATE',
        'PRIVATE_RFC_1918',
        'PRIVATE_NAT',
        'PRIVATE_SERVICE_CONNECT',
        'REGIONAL_MANAGED_PROXY',
        'GLOBAL_MANAGED_PROXY',
        'INTERNAL_HTTPS_LOAD_BALANCER',
        'PEER_MIGRATION',
        'CUSTOM_HARDWARE_LINK',
      ],
      absent: 'PRIVATE',
    },
    'flow_logs.enabled': { type: 'bool', meaning: 'logConfig.enable', absent: false },
    private_google_access: { type: 'bool', meaning: 'privateIpGoogleAccess', absent: false },
  },
  arguments: {
    logConfig: 'log_config',
    privateIpGoogleAccess: 'private_ip_google_access',
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
