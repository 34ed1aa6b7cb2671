import { describe, expect, test } from 'vitest';
import { UnknownValue } from '../../../../src/contract/resources.ts';
import { terraform } from '../../../../src/inventory/formats/terraform/reader.ts';
import { readInventory } from '../../../../src/inventory/read.ts';

type Fields = Record<string, unknown>;

const change = (address: string, after: Fields, unknown: Fields): Fields => {
  const [type, name] = address.split('.').slice(-2);
  const mode = address.startsWith('data.') ? 'data' : 'managed';
  const actions = [mode === 'data' ? 'read' : 'create'];
  return { address, mode, type, name, change: { actions, after, after_unknown: unknown } };
};

const bucket = change('aws_s3_bucket.b', { bucket: 'b' }, { arn: true });
const bucketPolicy = change('aws_s3_bucket_policy.p', { bucket: 'b' }, { policy: true });

const statement = {
  sid: null,
  effect: 'Allow',
  actions: ['s3:GetObject'],
  principals: [{ type: 'AWS', identifiers: ['*'] }],
  resources: [null],
  condition: [{ test: 'Bool', variable: 'aws:SecureTransport', values: ['true'] }],
};

/** A bucket policy that is a document with these values. */
function plan(
  values: Fields,
  unknown: Fields,
  expressions: Fields = {},
  more: Fields[] = [],
): Fields {
  return {
    format_version: '1.2',
    resource_changes: [
      bucket,
      bucketPolicy,
      change('data.aws_iam_policy_document.d', values, { json: true, ...unknown }),
      ...more,
    ],
    configuration: {
      root_module: {
        resources: [
          { address: 'aws_s3_bucket.b', expressions: {} },
          {
            address: 'aws_s3_bucket_policy.p',
            expressions: {
              policy: {
                references: [
                  'data.aws_iam_policy_document.d.json',
                  'data.aws_iam_policy_document.d',
                ],
              },
            },
          },
          { address: 'data.aws_iam_policy_document.d', expressions },
          {
            address: 'data.aws_iam_policy_document.base',
            expressions: {},
          },
        ],
      },
    },
  };
}

const policyOf = (document: Fields): unknown =>
  terraform.read(document, {}).raws[1]?.properties.policy;

describe('a policy that a plan puts together when it is applied', () => {
  test('has the statements that are planned, with what is not known in its place', () => {
    const arn = { references: ['aws_s3_bucket.b.arn', 'aws_s3_bucket.b'] };
    const document = plan(
      { statement: [statement] },
      { statement: [{ resources: [true] }] },
      { statement: [{ resources: arn }] },
    );
    expect(policyOf(document)).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { AWS: ['*'] },
          Action: ['s3:GetObject'],
          Resource: [expect.objectContaining({ target: 'aws_s3_bucket.b', attribute: 'arn' })],
          Condition: { Bool: { 'aws:SecureTransport': ['true'] } },
        },
      ],
    });
    const read = readInventory(JSON.stringify(document));
    if (!read.ok) throw new Error(read.problem.message);
    expect(read.inventory.resources[0]?.resource).toMatchObject({
      policy: { statements: [{ effect: 'Allow', principals: ['*'], actions: ['s3:GetObject'] }] },
    });
  });

  test('is found by the key that both are made for', () => {
    const at = (address: string): Fields => ({
      ...change(address.replace('["k"]', ''), {}, { policy: true, json: true }),
      address,
      index: 'k',
    });
    const [raw] = terraform.read(
      {
        format_version: '1.2',
        resource_changes: [
          at('aws_sqs_queue_policy.p["k"]'),
          at('data.aws_iam_policy_document.d["k"]'),
        ],
        configuration: {
          root_module: {
            resources: [
              {
                address: 'aws_sqs_queue_policy.p',
                expressions: {
                  policy: { references: ['data.aws_iam_policy_document.d', 'each.key'] },
                },
              },
            ],
          },
        },
      },
      {},
    ).raws;
    expect(raw?.properties.policy).toBe('{"Version":"2012-10-17","Statement":[]}');
  });

  test('is a text where all of it is known', () => {
    const known = { ...statement, resources: ['*'], effect: null, condition: [], sid: 'a' };
    expect(JSON.parse(String(policyOf(plan({ statement: [known] }, {}))))).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Sid: 'a',
          Effect: 'Allow',
          Principal: { AWS: ['*'] },
          Action: ['s3:GetObject'],
          Resource: ['*'],
        },
      ],
    });
  });

  test('is not known where its statements are not', () => {
    expect(policyOf(plan({}, { statement: true }))).toMatchObject({
      Statement: [expect.any(UnknownValue)],
    });
  });

  test('holds those of other documents, of which the later replace the earlier of one name', () => {
    const source = {
      Statement: [
        { Sid: 'a', Effect: 'Deny' },
        { Sid: 'b', Effect: 'Deny' },
      ],
    };
    const own = { sid: 'a', effect: 'Allow', actions: ['s3:*'] };
    const document = plan(
      { statement: [own], source_policy_documents: [JSON.stringify(source), null] },
      { source_policy_documents: [false, true] },
      {
        source_policy_documents: {
          references: [
            'data.aws_iam_policy_document.base.json',
            'data.aws_iam_policy_document.base',
          ],
        },
      },
      [
        change(
          'data.aws_iam_policy_document.base',
          { statement: [{ sid: 'c', actions: ['s3:Put*'], effect: 'Deny' }] },
          { json: true },
        ),
      ],
    );
    expect(JSON.parse(String(policyOf(document)))).toMatchObject({
      Statement: [
        { Sid: 'a', Effect: 'Allow' },
        { Sid: 'b', Effect: 'Deny' },
        { Sid: 'c', Effect: 'Deny' },
      ],
    });
  });

  test('may be one of Google', () => {
    const references = ['data.google_iam_policy.d.policy_data', 'data.google_iam_policy.d'];
    const [, raw] = terraform.read(
      {
        format_version: '1.2',
        resource_changes: [
          change(
            'data.google_iam_policy.d',
            { binding: [{ role: 'roles/viewer', members: ['allUsers', null], condition: [] }] },
            { binding: [{ members: [false, true] }], policy_data: true },
          ),
          change('google_storage_bucket.b', { name: 'b' }, {}),
          change('google_storage_bucket_iam_policy.p', { bucket: 'b' }, { policy_data: true }),
        ],
        configuration: {
          root_module: {
            resources: [
              {
                address: 'google_storage_bucket_iam_policy.p',
                expressions: { policy_data: { references } },
              },
            ],
          },
        },
      },
      {},
    ).raws;
    expect(raw?.properties.policy_data).toEqual({
      bindings: [{ role: 'roles/viewer', members: ['allUsers', expect.any(UnknownValue)] }],
    });
  });

  test('that is made of itself has no end, and is not known', () => {
    const itself = ['data.aws_iam_policy_document.d.json', 'data.aws_iam_policy_document.d'];
    const document = plan(
      { statement: [] },
      { source_json: true },
      { source_json: { references: itself } },
    );
    expect(policyOf(document)).toMatchObject({ Statement: [expect.any(UnknownValue)] });
  });
});
