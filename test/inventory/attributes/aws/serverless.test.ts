import { describe, expect, test } from 'vitest';
import { Reference, attributesOfItem, attributesOfTemplate, testTwins } from './twins.ts';

const key = 'arn:aws:kms:eu-central-1:123456789012:key/1';
const queue = 'arn:aws:sqs:eu-central-1:123456789012:failed';
const topic = 'arn:aws:sns:eu-central-1:123456789012:orders';
const format = '$context.requestId';

const emptyFunction = {
  environment_variables: {},
  encryption: { customer_managed: false },
  vpc: { enabled: false },
  dead_letter_queue: { enabled: false },
};

testTwins({
  'a function with everything set': {
    template: {
      It: [
        'AWS::Lambda::Function',
        {
          Runtime: 'nodejs22.x',
          Environment: { Variables: { STAGE: 'prod', RETRIES: 3 } },
          KmsKeyArn: key,
          VpcConfig: { SubnetIds: ['subnet-1'], SecurityGroupIds: ['sg-1'] },
          DeadLetterConfig: { TargetArn: queue },
          ReservedConcurrentExecutions: '10',
        },
      ],
    },
    plan: {
      'aws_lambda_function.it': {
        runtime: 'nodejs22.x',
        environment: [{ variables: { STAGE: 'prod', RETRIES: '3' } }],
        kms_key_arn: key,
        vpc_config: [{ subnet_ids: ['subnet-1'], security_group_ids: ['sg-1'] }],
        dead_letter_config: [{ target_arn: queue }],
        reserved_concurrent_executions: 10,
      },
    },
    expected: {
      runtime: 'nodejs22.x',
      environment_variables: { STAGE: 'prod', RETRIES: '3' },
      encryption: { customer_managed: true, kms_key_id: key },
      vpc: { enabled: true },
      dead_letter_queue: { enabled: true },
      reserved_concurrency: 10,
    },
  },
  'a function with nothing set': {
    template: { It: ['AWS::Lambda::Function', { PackageType: 'Image' }] },
    plan: {
      'aws_lambda_function.it': {
        package_type: 'Image',
        runtime: '',
        environment: [],
        vpc_config: [],
        dead_letter_config: [],
        kms_key_arn: '',
        reserved_concurrent_executions: -1,
      },
    },
    expected: emptyFunction,
  },
  'a function whose queue is made with it': {
    template: {
      It: [
        'AWS::Lambda::Function',
        { DeadLetterConfig: { TargetArn: { 'Fn::GetAtt': ['Failed', 'Arn'] } } },
      ],
      Failed: ['AWS::SQS::Queue', {}],
    },
    plan: {
      'aws_lambda_function.it': {
        dead_letter_config: [{ target_arn: new Reference('aws_sqs_queue.failed.arn') }],
      },
      'aws_sqs_queue.failed': {},
    },
    expected: { ...emptyFunction, dead_letter_queue: { enabled: true } },
  },
  'a function URL': {
    template: { It: ['AWS::Lambda::Url', { AuthType: 'NONE' }] },
    plan: { 'aws_lambda_function_url.it': { authorization_type: 'NONE' } },
    expected: { auth_type: 'NONE' },
  },
  'a permission for a service': {
    template: {
      It: [
        'AWS::Lambda::Permission',
        {
          Action: 'lambda:InvokeFunction',
          FunctionName: 'checkout',
          Principal: 'sns.amazonaws.com',
          SourceArn: topic,
          SourceAccount: 123456789012,
          PrincipalOrgID: 'o-1',
        },
      ],
    },
    plan: {
      'aws_lambda_permission.it': {
        action: 'lambda:InvokeFunction',
        function_name: 'checkout',
        principal: 'sns.amazonaws.com',
        source_arn: topic,
        source_account: '123456789012',
        principal_org_id: 'o-1',
      },
    },
    expected: {
      actions: ['lambda:InvokeFunction'],
      principal: 'sns.amazonaws.com',
      principal_kind: 'service',
      joined: false,
      source_arn: topic,
      source_account: '123456789012',
      organization_id: 'o-1',
    },
  },
  'a permission for a role that is made with it': {
    template: {
      It: [
        'AWS::Lambda::Permission',
        { Action: 'lambda:InvokeFunction', Principal: { 'Fn::GetAtt': ['Caller', 'Arn'] } },
      ],
      Caller: ['AWS::IAM::Role', {}],
    },
    plan: {
      'aws_lambda_permission.it': {
        action: 'lambda:InvokeFunction',
        principal: new Reference('aws_iam_role.caller.arn'),
        source_arn: '',
      },
      'aws_iam_role.caller': {},
    },
    expected: {
      actions: ['lambda:InvokeFunction'],
      principal: 'not known',
      principal_kind: 'account',
      joined: false,
    },
  },
  'a permission of a layer for everybody': {
    template: {
      It: ['AWS::Lambda::LayerVersionPermission', { Action: 'lambda:GetLayer', Principal: '*' }],
    },
    plan: {
      'aws_lambda_layer_version_permission.it': { action: 'lambda:GetLayer', principal: '*' },
    },
    expected: {
      actions: ['lambda:GetLayer'],
      principal: '*',
      principal_kind: 'everybody',
      joined: false,
    },
  },
  'a stage with settings': {
    template: {
      It: [
        'AWS::ApiGateway::Stage',
        {
          StageName: 'prod',
          AccessLogSetting: { DestinationArn: topic, Format: format },
          MethodSettings: [
            {
              ResourcePath: '/*',
              HttpMethod: '*',
              LoggingLevel: 'ERROR',
              CachingEnabled: 'true',
              CacheDataEncrypted: true,
            },
          ],
        },
      ],
    },
    plan: {
      'aws_api_gateway_stage.it': {
        stage_name: 'prod',
        rest_api_id: new Reference('aws_api_gateway_rest_api.it.id'),
        access_log_settings: [{ destination_arn: topic, format }],
      },
      'aws_api_gateway_rest_api.it': {},
      'aws_api_gateway_method_settings.all': {
        stage_name: 'prod',
        rest_api_id: new Reference('aws_api_gateway_rest_api.it.id'),
        method_path: '*/*',
        settings: [{ logging_level: 'ERROR', caching_enabled: true, cache_data_encrypted: true }],
      },
      'aws_api_gateway_method_settings.of_another_stage': {
        stage_name: 'test',
        rest_api_id: new Reference('aws_api_gateway_rest_api.it.id'),
        method_path: '*/*',
        settings: [{ logging_level: 'OFF' }],
      },
      'aws_api_gateway_method_settings.of_another_api': {
        stage_name: 'prod',
        rest_api_id: new Reference('aws_api_gateway_rest_api.other.id'),
        method_path: '*/*',
        settings: [{ logging_level: 'OFF' }],
      },
    },
    expected: {
      logging: { enabled: true },
      method_settings: [
        { path: '*/*', logging_level: 'ERROR', cache: { enabled: true, encrypted: true } },
      ],
    },
  },
  'a stage without any': {
    template: { It: ['AWS::ApiGateway::Stage', {}] },
    plan: { 'aws_api_gateway_stage.it': { access_log_settings: [] } },
    expected: { logging: { enabled: false }, method_settings: [] },
  },
  'a method that asks nobody': {
    template: { It: ['AWS::ApiGateway::Method', { HttpMethod: 'get' }] },
    plan: { 'aws_api_gateway_method.it': { http_method: 'GET', authorization: 'NONE' } },
    expected: { http_method: 'GET', authorization_type: 'NONE' },
  },
  'a REST API': {
    template: {
      It: ['AWS::ApiGateway::RestApi', { EndpointConfiguration: { Types: ['REGIONAL'] } }],
    },
    plan: {
      'aws_api_gateway_rest_api.it': { endpoint_configuration: [{ types: ['REGIONAL'] }] },
    },
    expected: { endpoint_types: ['REGIONAL'], open_methods: [], policy: { statements: [] } },
  },
  'a domain name': {
    template: {
      It: [
        'AWS::ApiGateway::DomainName',
        { SecurityPolicy: 'TLS_1_2', EndpointConfiguration: { Types: ['EDGE'] } },
      ],
    },
    plan: {
      'aws_api_gateway_domain_name.it': {
        security_policy: 'TLS_1_2',
        endpoint_configuration: [{ types: ['EDGE'] }],
      },
    },
    expected: { tls: { minimum_version: '1.2' }, endpoint_types: ['EDGE'] },
  },
  'a domain name of an HTTP API': {
    template: {
      It: [
        'AWS::ApiGatewayV2::DomainName',
        { DomainNameConfigurations: [{ SecurityPolicy: 'TLS_1_2' }] },
      ],
    },
    plan: {
      'aws_apigatewayv2_domain_name.it': {
        domain_name_configuration: [{ security_policy: 'TLS_1_2' }],
      },
    },
    expected: { tls: { minimum_version: '1.2' } },
  },
  'a stage of an HTTP API': {
    template: {
      It: [
        'AWS::ApiGatewayV2::Stage',
        { AccessLogSettings: { DestinationArn: topic, Format: format } },
      ],
    },
    plan: {
      'aws_apigatewayv2_stage.it': { access_log_settings: [{ destination_arn: topic, format }] },
    },
    expected: { logging: { enabled: true } },
  },
});
test.each([
  ['TLS_1_0', '1.0'],
  ['TLS_1_2', '1.2'],
  ['SecurityPolicy_TLS13_1_3_2025_09', '1.3'],
  ['SecurityPolicy_TLS13_1_2_2021_06', '1.2'],
  ['SecurityPolicy_TLS12_2018_EDGE', '1.2'],
  ['a policy that nobody has seen', 'not known'],
])('the security policy %s begins with TLS %s', (SecurityPolicy, version) => {
  expect(
    attributesOfTemplate({ It: ['AWS::ApiGateway::DomainName', { SecurityPolicy }] }),
  ).toMatchObject({ tls: { minimum_version: version } });
});

test.each([
  ['an account id as a number', 123456789012, 'account'],
  ['a role', 'arn:aws:iam::123456789012:role/caller', 'account'],
  ['a service', 'events.amazonaws.com', 'service'],
  ['everybody', '*', 'everybody'],
  ['the own account', { Ref: 'AWS::AccountId' }, 'account'],
  ['the root of the own account', { 'Fn::Sub': 'arn:aws:iam::${AWS::AccountId}:root' }, 'account'],
  ['a service of the own region', { 'Fn::Sub': 'logs.${AWS::Region}.amazonaws.com' }, 'service'],
  ['a parameter without a value', { Ref: 'Caller' }, 'not known'],
])('the principal of a permission is told apart: %s', (_title, Principal, kind) => {
  const permission = ['AWS::Lambda::Permission', { Principal }] as const;
  const parameters = { Caller: { Type: 'String' } };
  expect(attributesOfTemplate({ It: permission }, parameters).principal_kind).toBe(kind);
});

test('a parameter without a value leaves open whether a key is ours, but not whether one is set', () => {
  const lambda = ['AWS::Lambda::Function', { KmsKeyArn: { Ref: 'Key' } }] as const;
  expect(attributesOfTemplate({ It: lambda }, { Key: { Type: 'String' } }).encryption).toEqual({
    customer_managed: 'not known',
    kms_key_id: 'not known',
  });
});

test.each([
  [{ DestinationArn: topic }],
  [{ Format: format }],
  [{ DestinationArn: topic, Format: 123 }],
  [{}],
])('a stage of an HTTP API logs nothing with the settings %j', (AccessLogSettings) => {
  const stage = ['AWS::ApiGatewayV2::Stage', { AccessLogSettings }] as const;
  expect(attributesOfTemplate({ It: stage })).toEqual({ logging: { enabled: false } });
});

describe('an item of AWS Config gives', () => {
  test('the attributes of a function', () => {
    expect(
      attributesOfItem([
        'AWS::Lambda::Function',
        {
          runtime: 'nodejs22.x',
          environment: { variables: { STAGE: 'prod' } },
          kmskeyArn: key,
          vpcConfig: { subnetIds: ['subnet-1'], securityGroupIds: [] },
          deadLetterConfig: { targetArn: queue },
        },
      ]),
    ).toEqual({
      runtime: 'nodejs22.x',
      environment_variables: { STAGE: 'prod' },
      encryption: { customer_managed: true, kms_key_id: key },
      vpc: { enabled: true },
      dead_letter_queue: { enabled: true },
    });
  });

  test('the attributes of a stage', () => {
    expect(
      attributesOfItem([
        'AWS::ApiGateway::Stage',
        {
          accessLogSettings: { destinationArn: topic },
          methodSettings: {
            '*/*': { loggingLevel: 'INFO', cachingEnabled: false, cacheDataEncrypted: false },
          },
        },
      ]),
    ).toEqual({
      logging: { enabled: true },
      method_settings: [
        { path: '*/*', logging_level: 'INFO', cache: { enabled: false, encrypted: false } },
      ],
    });
  });

  test('the endpoint types of a REST API', () => {
    const api = { endpointConfiguration: { types: ['PRIVATE'] } };
    expect(attributesOfItem(['AWS::ApiGateway::RestApi', api])).toMatchObject({
      endpoint_types: ['PRIVATE'],
    });
  });
});
