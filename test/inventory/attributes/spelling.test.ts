import { describe, expect, test } from 'vitest';
import { matchesType } from '../../../src/contract/resources.ts';
import { readInventory } from '../../../src/inventory/read.ts';
import { wordsOf } from '../../../src/inventory/attributes/spelling.ts';
import { normalisers } from '../../../src/inventory/attributes/types.ts';
import { libraryPolicies, verdictsOf } from '../../support/policy-library.ts';
import { attributesOfItem, attributesOfPlan, attributesOfTemplate } from './aws/twins.ts';

describe('a fixed word is read whatever its case', () => {
  test.each([
    ['AWS::RDS::DBInstance', { Engine: 'MySQL' }, { engine: 'mysql' }],
    ['AWS::ElasticLoadBalancingV2::Listener', { Protocol: 'http' }, { protocol: 'HTTP' }],
    ['AWS::Lambda::Url', { AuthType: 'none' }, { auth_type: 'NONE' }],
    ['AWS::KMS::Key', { KeySpec: 'symmetric_default' }, { key_spec: 'SYMMETRIC_DEFAULT' }],
    ['AWS::ApiGateway::Method', { HttpMethod: 'options' }, { http_method: 'OPTIONS' }],
    [
      'AWS::KinesisFirehose::DeliveryStream',
      { DeliveryStreamType: 'directput' },
      { source_type: 'DirectPut' },
    ],
    [
      'AWS::CodeBuild::Project',
      { Source: { Type: 'GitHub', Location: 'x' } },
      { sources: [{ kind: 'GITHUB' }] },
    ],
    ['AWS::EC2::Volume', { VolumeType: 'GP3' }, { volume_type: 'gp3' }],
    ['AWS::ECS::TaskDefinition', { NetworkMode: 'Host' }, { network_mode: 'host' }],
    ['AWS::Cognito::UserPool', { MfaConfiguration: 'off' }, { mfa: { mode: 'OFF' } }],
    [
      'AWS::ApiGateway::RestApi',
      { EndpointConfiguration: { Types: ['private'] } },
      { endpoint_types: ['PRIVATE'] },
    ],
    [
      'AWS::ApiGateway::Stage',
      { MethodSettings: [{ LoggingLevel: 'info' }, { LoggingLevel: 'off' }] },
      { method_settings: [{ logging_level: 'INFO' }, { logging_level: 'OFF' }] },
    ],
    [
      'AWS::CodeBuild::Project',
      { Environment: { EnvironmentVariables: [{ Name: 'Token', Type: 'plaintext' }] } },
      { variables: [{ name: 'Token', kind: 'PLAINTEXT' }] },
    ],
  ] as const)('%s', (type, properties, expected) => {
    expect(attributesOfTemplate({ It: [type, properties] })).toMatchObject(expected);
  });

  test('in a plan, an item of AWS Config and a document of Azure, too', () => {
    expect(attributesOfPlan({ 'aws_db_instance.it': { engine: 'PostgreS' } })).toHaveProperty(
      'engine',
      'postgres',
    );
    expect(attributesOfItem(['AWS::RDS::DBInstance', { engine: 'MySQL' }])).toHaveProperty(
      'engine',
      'mysql',
    );
    const read = readInventory(
      JSON.stringify([
        {
          id: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Web/sites/it',
          type: 'Microsoft.Web/sites',
          name: 'it',
          properties: { siteConfig: { ftpsState: 'ALLALLOWED' } },
        },
      ]),
    );
    expect(read.ok && read.inventory.resources[0]?.resource['ftp_state']).toBe('AllAllowed');
  });
});

const verdictOf = (type: string, properties: Record<string, unknown>, policy: string) => {
  const read = readInventory(
    JSON.stringify({ Resources: { It: { Type: type, Properties: properties } } }),
  );
  const resource = read.ok ? read.inventory.resources[0]?.resource : undefined;
  return resource && verdictsOf(resource)[policy];
};

describe('a word that nobody has seen is unknown, so no rule passes because of it', () => {
  test.each([
    ['AWS::Lambda::Url', { AuthType: 'Passkey' }, 'aws-lambda-url-authentication'],
    [
      'AWS::ElasticLoadBalancingV2::Listener',
      { Protocol: 'HTTP4', DefaultActions: [{ Type: 'forward', TargetGroupArn: 'arn' }] },
      'aws-elbv2-listener-https',
    ],
    [
      'AWS::EC2::SecurityGroup',
      { SecurityGroupIngress: [{ IpProtocol: 'quic', CidrIp: '0.0.0.0/0' }] },
      'aws-ec2-security-group-no-public-ssh',
    ],
    [
      'AWS::EC2::SecurityGroup',
      {
        SecurityGroupIngress: [
          { IpProtocol: 'quic', FromPort: 443, ToPort: 443, CidrIp: '0.0.0.0/0' },
        ],
      },
      'aws-ec2-security-group-no-public-ssh',
    ],
    [
      'AWS::EC2::LaunchTemplate',
      { LaunchTemplateData: { MetadataOptions: { HttpEndpoint: 'off' } } },
      'aws-ec2-launch-template-imdsv2',
    ],
    [
      'AWS::ElastiCache::ReplicationGroup',
      { TransitEncryptionEnabled: true, TransitEncryptionMode: 'mostly' },
      'aws-elasticache-tls',
    ],
    ['AWS::ECS::TaskDefinition', { NetworkMode: 'bare' }, 'aws-ecs-no-host-network'],
    ['AWS::RDS::DBInstance', { Engine: 'mysql-next' }, 'aws-rds-instance-tls'],
    ['AWS::RDS::DBInstance', { Engine: 'postgress' }, 'aws-rds-instance-iam-authentication'],
    ['AWS::RDS::DBCluster', { Engine: 'aurora-next' }, 'aws-rds-cluster-aurora-backtrack'],
    ['AWS::Lambda::Function', { Runtime: 'cobol85' }, 'aws-lambda-supported-runtime'],
    ['AWS::Lambda::Function', { Runtime: 'nodejs11.x' }, 'aws-lambda-supported-runtime'],
    [
      'AWS::Glue::Connection',
      { ConnectionInput: { ConnectionType: 'JDBC2', ConnectionProperties: {} } },
      'aws-glue-connection-tls',
    ],
    ['AWS::RDS::DBParameterGroup', { Family: 'next' }, 'aws-rds-parameter-group-tls'],
    ['AWS::FSx::FileSystem', { FileSystemType: 'NEXT' }, 'aws-fsx-backup'],
    [
      'AWS::ApiGatewayV2::DomainName',
      { DomainNameConfigurations: [{ SecurityPolicy: 'TLS_NEXT' }] },
      'aws-api-gateway-v2-domain-tls',
    ],
    [
      'AWS::EC2::NetworkAclEntry',
      { RuleAction: 'permit', CidrBlock: '0.0.0.0/0', Protocol: 6 },
      'aws-ec2-network-acl-entry-limits-ports',
    ],
  ] as const)('%s', (type, properties, policy) => {
    expect(verdictOf(type, properties, policy)).toBe('ERROR 0');
  });
});

test.each([
  ['nodejs6.10', 'FAIL'],
  ['NodeJS8.10', 'FAIL'],
  ['dotnet8', 'FAIL'],
  ['python3.13', 'PASS'],
  ['provided.al2023', 'PASS'],
  ['nodejs26.x', 'PASS'],
  ['python3.15', 'PASS'],
  ['python4.0', 'PASS'],
  ['java29', 'PASS'],
  ['provided.al2026', 'PASS'],
])('a function on %s, of a language that is known, gets %s', (runtime, status) => {
  const verdict = verdictOf(
    'AWS::Lambda::Function',
    { Runtime: runtime },
    'aws-lambda-supported-runtime',
  );
  expect(verdict).toMatch(new RegExp(`^${status}`));
});

/** Words that customers choose. */
const ownWords = new Set(['name', 'group_name', 'principal', 'role_name', 'environment']);

test('every word that the library compares with is read whatever its case', () => {
  const compared = libraryPolicies.flatMap(({ policy }) =>
    policy.rules
      .flatMap(({ condition }) => [
        ...condition.matchAll(/resource\.([a-z_.]+)\s*(?:==|!=|in)\s*(?:\[\s*)?"[A-Za-z]/g),
      ])
      .map(([, path = '']) => [policy.resource_type, path] as const),
  );
  const unread = compared.filter(
    ([type, path]) =>
      !ownWords.has(path) &&
      !/^(?:source|tags|type)\b|[.]source$/.test(path) &&
      normalisers.every(
        ({ types, attributes }) =>
          !types.some((one) => matchesType(type, one)) || attributes[path]?.spelling === undefined,
      ),
  );
  expect(compared.length).toBeGreaterThan(20);
  expect(unread).toEqual([]);
});

test('no two words of a list differ only in case and separators', () => {
  const lists = normalisers.flatMap(({ attributes }) =>
    Object.values(attributes).map(({ spelling }) => wordsOf(spelling)),
  );
  const letters = (word: string) => word.toLowerCase().replace(/[^a-z0-9]/g, '');
  for (const words of lists) {
    const lettered = words.filter((word) => /[a-z]/i.test(word));
    expect(new Set(lettered.map(letters)).size).toBe(lettered.length);
  }
});
