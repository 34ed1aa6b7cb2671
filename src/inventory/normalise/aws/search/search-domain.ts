import type { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import type { Maybe } from '../../values.ts';
import {
  and,
  at,
  block,
  flag,
  hasItems,
  isGiven,
  isUnknown,
  mapList,
  not,
  number,
  or,
  text,
} from '../../values.ts';
import { itemName } from '../config-item.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';
import { tlsOfPolicy } from '../tls-policy.ts';

export const searchDomain = normaliser({
  types: ['AWS::OpenSearchService::Domain', 'AWS::Elasticsearch::Domain'],
  attributes: {
    'encryption.enabled': { type: 'bool', meaning: 'at-rest encryption', absent: false },
    ...kmsKeyAttributes(),
    node_to_node_encryption: {
      type: 'bool',
      meaning: 'traffic between the nodes is encrypted',
      absent: false,
    },
    'tls.required': { type: 'bool', meaning: 'HTTPS is enforced', absent: false },
    'tls.minimum_version': {
      type: 'string',
      meaning: 'the oldest version of the TLS security policy',
      absent: '1.0',
    },
    public_access: {
      type: 'bool',
      meaning: 'the endpoint is public: the domain is in no VPC',
      absent: true,
    },
    fine_grained_access_control: {
      type: 'bool',
      meaning: 'access to indexes, documents and fields is controlled by user',
      absent: false,
    },
    'logging.enabled': {
      type: 'bool',
      meaning: 'at least one log goes to CloudWatch Logs',
      absent: false,
    },
    'logging.types': {
      type: 'list<string>',
      meaning:
        'logs that do: `ES_APPLICATION_LOGS`, `AUDIT_LOGS`, `INDEX_SLOW_LOGS`, `SEARCH_SLOW_LOGS`',
      absent: [],
    },
    instance_count: { type: 'int', meaning: 'data nodes', absent: 1 },
    multi_az: { type: 'bool', meaning: 'data nodes are spread over zones', absent: false },
    'dedicated_masters.enabled': {
      type: 'bool',
      meaning: 'nodes of their own keep the state of the cluster',
      absent: false,
    },
    'dedicated_masters.count': {
      type: 'int',
      meaning: 'how many; AWS takes no fewer than three',
      absent: 3,
    },
  },
  from: {
    cloudformation: (raw, related) => ofDocument(raw, related, (name) => name),
    terraform: ({ properties }, related) => {
      const cluster = block(properties, 'cluster_config');
      const atRest = block(properties, 'encrypt_at_rest');
      const endpoint = block(properties, 'domain_endpoint_options');
      return read(related, {
        instances: at(cluster, 'instance_count'),
        zones: at(cluster, 'zone_awareness_enabled'),
        standby: at(cluster, 'multi_az_with_standby_enabled'),
        masters: at(cluster, 'dedicated_master_enabled'),
        masterCount: at(cluster, 'dedicated_master_count'),
        encrypted: at(atRest, 'enabled'),
        key: at(atRest, 'kms_key_id'),
        nodeToNode: at(block(properties, 'node_to_node_encryption'), 'enabled'),
        https: at(endpoint, 'enforce_https'),
        tlsPolicy: at(endpoint, 'tls_security_policy'),
        subnets: at(block(properties, 'vpc_options'), 'subnet_ids'),
        security: at(block(properties, 'advanced_security_options'), 'enabled'),
        logs: mapList(at(properties, 'log_publishing_options'), (log) => ({
          type: text(at(log, 'log_type')),
          on: isLogged(at(log, 'enabled') ?? true, at(log, 'cloudwatch_log_group_arn')),
        })),
      });
    },
    // Elasticsearch's items are written as its API does, OpenSearch's as its template is.
    'aws-config': (raw, related) =>
      ofDocument(
        raw,
        related,
        isGiven(at(raw.properties, 'elasticsearchClusterConfig')) === true
          ? itemName
          : (name) => name,
      ),
  },
});

function ofDocument(
  { properties }: RawResource,
  related: Related,
  named: (name: string) => string,
) {
  const field = (...path: readonly string[]): unknown => at(properties, ...path.map(named));
  const cluster = (name: string): unknown =>
    field('ClusterConfig', name) ?? field('ElasticsearchClusterConfig', name);
  const logs = field('LogPublishingOptions');
  return read(related, {
    instances: cluster('InstanceCount'),
    zones: cluster('ZoneAwarenessEnabled'),
    standby: cluster('MultiAZWithStandbyEnabled'),
    masters: cluster('DedicatedMasterEnabled'),
    masterCount: cluster('DedicatedMasterCount'),
    encrypted: field('EncryptionAtRestOptions', 'Enabled'),
    key: field('EncryptionAtRestOptions', 'KmsKeyId'),
    nodeToNode: field('NodeToNodeEncryptionOptions', 'Enabled'),
    https: field('DomainEndpointOptions', 'EnforceHTTPS'),
    tlsPolicy: field('DomainEndpointOptions', 'TLSSecurityPolicy'),
    subnets: field('VPCOptions', 'SubnetIds'),
    security: field('AdvancedSecurityOptions', 'Enabled'),
    logs: isUnknown(logs)
      ? logs
      : Object.entries(logs ?? {}).map(([type, log]: [string, unknown]) => ({
          type,
          on: isLogged(at(log, named('Enabled')), at(log, named('CloudWatchLogsLogGroupArn'))),
        })),
  });
}

interface Log {
  readonly type: Maybe<string>;
  readonly on: boolean | UnknownValue;
}

type Given = Readonly<
  Record<
    | 'instances'
    | 'zones'
    | 'standby'
    | 'masters'
    | 'masterCount'
    | 'encrypted'
    | 'key'
    | 'nodeToNode'
    | 'https'
    | 'tlsPolicy'
    | 'subnets'
    | 'security',
    unknown
  >
> & { readonly logs: readonly Log[] | UnknownValue };

function read(related: Related, given: Given) {
  const { logs } = given;
  return {
    'encryption.enabled': flag(given.encrypted),
    ...kmsKey(given.key, related),
    node_to_node_encryption: flag(given.nodeToNode),
    'tls.required': flag(given.https),
    'tls.minimum_version': tlsOfPolicy(given.tlsPolicy),
    public_access: not(hasItems(given.subnets)),
    fine_grained_access_control: flag(given.security),
    'logging.enabled': isUnknown(logs) ? logs : or(...logs.map(({ on }) => on)),
    'logging.types': isUnknown(logs)
      ? logs
      : logs.filter(({ on }) => on !== false).map(({ type, on }) => (isUnknown(on) ? on : type)),
    instance_count: number(given.instances),
    multi_az: or(flag(given.zones), flag(given.standby)),
    'dedicated_masters.enabled': flag(given.masters),
    'dedicated_masters.count': number(given.masterCount),
  };
}

/** A log is written where it is on and has a group to go to; a group is named by a text. */
const isLogged = (enabled: unknown, group: unknown) =>
  and(flag(enabled), isUnknown(group) ? isGiven(group) : typeof group === 'string');
