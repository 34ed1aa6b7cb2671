import { describe, expect, test } from 'vitest';
import { readInventory } from '../../../src/inventory/read.ts';
import { attributesOfItem, attributesOfPlan, attributesOfTemplate } from './aws/twins.ts';

describe('a fixed word is read whatever its case', () => {
  test.each([
    ['AWS::RDS::DBInstance', { Engine: 'MySQL' }, { engine: 'mysql' }],
    ['AWS::ElasticLoadBalancingV2::Listener', { Protocol: 'http' }, { protocol: 'HTTP' }],
    ['AWS::Lambda::Url', { AuthType: 'none' }, { auth_type: 'NONE' }],
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

test('a word that nobody has seen stays as it is written', () => {
  expect(
    attributesOfTemplate({ It: ['AWS::Lambda::Url', { AuthType: 'Passkey' }] }),
  ).toHaveProperty('auth_type', 'Passkey');
});
