import { own } from '../resolver.ts';
import { inlinePolicy, managedPolicy, trustOf } from './role.ts';
import type { Expansion } from './expansion.ts';
import type { Declared, Made } from './written.ts';
import { added, arnOf, base, fieldOf, isMap, unknownPart, tagPairs, without } from './written.ts';

/** The API of AppSync with its schema; of its resolvers and data sources, what they are called. */
export function expandGraphQlApi(declared: Declared): Expansion {
  const { id, properties } = declared;
  const auth = own(properties, 'Auth');
  const ofSam = [
    'ApiKeys',
    'Auth',
    'Cache',
    'DataSources',
    'DomainName',
    'Functions',
    'Logging',
    'Resolvers',
    'SchemaInline',
    'SchemaUri',
    'Tags',
  ];
  const logging = own(properties, 'Logging');
  const isLogged = logging !== undefined && logging !== false;
  const logs = isMap(logging) ? logging : {};
  const sources = own(properties, 'DataSources');
  return {
    made: [
      base(declared, {
        ...without(properties, ...ofSam),
        Name: own(properties, 'Name') ?? id,
        AuthenticationType: fieldOf(auth, 'Type'),
        AdditionalAuthenticationProviders: fieldOf(auth, 'Additional'),
        LogConfig: isLogged
          ? {
              FieldLogLevel: 'ALL',
              CloudWatchLogsRoleArn: arnOf(`${id}CloudWatchRole`),
              ...logs,
            }
          : undefined,
        Tags: tagPairs(own(properties, 'Tags'), 'graphQLApi:createdBy'),
      }),
      added(declared, 'Schema', 'AWS::AppSync::GraphQLSchema', {
        ApiId: { 'Fn::GetAtt': [id, 'ApiId'] },
        Definition: own(properties, 'SchemaInline'),
      }),
      ...(isLogged && !Object.hasOwn(logs, 'CloudWatchLogsRoleArn')
        ? [
            added(declared, 'CloudWatchRole', 'AWS::IAM::Role', {
              AssumeRolePolicyDocument: trustOf('appsync.amazonaws.com'),
              ManagedPolicyArns: [managedPolicy('service-role/AWSAppSyncPushToCloudWatchLogs')],
            }),
          ]
        : []),
      ...keysAt(properties, 'ApiKeys').map((name) =>
        added(declared, name, 'AWS::AppSync::ApiKey', {
          ApiId: { 'Fn::GetAtt': [id, 'ApiId'] },
        }),
      ),
      ...keysAt(sources, 'DynamoDb').flatMap((name) =>
        dataSource(declared, name, 'AMAZON_DYNAMODB'),
      ),
      ...keysAt(sources, 'Lambda').flatMap((name) => dataSource(declared, name, 'AWS_LAMBDA')),
    ],
  };
}

/** What a data source may do depends on what it names; that is left open. */
const dataSource = (declared: Declared, name: string, Type: string): Made[] => [
  added(declared, `${name}DataSource`, 'AWS::AppSync::DataSource', { Name: name, Type }),
  added(declared, `${name}Role`, 'AWS::IAM::Role', {
    AssumeRolePolicyDocument: trustOf('appsync.amazonaws.com'),
    Policies: [
      inlinePolicy(`${name}Policy`, unknownPart('the permissions that the data source needs')),
    ],
  }),
];

const keysAt = (value: unknown, name: string): string[] => {
  const found = fieldOf(value, name);
  return isMap(found) ? Object.keys(found) : [];
};
