import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { PolicyInput } from '../../src/contract/policies.ts';
import { evaluate, preparePolicy } from '../../src/engine/evaluate.ts';
import { readInventory } from '../../src/inventory/read.ts';

/**
 * Recorded answers of AWS APIs, from accounts in which something was wrong (red) and then right (green). Each is turned
 * into the AWS Config item of the same resource, and the policy that is about the same thing has to find it in red only.
 */
const data = path.resolve(
  import.meta.dirname,
  '../../../shared/data/aws-api-recordings/epam__ecc-aws-rulepack',
);
const library = path.resolve(import.meta.dirname, '../../policies-example');

type Fields = Record<string, unknown>;
type Answers = (name: string) => Fields;

export interface Recording {
  readonly folder: string;
  readonly policy: string;
  readonly type: string;
  /** The answer with the resources, and where they are in it. */
  readonly list: (answers: Answers) => readonly Fields[];
  /** How AWS Config writes this type; default `asConfig`. */
  readonly shape?: (value: unknown) => unknown;
  /** Other answers about the same resource, put together as AWS Config has them. */
  readonly more?: (answers: Answers) => Fields;
}

/** One answer per resource kind; most rows differ in names only. */
const listed =
  (answer: string, ...steps: readonly string[]) =>
  (answers: Answers): readonly Fields[] => {
    let here: unknown = answers(answer);
    for (const step of steps) here = asList(here).flatMap((one) => asList(one[step]));
    return asList(here);
  };

const asList = (value: unknown): Fields[] =>
  value === undefined || value === null ? [] : ([value].flat() as Fields[]);

/** AWS Config writes an API's `DBInstanceClass` as `dBInstanceClass`; words in capitals are values of a map. */
const asConfig = (value: unknown): unknown =>
  renameKeys(value, (key) =>
    /^[A-Z_]+$/.test(key) ? key : `${key.slice(0, 1).toLowerCase()}${key.slice(1)}`,
  );

/** … and some types as CloudFormation does: `RetentionInDays`. */
const asTemplate = (value: unknown): unknown =>
  renameKeys(value, (key) => `${key.slice(0, 1).toUpperCase()}${key.slice(1)}`);

function renameKeys(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Fields;
  if (fields.__class__ === 'datetime') return timestampOf(fields);
  return Object.fromEntries(
    Object.entries(fields).map(([key, inner]) => [rename(key), renameKeys(inner, rename)]),
  );
}

function timestampOf(fields: Fields): string {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = [
    'year',
    'month',
    'day',
    'hour',
    'minute',
    'second',
  ].map((part) => fields[part] as number);
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second)).toISOString();
}

const searchDomain = {
  type: 'AWS::Elasticsearch::Domain',
  list: listed('es.DescribeElasticsearchDomains', 'DomainStatusList'),
};
const classicLoadBalancer = {
  type: 'AWS::ElasticLoadBalancing::LoadBalancer',
  list: listed('elasticloadbalancing.DescribeLoadBalancers', 'LoadBalancerDescriptions'),
};
const logGroup = {
  type: 'AWS::Logs::LogGroup',
  list: listed('logs.DescribeLogGroups', 'logGroups'),
  shape: asTemplate,
};
const instance = {
  type: 'AWS::EC2::Instance',
  list: listed('ec2.DescribeInstances', 'Reservations', 'Instances'),
};
const securityGroup = {
  type: 'AWS::EC2::SecurityGroup',
  list: listed('ec2.DescribeSecurityGroups', 'SecurityGroups'),
};
const certificate = {
  type: 'AWS::CertificateManager::Certificate',
  list: listed('acm.DescribeCertificate', 'Certificate'),
};

/**
 * Those of the recordings that a policy of the library is about. Left out: 198, whose green domain logs to no log group
 * (it was cut from the recording), and 298, which asks for a key of the customer's own where the library asks for any.
 */
export const recordings: readonly Recording[] = [
  { folder: 'ecc-aws-014-clb_uses_https', policy: 'aws-elb-listener-tls', ...classicLoadBalancer },
  {
    folder: 'ecc-aws-023-clb_access_logging_disabled',
    policy: 'aws-elb-access-logs',
    ...classicLoadBalancer,
    more: (answers) => ({
      LoadBalancerAttributes: asConfig(
        answers('elasticloadbalancing.DescribeLoadBalancerAttributes').LoadBalancerAttributes,
      ),
    }),
  },
  {
    folder: 'ecc-aws-032-security_group_ingress_is_restricted_traffic_to_mongodb_port_27017',
    policy: 'aws-ec2-security-group-no-public-database-ports',
    ...securityGroup,
  },
  {
    folder: 'ecc-aws-057-ensure_iam_instance_roles_are_used_for_resource_access_from_instance',
    policy: 'aws-ec2-instance-profile',
    ...instance,
  },
  {
    folder: 'ecc-aws-088-s3_bucket_cross_region_replication_enabled',
    policy: 'aws-s3-replication',
    type: 'AWS::S3::Bucket',
    list: listed('s3.ListBuckets', 'Buckets'),
    more: (answers) => ({
      BucketReplicationConfiguration: asConfig(
        answers('s3.GetBucketReplication').ReplicationConfiguration ?? null,
      ),
    }),
  },
  {
    folder: 'ecc-aws-108-cloudfront_distribution_access_logging',
    policy: 'aws-cloudfront-access-logs',
    type: 'AWS::CloudFront::Distribution',
    list: (answers) => [answers('cloudfront.GetDistributionConfig')],
  },
  {
    folder: 'ecc-aws-153-elasticsearch_domains_audit_logging_enabled',
    policy: 'aws-elasticsearch-audit-logs',
    ...searchDomain,
  },
  {
    folder: 'ecc-aws-169-security_group_ingress_is_restricted_traffic_to_port_4333',
    policy: 'aws-ec2-security-group-no-public-database-ports',
    ...securityGroup,
  },
  {
    folder: 'ecc-aws-195-alb_http_to_https_redirection_enabled',
    policy: 'aws-elbv2-listener-https',
    type: 'AWS::ElasticLoadBalancingV2::Listener',
    list: listed('elasticloadbalancing.DescribeListeners', 'Listeners'),
  },
  {
    folder: 'ecc-aws-200-rds_cluster_deletion_protection_enabled',
    policy: 'aws-rds-cluster-deletion-protection',
    type: 'AWS::RDS::DBCluster',
    list: listed('rds.DescribeDBClusters', 'DBClusters'),
  },
  {
    folder: 'ecc-aws-210-rds_instance_iam_authentication_configured',
    policy: 'aws-rds-instance-iam-authentication',
    type: 'AWS::RDS::DBInstance',
    list: listed('rds.DescribeDBInstances', 'DBInstances'),
  },
  {
    folder: 'ecc-aws-217-redshift_cluster_enhanced_vpc_routing_enabled',
    policy: 'aws-redshift-cluster-vpc-routing',
    type: 'AWS::Redshift::Cluster',
    list: listed('redshift.DescribeClusters', 'Clusters'),
  },
  {
    folder: 'ecc-aws-282-elasticsearch_enforces_https',
    policy: 'aws-elasticsearch-https',
    ...searchDomain,
  },
  {
    folder: 'ecc-aws-489-ec2_instance_detailed_monitoring_enabled',
    policy: 'aws-ec2-instance-detailed-monitoring',
    ...instance,
  },
  {
    folder: 'ecc-aws-501-opensearch_access_control_enabled',
    policy: 'aws-opensearch-access-control',
    ...searchDomain,
    type: 'AWS::OpenSearchService::Domain',
  },
  {
    folder: 'ecc-aws-532-imported_and_acm_certificates_expire_in_one_month',
    policy: 'aws-acm-certificate-expiry',
    ...certificate,
  },
  {
    folder: 'ecc-aws-602-cloudwatch_logs_with_no_log_retention_period',
    policy: 'aws-logs-retention-set',
    ...logGroup,
  },
];

const policyFile = (name: string): string => {
  const found = readdirSync(library, { recursive: true, encoding: 'utf8' }).find((file) =>
    file.endsWith(`${path.sep}${name}.yaml`),
  );
  if (!found) throw new Error(`there is no policy ${name}`);
  return path.join(library, found);
};

/** The statuses of the policy over the recorded resources of one colour. */
export function statuses(recording: Recording, colour: 'red' | 'green'): string[] {
  const folder = path.join(data, recording.folder, `placebo-${colour}`);
  const answers: Answers = (name) => {
    const file = path.join(folder, `${name}_1.json`);
    if (!existsSync(file)) return {};
    return (JSON.parse(readFileSync(file, 'utf8')) as { data: Fields }).data;
  };
  const items = recording.list(answers).map((resource, index) => ({
    resourceType: recording.type,
    resourceId: `resource-${index}`,
    awsRegion: 'us-east-1',
    awsAccountId: '111111111111',
    configurationItemStatus: 'OK',
    configuration: (recording.shape ?? asConfig)(resource),
    supplementaryConfiguration: recording.more?.(answers) ?? {},
    tags: Object.fromEntries(asList(resource.Tags).map(({ Key, Value }) => [Key, Value])),
  }));
  const read = readInventory(JSON.stringify({ configurationItems: items }), {
    format: 'aws-config',
  });
  if (!read.ok) throw new Error(read.problem.message);
  const policy = preparePolicy({
    policy: PolicyInput.parse(parse(readFileSync(policyFile(recording.policy), 'utf8'))),
  });
  const now = Date.UTC(2023, 0, 15);
  return read.inventory.resources.map(({ resource }) => evaluate(policy, resource, now).status);
}

export const hasRecordings = existsSync(data);
