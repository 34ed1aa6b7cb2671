import { expect, test } from 'vitest';
import { UnknownValue } from '../../../../src/contract/resources.ts';
import { secretSource } from '../../../../src/inventory/normalise/aws/secret-source.ts';

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
