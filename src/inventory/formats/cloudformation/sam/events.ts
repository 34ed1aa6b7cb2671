import type { Fields } from '../resolver.ts';
import { isFields, own } from '../resolver.ts';
import { inlinePolicy, managedPolicy, trustOf } from './role.ts';
import type { Declared, Made } from './written.ts';
import {
  added,
  arnOf,
  fieldOf,
  given,
  isIntrinsic,
  unknownPart,
  pick,
  ref,
  sub,
  without,
  wordOf,
} from './written.ts';

/** One of `Events`. */
export interface Event {
  readonly name: string;
  /** Undefined where it can't be known. */
  readonly type: string | undefined;
  readonly properties: Fields;
}

/** What an event adds: resources, and what the function's role may do for it. */
export interface EventParts {
  readonly made: readonly Made[];
  readonly managed?: readonly string[];
  readonly inline?: readonly Fields[];
}

/** The events of a function or a state machine, in their order. */
export function eventsOf({ properties, resolve }: Declared): Event[] {
  const written = own(properties, 'Events');
  const events = isIntrinsic(written) ? resolve(written) : written;
  if (!isFields(events)) return [];
  return Object.entries(events).map(([name, event]) => {
    const type = resolve(fieldOf(event, 'Type'));
    const given = fieldOf(event, 'Properties');
    return {
      name,
      type: typeof type === 'string' ? type : undefined,
      properties: isFields(given) ? given : {},
    };
  });
}

/** What events of functions deploy; undefined for a type that is not known. */
export function partsOfFunctionEvent(
  declared: Declared,
  event: Event,
  target: Target,
): EventParts | undefined {
  return functionEvents.get(event.type ?? '')?.(declared, event, target);
}

/** The function, or its alias, as its events name it. */
export interface Target {
  readonly name: unknown;
  readonly arn: unknown;
}

type FunctionEvent = (declared: Declared, event: Event, target: Target) => EventParts;

const permission = (
  declared: Declared,
  { name }: Event,
  target: Target,
  source: Fields,
  suffix = 'Permission',
): Made =>
  added(declared, `${name}${suffix}`, 'AWS::Lambda::Permission', {
    Action: 'lambda:InvokeFunction',
    FunctionName: target.name,
    ...source,
  });

/** A stream or a queue that Lambda polls, under the role of the function. */
const polled =
  (source: string, policy?: string): FunctionEvent =>
  (declared, { name, properties }, target) => ({
    made: [
      added(declared, name, 'AWS::Lambda::EventSourceMapping', {
        ...without(properties, source, 'Broker', 'SecretsManagerKmsKeyId'),
        EventSourceArn: own(properties, source),
        FunctionName: target.name,
      }),
    ],
    // What the others get depends on how they sign in and where they run.
    ...(policy === undefined
      ? { inline: [openPolicy(declared, name)] }
      : { managed: [managedPolicy(`service-role/${policy}`)] }),
  });

const openPolicy = ({ id }: Declared, name: string): Fields => ({
  PolicyName: `${id}${name}Policy`,
  PolicyDocument: { Statement: unknownPart('the permissions that the event source needs') },
});

/** `Enabled` is what SAM had before `State`. */
const enabledStates: ReadonlyMap<string, string> = new Map([
  ['true', 'ENABLED'],
  ['false', 'DISABLED'],
]);

/** A rule of EventBridge, and what its target needs. */
const rule = (declared: Declared, { name, properties }: Event, target: Fields): Made[] => {
  const queue = deadLetterQueue(declared, name, properties, arnOf(`${declared.id}${name}`));
  const hasState = Object.hasOwn(properties, 'State') || !Object.hasOwn(properties, 'Enabled');
  return [
    added(declared, name, 'AWS::Events::Rule', {
      ...pick(properties, 'Name', 'Description', 'EventBusName'),
      State: hasState
        ? own(properties, 'State')
        : enabledStates.get(wordOf(own(properties, 'Enabled')).toLowerCase()),
      EventPattern: own(properties, 'Pattern'),
      ScheduleExpression: own(properties, 'Schedule'),
      Targets: [
        given({
          Id: own(fieldsAt(properties, 'Target'), 'Id') ?? `${declared.id}${name}Target`,
          ...target,
          ...pick(properties, 'Input', 'InputPath', 'RetryPolicy'),
          DeadLetterConfig: queue.config,
        }),
      ],
    }),
    ...queue.made,
  ];
};

const scheduledByRule: FunctionEvent = (declared, event, target) => ({
  made: [
    ...rule(declared, event, { Arn: target.arn }),
    permission(declared, event, target, {
      Principal: 'events.amazonaws.com',
      SourceArn: arnOf(`${declared.id}${event.name}`),
    }),
  ],
});

/** A schedule of EventBridge Scheduler, and the role that it takes. */
function scheduleV2(
  declared: Declared,
  { name, properties }: Event,
  target: { readonly arn: unknown; readonly action: string },
): Made[] {
  const roleArn = own(properties, 'RoleArn');
  const queue = deadLetterQueue(declared, name, properties, arnOf(`${declared.id}${name}`));
  const own_ = ['Input', 'RetryPolicy', 'DeadLetterConfig', 'RoleArn', 'PermissionsBoundary'];
  return [
    added(declared, name, 'AWS::Scheduler::Schedule', {
      ...without(properties, ...own_, 'OmitName'),
      FlexibleTimeWindow: own(properties, 'FlexibleTimeWindow') ?? { Mode: 'OFF' },
      Target: given({
        Arn: target.arn,
        RoleArn: roleArn ?? arnOf(`${declared.id}${name}Role`),
        ...pick(properties, 'Input', 'RetryPolicy'),
        DeadLetterConfig: queue.config,
      }),
    }),
    ...(roleArn === undefined
      ? [invokerRole(declared, name, 'scheduler.amazonaws.com', target, properties)]
      : []),
    ...queue.made,
  ];
}

/** The role by which a service starts what an event is about. */
const invokerRole = (
  declared: Declared,
  name: string,
  service: string,
  { arn, action }: { readonly arn: unknown; readonly action: string },
  properties: Fields = {},
): Made =>
  added(declared, `${name}Role`, 'AWS::IAM::Role', {
    AssumeRolePolicyDocument: trustOf(service),
    PermissionsBoundary: own(properties, 'PermissionsBoundary'),
    Policies: [
      inlinePolicy(`${declared.id}${name}Policy`, {
        Effect: 'Allow',
        Action: [action],
        Resource: arn,
      }),
    ],
  });

/** `DeadLetterConfig` of an event: an ARN, or a queue that SAM adds with a policy for the sender. */
function deadLetterQueue(
  declared: Declared,
  name: string,
  properties: Fields,
  sender: unknown,
): { readonly config: unknown; readonly made: readonly Made[] } {
  const config = own(properties, 'DeadLetterConfig');
  if (fieldOf(config, 'Type') !== 'SQS' || fieldOf(config, 'Arn') !== undefined) {
    return { config, made: [] };
  }
  const queue = `${declared.id}${name}Queue`;
  return {
    config: { Arn: arnOf(queue) },
    made: [
      added(declared, `${name}Queue`, 'AWS::SQS::Queue', {}),
      added(declared, `${name}QueuePolicy`, 'AWS::SQS::QueuePolicy', {
        Queues: [ref(queue)],
        PolicyDocument: sendPolicy(queue, { Service: 'events.amazonaws.com' }, sender),
      }),
    ],
  };
}

const sendPolicy = (queue: string, Principal: unknown, source: unknown): Fields => ({
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Action: 'sqs:SendMessage',
      Principal,
      Resource: arnOf(queue),
      Condition: { ArnEquals: { 'aws:SourceArn': source } },
    },
  ],
});

const subscription: FunctionEvent = (declared, event, target) => {
  const { name, properties } = event;
  const Topic = own(properties, 'Topic');
  const sqs = declared.resolve(own(properties, 'SqsSubscription'));
  const more = pick(properties, 'FilterPolicy', 'FilterPolicyScope', 'Region', 'RedrivePolicy');
  const subscribe = (Protocol: string, Endpoint: unknown): Made =>
    added(declared, name, 'AWS::SNS::Subscription', {
      Protocol,
      Endpoint,
      TopicArn: Topic,
      ...more,
    });
  if (sqs === undefined || sqs === null || sqs === false || sqs === 'false') {
    return {
      made: [
        permission(declared, event, target, {
          Principal: 'sns.amazonaws.com',
          SourceArn: Topic,
        }),
        subscribe('lambda', target.arn),
      ],
    };
  }
  const queueArn = fieldOf(own(properties, 'SqsSubscription'), 'QueueArn');
  const queue = `${declared.id}${name}Queue`;
  const arn = queueArn ?? arnOf(queue);
  return {
    managed: [managedPolicy('service-role/AWSLambdaSQSQueueExecutionRole')],
    made: [
      ...(queueArn === undefined ? [added(declared, `${name}Queue`, 'AWS::SQS::Queue', {})] : []),
      added(declared, `${name}QueuePolicy`, 'AWS::SQS::QueuePolicy', {
        Queues: [fieldOf(own(properties, 'SqsSubscription'), 'QueueUrl') ?? ref(queue)],
        PolicyDocument: sendPolicy(queue, '*', Topic),
      }),
      subscribe('sqs', arn),
      added(declared, `${name}EventSourceMapping`, 'AWS::Lambda::EventSourceMapping', {
        EventSourceArn: arn,
        FunctionName: target.name,
      }),
    ],
  };
};

/** A route of an API; the API itself is declared, or implied by all routes that name none. */
const route =
  (api: 'RestApiId' | 'ApiId', implied: string): FunctionEvent =>
  (declared, event, target) => {
    const { properties } = event;
    const method = declared.resolve(own(properties, 'Method'));
    const path = declared.resolve(own(properties, 'Path'));
    const words = [method, path].map((word) => (typeof word === 'string' ? word : '*'));
    const [verb = '*', where = '*'] = words;
    const isAny = /^(?:any|\*|x-amazon-apigateway-any-method)$/i.test(verb);
    const shownPath = where.replace(/^\//, '').replace(/\{[^}]*\}/g, '*');
    return {
      made: [
        permission(declared, event, target, {
          Principal: 'apigateway.amazonaws.com',
          SourceArn: sub(
            `arn:\${AWS::Partition}:execute-api:\${AWS::Region}:\${AWS::AccountId}:\${__ApiId__}/*/${isAny ? '*' : verb.toUpperCase()}/${shownPath.replaceAll('${', '')}`,
            { __ApiId__: own(properties, api) ?? ref(implied) },
          ),
        }),
      ],
    };
  };

const invokedBy =
  (service: string, source: (properties: Fields) => Fields): FunctionEvent =>
  (declared, event, target) => ({
    made: [
      permission(declared, event, target, {
        Principal: `${service}.amazonaws.com`,
        ...given(source(event.properties)),
      }),
    ],
  });

/** Resources of an event beside the permission for its service. */
const withResource =
  (
    service: string,
    type: string,
    read: (
      declared: Declared,
      event: Event,
      target: Target,
    ) => { properties: Fields; source: unknown },
  ): FunctionEvent =>
  (declared, event, target) => {
    const { properties, source } = read(declared, event, target);
    return {
      made: [
        added(declared, event.name, type, properties),
        permission(declared, event, target, {
          Principal: `${service}.amazonaws.com`,
          SourceArn: source,
        }),
      ],
    };
  };

/** "Generated CloudFormation resources for AWS SAM" (AWS SAM Developer Guide), by the type of an event. */
const functionEvents: ReadonlyMap<string, FunctionEvent> = new Map(
  Object.entries<FunctionEvent>({
    AlexaSkill: invokedBy('alexa-appkit', ({ SkillId }) => ({
      Principal: 'alexa-appkit.amazon.com',
      EventSourceToken: SkillId,
    })),
    Api: route('RestApiId', 'ServerlessRestApi'),
    CloudWatchEvent: scheduledByRule,
    CloudWatchLogs: withResource(
      'logs',
      'AWS::Logs::SubscriptionFilter',
      (_, { properties }, target) => ({
        properties: {
          ...pick(properties, 'LogGroupName', 'FilterPattern'),
          DestinationArn: target.arn,
        },
        source: sub(
          'arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:${__LogGroupName__}:*',
          { __LogGroupName__: own(properties, 'LogGroupName') },
        ),
      }),
    ),
    Cognito: invokedBy('cognito-idp', ({ UserPool }) => ({
      SourceArn: { 'Fn::GetAtt': [own(fieldsOf(UserPool), 'Ref') ?? 'UserPool', 'Arn'] },
    })),
    DocumentDB: polled('Cluster'),
    DynamoDB: polled('Stream', 'AWSLambdaDynamoDBExecutionRole'),
    EventBridgeRule: scheduledByRule,
    HttpApi: route('ApiId', 'ServerlessHttpApi'),
    IoTRule: withResource('iot', 'AWS::IoT::TopicRule', ({ id }, { name, properties }, target) => ({
      properties: {
        TopicRulePayload: given({
          AwsIotSqlVersion: own(properties, 'AwsIotSqlVersion'),
          Sql: own(properties, 'Sql'),
          RuleDisabled: false,
          Actions: [{ Lambda: { FunctionArn: target.arn } }],
        }),
      },
      source: sub('arn:${AWS::Partition}:iot:${AWS::Region}:${AWS::AccountId}:rule/${RuleName}', {
        RuleName: ref(`${id}${name}`),
      }),
    })),
    Kinesis: polled('Stream', 'AWSLambdaKinesisExecutionRole'),
    MQ: polled('Broker'),
    MSK: polled('Stream', 'AWSLambdaMSKExecutionRole'),
    S3: invokedBy('s3', () => ({ SourceAccount: { Ref: 'AWS::AccountId' } })),
    Schedule: scheduledByRule,
    ScheduleV2: (declared: Declared, event: Event, { arn }: Target) => ({
      made: scheduleV2(declared, event, { arn, action: 'lambda:InvokeFunction' }),
    }),
    SelfManagedKafka: polled('Stream'),
    SNS: subscription,
    SQS: polled('Queue', 'AWSLambdaSQSQueueExecutionRole'),
  }),
);

/** What starts a state machine: each takes a role of its own. */
export function partsOfMachineEvent(declared: Declared, event: Event): readonly Made[] | undefined {
  const target = { arn: ref(declared.id), action: 'states:StartExecution' };
  switch (event.type) {
    case 'ScheduleV2':
      return scheduleV2(declared, event, target);
    case 'Schedule':
    case 'CloudWatchEvent':
    case 'EventBridgeRule':
      return [
        ...rule(declared, event, {
          Arn: target.arn,
          RoleArn: own(event.properties, 'RoleArn') ?? arnOf(`${declared.id}${event.name}Role`),
        }),
        ...(Object.hasOwn(event.properties, 'RoleArn')
          ? []
          : [invokerRole(declared, event.name, 'events.amazonaws.com', target)]),
      ];
    case 'Api':
      return [invokerRole(declared, event.name, 'apigateway.amazonaws.com', target)];
    default:
      return undefined;
  }
}

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const fieldsAt = (value: Fields, name: string): Fields => fieldsOf(own(value, name));
