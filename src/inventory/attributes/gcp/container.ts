import { UnknownValue } from '../../../contract/resources.ts';
import type { RawResource } from '../../model.ts';
import { planned } from '../aws/plan-value.ts';
import { normaliser } from '../normaliser.ts';
import { flag, hasItems, isOneOf, isSet, isUnknown, mapList, not, or } from '../values.ts';
import { fromGoogle, givenItem, isAsset } from './read-google.ts';
import type { Get } from './read-google.ts';

export const containerCluster = normaliser({
  types: ['GCP::Container::Cluster'],
  source: 'Kubernetes Engine API v1 reference, clusters, as of 2025-06',
  attributes: {
    public_access: {
      type: 'bool',
      meaning: 'the control plane has a public endpoint',
      absent: true,
    },
    'network.allowed_cidrs': {
      type: 'list<string>',
      meaning: 'authorized networks',
      absent: ['0.0.0.0/0', '::/0'],
    },
    'network.policy': {
      type: 'string',
      spelling: ['calico', 'dataplane-v2'],
      meaning: '`calico` or `dataplane-v2`',
    },
    private_nodes: {
      type: 'bool',
      meaning: 'nodes have only internal IP addresses',
      absent: false,
    },
    'workload_identity.enabled': {
      type: 'bool',
      meaning: 'a workload identity pool is set; always true in Autopilot',
      absent: false,
    },
    legacy_abac: { type: 'bool', meaning: 'legacy authorization is on', absent: false },
    'encryption.customer_managed': {
      type: 'bool',
      meaning: 'application-layer secrets encryption is enabled',
      absent: false,
    },
  },
  arguments: {
    'databaseEncryption.state': 'database_encryption.state',
    'legacyAbac.enabled': 'enable_legacy_abac',
    masterAuthorizedNetworksConfig: 'master_authorized_networks_config',
    'networkConfig.datapathProvider': 'datapath_provider',
    networkPolicy: 'network_policy',
    'privateClusterConfig.enablePrivateEndpoint': 'private_cluster_config.enable_private_endpoint',
    'privateClusterConfig.enablePrivateNodes': 'private_cluster_config.enable_private_nodes',
    workloadIdentityConfig: 'workload_identity_config',
  },
  from: fromGoogle((get, raw, _related, given) => ({
    public_access: publicEndpoint(get),
    'network.allowed_cidrs': authorizedNetworks(get, raw, given),
    'network.policy': networkPolicy(get),
    private_nodes: or(
      flag(get('privateClusterConfig', 'enablePrivateNodes')),
      flag(get('networkConfig', 'defaultEnablePrivateNodes')),
    ),
    'workload_identity.enabled': or(
      isSet(get('workloadIdentityConfig', 'workloadPool')),
      isSet(get('workloadIdentityConfig', 'identityNamespace')),
      isAutopilot(get),
    ),
    legacy_abac: or(flag(get('legacyAbac', 'enabled')), flag(get('enableLegacyAbac'))),
    'encryption.customer_managed': isOneOf(get('databaseEncryption', 'state'), 'ENCRYPTED'),
  })),
});

const isAutopilot = (get: Get) =>
  or(flag(get('autopilot', 'enabled')), flag(get('enableAutopilot')));

function publicEndpoint(get: Get) {
  const enabled = flag(
    get('controlPlaneEndpointsConfig', 'ipEndpointsConfig', 'enablePublicEndpoint'),
  );
  return enabled ?? not(flag(get('privateClusterConfig', 'enablePrivateEndpoint')));
}

/** In a plan the block alone turns authorized networks on; an asset says whether they are. */
function authorizedNetworks(get: Get, raw: RawResource, given: Get) {
  const enabled = or(
    flag(get('masterAuthorizedNetworksConfig', 'enabled')),
    hasItems(planned(raw.properties, 'master_authorized_networks_config')),
  );
  if (isUnknown(enabled)) return enabled;
  return enabled
    ? mapList(given('masterAuthorizedNetworksConfig', 'cidrBlocks'), (one) =>
        givenItem(one, 'cidrBlock'),
      )
    : undefined;
}

function networkPolicy(get: Get) {
  const datapath = get('networkConfig', 'datapathProvider') ?? get('datapathProvider');
  const calico = flag(get('networkPolicy', 'enabled'));
  if (isAutopilot(get) === true) return 'dataplane-v2';
  if (isUnknown(datapath)) return datapath;
  if (datapath === 'ADVANCED_DATAPATH') return 'dataplane-v2';
  return isUnknown(calico) ? calico : calico === true ? 'calico' : undefined;
}

/** Without a word on it the release channel of the cluster decides, and the version of the provider. */
const managed = (get: Get, raw: RawResource) =>
  isAsset(raw)
    ? false
    : new UnknownValue('management, which the cluster determines', { present: false });

export const containerNodePool = normaliser({
  types: ['GCP::Container::NodePool'],
  source: 'Kubernetes Engine API v1 reference, nodePools, as of 2025-06',
  attributes: {
    auto_upgrade: {
      type: 'bool',
      meaning: 'management.autoUpgrade; unknown in a plan without it',
      absent: false,
    },
    auto_repair: {
      type: 'bool',
      meaning: 'management.autoRepair; unknown in a plan without it',
      absent: false,
    },
  },
  arguments: {
    'management.autoRepair': 'management.auto_repair',
    'management.autoUpgrade': 'management.auto_upgrade',
  },
  from: fromGoogle((get, raw) => ({
    auto_upgrade: flag(get('management', 'autoUpgrade')) ?? managed(get, raw),
    auto_repair: flag(get('management', 'autoRepair')) ?? managed(get, raw),
  })),
});
