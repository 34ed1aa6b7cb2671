import { expect, test } from 'vitest';
import { UnknownValue } from '../../../../src/contract/resources.ts';
import { readInventory } from '../../../../src/inventory/read.ts';
import { secretSource } from '../../../../src/inventory/attributes/aws/secret-source.ts';

const parameter = (secret: boolean): UnknownValue =>
  new UnknownValue('Ref Password', { parameter: { name: 'Password', secret } });

test.each([
  ['a text', 'hunter2', 'plaintext'],
  ['a number', 1234, 'plaintext'],
  ['an empty text', '', 'plaintext'],
  ['Secrets Manager', '{{resolve:secretsmanager:db:SecretString:password}}', 'secrets_manager'],
  ['a secure parameter', '{{resolve:ssm-secure:db:1}}', 'ssm_secure'],
  ['a plain parameter of Systems Manager', '{{resolve:ssm:db:1}}', 'parameter'],
  ['a parameter that is shown', parameter(false), 'parameter'],
  ['a NoEcho parameter', parameter(true), 'secret_parameter'],
  [
    'Secrets Manager with a name known later',
    new UnknownValue('Sub', { text: '{{resolve:secretsmanager:${…}:SecretString:p}}' }),
    'secrets_manager',
  ],
  [
    'another resource',
    new UnknownValue('random_password.db.result', { target: 'random_password.db' }),
    'reference',
  ],
  ['nothing', undefined, undefined],
])('a secret that is %s is told by its source', (_title, value, source) => {
  expect(secretSource(value)).toBe(source);
});

test('a value of which nothing is known stays unknown', () => {
  const value = new UnknownValue('ImportValue password');
  expect(secretSource(value)).toBe(value);
});

/** The source of the password of a database in a plan, whose value the plan knows, by its expression. */
function sourceInPlan(
  password: object,
  parts: { variables?: object; module?: boolean } = {},
): unknown {
  const resource = {
    address: 'aws_db_instance.db',
    mode: 'managed',
    type: 'aws_db_instance',
    name: 'db',
    expressions: { password },
  };
  const { variables = {} } = parts;
  const root = parts.module
    ? {
        variables,
        module_calls: {
          db: {
            expressions: { password: { references: ['var.db'] } },
            module: { resources: [resource], variables: { password: {} } },
          },
        },
      }
    : { variables, resources: [resource] };
  const address = `${parts.module ? 'module.db.' : ''}aws_db_instance.db`;
  const read = readInventory(
    JSON.stringify({
      format_version: '1.2',
      terraform_version: '1.9.0',
      resource_changes: [
        {
          address,
          ...(parts.module ? { module_address: 'module.db' } : {}),
          mode: 'managed',
          type: 'aws_db_instance',
          name: 'db',
          change: {
            actions: ['create'],
            before: null,
            after: { password: 'hunter2' },
            after_unknown: {},
            after_sensitive: { password: true },
          },
        },
      ],
      configuration: { root_module: root },
    }),
  );
  if (!read.ok) throw new Error(read.problem.message);
  const [only] = read.inventory.resources;
  return (only?.resource['master_password'] as { source: unknown } | undefined)?.source; // as the table has it
}

test.each([
  ['a constant', { constant_value: 'hunter2' }, {}, 'plaintext'],
  [
    'a sensitive variable',
    { references: ['var.db'] },
    { db: { sensitive: true } },
    'secret_parameter',
  ],
  [
    'a sensitive variable whose default is null',
    { references: ['var.db'] },
    { db: { sensitive: true, default: null } },
    'secret_parameter',
  ],
  [
    'a sensitive variable with a default',
    { references: ['var.db'] },
    { db: { sensitive: true, default: 'hunter2' } },
    'plaintext',
  ],
  ['a variable that is shown', { references: ['var.db'] }, { db: {} }, 'parameter'],
  [
    'a secret that Terraform reads',
    {
      references: [
        'data.aws_secretsmanager_secret_version.db.secret_string',
        'data.aws_secretsmanager_secret_version.db',
      ],
    },
    {},
    'secrets_manager',
  ],
  [
    'a parameter of Systems Manager that Terraform reads',
    { references: ['data.aws_ssm_parameter.db.value', 'data.aws_ssm_parameter.db'] },
    {},
    'ssm_secure',
  ],
  [
    'a password that Terraform made earlier',
    { references: ['random_password.db.result', 'random_password.db'] },
    {},
    'reference',
  ],
])(
  'a password of a plan that is %s is told by its expression',
  (_title, password, variables, source) => {
    expect(sourceInPlan(password, { variables })).toBe(source);
  },
);

test('a password of a plan is followed through the inputs of modules', () => {
  const password = { references: ['var.password'] };
  const variables = { db: { sensitive: true } };
  expect(sourceInPlan(password, { variables, module: true })).toBe('secret_parameter');
});

test('a password of a plan that comes through a local value is not guessed', () => {
  expect(sourceInPlan({ references: ['local.password'] })).toBeInstanceOf(UnknownValue);
});

test.each([
  ['without a default', '', 'secret_parameter'],
  ['with a default', ', Default: changeme', 'plaintext'],
])('a NoEcho parameter %s is told alike when its value is handed in', (_title, more, source) => {
  const template = `
Parameters: {Password: {Type: String, NoEcho: true${more}}}
Resources: {Db: {Type: 'AWS::RDS::DBInstance', Properties: {MasterUserPassword: !Ref Password}}}`;
  const read = readInventory(template, { parameters: { Password: 'hunter2' } });
  const resource = read.ok ? read.inventory.resources[0]?.resource : undefined;
  expect(resource?.['master_password']).toEqual({ source });
});
