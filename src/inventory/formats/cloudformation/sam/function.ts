import { isUnknown } from '../../../attributes/values.ts';
import type { Fields } from '../resolver.ts';
import { isFields, own } from '../resolver.ts';
import type { EventParts } from './events.ts';
import { eventsOf, partsOfFunctionEvent } from './events.ts';
import type { Expansion } from './expansion.ts';
import { inlinePolicy, managedPolicy, roleOf, trustOf } from './role.ts';
import type { Declared, Made } from './written.ts';
import {
  added,
  arnOf,
  base,
  fieldOf,
  given,
  isMap,
  locationOf,
  unknownPart,
  perhaps,
  pick,
  ref,
  tagPairs,
  without,
  wordOf,
} from './written.ts';

/** Properties that only SAM has, or that it gives another name; the others are the function's own. */
const ofSam = [
  'AssumeRolePolicyDocument',
  'AutoPublishAlias',
  'AutoPublishAliasAllProperties',
  'AutoPublishCodeSha256',
  'CodeUri',
  'Connectors',
  'DeadLetterQueue',
  'DeploymentPreference',
  'EventInvokeConfig',
  'Events',
  'FunctionUrlConfig',
  'ImageUri',
  'InlineCode',
  'PermissionsBoundary',
  'Policies',
  'PropagateTags',
  'ProvisionedConcurrencyConfig',
  'Role',
  'RolePath',
  'SourceKMSKeyArn',
  'Tags',
  'Tracing',
  'VersionDeletionPolicy',
  'VersionDescription',
];

export function expandFunction(declared: Declared): Expansion {
  const { id, properties } = declared;
  const versions = expandAlias(declared);
  const target = versions.alias
    ? { name: ref(versions.alias), arn: ref(versions.alias) }
    : { name: ref(id), arn: arnOf(id) };
  const events = eventsOf(declared);
  const parts = events.map((event) => partsOfFunctionEvent(declared, event, target));
  const known = parts.filter((one) => one !== undefined);
  const destinations = expandDestinations(declared, versions.alias);
  const { role, made } = roleOf(declared, {
    service: 'lambda.amazonaws.com',
    managed: managedPolicies(properties, known),
    inline: [
      ...deadLetterPolicy(properties),
      ...destinations.inline,
      ...known.flatMap(({ inline = [] }) => inline),
    ],
    createdBy: 'lambda:createdBy',
  });
  return {
    made: [
      base(declared, {
        ...without(properties, ...ofSam),
        Code: codeOf(properties),
        Role: role,
        Tags: tagPairs(own(properties, 'Tags'), 'lambda:createdBy'),
        TracingConfig: Object.hasOwn(properties, 'Tracing')
          ? { Mode: own(properties, 'Tracing') }
          : undefined,
        DeadLetterConfig: deadLetterConfig(own(properties, 'DeadLetterQueue')),
      }),
      ...made,
      ...versions.made,
      ...expandUrl(declared, versions.alias),
      ...destinations.made,
      ...known.flatMap((one) => one.made),
    ],
    unknownEvents: events.filter((_, at) => parts[at] === undefined),
  };
}

function managedPolicies(properties: Fields, events: readonly EventParts[]): string[] {
  const isSet = (name: string): boolean => (own(properties, name) ?? undefined) !== undefined;
  return [
    ...new Set([
      managedPolicy('service-role/AWSLambdaBasicExecutionRole'),
      ...(isSet('Tracing') ? [managedPolicy('AWSXrayWriteOnlyAccess')] : []),
      ...(isSet('VpcConfig')
        ? [managedPolicy('service-role/AWSLambdaVPCAccessExecutionRole')]
        : []),
      ...events.flatMap(({ managed = [] }) => managed),
    ]),
  ];
}

function codeOf(properties: Fields): unknown {
  const { InlineCode: inline, ImageUri: image } = properties;
  if (inline !== undefined) return { ZipFile: inline };
  if (image !== undefined) return { ImageUri: image };
  const names = { bucket: 'S3Bucket', key: 'S3Key', version: 'S3ObjectVersion' };
  return locationOf(own(properties, 'CodeUri') ?? '.', names);
}

const deadLetterConfig = (queue: unknown): unknown =>
  isMap(queue) ? pick(queue, 'TargetArn') : queue;

function deadLetterPolicy({ DeadLetterQueue: queue }: Fields): Fields[] {
  if (queue === undefined || queue === null) return [];
  return [
    inlinePolicy('DeadLetterQueuePolicy', {
      Effect: 'Allow',
      Action:
        sendActions.get(wordOf(fieldOf(queue, 'Type'))) ?? unknownPart('the type of the queue'),
      Resource: fieldOf(queue, 'TargetArn') ?? unknownPart('the ARN of the queue'),
    }),
  ];
}

/** The version and the alias that `AutoPublishAlias` makes, and how CodeDeploy moves it. */
function expandAlias(declared: Declared): { alias?: string; made: Made[] } {
  const { id, properties, resolve } = declared;
  const alias = resolve(own(properties, 'AutoPublishAlias'));
  if (alias === undefined || alias === null) return { made: [] };
  const name = typeof alias === 'string' ? alias : '';
  const preference = own(properties, 'DeploymentPreference');
  const isMoved = isMap(preference) && wordOf(resolve(own(preference, 'Enabled'))) !== 'false';
  const role = fieldOf(preference, 'Role');
  return {
    alias: `${id}Alias${name}`,
    made: [
      added(declared, 'Version', 'AWS::Lambda::Version', {
        FunctionName: ref(id),
        Description: own(properties, 'VersionDescription'),
      }),
      added(declared, `Alias${name}`, 'AWS::Lambda::Alias', {
        FunctionName: ref(id),
        FunctionVersion: { 'Fn::GetAtt': [`${id}Version`, 'Version'] },
        Name: alias,
        ...pick(properties, 'ProvisionedConcurrencyConfig'),
      }),
      ...(isMoved
        ? [
            added(declared, 'DeploymentGroup', 'AWS::CodeDeploy::DeploymentGroup', {
              ApplicationName: ref('ServerlessDeploymentApplication'),
              ServiceRoleArn: role ?? arnOf('CodeDeployServiceRole'),
              AlarmConfiguration: { Alarms: own(preference, 'Alarms'), Enabled: true },
            }),
            shared('ServerlessDeploymentApplication', 'AWS::CodeDeploy::Application', {
              ComputePlatform: 'Lambda',
            }),
            ...(role === undefined
              ? [
                  shared('CodeDeployServiceRole', 'AWS::IAM::Role', {
                    AssumeRolePolicyDocument: trustOf('codedeploy.amazonaws.com'),
                    ManagedPolicyArns: [managedPolicy('service-role/AWSCodeDeployRoleForLambda')],
                  }),
                ]
              : []),
          ]
        : []),
    ],
  };
}

/** One for all functions of a template. */
const shared = (id: string, type: string, properties: Fields): Made => ({
  id,
  type,
  properties,
  attributes: {},
});

/** An address on the internet, and the permission that makes it public where nobody has to sign in. */
function expandUrl(declared: Declared, alias: string | undefined): Made[] {
  const { id, properties, resolve } = declared;
  const written = own(properties, 'FunctionUrlConfig');
  const config = isMap(written) ? written : resolve(written);
  if (config === undefined || config === null) return [];
  const fields = isFields(config) ? config : { AuthType: unknownPart('the settings of the URL') };
  const FunctionName = ref(alias ?? id);
  const auth = resolve(own(fields, 'AuthType'));
  const isPublic = auth === 'NONE' || isUnknown(auth);
  const open = added(declared, 'UrlPublicPermissions', 'AWS::Lambda::Permission', {
    Action: 'lambda:InvokeFunctionUrl',
    FunctionName,
    Principal: '*',
    FunctionUrlAuthType: 'NONE',
  });
  const url = added(declared, 'Url', 'AWS::Lambda::Url', {
    ...pick(fields, 'AuthType', 'Cors', 'InvokeMode'),
    TargetFunctionArn: FunctionName,
  });
  const isSure = isFields(config);
  return [
    isSure ? url : perhaps(url, `${id} has a FunctionUrlConfig`),
    ...(isPublic ? [auth === 'NONE' ? open : perhaps(open, `AuthType of ${id} is NONE`)] : []),
  ];
}

/** Where results of asynchronous calls go; a queue or topic without an ARN is added. */
function expandDestinations(
  declared: Declared,
  alias: string | undefined,
): { made: Made[]; inline: Fields[] } {
  const { id, properties } = declared;
  const config = own(properties, 'EventInvokeConfig');
  if (!isFields(config)) return { made: [], inline: [] };
  const made: Made[] = [];
  const inline: Fields[] = [];
  const destinations: Record<string, unknown> = {};
  for (const event of ['OnSuccess', 'OnFailure']) {
    const wanted = fieldOf(own(config, 'DestinationConfig'), event);
    const type = fieldOf(wanted, 'Type');
    if (wanted === undefined) continue;
    const suffix = `EventInvokeConfig${event}${type === 'SNS' ? 'Topic' : 'Queue'}`;
    const given = fieldOf(wanted, 'Destination');
    const isMade = given === undefined && (type === 'SNS' || type === 'SQS');
    if (isMade) {
      made.push(
        added(declared, suffix, type === 'SNS' ? 'AWS::SNS::Topic' : 'AWS::SQS::Queue', {}),
      );
    }
    const arn = isMade
      ? type === 'SNS'
        ? ref(`${id}${suffix}`)
        : arnOf(`${id}${suffix}`)
      : (given ?? unknownPart('the destination'));
    destinations[event] = { Destination: arn };
    inline.push(
      inlinePolicy(`${id}EventInvokeConfig${event}Policy`, {
        Effect: 'Allow',
        Action: sendActions.get(wordOf(type)) ?? unknownPart('the type of the destination'),
        Resource: arn,
      }),
    );
  }
  made.push(
    added(declared, 'EventInvokeConfig', 'AWS::Lambda::EventInvokeConfig', {
      FunctionName: ref(id),
      Qualifier: alias === undefined ? '$LATEST' : own(properties, 'AutoPublishAlias'),
      ...pick(config, 'MaximumEventAgeInSeconds', 'MaximumRetryAttempts'),
      DestinationConfig: given(destinations),
    }),
  );
  return { made, inline };
}

const sendActions: ReadonlyMap<string, string> = new Map([
  ['SQS', 'sqs:SendMessage'],
  ['SNS', 'sns:Publish'],
  ['EventBridge', 'events:PutEvents'],
  ['Lambda', 'lambda:InvokeFunction'],
]);
