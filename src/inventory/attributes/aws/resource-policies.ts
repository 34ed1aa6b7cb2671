import { defined } from '../../../contract/defined.ts';
import { UnknownValue } from '../../../contract/resources.ts';
import type { RawResource } from '../../model.ts';
import { normaliser } from '../normaliser.ts';
import { at, isGiven, isUnknown, list, not, readJson } from '../values.ts';
import { field } from './api-field.ts';
import { notRecorded } from './config-item.ts';
import { planned, plannedBlock } from './plan-value.ts';
import { readAllStatements, readStatements, requiredDocument } from './policy-document.ts';

const meaning = 'the resource policy, which defines who can use the resource';

/** What services call the document of a resource policy, in templates and in Terraform; each type has one of them. */
const names = {
  template: [
    'PolicyDocument',
    'ResourcePolicy',
    'PolicyText',
    'Policy',
    'Content',
    'PermissionsPolicyDocument',
    'DestinationPolicy',
    'AccessPolicy',
    'KeyPolicy',
    'RepositoryPolicy',
    'RepositoryPolicyText',
    'ModelPackageGroupPolicy',
  ],
  terraform: [
    'policy',
    'policy_document',
    'resource_policy',
    'access_policy',
    'content',
    'repository_policy',
  ],
} as const;

const firstOf = (wanted: readonly string[], read: (name: string) => unknown): unknown =>
  wanted.map(read).find((value) => value !== undefined && value !== null);

const inTemplate = ({ properties }: RawResource): unknown =>
  firstOf(names.template, (name) => at(properties, name));
const inTerraform = ({ properties }: RawResource): unknown =>
  firstOf(
    names.terraform,
    // That of a multi-Region access point is within a block.
    (name) => planned(properties, name) ?? planned(properties, 'details', name),
  );

/** Resource policies that are resources of their own, of services with no policy of the library about them alone. */
export const resourcePolicies = normaliser({
  types: [
    'AWS::CodeArtifact::DomainPermissionsPolicy',
    'AWS::CodeArtifact::RepositoryPermissionsPolicy',
    'AWS::DynamoDB::ResourcePolicy',
    'AWS::ECR::PublicRepositoryPolicy',
    'AWS::ECR::RegistryPolicy',
    'AWS::EventSchemas::RegistryPolicy',
    'AWS::Glue::ResourcePolicy',
    'AWS::Kinesis::ResourcePolicy',
    'AWS::Logs::DestinationPolicy',
    'AWS::Logs::ResourcePolicy',
    'AWS::MSK::ClusterPolicy',
    'AWS::MediaStore::ContainerPolicy',
    'AWS::S3::MultiRegionAccessPointPolicy',
    'AWS::S3Express::BucketPolicy',
    'AWS::S3ObjectLambda::AccessPointPolicy',
    'AWS::S3Outposts::BucketPolicy',
    'AWS::S3Tables::TableBucketPolicy',
    'AWS::S3Tables::TablePolicy',
    'AWS::SageMaker::ModelPackageGroupPolicy',
    'AWS::SNS::TopicInlinePolicy',
    'AWS::SQS::QueueInlinePolicy',
    'AWS::VpcLattice::AuthPolicy',
  ],
  like: /^AWS::\w+::ResourcePolicy$/,
  attributes: {
    'policy.statements': {
      type: 'list<Statement>',
      meaning: `${meaning}; also available for other types named ResourcePolicy`,
    },
  },
  from: {
    cloudformation: (raw) => ({
      'policy.statements': readStatements(requiredDocument(inTemplate(raw))),
    }),
    terraform: (raw) => ({
      'policy.statements': readStatements(requiredDocument(inTerraform(raw))),
    }),
    'aws-config': () => ({ 'policy.statements': notRecorded('the policy') }),
  },
});

/** What has its resource policy as a property. Terraform keeps most of them beside it, where they are judged. */
export const ownersOfPolicies = normaliser({
  types: [
    'AWS::Backup::LogicallyAirGappedBackupVault',
    'AWS::CodeArtifact::Domain',
    'AWS::CodeArtifact::Repository',
    'AWS::ECR::PublicRepository',
    'AWS::ECR::RepositoryCreationTemplate',
    'AWS::Events::EventBus',
    'AWS::Glacier::Vault',
    'AWS::KMS::ReplicaKey',
    'AWS::Logs::Destination',
    'AWS::MediaStore::Container',
    'AWS::SageMaker::ModelPackageGroup',
  ],
  source: 'AWS CloudFormation Template Reference, 2025-11',
  attributes: { 'policy.statements': { type: 'list<Statement>', meaning, absent: [] } },
  from: {
    cloudformation: (raw) => ({ 'policy.statements': readStatements(inTemplate(raw)) }),
    terraform: (raw) => ({ 'policy.statements': readStatements(inTerraform(raw)) }),
    'aws-config': ({ properties }) => ({
      'policy.statements': readStatements(
        firstOf(names.template, (name) => field(properties, name)) ?? notRecorded('the policy'),
      ),
    }),
  },
});

/** A table with replicas, each of which has policies of its own. Terraform's type has none. */
export const dynamodbGlobalTable = normaliser({
  types: ['AWS::DynamoDB::GlobalTable'],
  source: 'AWS CloudFormation Template Reference, 2025-11',
  attributes: {
    'policy.statements': {
      type: 'list<Statement>',
      meaning: 'resource-based policies of all replicas and their streams',
      absent: [],
    },
  },
  from: {
    cloudformation: ({ properties }) => {
      const replicas = list(at(properties, 'Replicas'));
      return {
        'policy.statements': isUnknown(replicas)
          ? replicas
          : readAllStatements(
              replicas.flatMap((replica) =>
                isUnknown(replica)
                  ? [replica]
                  : [
                      at(replica, 'ResourcePolicy', 'PolicyDocument'),
                      at(replica, 'ReplicaStreamSpecification', 'ResourcePolicy', 'PolicyDocument'),
                    ],
              ),
            ),
      };
    },
    terraform: () => ({}),
    'aws-config': () => ({ 'policy.statements': notRecorded('the policies') }),
  },
});

/** A permission of an event bus: a statement, or in the older form an account, an action and a condition. */
export const eventBusPolicy = normaliser({
  types: ['AWS::Events::EventBusPolicy'],
  source: 'Amazon EventBridge API Reference, API version 2015-10-07',
  attributes: {
    'policy.statements': {
      type: 'list<Statement>',
      meaning: 'the policy of the event bus, which defines who can send events to it',
    },
  },
  from: {
    cloudformation: ({ properties }) => ({
      'policy.statements': readStatements(
        requiredDocument(
          statementOf(at(properties, 'Statement')) ??
            permission(
              at(properties, 'Principal'),
              at(properties, 'Action'),
              at(properties, 'Condition'),
              ['Type', 'Key', 'Value'],
            ),
        ),
      ),
    }),
    terraform: ({ properties }) => ({
      'policy.statements': readStatements(
        requiredDocument(
          planned(properties, 'policy') ??
            permission(
              planned(properties, 'principal'),
              planned(properties, 'action') ?? 'events:PutEvents',
              plannedBlock(properties, 'condition'),
              ['type', 'key', 'value'],
            ),
        ),
      ),
    }),
  },
});

/** A template gives a statement as an object, or as JSON text. */
function statementOf(given: unknown): unknown {
  const statement = typeof given === 'string' ? readJson(given) : given;
  return statement === undefined || isUnknown(statement) ? statement : { Statement: statement };
}

/** The older form as a document; none where it names nobody. */
function permission(
  principal: unknown,
  action: unknown,
  condition: unknown,
  names: readonly [type: string, key: string, value: string],
): unknown {
  if (principal === undefined) return undefined;
  const Condition = condition === undefined ? undefined : conditionOf(condition, names);
  return {
    Statement: {
      Effect: 'Allow',
      Principal: principal,
      Action: action,
      ...defined({ Condition }),
    },
  };
}

function conditionOf(
  given: unknown,
  [type, key, value]: readonly [type: string, key: string, value: string],
): unknown {
  const operator = at(given, type);
  const name = at(given, key);
  return typeof operator === 'string' && typeof name === 'string'
    ? { [operator]: { [name]: at(given, value) } }
    : new UnknownValue('the condition of the permission');
}

const pointPolicy = 'AWS::S3::AccessPointPolicy';
const pointOfPolicy = ({ properties }: RawResource): unknown => properties['access_point_arn'];

/** An access point of S3: its policy says whom it lets in, its network from where. */
export const s3AccessPoint = normaliser({
  types: ['AWS::S3::AccessPoint'],
  source: 'Amazon S3 API Reference, API version 2006-03-01',
  attributes: {
    public_access: {
      type: 'bool',
      meaning: 'the access point accepts requests from outside a VPC',
      absent: true,
    },
    'policy.statements': {
      type: 'list<Statement>',
      meaning: 'the access point policy',
      absent: [],
    },
  },
  arguments: {
    Policy: ['policy', 'policy of aws_s3control_access_point_policy'],
    VpcConfiguration: 'vpc_configuration',
  },
  from: {
    cloudformation: ({ properties }) => ({
      public_access: not(isGiven(at(properties, 'VpcConfiguration', 'VpcId'))),
      'policy.statements': readStatements(at(properties, 'Policy')),
    }),
    terraform: (raw, related) => ({
      public_access: not(isGiven(planned(raw.properties, 'vpc_configuration', 'vpc_id'))),
      'policy.statements': readAllStatements([
        planned(raw.properties, 'policy'),
        ...related
          .referring(raw, pointPolicy, pointOfPolicy)
          .map(({ properties }) => requiredDocument(properties['policy'])),
        related.stray('an access point policy', pointPolicy, pointOfPolicy),
      ]),
    }),
    'aws-config': ({ properties }) => ({
      public_access: not(isGiven(field(properties, 'VpcConfiguration', 'VpcId'))),
      'policy.statements': readStatements(
        field(properties, 'Policy') ?? notRecorded('the access point policy'),
      ),
    }),
  },
});
