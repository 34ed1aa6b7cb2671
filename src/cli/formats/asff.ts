import { defined } from '../../contract/defined.ts';
import type { Violation, ViolationStatus } from '../../contract/violations.ts';
import { outcomeOf } from './ocsf.ts';

const workflow: Record<ViolationStatus, string> = {
  OPEN: 'NEW',
  EXEMPT: 'SUPPRESSED',
  RESOLVED: 'RESOLVED',
};
const outcomes = {
  pass: 'PASSED',
  warning: 'WARNING',
  fail: 'FAILED',
  unknown: 'NOT_AVAILABLE',
} as const;

/** What Security Hub accepts: characters of texts and IDs, requirements, tags. */
const longestTitle = 256;
const longestText = 1_024;
const longestId = 512;
const mostRequirements = 32;
const mostTags = 50;

/** Where findings of global resources are imported. */
const globalRegions: Readonly<Record<string, string>> = {
  aws: 'us-east-1',
  'aws-cn': 'cn-north-1',
  'aws-us-gov': 'us-gov-west-1',
};

/** Whether a violation has the AWS account that a finding in this format requires. */
export const fitsAsff = ({ account_id: account = '' }: Violation): boolean =>
  /^\d{12}$/.test(account);

/**
 * A JSON array in the AWS Security Finding Format, as `aws securityhub batch-import-findings` takes it; violations without an AWS account are
 * left out. @see https://docs.aws.amazon.com/securityhub/latest/userguide/securityhub-findings-format.html
 */
export function renderAsff(violations: readonly Violation[]): string {
  return `${JSON.stringify(violations.filter(fitsAsff).map(findingOf), null, 2)}\n`;
}

function findingOf(violation: Violation): object {
  const { id, policy_id, policy_name, message, severity, status, account_id: account } = violation;
  const { resource_id: resource, environment, exemption_id, remediation_id } = violation;
  const partition = /^arn:(aws[a-z-]*):/.exec(resource)?.[1] ?? 'aws';
  const region = regionOf(violation, partition);
  const tags = Object.entries(violation.tags).slice(0, mostTags);
  const other = defined({
    environment,
    policy_id,
    exemption_id,
    remediation_id,
    resource_type: violation.resource_type,
  });
  return {
    SchemaVersion: '2018-10-08',
    Id: id,
    ProductArn: `arn:${partition}:securityhub:${region}:${account}:product/${account}/default`,
    GeneratorId: `govctl/${policy_id}`,
    AwsAccountId: account,
    Types: ['Software and Configuration Checks/Industry and Regulatory Standards'],
    FirstObservedAt: violation.detected_at,
    CreatedAt: violation.detected_at,
    UpdatedAt: violation.updated_at,
    Severity: { Label: severity },
    Title: policy_name.slice(0, longestTitle),
    Description: message.slice(0, longestText),
    ProductFields: other,
    Resources: [
      {
        Type: typeOf(violation.resource_type),
        Id: resource.slice(0, longestId),
        Partition: partition,
        Region: region,
        ...(tags.length > 0 ? { Tags: Object.fromEntries(tags) } : {}),
      },
    ],
    Compliance: {
      Status: outcomes[outcomeOf(violation)],
      ...(violation.compliance_frameworks.length > 0
        ? { RelatedRequirements: violation.compliance_frameworks.slice(0, mostRequirements) }
        : {}),
    },
    Workflow: { Status: workflow[status] },
    RecordState: isGone(violation) ? 'ARCHIVED' : 'ACTIVE',
  };
}

const regionOf = ({ region = 'global' }: Violation, partition: string): string =>
  region === 'global' ? (globalRegions[partition] ?? 'us-east-1') : region;

const isGone = ({ status, history }: Violation): boolean =>
  status === 'RESOLVED' &&
  ['resource_deleted', 'policy_deleted'].includes(history.at(-1)?.cause ?? '');

/** Services that ASFF names otherwise than CloudFormation does. */
const services: ReadonlyMap<string, string> = new Map([
  ['ElasticLoadBalancing', 'Elb'],
  ['ElasticLoadBalancingV2', 'Elbv2'],
  ['WAFv2', 'Wafv2'],
]);

/** `AWS::EC2::SecurityGroup` → `AwsEc2SecurityGroup`. */
function typeOf(type: string): string {
  const [provider = '', service = '', ...rest] = type.split('::');
  if (provider !== 'AWS' || rest.length === 0) return 'Other';
  return `Aws${services.get(service) ?? capitalised(service)}${rest.map(capitalised).join('')}`;
}

/** Abbreviations as words: `DBInstance` → `DbInstance`, `DynamoDB` → `DynamoDb`. */
const capitalised = (name: string): string =>
  name.replace(/[A-Z]+(?![a-z])/g, (letters) => letters[0] + letters.slice(1).toLowerCase());
