import { describe, expect, test } from 'vitest';
import { UnknownValue } from '../../../../src/contract/resources.ts';
import {
  readAllStatements,
  readStatements,
  requiredDocument,
} from '../../../../src/inventory/attributes/aws/policy-document.ts';

const empty = {
  principals: [],
  not_principals: [],
  actions: [],
  not_actions: [],
  resources: [],
  not_resources: [],
  conditions: {},
};

const document = {
  Version: '2012-10-17',
  Statement: {
    Sid: 'Tls',
    Effect: 'Deny',
    Principal: { AWS: ['*', 'arn:aws:iam::123456789012:root'], Service: 's3.amazonaws.com' },
    Action: 's3:*',
    NotResource: ['arn:aws:s3:::a'],
    Condition: { Bool: { 'aws:SecureTransport': false }, NumericLessThan: { 's3:max': [1, 2] } },
  },
};

const statements = [
  {
    ...empty,
    sid: 'Tls',
    effect: 'Deny',
    principals: ['*', 'arn:aws:iam::123456789012:root', 's3.amazonaws.com'],
    actions: ['s3:*'],
    not_resources: ['arn:aws:s3:::a'],
    conditions: {
      Bool: { 'aws:SecureTransport': ['false'] },
      NumericLessThan: { 's3:max': ['1', '2'] },
    },
  },
];

describe('readStatements', () => {
  test.each([
    ['an object', document],
    ['JSON text', JSON.stringify(document)],
    ['percent-encoded JSON text', encodeURIComponent(JSON.stringify(document))],
    ['a list of statements', { Statement: [document.Statement] }],
  ])('makes lists of single values in %s', (_title, given) => {
    expect(readStatements(given)).toEqual(statements);
  });

  test.each([
    ['*:*', '*'],
    ['arn:*', '*'],
    ['arn:aws:*', '*'],
    ['arn:aws-cn:*:*:*:*', '*'],
    ['arn:${AWS::Partition}:*:*:*:*', '*'],
    ['arn:aws:s3:::*', 'arn:aws:s3:::*'],
    ['arn:aws:*:::acme', 'arn:aws:*:::acme'],
    ['arn:aws', 'arn:aws'],
  ])('reads the resource %s as %s', (written, read) => {
    expect(readStatements({ Statement: { Effect: 'Allow', Resource: written } })).toMatchObject([
      { resources: [read] },
    ]);
  });

  test.each([undefined, null, '', { Statement: [] }])('finds none in %j', (given) => {
    expect(readStatements(given)).toEqual([]);
  });

  test.each([
    [{}, 'a policy document without a Statement'],
    [{ statement: [] }, 'a policy document with the key statement'],
    [{ Statements: [] }, 'a policy document with the key Statements'],
    [7, '7, which is not a policy document'],
    [[], 'a list, which is not a policy document'],
  ])('takes a document that AWS refuses for unknown: %j', (given, expression) => {
    expect(readStatements(given)).toMatchObject({ expression });
  });

  test.each([
    [{ effect: 'Allow', Principal: '*', Action: '*' }, 'a statement with the key effect'],
    [{ Effect: 'Allow', principal: '*', Action: '*' }, 'a statement with the key principal'],
    [{ Effect: 'Allow', Principle: '*', Action: '*' }, 'a statement with the key Principle'],
    ['Allow *', '"Allow *", which is not a statement'],
  ])(
    'takes a statement that AWS refuses for unknown, beside the others: %j',
    (given, expression) => {
      expect(readStatements({ Statement: [given, document.Statement] })).toEqual([
        expect.objectContaining({ expression }),
        ...statements,
      ]);
    },
  );

  test('takes the actions of a statement without Action and NotAction for unknown', () => {
    expect(readStatements({ Statement: { Effect: 'Allow', Principal: '*' } })).toEqual([
      { ...empty, effect: 'Allow', principals: ['*'], actions: [expect.any(UnknownValue)] },
    ]);
  });

  test.each(['allow', 'ALLOW', 'Permit'])('takes the effect %s for unknown', (Effect) => {
    expect(readStatements({ Statement: { Effect, Action: '*' } })).toMatchObject([
      { effect: expect.any(UnknownValue) },
    ]);
  });

  test('takes a resource that is nothing but a policy, and has none, for unknown', () => {
    expect(readStatements(requiredDocument(undefined))).toBeInstanceOf(UnknownValue);
    expect(readStatements(requiredDocument(document))).toEqual(statements);
    expect(
      readAllStatements([], [{ type: 'AWS::S3::BucketPolicy', document: undefined }]),
    ).toBeInstanceOf(UnknownValue);
  });

  test.each(['s3:*', 's3:**', 's3:?*'])('takes %j for every action of a service', (wildcard) => {
    const [read] = [readStatements({ Statement: { Effect: 'Allow', Action: wildcard } })].flat();
    expect(read).toMatchObject({ actions: ['s3:*'] });
  });

  test.each(['*', '**', '*:*', '?*', '?*:?*'])('takes %j for everything', (wildcard) => {
    const [read] = [
      readStatements({ Statement: { Action: wildcard, NotResource: [wildcard] } }),
    ].flat();
    expect(read).toMatchObject({ actions: ['*'], not_resources: ['*'] });
  });

  test.each([
    ['${AWS::AccountId}', '${AWS::AccountId}'],
    ['${Role.Arn}', '${Role.Arn}'],
    ['arn:aws:iam::${Account}:root', 'arn:aws:iam::${Account}:root'],
    ['*', '*'],
    ['${Anybody}', new UnknownValue('${Anybody}')],
    ['${var.anybody}', new UnknownValue('${var.anybody}')],
    ['${One}${Two}', new UnknownValue('${One}${Two}')],
  ])('of a JSON text that is known in part, a principal %s is %s', (written, expected) => {
    const text = JSON.stringify({
      Statement: { Effect: 'Allow', Principal: written, Action: 'a:B' },
    });
    expect(readStatements(new UnknownValue('Sub', { text }))).toMatchObject([
      { effect: 'Allow', principals: [expected], actions: ['a:B'] },
    ]);
  });

  test('takes a JSON text whose unknown pieces are its structure for unknown', () => {
    const whole = new UnknownValue('Sub', { text: '{"Statement": [${Statements}]}' });
    expect(readStatements(whole)).toBeInstanceOf(UnknownValue);
  });

  test('takes a text that is no JSON for unknown, not for a document without statements', () => {
    expect(readStatements('{"Statement": ')).toBeInstanceOf(UnknownValue);
    expect(readStatements('%7B%zz')).toBeInstanceOf(UnknownValue);
  });

  test('keeps what is not known where it stands', () => {
    const arn = new UnknownValue('ImportValue role');
    const read = readStatements({
      Statement: [
        { Effect: 'Allow', Principal: { AWS: arn }, Action: ['a:B', arn], Condition: arn },
        arn,
      ],
    });
    expect(read).toEqual([
      { ...empty, effect: 'Allow', principals: [arn], actions: ['a:B', arn], conditions: arn },
      arn,
    ]);
    expect(readStatements(arn)).toBeInstanceOf(UnknownValue);
  });

  test('knows that a list which only a parameter gives is not empty', () => {
    const parameter = { name: 'Actions', secret: false };
    const actions = new UnknownValue('Ref Actions', { parameter });
    const [read] = [readStatements({ Statement: { Effect: 'Allow', NotAction: actions } })].flat();
    expect(read).toMatchObject({ not_actions: [expect.any(UnknownValue)] });
  });

  test('keeps condition keys that are names of object members', () => {
    const read = readStatements(
      '{"Statement": {"Action": "*", "Condition": {"__proto__": {"constructor": "x"}, "toString": {}}}}',
    );
    expect(JSON.stringify(read)).toContain(
      '"conditions":{"__proto__":{"constructor":["x"]},"toString":{}}',
    );
  });
});

describe('readAllStatements', () => {
  test('joins documents, and is unknown where nothing at all is known', () => {
    const unknown = new UnknownValue('Ref Document');
    expect(readAllStatements([document, undefined, document])).toEqual([
      ...statements,
      ...statements,
    ]);
    expect(readAllStatements([])).toEqual([]);
    expect(readAllStatements([unknown])).toBeInstanceOf(UnknownValue);
    expect(readAllStatements([document, unknown])).toEqual([
      ...statements,
      expect.any(UnknownValue),
    ]);
  });
});
