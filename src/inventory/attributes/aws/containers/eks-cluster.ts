import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { and, at, flag, hasItems, isGiven, mapList, some, text } from '../../values.ts';
import { planned } from '../plan-value.ts';

export const eksCluster = normaliser({
  types: ['AWS::EKS::Cluster'],
  source: 'Amazon EKS API Reference, API version 2017-11-01',
  attributes: {
    public_access: { type: 'bool', meaning: 'the API endpoint is public', absent: true },
    'network.allowed_cidrs': {
      type: 'list<string>',
      meaning: 'publicAccessCidrs',
      absent: ['0.0.0.0/0'],
    },
    'encryption.customer_managed': {
      type: 'bool',
      meaning: 'Kubernetes secrets are encrypted with a customer managed KMS key',
      absent: false,
    },
    'logging.types': {
      type: 'list<string>',
      meaning:
        'enabled control plane log types: `api`, `audit`, `authenticator`, `controllerManager` or `scheduler`',
      spelling: ['api', 'audit', 'authenticator', 'controllerManager', 'scheduler'],
      absent: [],
    },
  },
  arguments: {
    EncryptionConfig: 'encryption_config',
    'Logging.ClusterLogging.EnabledTypes': 'enabled_cluster_log_types',
    'ResourcesVpcConfig.EndpointPrivateAccess': 'vpc_config.endpoint_private_access',
    'ResourcesVpcConfig.EndpointPublicAccess': 'vpc_config.endpoint_public_access',
    'ResourcesVpcConfig.PublicAccessCidrs': 'vpc_config.public_access_cidrs',
  },
  from: {
    cloudformation: (raw) => ofTemplate(raw),
    terraform: ({ properties }) => ({
      public_access: flag(planned(properties, 'vpc_config', 'endpoint_public_access')),
      'network.allowed_cidrs': cidrs(planned(properties, 'vpc_config', 'public_access_cidrs')),
      'encryption.customer_managed': isNamed(
        planned(properties, 'encryption_config', 'provider', 'key_arn'),
      ),
      'logging.types': mapList(planned(properties, 'enabled_cluster_log_types'), text),
    }),
    'aws-config': (raw) => ofTemplate(raw),
  },
});

function ofTemplate({ properties }: RawResource) {
  const network = at(properties, 'ResourcesVpcConfig');
  return {
    public_access: flag(at(network, 'EndpointPublicAccess')),
    'network.allowed_cidrs': cidrs(at(network, 'PublicAccessCidrs')),
    'encryption.customer_managed': some(at(properties, 'EncryptionConfig'), (config) =>
      isNamed(at(config, 'Provider', 'KeyArn')),
    ),
    'logging.types': mapList(at(properties, 'Logging', 'ClusterLogging', 'EnabledTypes'), (one) =>
      text(at(one, 'Type')),
    ),
  };
}

/** Any key here is the customer's own: the cluster's service has none that could be named. */
const isNamed = (key: unknown) => and(key !== '', isGiven(key));

/** An empty list means the default, too: everybody. */
const cidrs = (value: unknown) => (hasItems(value) === false ? undefined : mapList(value, text));
