import { UnknownValue } from '../../../contract/resources.ts';
import { configured, planned } from '../aws/plan-value.ts';
import { normaliser } from '../normaliser.ts';
import {
  flag,
  hasItems,
  isSet,
  isUnknown,
  joinLists,
  list,
  mapList,
  not,
  text,
  textMap,
} from '../values.ts';
import { at, cidrs, isEnabled } from './read-azure.ts';

export const registries = normaliser({
  types: ['Azure::ContainerRegistry::registries'],
  source:
    'Azure Resource Manager template reference, Microsoft.ContainerRegistry/registries, 2023-07-01',
  attributes: {
    local_auth: { type: 'bool', meaning: 'the admin user is enabled', absent: false },
    anonymous_access: { type: 'bool', meaning: 'anonymous pull is enabled', absent: false },
    public_access: { type: 'bool', meaning: 'publicNetworkAccess is not Disabled', absent: true },
  },
  arguments: {
    adminUserEnabled: 'admin_enabled',
    anonymousPullEnabled: 'anonymous_pull_enabled',
  },
  from: {
    azure: ({ properties }) => ({
      local_auth: flag(at(properties, 'adminUserEnabled')),
      anonymous_access: flag(at(properties, 'anonymousPullEnabled')),
      public_access: isEnabled(at(properties, 'publicNetworkAccess')),
    }),
    terraform: ({ properties }) => ({
      local_auth: flag(planned(properties, 'admin_enabled')),
      anonymous_access: flag(planned(properties, 'anonymous_pull_enabled')),
      public_access: flag(planned(properties, 'public_network_access_enabled')),
    }),
  },
});

export const managedClusters = normaliser({
  types: ['Azure::ContainerService::managedClusters'],
  source:
    'Azure Resource Manager template reference, Microsoft.ContainerService/managedClusters, 2024-02-01',
  attributes: {
    public_access: { type: 'bool', meaning: 'the cluster is not a private cluster', absent: true },
    'network.allowed_cidrs': {
      type: 'list<string>',
      meaning: 'authorized IP ranges',
      absent: ['0.0.0.0/0', '::/0'],
    },
    'network.policy': {
      type: 'string',
      meaning: '`azure`, `calico` or `cilium`',
      spelling: ['azure', 'calico', 'cilium', 'none'],
    },
    local_auth: { type: 'bool', meaning: 'local accounts are enabled', absent: true },
    'rbac.enabled': {
      type: 'bool',
      meaning: 'Kubernetes RBAC is enabled; unknown if not set, because Azure documents no default',
    },
  },
  arguments: {
    'apiServerAccessProfile.authorizedIPRanges': [
      'api_server_access_profile.authorized_ip_ranges',
      'api_server_authorized_ip_ranges',
    ],
    'apiServerAccessProfile.enablePrivateCluster': 'private_cluster_enabled',
    disableLocalAccounts: 'local_account_disabled',
    enableRBAC: ['role_based_access_control_enabled', 'role_based_access_control.enabled'],
    'networkProfile.networkPolicy': 'network_profile.network_policy',
  },
  from: {
    azure: ({ properties }) => ({
      public_access: not(flag(at(properties, 'apiServerAccessProfile', 'enablePrivateCluster'))),
      'network.allowed_cidrs': rangesOf(
        at(properties, 'apiServerAccessProfile', 'authorizedIPRanges'),
      ),
      'network.policy': text(at(properties, 'networkProfile', 'networkPolicy')),
      local_auth: not(flag(at(properties, 'disableLocalAccounts'))),
      'rbac.enabled': flag(at(properties, 'enableRBAC')) ?? undocumented,
    }),
    terraform: ({ properties }) => ({
      public_access: not(flag(planned(properties, 'private_cluster_enabled'))),
      'network.allowed_cidrs': rangesOf(
        planned(properties, 'api_server_access_profile', 'authorized_ip_ranges') ??
          planned(properties, 'api_server_authorized_ip_ranges'),
      ),
      'network.policy': text(planned(properties, 'network_profile', 'network_policy')),
      local_auth: not(flag(planned(properties, 'local_account_disabled'))),
      'rbac.enabled':
        flag(planned(properties, 'role_based_access_control_enabled')) ??
        flag(planned(properties, 'role_based_access_control', 'enabled')) ??
        undocumented,
    }),
  },
});

const undocumented = new UnknownValue('enableRBAC, for which Azure documents no default');

/** No ranges at all let in everybody. */
function rangesOf(ranges: unknown) {
  const given = hasItems(ranges);
  if (isUnknown(given)) return given;
  return given ? cidrs(ranges) : undefined;
}

/** What runs containers by itself: groups of Container Instances, apps and jobs of Container Apps. */
export const containerRunners = normaliser({
  types: [
    'Azure::App::containerApps',
    'Azure::App::jobs',
    'Azure::ContainerInstance::containerGroups',
  ],
  source: 'Azure Resource Manager template reference, Microsoft.App/containerApps, 2024-03-01',
  attributes: {
    containers: { type: 'list', meaning: 'containers and init containers', absent: [] },
    'containers[].name': { type: 'string', meaning: 'name of the container' },
    'containers[].image': { type: 'string', meaning: 'image reference' },
    'containers[].environment_variables': {
      type: 'map<string,string>',
      meaning: 'environment variables with their values, except those from secrets',
      absent: {},
    },
  },
  arguments: { secretRef: 'secret_name', secureValue: 'secure_environment_variables' },
  from: {
    azure: ({ properties }) => {
      const whole = at(properties, 'template') ?? properties;
      return {
        containers: joinLists(
          ...['containers', 'initContainers'].map((name) =>
            mapList(at(whole, name), (one) => readContainer(one, at(one, 'properties') ?? one)),
          ),
        ),
      };
    },
    terraform: ({ properties }) => {
      const whole = planned(properties, 'template') ?? properties;
      return {
        containers: joinLists(
          ...['container', 'init_container'].map((name) =>
            mapList(configured(whole, name), readPlannedContainer),
          ),
        ),
      };
    },
  },
});

/** Container Instances have the settings of a container below `properties`. */
const readContainer = (container: unknown, settings: unknown) => ({
  name: text(at(container, 'name')),
  image: text(at(settings, 'image')),
  environment_variables: textMap(
    pairs(at(settings, 'env') ?? at(settings, 'environmentVariables'), at),
  ),
});

const readPlannedContainer = (container: unknown) => ({
  name: text(planned(container, 'name')),
  image: text(planned(container, 'image')),
  environment_variables: textMap(
    planned(container, 'environment_variables') ??
      pairs(planned(container, 'env'), (variable, property) =>
        planned(variable, property === 'secretRef' ? 'secret_name' : property),
      ),
  ),
});

/** Variables that have a value; the others take it from a secret, or have a protected one. */
function pairs(variables: unknown, get: (variable: unknown, property: string) => unknown) {
  const items = list(variables);
  return isUnknown(items)
    ? items
    : items
        .filter(
          (one) => !['secretRef', 'secureValue'].some((name) => isSet(get(one, name)) === true),
        )
        .map((one) => ({ Key: get(one, 'name'), Value: get(one, 'value') }));
}
