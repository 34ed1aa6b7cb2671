import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/contract/findings.ts';
import { readInventory } from '../../../src/inventory/read.ts';
import { fingerprintOf } from '../../../src/project/check/baseline.ts';
import { createChecker } from '../../../src/project/check/checker.ts';
import { planDocument, Reference } from '../../inventory/attributes/aws/twins.ts';

/** What a DENY rule with this condition finds in the first resource of a type. */
function findingOf(input: object, type: string, condition: string): Finding {
  const read = readInventory(JSON.stringify(input));
  const all = read.ok ? read.inventory.resources : [];
  const one = all.find(({ resource }) => resource.type === type);
  if (!one) throw new Error(`nothing of type ${type} was read`);
  const policy = {
    name: 'one',
    resource_type: type,
    enabled: true,
    rules: [{ condition, effect: 'DENY' as const, message: 'no' }],
  };
  const checker = createChecker({ policies: [{ policy }], exemptions: [], now: 0, all: false });
  const [finding] = [one].flatMap((each) => {
    const found: Finding[] = [];
    checker.check(each, found, Infinity);
    return found;
  });
  if (!finding) throw new Error('nothing was found');
  return finding;
}

const said = (input: object, type: string, condition: string): unknown =>
  findingOf(input, type, condition).rules[0]?.message;

const template = (type: string, Properties: object): object => ({
  Parameters: {
    Stage: { Type: 'String' },
    Zone: { Type: 'String' },
    Secret: { Type: 'String', NoEcho: true },
    Image: { Type: 'AWS::SSM::Parameter::Value<String>' },
  },
  Conditions: {
    IsProd: { 'Fn::Equals': [{ Ref: 'Stage' }, 'prod'] },
    Either: { 'Fn::Or': [{ Condition: 'IsProd' }, { 'Fn::Equals': [{ Ref: 'Zone' }, 'a'] }] },
  },
  Resources: {
    It: { Type: type, Properties },
    Key: { Type: 'AWS::KMS::Key', Properties: {} },
  },
});

const volume = (Properties: object, condition: string): unknown =>
  said(template('AWS::EC2::Volume', Properties), 'AWS::EC2::Volume', condition);

describe('what a template leaves open is told with its property and the parameters that decide it', () => {
  const encrypted = 'resource.encryption.enabled == false';

  test.each<[string, unknown, string]>([
    ['a parameter', { Ref: 'Stage' }, '!Ref Stage. Pass `--parameters Stage=VALUE`'],
    [
      'a condition',
      { 'Fn::If': ['IsProd', true, false] },
      '!If IsProd. Pass `--parameters Stage=VALUE`',
    ],
    [
      'a condition of several parameters',
      { 'Fn::If': ['Either', true, false] },
      '!If Either. Pass `--parameters Stage=VALUE --parameters Zone=VALUE`',
    ],
  ])('%s', (_, Encrypted, why) => {
    expect(volume({ Encrypted }, encrypted)).toBe(`\`Encrypted\` is not known: ${why}`);
  });

  test.each<[string, unknown, string]>([
    ['another resource', { 'Fn::GetAtt': ['Key', 'Arn'] }, '!GetAtt Key.Arn'],
    ['another stack', { 'Fn::ImportValue': 'key' }, '!ImportValue key'],
    ['a secret, which stays one when it is passed', { Ref: 'Secret' }, '!Ref Secret'],
    ['a parameter of Systems Manager, whose name is passed', { Ref: 'Image' }, '!Ref Image'],
  ])('and no parameter for %s', (_, KmsKeyId, written) => {
    const condition = 'resource.properties.KmsKeyId == "x"';
    expect(volume({ KmsKeyId }, condition)).toBe(
      `\`KmsKeyId\` is not known: ${written}, which is known only after deployment`,
    );
  });

  test('the property of the attribute, where another waits for the same', () => {
    const stage = { Ref: 'Stage' };
    expect(volume({ AvailabilityZone: stage, Encrypted: stage }, encrypted)).toMatch(
      /^`Encrypted` is/,
    );
  });

  test('the property of an item, where others wait for the same', () => {
    const stage = { Ref: 'Stage' };
    const type = 'AWS::EC2::SecurityGroup';
    const SecurityGroupIngress = [
      { IpProtocol: 'tcp', FromPort: 22, ToPort: 22, CidrIp: '10.0.0.0/8' },
      { IpProtocol: 'tcp', FromPort: stage, ToPort: 22, CidrIp: stage },
    ];
    const condition = 'resource.ingress.exists(one, "0.0.0.0/0" in one.cidrs)';
    expect(said(template(type, { SecurityGroupIngress }), type, condition)).toBe(
      '`SecurityGroupIngress[1].CidrIp` is not known: !Ref Stage. Pass `--parameters Stage=VALUE`',
    );
  });

  test('an undeclared condition, for which no parameter helps, and nothing is promised', () => {
    expect(volume({ Encrypted: { 'Fn::If': ['None', true, false] } }, encrypted)).toBe(
      '`Encrypted` is not known: !If None',
    );
  });

  test('the property of SAM, in what SAM deploys', () => {
    const type = 'AWS::Serverless::Function';
    const DeadLetterQueue = { Type: 'SQS', TargetArn: { Ref: 'Stage' } };
    const input = {
      ...template(type, { DeadLetterQueue }),
      Transform: 'AWS::Serverless-2016-10-31',
    };
    const condition = 'resource.properties.DeadLetterConfig.TargetArn == "x"';
    expect(said(input, 'AWS::Lambda::Function', condition)).toBe(
      '`DeadLetterQueue.TargetArn` is not known: !Ref Stage. Pass `--parameters Stage=VALUE`',
    );
  });

  test('the parameters of an Azure template', () => {
    const input = {
      $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
      contentVersion: '1.0.0.0',
      parameters: { tier: { type: 'string' } },
      resources: [
        {
          type: 'Microsoft.Storage/storageAccounts',
          apiVersion: '2023-01-01',
          name: 'a',
          properties: {
            supportsHttpsTrafficOnly: "[if(equals(parameters('tier'), 'a'), true(), false())]",
          },
        },
      ],
    };
    const condition = 'resource.properties.supportsHttpsTrafficOnly == false';
    const found = said(input, 'Azure::Storage::storageAccounts', condition);
    expect(found).toContain('supportsHttpsTrafficOnly` is not known: ');
    expect(found).toContain('. Pass `--parameters tier=VALUE`');
  });
});

test('what a plan leaves open is told with its argument', () => {
  const plan = planDocument({
    'aws_ebs_volume.it': { size: 8, kms_key_id: new Reference('aws_kms_key.main.arn') },
    'aws_kms_key.main': {},
  });
  expect(said(plan, 'AWS::EC2::Volume', 'resource.properties.kms_key_id == "x"')).toBe(
    '`kms_key_id` is known only after apply: aws_kms_key.main.arn',
  );
});

test('an attribute that is not there is told with what a condition can ask', () => {
  expect(volume({}, 'resource.environment == "x"')).toBe(
    'resource.environment is not set: if it can be missing, test has(resource.environment) in the condition',
  );
  expect(volume({}, 'resource.shop.owner == "x"')).toBe(
    'resource.shop is not set: shop is not a known attribute of AWS::EC2::Volume; if it is one of your own that can be missing, test has(resource.shop) in the condition',
  );
});

test('the finding is the one that a baseline of an earlier version accepts', () => {
  const input = template('AWS::EC2::Volume', { Encrypted: { Ref: 'Stage' } });
  const finding = findingOf(input, 'AWS::EC2::Volume', 'resource.encryption.enabled == false');
  const message = 'resource.encryption.enabled is not known before the deployment: Ref Stage';
  const before = { ...finding, rules: [{ index: 0, effect: 'DENY' as const, message }] };
  expect(fingerprintOf(finding, 'a.yaml')).toBe(fingerprintOf(before, 'a.yaml'));
});
