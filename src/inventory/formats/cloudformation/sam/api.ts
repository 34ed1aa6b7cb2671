import type { Fields } from '../resolver.ts';
import { isFields, own } from '../resolver.ts';
import type { Expansion } from './expansion.ts';
import type { Declared, Made } from './written.ts';
import {
  added,
  base,
  fieldOf,
  given,
  isMap,
  locationOf,
  pick,
  ref,
  tagPairs,
  unknownPart,
  without,
} from './written.ts';

/** A REST API with its deployment and stage, its domain name, and its usage plan. */
export function expandApi(declared: Declared): Expansion {
  const { id, properties } = declared;
  const ofStage = [
    'AccessLogSetting',
    'CacheClusterEnabled',
    'CacheClusterSize',
    'CanarySetting',
    'MethodSettings',
    'TracingEnabled',
    'Variables',
  ];
  const ofSam = [
    ...ofStage,
    'AlwaysDeploy',
    'Auth',
    'Cors',
    'DefinitionBody',
    'DefinitionUri',
    'Domain',
    'EndpointConfiguration',
    'GatewayResponses',
    'MergeDefinitions',
    'Models',
    'OpenApiVersion',
    'PropagateTags',
    'StageName',
    'Tags',
  ];
  const stage = stageSuffix(declared, 'Stage');
  const Tags = tagPairs(own(properties, 'Tags'));
  const domain = own(properties, 'Domain');
  return {
    made: [
      base(declared, {
        ...without(properties, ...ofSam),
        ...definition(properties),
        EndpointConfiguration: endpointOf(own(properties, 'EndpointConfiguration')),
        ...policyOf(own(properties, 'Auth')),
        Tags,
      }),
      added(declared, 'Deployment', 'AWS::ApiGateway::Deployment', { RestApiId: ref(id) }),
      added(declared, stage, 'AWS::ApiGateway::Stage', {
        ...pick(properties, ...ofStage, 'StageName'),
        RestApiId: ref(id),
        DeploymentId: ref(`${id}Deployment`),
        Tags,
      }),
      ...authorizers(declared),
      ...usagePlan(declared, `${id}${stage}`),
      ...(isFields(domain)
        ? domainOf(declared, domain, {
            type: 'AWS::ApiGateway::DomainName',
            mapping: 'AWS::ApiGateway::BasePathMapping',
            properties: {
              ...pick(
                domain,
                'DomainName',
                'SecurityPolicy',
                'OwnershipVerificationCertificateArn',
              ),
              MutualTlsAuthentication: own(domain, 'MutualTlsAuthentication'),
              EndpointConfiguration: {
                Types: [own(domain, 'EndpointConfiguration') ?? 'REGIONAL'],
              },
              [own(domain, 'EndpointConfiguration') === 'EDGE'
                ? 'CertificateArn'
                : 'RegionalCertificateArn']: own(domain, 'CertificateArn'),
            },
            mapped: { RestApiId: ref(id), Stage: ref(`${id}${stage}`) },
          })
        : []),
    ],
  };
}

/** An HTTP API with its stage, `$default` unless it has a name. */
export function expandHttpApi(declared: Declared): Expansion {
  const { id, properties } = declared;
  const ofStage = ['AccessLogSettings', 'DefaultRouteSettings', 'RouteSettings', 'StageVariables'];
  const ofSam = [
    ...ofStage,
    'Auth',
    'DefinitionBody',
    'DefinitionUri',
    'Domain',
    'PropagateTags',
    'StageName',
  ];
  const stage = stageSuffix(declared, 'ApiGatewayDefaultStage');
  const domain = own(properties, 'Domain');
  const Tags = isMap(own(properties, 'Tags'))
    ? { 'httpapi:createdBy': 'SAM', ...(own(properties, 'Tags') as Fields) } // as `isMap` told
    : (own(properties, 'Tags') ?? { 'httpapi:createdBy': 'SAM' });
  return {
    made: [
      base(declared, {
        ...without(properties, ...ofSam),
        ...definition(properties),
        Tags,
      }),
      added(declared, stage, 'AWS::ApiGatewayV2::Stage', {
        ...pick(properties, ...ofStage),
        ApiId: ref(id),
        StageName: own(properties, 'StageName') ?? '$default',
        AutoDeploy: true,
        Tags,
      }),
      ...authorizers(declared),
      ...(isFields(domain)
        ? domainOf(declared, domain, {
            type: 'AWS::ApiGatewayV2::DomainName',
            mapping: 'AWS::ApiGatewayV2::ApiMapping',
            properties: {
              ...pick(domain, 'DomainName', 'MutualTlsAuthentication'),
              DomainNameConfigurations: [
                given({
                  CertificateArn: own(domain, 'CertificateArn'),
                  EndpointType: own(domain, 'EndpointConfiguration') ?? 'REGIONAL',
                  SecurityPolicy: own(domain, 'SecurityPolicy'),
                }),
              ],
            },
            mapped: { ApiId: ref(id), Stage: ref(`${id}${stage}`) },
          })
        : []),
    ],
  };
}

/** A stage is called after its name, where that can be known. */
function stageSuffix({ properties, resolve }: Declared, unnamed: string): string {
  const name = resolve(own(properties, 'StageName'));
  return typeof name === 'string' && /^\w+$/.test(name) ? `${name}Stage` : unnamed;
}

const definition = (properties: Fields): Fields => ({
  Body: withAuthorizer(own(properties, 'DefinitionBody'), own(properties, 'Auth')),
  BodyS3Location: locationOf(own(properties, 'DefinitionUri'), {
    bucket: 'Bucket',
    key: 'Key',
    version: 'Version',
  }),
});

/** SAM adds the default authorizer to each method of a definition that it can read. */
function withAuthorizer(body: unknown, auth: unknown): unknown {
  const authorizer = isMap(auth) ? own(auth, 'DefaultAuthorizer') : undefined;
  return isMap(body) && isMap(own(body, 'paths')) && authorizer !== undefined
    ? { ...body, security: unknownPart('the authorizers that SAM adds') }
    : body;
}

/** SAM takes a word, or `{Type, VPCEndpointIds}`. */
/** SAM puts the resource policy together from lists of accounts, addresses and VPCs. */
const policyOf = (auth: unknown): Fields =>
  isMap(auth) && own(auth, 'ResourcePolicy') !== undefined
    ? { Policy: unknownPart('the policy that SAM generates from Auth.ResourcePolicy') }
    : {};

function endpointOf(written: unknown): unknown {
  if (written === undefined || written === null) return undefined;
  if (!isMap(written)) return { Types: [written] };
  const type = own(written, 'Type');
  return given({
    Types: type === undefined ? own(written, 'Types') : [type],
    VpcEndpointIds: own(written, 'VPCEndpointIds'),
  });
}

/** API Gateway may call the functions that decide who is let in. */
function authorizers(declared: Declared): Made[] {
  const listed = fieldOf(own(declared.properties, 'Auth'), 'Authorizers');
  if (!isMap(listed)) return [];
  return Object.entries(listed).flatMap(([name, authorizer]) => {
    const arn = fieldOf(authorizer, 'FunctionArn');
    const isLeftOut =
      fieldOf(authorizer, 'FunctionInvokeRole') !== undefined ||
      fieldOf(authorizer, 'EnableFunctionDefaultPermissions') === false;
    return arn === undefined || isLeftOut
      ? []
      : [
          added(declared, `${name}AuthorizerPermission`, 'AWS::Lambda::Permission', {
            Action: 'lambda:InvokeFunction',
            FunctionName: arn,
            Principal: 'apigateway.amazonaws.com',
            SourceArn: {
              'Fn::Sub': [
                'arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${__ApiId__}/authorizers/*',
                { __ApiId__: ref(declared.id) },
              ],
            },
          }),
        ];
  });
}

function usagePlan(declared: Declared, stage: string): Made[] {
  const plan = fieldOf(own(declared.properties, 'Auth'), 'UsagePlan');
  const created = fieldOf(plan, 'CreateUsagePlan');
  if (!isFields(plan) || (created !== 'PER_API' && created !== 'SHARED')) return [];
  const { id } = declared;
  return [
    added(declared, 'UsagePlan', 'AWS::ApiGateway::UsagePlan', {
      ...without(plan, 'CreateUsagePlan', 'Tags'),
      ApiStages: [{ ApiId: ref(id), Stage: ref(stage) }],
      Tags: tagPairs(own(plan, 'Tags')),
    }),
    added(declared, 'ApiKey', 'AWS::ApiGateway::ApiKey', {
      Enabled: true,
      StageKeys: [{ RestApiId: ref(id), StageName: ref(stage) }],
    }),
    added(declared, 'UsagePlanKey', 'AWS::ApiGateway::UsagePlanKey', {
      KeyId: ref(`${id}ApiKey`),
      KeyType: 'API_KEY',
      UsagePlanId: ref(`${id}UsagePlan`),
    }),
  ];
}

function domainOf(
  declared: Declared,
  domain: Fields,
  {
    type,
    mapping,
    properties,
    mapped,
  }: {
    readonly type: string;
    readonly mapping: string;
    readonly properties: Fields;
    readonly mapped: Fields;
  },
): Made[] {
  const name = ref(`${declared.id}DomainName`);
  const paths = own(domain, 'BasePath');
  const routed = own(domain, 'Route53');
  return [
    added(declared, 'DomainName', type, properties),
    ...(Array.isArray(paths) ? (paths as unknown[]) : [undefined]).map((path, at) =>
      added(declared, `${at === 0 ? '' : at}BasePathMapping`, mapping, {
        ...mapped,
        DomainName: name,
        [mapping.endsWith('ApiMapping') ? 'ApiMappingKey' : 'BasePath']: path,
      }),
    ),
    ...(isFields(routed)
      ? [
          added(declared, 'RecordSetGroup', 'AWS::Route53::RecordSetGroup', {
            ...pick(routed, 'HostedZoneId', 'HostedZoneName'),
            RecordSets: [{ Name: own(domain, 'DomainName'), Type: 'A' }],
          }),
        ]
      : []),
  ];
}
