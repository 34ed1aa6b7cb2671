import { describe, expect, test } from 'vitest';
import { UnknownValue } from '../../../src/contract/resources.ts';
import { normalisers } from '../../../src/inventory/attributes/types.ts';
import { mistakes } from '../../support/attribute-model.ts';

test('what a normaliser takes an absence for has the declared type', () => {
  const wrong = normalisers.flatMap(({ types, attributes }) => {
    const table = new Map(Object.entries(attributes).map(([name, { type }]) => [name, type]));
    return Object.entries(attributes).flatMap(([name, { absent }]) =>
      mistakes(absent, name, table).map((mistake) => `${types.join(', ')}: ${mistake}`),
    );
  });
  expect(wrong).toEqual([]);
});

describe('a value when absent cites the document that says so, and its date:', () => {
  test.each(normalisers.map(({ types: [type = ''], ...one }) => [type, one] as const))(
    '%s',
    (_type, { attributes, source: ofType }) => {
      const without = Object.entries(attributes).flatMap(
        ([name, { absent, source = ofType ?? '' }]) =>
          absent !== undefined && !/\w, .*\b\d{4}-\d{2}(-\d{2})?\b/.test(source) ? [name] : [],
      );
      expect(without).toEqual([]);
    },
  );
});

test('no type is normalised twice', () => {
  const types = normalisers.flatMap((one) => one.types.map((type) => type.toLowerCase()));
  expect(types.filter((type, index) => types.indexOf(type) !== index)).toEqual([]);
});

const table = new Map([
  ['tls.minimum_version', 'string'],
  ['retention_days', 'int'],
  ['users', 'list'],
  ['users[].name', 'string'],
  ['users[].password.source', 'string'],
  ['ingress', 'list<TrafficRule>'],
  ['cidrs', 'list<string>'],
  ['variables', 'map<string,string>'],
]);

test.each([
  ['tls.minimum_version', '1.2', []],
  ['tls.minimum_version', undefined, []],
  ['tls.minimum_version', new UnknownValue('Ref Policy'), []],
  ['tls.minimum_version', 1.2, ['tls.minimum_version is 1.2, not string']],
  ['tls.maximum_version', '1.3', ['tls.maximum_version is not declared']],
  ['retention_days', 1.5, ['retention_days is 1.5, not int']],
  ['users', [{ name: 'shop', password: { source: 'plaintext' } }], []],
  ['users', [{ name: 1 }], ['users[].name is 1, not string']],
  ['users', [{ admin: true }], ['users[].admin is not declared']],
  ['users', [{ password: { text: 'x' } }], ['users[].password.text is not declared']],
  ['users', {}, ['users is {}, not list']],
  ['ingress', [{ from_port: 22 }], []],
  ['ingress', [{ port: 22 }], ['port is not declared']],
  ['cidrs', ['10.0.0.0/8', new UnknownValue('Ref Cidr')], []],
  ['cidrs', [8], ['cidrs[] is 8, not string']],
  ['variables', { STAGE: 'prod' }, []],
  ['variables', { RETRIES: 3 }, ['variables.* is 3, not string']],
])('%s: what is not as declared is found in %j', (attribute, value, expected) => {
  expect(mistakes(value, attribute, table)).toEqual(expected);
});
