import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/contract/findings.ts';
import { readInventory } from '../../../src/inventory/read.ts';
import { fingerprintOf } from '../../../src/project/check/baseline.ts';
import { createChecker } from '../../../src/project/check/checker.ts';
import { planDocument, templateDocument } from '../../inventory/attributes/aws/twins.ts';

/** What a policy of one DENY rule that always holds finds in the first resource of an input. */
function findingsIn(input: object, message: string, effect: 'DENY' | 'ALLOW' = 'DENY'): Finding[] {
  const read = readInventory(JSON.stringify(input));
  const [first] = read.ok ? read.inventory.resources : [];
  if (!first) throw new Error('nothing was read');
  const condition = effect === 'DENY' ? 'resource.type != ""' : 'resource.type == "`KmsKeyId`"';
  const policy = {
    name: 'one',
    resource_type: first.resource.type,
    enabled: true,
    rules: [{ condition, effect, message }],
  };
  const checker = createChecker({ policies: [{ policy }], exemptions: [], now: 0, all: false });
  const found: Finding[] = [];
  checker.check(first, found, Infinity);
  return found;
}

const said = (input: object, message: string, effect?: 'ALLOW'): unknown =>
  findingsIn(input, message, effect)[0]?.rules[0]?.message;

const volume = planDocument({ 'aws_ebs_volume.it': { size: 8 } });
const bucket = planDocument({ 'aws_s3_bucket.it': { bucket: 'b' } });

describe('a message about secrets names where they stand, never what they are', () => {
  const told = 'A secret (`plaintext_secrets`) can be read.';

  test.each([
    [
      'a property of a template',
      templateDocument({ It: ['AWS::DocDBElastic::Cluster', { AdminUserPassword: 'hunter22' }] }),
      told,
      'A secret (`AdminUserPassword`) can be read.',
    ],
    [
      'an argument of Terraform',
      planDocument({ 'aws_docdbelastic_cluster.it': { admin_user_password: 'hunter22' } }),
      told,
      'A secret (`admin_user_password`) can be read.',
    ],
    [
      'variables',
      templateDocument({
        It: [
          'AWS::Lambda::Function',
          { Environment: { Variables: { STAGE: 'x', DB_PASSWORD: 'hunter22', A_TOKEN: 'x' } } },
        ],
      }),
      'A variable (`environment_secrets`) is a secret.',
      'A variable (`DB_PASSWORD`, `A_TOKEN`) is a secret.',
    ],
    [
      'the kind of what stands in user data',
      templateDocument({
        It: ['AWS::EC2::Instance', { UserData: { 'Fn::Base64': 'export DB_PASSWORD=hunter22' } }],
      }),
      'It contains a secret (`user_data.secrets`).',
      'It contains a secret (`password`).',
    ],
    [
      'nothing where nothing is listed',
      templateDocument({ It: ['AWS::Lambda::Function', {}] }),
      'A variable (`environment_secrets`) is a secret.',
      'A variable is a secret.',
    ],
  ])('%s', (_, input, message, expected) => {
    expect(said(input, message)).toBe(expected);
  });

  test('and names five of many, each in short', () => {
    const names = Array.from({ length: 9 }, (_, index) => `TOKEN_${index}${'x'.repeat(200)}\n\`\``);
    const Variables = Object.fromEntries(names.map((name) => [name, 'x']));
    const input = templateDocument({
      It: ['AWS::Lambda::Function', { Environment: { Variables } }],
    });
    const message = said(input, 'A variable (`environment_secrets`) is a secret.');
    expect(message).toMatch(/^A variable \((`TOKEN_\dx{93}…`(, )?){5} and 4 more\) is a secret\.$/);
  });
});

describe('a message about what Terraform declares', () => {
  test('names the arguments of Terraform', () => {
    expect(said(volume, 'No key; set `KmsKeyId`, and `Encrypted` to true.')).toBe(
      'No key; set `kms_key_id`, and `encrypted` to true.',
    );
  });

  test('names the resource that has the argument, where it is another', () => {
    expect(said(bucket, 'set `AccessControl` to private')).toBe(
      'set `acl` of `aws_s3_bucket_acl` to private',
    );
  });

  test.each([
    ['aws_db_instance', 'set `enabled_cloudwatch_logs_exports`'],
    ['aws_rds_cluster_instance', 'set `enabled_cloudwatch_logs_exports` of `aws_rds_cluster`'],
  ])('names what %s has, of types that differ', (type, expected) => {
    const plan = planDocument({ [`${type}.it`]: { engine: 'mysql' } });
    expect(said(plan, 'set `EnableCloudwatchLogsExports`')).toBe(expected);
  });

  test('names a value that Terraform has another word for', () => {
    const plan = planDocument({ 'azurerm_servicebus_namespace.it': { name: 'n' } });
    expect(said(plan, 'set `disableLocalAuth: true`')).toBe('set `local_auth_enabled = false`');
  });

  test.each([
    [
      { https_traffic_only_enabled: null, enable_https_traffic_only: null },
      'https_traffic_only_enabled',
    ],
    [{ enable_https_traffic_only: null }, 'enable_https_traffic_only'],
    [{}, 'https_traffic_only_enabled'],
  ])('names what the version of the provider has: of %j, %s', (values, expected) => {
    const plan = planDocument({ 'azurerm_storage_account.it': { name: 'n', ...values } });
    expect(said(plan, 'set `supportsHttpsTrafficOnly`')).toBe(`set \`${expected}\``);
  });

  test('names what takes the place of a resource that has no such argument', () => {
    const plan = planDocument({ 'azurerm_virtual_machine.it': { name: 'n' } });
    expect(said(plan, 'set `securityProfile.encryptionAtHost`')).toBe(
      'set `encryption_at_host_enabled` of `azurerm_linux_virtual_machine` or `azurerm_windows_virtual_machine`',
    );
  });

  test.each(['AWS::EC2::Volume', 'AWS::IoT::Policy'])(
    'names what parameters of templates are called, for %s',
    (type) => {
      const plan = planDocument({
        [type === 'AWS::EC2::Volume' ? 'aws_ebs_volume.it' : 'aws_iot_policy.it']: { size: 8 },
      });
      expect(said(plan, 'use a `NoEcho parameter`')).toBe('use a `sensitive variable`');
    },
  );

  test.each([
    'set KmsKeyId',
    'set `kmskeyid`',
    'set `Size` or `constructor`',
    'set `` KmsKeyId ``',
    'a lonely ` before KmsKeyId',
  ])('leaves what names no known property in backticks: %s', (message) => {
    expect(findingsIn(volume, message)[0]?.rules).toEqual([{ index: 0, effect: 'DENY', message }]);
  });

  test('keeps what the policy says beside it, and the finding stays the one in a baseline', () => {
    const message = 'set `KmsKeyId`';
    const [finding] = findingsIn(volume, message);
    if (!finding) throw new Error('nothing was found');
    expect(finding.rules[0]).toMatchObject({ policy_message: message });
    const before = { ...finding, rules: [{ index: 0, effect: 'DENY' as const, message }] };
    expect(fingerprintOf(finding, 'plan.json')).toBe(fingerprintOf(before, 'plan.json'));
  });
});

test('what no ALLOW rule matched is told with the conditions as they are', () => {
  expect(said(volume, '', 'ALLOW')).toContain('"`KmsKeyId`"');
});

test('a message about a template names properties as the provider does', () => {
  const template = templateDocument({ It: ['AWS::EC2::Volume', { Size: 8 }] });
  expect(findingsIn(template, 'set `KmsKeyId`')[0]?.rules).toEqual([
    { index: 0, effect: 'DENY', message: 'set `KmsKeyId`' },
  ]);
});

test('a message about what SAM deploys names properties as SAM does', () => {
  const template = {
    Transform: 'AWS::Serverless-2016-10-31',
    Resources: {
      It: { Type: 'AWS::Serverless::Function', Properties: { Handler: 'a.b', Runtime: 'x' } },
    },
  };
  expect(said(template, 'set `DeadLetterConfig.TargetArn` and `VpcConfig`')).toBe(
    'set `DeadLetterQueue.TargetArn` and `VpcConfig`',
  );
});
