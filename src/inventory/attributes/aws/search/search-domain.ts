import { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import { joinedAttribute } from '../../joined.ts';
import { normaliser } from '../../normaliser.ts';
import { allParts } from '../../related.ts';
import type { Related } from '../../related.ts';
import type { Maybe } from '../../values.ts';
import {
  and,
  at,
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
import { field } from '../api-field.ts';
import { isSetInPlan, kmsKey, kmsKeyAttributes } from '../kms-key.ts';
import { planned } from '../plan-value.ts';
import { readAllStatements, readStatements, requiredDocument } from '../policy-document.ts';
import { tlsOfPolicy } from '../tls-policy.ts';
import { tlsVersions } from '../../tls-version.ts';

const domains = ['AWS::OpenSearchService::Domain', 'AWS::Elasticsearch::Domain'];

export const searchDomain = normaliser({
  types: domains,
  source: 'Amazon OpenSearch Service API Reference, API version 2021-01-01',
  attributes: {
    'encryption.enabled': {
      type: 'bool',
      meaning: 'the domain is encrypted at rest',
      absent: false,
    },
    ...kmsKeyAttributes(),
    node_to_node_encryption: {
      type: 'bool',
      meaning: 'traffic between the nodes is encrypted',
      absent: false,
    },
    'tls.required': { type: 'bool', meaning: 'HTTPS is enforced', absent: false },
    'tls.minimum_version': {
      type: 'string',
      spelling: tlsVersions,
      meaning: 'earliest TLS version that the security policy accepts',
      absent: '1.0',
    },
    public_access: {
      type: 'bool',
      meaning: 'the endpoint is public, because the domain is not in a VPC',
      absent: true,
    },
    'policy.statements': {
      type: 'list<Statement>',
      meaning: 'the access policy; AWS rejects callers that it does not allow',
      absent: [],
    },
    fine_grained_access_control: {
      type: 'bool',
      meaning: 'fine-grained access control is enabled',
      absent: false,
    },
    'logging.enabled': {
      type: 'bool',
      meaning: 'at least one log type is published to CloudWatch Logs',
      absent: false,
    },
    'logging.types': {
      type: 'list<string>',
      spelling: 'upper',
      meaning:
        'log types that are published to CloudWatch Logs: `ES_APPLICATION_LOGS`, `AUDIT_LOGS`, `INDEX_SLOW_LOGS` or `SEARCH_SLOW_LOGS`',
      absent: [],
    },
    instance_count: { type: 'int', meaning: 'number of data nodes', absent: 1 },
    multi_az: {
      type: 'bool',
      meaning: 'data nodes are distributed across Availability Zones',
      absent: false,
    },
    'dedicated_masters.enabled': {
      type: 'bool',
      meaning: 'the domain has dedicated master nodes',
      absent: false,
    },
    'dedicated_masters.count': {
      type: 'int',
      meaning: 'number of dedicated master nodes; AWS requires at least three',
      absent: 3,
    },
  },
  arguments: {
    AccessPolicies: ['access_policies', 'access_policies of aws_opensearch_domain_policy'],
    'AdvancedSecurityOptions.Enabled': 'advanced_security_options.enabled',
    DedicatedMasterCount: 'cluster_config.dedicated_master_count',
    DedicatedMasterEnabled: 'cluster_config.dedicated_master_enabled',
    'DomainEndpointOptions.EnforceHTTPS': 'domain_endpoint_options.enforce_https',
    'DomainEndpointOptions.TLSSecurityPolicy': 'domain_endpoint_options.tls_security_policy',
    'EncryptionAtRestOptions.Enabled': 'encrypt_at_rest.enabled',
    InstanceCount: 'cluster_config.instance_count',
    LogPublishingOptions: 'log_publishing_options',
    'NodeToNodeEncryptionOptions.Enabled': 'node_to_node_encryption.enabled',
    VPCOptions: 'vpc_options',
    ZoneAwarenessEnabled: 'cluster_config.zone_awareness_enabled',
  },
  from: {
    cloudformation: (raw, related) => ofDocument(raw, related),
    terraform: (raw, related) => {
      const { properties } = raw;
      return read(related, {
        isKeyChosen: isSetInPlan(raw, 'encrypt_at_rest', 'kms_key_id'),
        instances: planned(properties, 'cluster_config', 'instance_count'),
        zones: planned(properties, 'cluster_config', 'zone_awareness_enabled'),
        standby: planned(properties, 'cluster_config', 'multi_az_with_standby_enabled'),
        masters: planned(properties, 'cluster_config', 'dedicated_master_enabled'),
        masterCount: planned(properties, 'cluster_config', 'dedicated_master_count'),
        encrypted: planned(properties, 'encrypt_at_rest', 'enabled'),
        key: planned(properties, 'encrypt_at_rest', 'kms_key_id'),
        nodeToNode: planned(properties, 'node_to_node_encryption', 'enabled'),
        https: planned(properties, 'domain_endpoint_options', 'enforce_https'),
        tlsPolicy: planned(properties, 'domain_endpoint_options', 'tls_security_policy'),
        subnets: planned(properties, 'vpc_options', 'subnet_ids'),
        security: planned(properties, 'advanced_security_options', 'enabled'),
        policies: [
          planned(properties, 'access_policies'),
          ...domainPolicies.flatMap((type) =>
            allParts(related, raw, type, domainOfPolicy).map((part) =>
              requiredDocument(part.properties['access_policies']),
            ),
          ),
        ],
        logs: mapList(at(properties, 'log_publishing_options'), (log) => ({
          type: text(at(log, 'log_type')),
          on: isLogged(at(log, 'enabled') ?? true, at(log, 'cloudwatch_log_group_arn')),
        })),
      });
    },
    'aws-config': (raw, related) => ofDocument(raw, related),
  },
});

/** Only Terraform has them as resources of their own. */
const domainPolicies = ['AWS::OpenSearchService::DomainPolicy', 'AWS::Elasticsearch::DomainPolicy'];
const domainOfPolicy = ({ properties }: RawResource): unknown => properties['domain_name'];

const ofDomain = (what: string) =>
  new UnknownValue(`${what} of a domain that is not in this input`);

/** The access policy of a domain; who it is that may use it depends on the domain, too. */
export const searchDomainPolicy = normaliser({
  types: domainPolicies,
  source: 'Amazon OpenSearch Service API Reference, API version 2021-01-01',
  attributes: {
    'policy.statements': { type: 'list<Statement>', meaning: 'the access policy' },
    public_access: {
      type: 'bool',
      meaning:
        'the endpoint of the domain is public; always unknown, because an access policy does not show it',
    },
    fine_grained_access_control: {
      type: 'bool',
      meaning:
        'the domain has fine-grained access control; always unknown, because an access policy does not show it',
    },
    ...joinedAttribute('the domain', 'AWS::OpenSearchService::Domain'),
  },
  from: {
    terraform: (raw, related) => ({
      'policy.statements': readStatements(requiredDocument(raw.properties['access_policies'])),
      public_access: ofDomain('the network'),
      fine_grained_access_control: ofDomain('the access control'),
      joined: related.find(domainOfPolicy(raw), ...domains) !== undefined,
    }),
  },
});

function ofDocument({ properties }: RawResource, related: Related) {
  const cluster =
    field(properties, 'ClusterConfig') ?? field(properties, 'ElasticsearchClusterConfig');
  const logs = field(properties, 'LogPublishingOptions');
  return read(related, {
    instances: field(cluster, 'InstanceCount'),
    zones: field(cluster, 'ZoneAwarenessEnabled'),
    standby: field(cluster, 'MultiAZWithStandbyEnabled'),
    masters: field(cluster, 'DedicatedMasterEnabled'),
    masterCount: field(cluster, 'DedicatedMasterCount'),
    encrypted: field(properties, 'EncryptionAtRestOptions', 'Enabled'),
    key: field(properties, 'EncryptionAtRestOptions', 'KmsKeyId'),
    nodeToNode: field(properties, 'NodeToNodeEncryptionOptions', 'Enabled'),
    https: field(properties, 'DomainEndpointOptions', 'EnforceHTTPS'),
    tlsPolicy: field(properties, 'DomainEndpointOptions', 'TLSSecurityPolicy'),
    subnets: field(properties, 'VPCOptions', 'SubnetIds'),
    security: field(properties, 'AdvancedSecurityOptions', 'Enabled'),
    policies: [field(properties, 'AccessPolicies')],
    logs: isUnknown(logs)
      ? logs
      : Object.entries(logs ?? {}).map(([type, log]: [string, unknown]) => ({
          type,
          on: isLogged(field(log, 'Enabled'), field(log, 'CloudWatchLogsLogGroupArn')),
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
> & {
  readonly policies: readonly unknown[];
  readonly isKeyChosen?: boolean;
  readonly logs: readonly Log[] | UnknownValue;
};

function read(related: Related, given: Given) {
  const { logs } = given;
  return {
    'encryption.enabled': flag(given.encrypted),
    ...kmsKey(given.key, related, given.isKeyChosen),
    node_to_node_encryption: flag(given.nodeToNode),
    'tls.required': flag(given.https),
    'tls.minimum_version': tlsOfPolicy(given.tlsPolicy),
    public_access: not(hasItems(given.subnets)),
    'policy.statements': readAllStatements(given.policies),
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
