import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnknownValue } from '../../../../src/contract/resources.ts';
import { cloudformation } from '../../../../src/inventory/formats/cloudformation/reader.ts';
import { readTemplate } from './templates.ts';

/** What a template deploys, by logical id. */
function deployedBy(yaml: string, parameters: Readonly<Record<string, string>> = {}) {
  const { resources, problems, ...more } = readTemplate(yaml, parameters);
  expect(problems).toEqual([]);
  return {
    ...more,
    types: Object.fromEntries(resources.map(({ address, resource }) => [address, resource.type])),
    byId: Object.fromEntries(resources.map((one) => [one.address, one.resource])),
    places: Object.fromEntries(resources.map(({ address, at }) => [address, at])),
  };
}

const fn = (properties: string): string =>
  `Resources: {Fn: {Type: AWS::Serverless::Function, Properties: {CodeUri: src, ${properties}}}}`;

describe('a function of SAM', () => {
  it('is a function of Lambda with a role of its own, with the globals of its kind', () => {
    const { byId, types, places } = deployedBy(`
Transform: AWS::Serverless-2016-10-31
Globals:
  Function:
    Runtime: python3.12
    Layers: [a]
    Environment: {Variables: {A: 1, B: 1}}
Resources:
  Fn:
    Type: AWS::Serverless::Function
    Properties:
      InlineCode: pass
      Layers: [b]
      Environment: {Variables: {B: 2}}
      VpcConfig: {SubnetIds: [s]}
      DeadLetterQueue: {Type: SQS, TargetArn: 'arn:aws:sqs:eu-west-1:123456789012:q'}
      Tracing: Active
      Tags: {owner: me}`);
    expect(types).toEqual({ Fn: 'AWS::Lambda::Function', FnRole: 'AWS::IAM::Role' });
    expect(places.FnRole).toEqual(['Resources', 'Fn']);
    expect(byId.Fn).toMatchObject({
      runtime: 'python3.12',
      environment_variables: { A: '1', B: '2' },
      vpc: { enabled: true },
      dead_letter_queue: { enabled: true },
      tags: { owner: 'me', 'lambda:createdBy': 'SAM' },
      properties: {
        Layers: ['a', 'b'],
        Code: { ZipFile: 'pass' },
        TracingConfig: { Mode: 'Active' },
      },
      source: { sam_type: 'AWS::Serverless::Function', sam_resource: 'Fn' },
    });
    expect(byId.FnRole).toMatchObject({
      trust_policy: { statements: [{ principals: ['lambda.amazonaws.com'] }] },
      tags: { owner: 'me' },
      managed_policy_arns: [
        'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole',
        'arn:aws:iam::aws:policy/AWSXrayWriteOnlyAccess',
        'arn:aws:iam::aws:policy/service-role/AWSLambdaVPCAccessExecutionRole',
      ],
      inline_policies: ['DeadLetterQueuePolicy'],
      policy: { statements: [{ actions: ['sqs:SendMessage'] }] },
    });
  });

  it('has the role that it names, and one that may be added where nobody knows', () => {
    const named = deployedBy(fn('Role: !GetAtt Own.Arn'));
    expect(Object.keys(named.types)).toEqual(['Fn']);
    const open = deployedBy(fn('Role: !If [Own, !Ref Arn, !Ref AWS::NoValue]'));
    expect(open.byId.FnRole?.source).toMatchObject({
      condition: expect.any(UnknownValue) as unknown,
    });
  });

  it('may do what its policies say: managed ones, documents, and policy templates', () => {
    const { byId } = deployedBy(
      fn(
        `Policies: [AdministratorAccess, 'arn:aws:iam::123456789012:policy/own', !Ref Other,
        {Statement: {Effect: Allow, Action: '*', Resource: '*'}},
        {S3ReadPolicy: {BucketName: data}}, {SSMParameterReadPolicy: {ParameterName: p}},
        {Version: '2012-10-17', Statement: []}]`,
      ),
    );
    const role = byId.FnRole as unknown as {
      managed_policy_arns: unknown[];
      inline_policies: string[];
      policy: { statements: { actions: string[]; resources: string[] }[] };
    };
    expect(role.managed_policy_arns.slice(1)).toMatchObject([
      'arn:aws:iam::aws:policy/AdministratorAccess',
      'arn:aws:iam::123456789012:policy/own',
      '${Other}',
    ]);
    expect(role.inline_policies).toHaveLength(4);
    expect(role.policy.statements.map(({ actions, resources }) => [actions[0], resources])).toEqual(
      [
        ['*', ['*']],
        ['s3:GetObject', ['arn:${AWS::Partition}:s3:::data', 'arn:${AWS::Partition}:s3:::data/*']],
        ['ssm:DescribeParameters', ['*']],
        [
          'ssm:GetParameters',
          ['arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter/p'],
        ],
      ],
    );
  });

  it('has statements nobody knows, where a policy template is not known', () => {
    const { byId } = deployedBy(fn('Policies: [{TomorrowsPolicy: {}}]'));
    expect(byId.FnRole).toMatchObject({
      policy: { statements: expect.any(UnknownValue) as unknown },
    });
    const choice = deployedBy(
      fn(`Policies: [!If [X, AdministratorAccess, {EKSDescribePolicy: {}}]]`),
    ).byId.FnRole;
    expect(choice?.managed_policy_arns).toMatchObject([{}, expect.any(UnknownValue)]);
    expect(choice?.policy).toEqual({ statements: expect.any(UnknownValue) as unknown });
  });

  it('loses no policy of a list that a condition chooses', () => {
    const role = (policies: string) =>
      deployedBy(
        `Parameters: {P: {Type: String}, Env: {Type: String, Default: prod}}
Conditions: {Open: !Equals [!Ref P, x], Prod: !Equals [!Ref Env, prod]}
${fn(`Policies: ${policies}`)}`,
      ).byId.FnRole as unknown as { managed_policy_arns: unknown[]; inline_policies: unknown[] };
    const given = (policies: string): unknown[] => role(policies).managed_policy_arns.slice(1);
    const admin = 'arn:aws:iam::aws:policy/AdministratorAccess';
    expect(given('!If [Prod, [AdministratorAccess, !Ref P], []]')).toEqual([
      admin,
      expect.any(UnknownValue),
    ]);
    expect(given('!If [Prod, [], [AdministratorAccess]]')).toEqual([]);
    expect(given('!If [Open, [AdministratorAccess], []]')).toEqual([expect.any(UnknownValue)]);
    expect(given('[!If [Prod, [AdministratorAccess], !Ref AWS::NoValue]]')).toEqual([admin]);
    expect(role('!If [Prod, [EKSDescribePolicy: {}], []]').inline_policies).toHaveLength(1);
  });

  it.each([
    ['AuthType: NONE', ['*'], undefined],
    ['AuthType: AWS_IAM', [], undefined],
    ['AuthType: !Ref Auth', ['*'], true],
  ])('has an address with %s, open to everybody only without one', (auth, principals, isOpen) => {
    const { byId } = deployedBy(`Parameters: {Auth: {Type: String}}
${fn(`FunctionUrlConfig: {${auth}}`)}`);
    expect(byId.FnUrl?.type).toBe('AWS::Lambda::Url');
    const open = byId.FnUrlPublicPermissions;
    expect(open ? [open.principal] : []).toEqual(principals);
    if (isOpen)
      expect(open?.source).toMatchObject({ condition: expect.any(UnknownValue) as unknown });
  });

  it.each<[event: string, types: Readonly<Record<string, string>>, source?: string]>([
    ['Type: S3, Properties: {Bucket: b}', { FnEPermission: 'Lambda::Permission' }, 's3'],
    [
      'Type: SNS, Properties: {Topic: t}',
      { FnEPermission: 'Lambda::Permission', FnE: 'SNS::Subscription' },
      'sns',
    ],
    [
      'Type: SNS, Properties: {Topic: t, SqsSubscription: true}',
      {
        FnEQueue: 'SQS::Queue',
        FnEQueuePolicy: 'SQS::QueuePolicy',
        FnE: 'SNS::Subscription',
        FnEEventSourceMapping: 'Lambda::EventSourceMapping',
      },
    ],
    [
      'Type: Schedule, Properties: {Schedule: rate(1 day), DeadLetterConfig: {Type: SQS}}',
      {
        FnE: 'Events::Rule',
        FnEQueue: 'SQS::Queue',
        FnEQueuePolicy: 'SQS::QueuePolicy',
        FnEPermission: 'Lambda::Permission',
      },
      'events',
    ],
    [
      'Type: EventBridgeRule, Properties: {Pattern: {source: [a]}}',
      { FnE: 'Events::Rule', FnEPermission: 'Lambda::Permission' },
      'events',
    ],
    [
      'Type: ScheduleV2, Properties: {ScheduleExpression: rate(1 day)}',
      { FnE: 'Scheduler::Schedule', FnERole: 'IAM::Role' },
    ],
    ['Type: SQS, Properties: {Queue: q}', { FnE: 'Lambda::EventSourceMapping' }],
    ['Type: MQ, Properties: {Broker: b}', { FnE: 'Lambda::EventSourceMapping' }],
    [
      'Type: CloudWatchLogs, Properties: {LogGroupName: l}',
      { FnE: 'Logs::SubscriptionFilter', FnEPermission: 'Lambda::Permission' },
      'logs',
    ],
    [
      'Type: IoTRule, Properties: {Sql: s}',
      { FnE: 'IoT::TopicRule', FnEPermission: 'Lambda::Permission' },
      'iot',
    ],
    [
      'Type: Api, Properties: {Path: "/a/{id}", Method: get}',
      {
        FnEPermission: 'Lambda::Permission',
        FnEMethod: 'ApiGateway::Method',
        ServerlessRestApi: 'ApiGateway::RestApi',
        ServerlessRestApiDeployment: 'ApiGateway::Deployment',
        ServerlessRestApiProdStage: 'ApiGateway::Stage',
      },
      'apigateway',
    ],
    [
      'Type: HttpApi',
      {
        FnEPermission: 'Lambda::Permission',
        FnERoute: 'ApiGatewayV2::Route',
        ServerlessHttpApi: 'ApiGatewayV2::Api',
        ServerlessHttpApiApiGatewayDefaultStage: 'ApiGatewayV2::Stage',
      },
      'apigateway',
    ],
    [
      'Type: Api, Properties: {RestApiId: other}',
      { FnEPermission: 'Lambda::Permission' },
      'apigateway',
    ],
  ])('deploys for the event {%s} what starts it', (event, expected, service) => {
    const { types, byId, places } = deployedBy(fn(`Events: {E: {${event}}}`));
    const added = Object.entries(expected).map(([id, type]) => [id, `AWS::${type}`]);
    expect(types).toEqual({
      Fn: 'AWS::Lambda::Function',
      FnRole: 'AWS::IAM::Role',
      ...Object.fromEntries(added),
    });
    for (const place of Object.values(places)) expect(place).toEqual(['Resources', 'Fn']);
    const permission = byId.FnEPermission;
    if (!service || !permission) return;
    expect(permission.principal).toBe(`${service}.amazonaws.com`);
    // On behalf of one account or resource only, never of anybody's.
    expect(permission.source_arn ?? permission.source_account).toBeDefined();
  });

  it('says which event it does not know', () => {
    const { notices } = deployedBy(fn('Events: {E: {Type: Quantum}}'));
    expect(notices).toMatchObject([
      { message: expect.stringContaining('the unknown type Quantum') as string, line: 1 },
    ]);
    expect(deployedBy(fn('Events: {E: {Type: !Ref Kind}}')).notices).toMatchObject([
      { message: expect.stringContaining('event E of Fn has an unknown type') as string },
    ]);
  });

  it('publishes versions under an alias, which CodeDeploy moves', () => {
    const { types } = deployedBy(`
Resources:
  Fn: {Type: AWS::Serverless::Function, Properties: &p {CodeUri: s3://b/k, AutoPublishAlias: live, DeploymentPreference: {Type: AllAtOnce}}}
  Other: {Type: AWS::Serverless::Function, Properties: *p}`);
    expect(Object.keys(types)).toEqual([
      'Fn',
      'FnRole',
      'FnVersion',
      'FnAliaslive',
      'FnDeploymentGroup',
      'ServerlessDeploymentApplication',
      'CodeDeployServiceRole',
      'Other',
      'OtherRole',
      'OtherVersion',
      'OtherAliaslive',
      'OtherDeploymentGroup',
    ]);
  });

  it('passes its condition and what it asks to be spared from on to what it adds', () => {
    const { byId, leftOut } = deployedBy(`
Parameters: {Env: {Type: String, Default: dev}, Free: {Type: String}}
Conditions: {Prod: !Equals [!Ref Env, prod], Open: !Equals [!Ref Free, a]}
Resources:
  Fn:
    Type: AWS::Serverless::Function
    Condition: Open
    Metadata: {guard: {SuppressedRules: [ONE]}}
    Properties: {CodeUri: src}
  Out: {Type: AWS::Serverless::Function, Condition: Prod, Properties: {CodeUri: src}}`);
    expect(byId.FnRole?.source).toMatchObject({
      condition: expect.any(UnknownValue) as unknown,
      metadata: { guard: {} },
    });
    expect(leftOut).toMatchObject([{ address: 'Out', type: 'AWS::Serverless::Function' }]);
  });
});

describe('other resources of SAM', () => {
  it('an API has a stage of its name, logs as that says, and the domain that it gives', () => {
    const { byId, types } = deployedBy(`
Resources:
  Api:
    Type: AWS::Serverless::Api
    Properties:
      StageName: v1
      EndpointConfiguration: {Type: PRIVATE}
      AccessLogSetting: {DestinationArn: a}
      CacheClusterEnabled: true
      MethodSettings: [{ResourcePath: '/*', HttpMethod: '*', CachingEnabled: true}]
      Domain: {DomainName: d, CertificateArn: c, SecurityPolicy: TLS_1_2}
      Auth:
        Authorizers: {Mine: {FunctionArn: !Ref F}}
        ResourcePolicy: {SourceVpcWhitelist: [vpc-1]}
        UsagePlan: {CreateUsagePlan: PER_API}
  Http: {Type: AWS::Serverless::HttpApi}`);
    expect(types).toEqual({
      Api: 'AWS::ApiGateway::RestApi',
      ApiDeployment: 'AWS::ApiGateway::Deployment',
      Apiv1Stage: 'AWS::ApiGateway::Stage',
      ApiMineAuthorizerPermission: 'AWS::Lambda::Permission',
      ApiUsagePlan: 'AWS::ApiGateway::UsagePlan',
      ApiApiKey: 'AWS::ApiGateway::ApiKey',
      ApiUsagePlanKey: 'AWS::ApiGateway::UsagePlanKey',
      ApiDomainName: 'AWS::ApiGateway::DomainName',
      ApiBasePathMapping: 'AWS::ApiGateway::BasePathMapping',
      Http: 'AWS::ApiGatewayV2::Api',
      HttpApiGatewayDefaultStage: 'AWS::ApiGatewayV2::Stage',
    });
    expect(byId.Api).toMatchObject({ endpoint_types: ['PRIVATE'] });
    expect(byId.Api?.['policy']).toEqual({ statements: expect.any(UnknownValue) as unknown });
    expect(byId.Apiv1Stage).toMatchObject({
      name: 'v1',
      logging: { enabled: true },
      method_settings: [{ path: '*/*', cache: { enabled: true } }],
    });
    expect(byId.ApiDomainName).toMatchObject({ tls: { minimum_version: '1.2' } });
    expect(byId.HttpApiGatewayDefaultStage).toMatchObject({ logging: { enabled: false } });
  });

  it('a table is paid by request, a layer is kept, an application is a stack', () => {
    const { byId } = deployedBy(`
Resources:
  T: {Type: AWS::Serverless::SimpleTable, Properties: {SSESpecification: {SSEEnabled: true}}}
  L: {Type: AWS::Serverless::LayerVersion, Properties: {ContentUri: src}}
  A: {Type: AWS::Serverless::Application, Properties: {Location: {ApplicationId: x}}}`);
    expect(byId).toMatchObject({
      T: {
        type: 'AWS::DynamoDB::Table',
        billing_mode: 'PAY_PER_REQUEST',
        encryption: { kms: true },
        properties: { KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] },
      },
      L: {
        type: 'AWS::Lambda::LayerVersion',
        source: { deletion_policy: 'Retain' },
        properties: { LayerName: 'L' },
      },
      A: { type: 'AWS::CloudFormation::Stack' },
    });
  });

  it('a state machine and a GraphQL API have their roles', () => {
    const { types, byId } = deployedBy(`
Resources:
  M:
    Type: AWS::Serverless::StateMachine
    Properties:
      Definition: {StartAt: A}
      Policies: [{LambdaInvokePolicy: {FunctionName: f}}]
      Events: {E: {Type: Schedule, Properties: {Schedule: rate(1 day)}}}
  G: {Type: AWS::Serverless::GraphQLApi, Properties: {Auth: {Type: API_KEY}, ApiKeys: {K: {}}, Logging: true}}`);
    expect(types).toEqual({
      M: 'AWS::StepFunctions::StateMachine',
      MRole: 'AWS::IAM::Role',
      ME: 'AWS::Events::Rule',
      MERole: 'AWS::IAM::Role',
      G: 'AWS::AppSync::GraphQLApi',
      GSchema: 'AWS::AppSync::GraphQLSchema',
      GCloudWatchRole: 'AWS::IAM::Role',
      GK: 'AWS::AppSync::ApiKey',
    });
    expect(byId.MRole).toMatchObject({
      policy: { statements: [{ actions: ['lambda:InvokeFunction'] }] },
    });
    expect(byId.G?.properties).toMatchObject({ AuthenticationType: 'API_KEY' });
  });

  it('those that are not known stay what they are', () => {
    const { types } = deployedBy(`
Resources:
  C: {Type: AWS::Serverless::Connector, Properties: {}}
  N: {Type: AWS::Serverless::Tomorrow}`);
    expect(types).toEqual({ C: 'AWS::Serverless::Connector', N: 'AWS::Serverless::Tomorrow' });
  });

  it('those whose properties a function gives are read where it is known, and told where not', () => {
    const read = (properties: string) =>
      deployedBy(`
Parameters: {P: {Type: String}}
Conditions: {Same: !Equals [a, a], Open: !Equals [!Ref P, a]}
Resources: {Fn: {Type: AWS::Serverless::Function, Properties: ${properties}}}`);
    const either = (condition: string) =>
      read(`!If [${condition}, {CodeUri: src, Policies: [AdministratorAccess]}, {CodeUri: other}]`);
    const policies = (condition: string): unknown =>
      (either(condition).byId.FnRole?.managed_policy_arns as unknown[])[1];
    expect(either('Same').types).toEqual({ Fn: 'AWS::Lambda::Function', FnRole: 'AWS::IAM::Role' });
    expect(policies('Same')).toBe('arn:aws:iam::aws:policy/AdministratorAccess');
    expect(policies('Open')).toBeInstanceOf(UnknownValue);
    const unknown = read('!Ref P');
    expect(unknown.types).toEqual({ Fn: 'AWS::Lambda::Function' });
    expect(unknown.byId.Fn?.properties).toBeInstanceOf(UnknownValue);
    expect(unknown.notices).toMatchObject([
      { message: expect.stringContaining('the properties of Fn are not fully known') as string },
    ]);
  });

  it('what the template declares itself is not added', () => {
    const { types, notices } = deployedBy(`
Resources:
  Fn: {Type: AWS::Serverless::Function, Properties: {CodeUri: src, Events: {E: {Type: Api}}}}
  FnRole: {Type: AWS::S3::Bucket}
  ServerlessRestApi: {Type: AWS::Serverless::Api, Properties: {StageName: own}}`);
    expect(types.FnRole).toBe('AWS::S3::Bucket');
    expect(notices).toMatchObject([
      { message: expect.stringContaining('SAM adds FnRole for Fn') as string },
    ]);
    expect(Object.keys(types)).toContain('ServerlessRestApiownStage');
    expect(Object.keys(types)).not.toContain('ServerlessRestApiProdStage');
  });
});

describe('a macro', () => {
  it.each([
    ['Transform: Mine', ['Mine']],
    [
      'Transform: [AWS::Serverless-2016-10-31, Mine, {Name: AWS::Include}]',
      ['Mine', 'AWS::Include'],
    ],
    ['Transform: AWS::LanguageExtensions', []],
  ])('of the whole template that is not known is told: %s', (transform, names) => {
    const { notices, types } = deployedBy(`${transform}\nResources: {A: {Type: AWS::S3::Bucket}}`);
    expect(notices.map(({ message }) => /macro (\S+),/.exec(message)?.[1])).toEqual(names);
    expect(types).toEqual({ A: 'AWS::S3::Bucket' });
  });

  it.each([
    'A: {Type: AWS::S3::Bucket, Fn::Transform: {Name: Mine}}',
    'A: {Type: AWS::S3::Bucket, Properties: {BucketName: x, Fn::Transform: {Name: Mine}}}',
    'A: {Type: AWS::S3::Bucket, Properties: !Transform {Name: Mine}}',
    'A: {Type: AWS::S3::Bucket, Properties: !If [X, {BucketName: x}, !Ref Y]}',
    'A: {Type: AWS::Serverless::Function, Properties: {Runtime: x, Fn::Transform: {Name: Mine}}}',
  ])('leaves nothing known of the resource that it changes: {%s}', (resource) => {
    const { byId } = deployedBy(`Resources: {${resource}}`);
    expect(byId.A?.properties).toBeInstanceOf(UnknownValue);
    expect(byId.A?.tags).toBeInstanceOf(UnknownValue);
    const { versioning } = byId.A as { versioning?: { enabled: unknown } };
    if (byId.A?.type === 'AWS::S3::Bucket')
      expect(versioning?.enabled).toBeInstanceOf(UnknownValue);
  });

  it('leaves only that part unknown that it changes', () => {
    const { byId } = deployedBy(
      'Resources: {A: {Type: AWS::S3::Bucket, Properties: {BucketName: x, VersioningConfiguration: {Status: Enabled, Fn::Transform: {Name: Mine}}}}}',
    );
    const { name, versioning } = byId.A as { name?: unknown; versioning?: { enabled: unknown } };
    expect(name).toBe('x');
    expect(versioning?.enabled).toBeInstanceOf(UnknownValue);
  });
});

describe('modules', () => {
  const module = 'Type: Org::S3::Bucket::MODULE, Properties: {Name: x}';
  const told = (resources: string) =>
    deployedBy(`Conditions: {Never: !Equals [a, b]}\nResources: {${resources}}`).notices;

  it('are told once for a template, with their number, as they may add or change resources', () => {
    const what = 'which may add or change resources; these are not checked';
    expect(told(`B: {Type: AWS::S3::Bucket}, A: {${module}}`)).toMatchObject([
      { message: `the template uses the module Org::S3::Bucket::MODULE, ${what}` },
    ]);
    expect(
      told(`A: {${module}}, B: {Type: Org::A::B::MODULE}, C: {${module}, Condition: Never}`),
    ).toMatchObject([
      { message: `the template uses 2 modules, such as Org::S3::Bucket::MODULE, ${what}` },
    ]);
  });

  it('are not told where their conditions are false, or of types that only sound like one', () => {
    expect(
      told(`A: {${module}, Condition: Never}, B: {Type: AWS::CloudFormation::ModuleVersion}`),
    ).toEqual([]);
  });
});

it('never throws on what stands where SAM expects something else', () => {
  const word = fc.constantFrom(
    'Type',
    'Properties',
    'toString',
    '__proto__',
    'Ref',
    'A',
    'NONE',
    'SQS',
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      word,
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(word, tie('value'), { maxKeys: 3 }),
    ),
  }));
  const event = fc.record(
    {
      Type: fc.oneof(
        fc.constantFrom('Api', 'SNS', 'Schedule', 'ScheduleV2', 'IoTRule', 'Cognito', 'SQS', 'MQ'),
        value,
      ),
      Properties: fc.oneof(
        value,
        fc.dictionary(
          fc.constantFrom('DeadLetterConfig', 'SqsSubscription', 'Path', 'Method', 'Enabled'),
          value,
        ),
      ),
    },
    { requiredKeys: [] },
  );
  const names = [
    'AutoPublishAlias',
    'CodeUri',
    'DeadLetterQueue',
    'DefinitionUri',
    'DeploymentPreference',
    'Domain',
    'EndpointConfiguration',
    'EventInvokeConfig',
    'FunctionUrlConfig',
    'Policies',
    'PrimaryKey',
    'Role',
    'StageName',
    'Tags',
    'Auth',
    'DataSources',
    'Logging',
    'Tracing',
  ];
  const properties = fc.oneof(
    value,
    fc
      .tuple(
        fc.dictionary(fc.constantFrom(...names), value),
        fc.oneof(value, fc.dictionary(word, event)),
      )
      .map(([one, Events]) => ({ ...one, Events })),
  );
  const kinds = ['Function', 'Api', 'HttpApi', 'SimpleTable', 'StateMachine', 'GraphQLApi', 'X'];
  fc.assert(
    fc.property(fc.constantFrom(...kinds), properties, (kind, Properties) => {
      const { raws, problems } = cloudformation.read(
        { Resources: { R: { Type: `AWS::Serverless::${kind}`, Properties } } },
        {},
      );
      expect(raws.length + problems.length).toBeGreaterThan(0);
    }),
    { numRuns: 1_000 },
  );
});
