import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startCpuTime } from '../../../support/cpu-time.ts';
import { UnknownValue } from '../../../../src/contract/resources.ts';
import { resourceType } from '../../../../src/inventory/formats/terraform/types.ts';
import { terraform } from '../../../../src/inventory/formats/terraform/reader.ts';

type Fields = Record<string, unknown>;

const change = (address: string, given: Fields = {}): Fields => {
  const [type, name] = address.split('.').slice(-2);
  return {
    address,
    mode: 'managed',
    type,
    name: name?.replace(/\[.*/, ''),
    provider_name: 'registry.terraform.io/hashicorp/aws',
    ...given,
    change: { actions: ['create'], before: null, after: {}, ...(given.change as Fields) },
  };
};

const read = (changes: Fields[], rest: Fields = {}) =>
  terraform.read({ format_version: '1.2', resource_changes: changes, ...rest }, {}).raws;

const configuration = (root: Fields): Fields => ({ configuration: { root_module: root } });

describe('what a plan leaves behind', () => {
  test.each([
    [['create'], 'create'],
    [['update'], 'update'],
    [['no-op'], 'no-op'],
    [['delete', 'create'], 'replace'],
    [['create', 'delete'], 'replace'],
    [['delete'], undefined],
    [['forget'], undefined],
  ])('after %j is %s', (actions, expected) => {
    const after = expected === undefined ? null : { name: 'x' };
    const [raw] = read([change('aws_sqs_queue.main', { change: { actions, after } })]);
    expect(raw?.source.action).toBe(expected);
  });

  test('an import alone is shown as one', () => {
    const importing = { id: 'x' };
    const [raw] = read([
      change('aws_sqs_queue.main', { change: { actions: ['no-op'], after: {}, importing } }),
    ]);
    expect(raw?.source.action).toBe('import');
  });

  test('are resources that only the planned values have, too', () => {
    const inValues = (name: string) => ({
      address: `aws_sqs_queue.${name}`,
      mode: 'managed',
      type: 'aws_sqs_queue',
      name,
      values: { name },
    });
    const planned_values = { root_module: { resources: ['a', 'b', 'c'].map(inValues) } };
    const emptied = change('aws_sqs_queue.b', { change: { after: undefined } });
    const resource_changes = [change('aws_sqs_queue.a'), emptied];
    const document = { format_version: '1.2', resource_changes, planned_values };
    const { raws, problems } = terraform.read(document, {});
    expect(problems).toEqual([]);
    expect(raws.map(({ address, properties }) => [address, properties.name])).toEqual([
      ['aws_sqs_queue.a', undefined],
      ['aws_sqs_queue.b', 'b'],
      ['aws_sqs_queue.c', 'c'],
    ]);
  });

  test.each([[{ resource_changes: [] }], [{}]])(
    'are changes that wait for others, too (%j)',
    (rest) => {
      const waiting = change('aws_sqs_queue.main[*]', {
        change: { after_unknown: { name: true } },
      });
      const deferred = [{ reason: 'instance_count_unknown', resource_change: waiting }];
      const document = { format_version: '1.2', deferred_changes: deferred, ...rest };
      expect(terraform.detects({ ...document, terraform_version: '1.9.0' })).toBe(true);
      expect(terraform.read(document, {}).raws).toMatchObject([
        {
          address: 'aws_sqs_queue.main[*]',
          type: 'AWS::SQS::Queue',
          properties: { name: expect.any(UnknownValue) as unknown },
          at: ['deferred_changes', 0],
        },
      ]);
    },
  );

  test('are resources: no data sources, no deposed objects', () => {
    const raws = read([
      change('data.aws_region.here', { mode: 'data' }),
      change('aws_sqs_queue.old', { deposed: 'a1b2' }),
    ]);
    expect(raws).toEqual([]);
  });
});

describe('a plan that holds planned values, and no changes', () => {
  const planned = (values: Fields, expressions: Fields) => {
    const one = {
      address: 'aws_sqs_queue.main',
      mode: 'managed',
      type: 'aws_sqs_queue',
      name: 'main',
    };
    const planned_values = { root_module: { resources: [{ ...one, values }] } };
    const root_module = { resources: [{ ...one, expressions }] };
    return { planned_values, configuration: { root_module } };
  };
  const unknown = expect.any(UnknownValue) as unknown;
  const given = { references: ['aws_kms_key.main.arn', 'aws_kms_key.main'] };

  test('is told by them alone', () => {
    const document = planned({ name: 'x' }, {});
    expect(terraform.detects(document)).toBe(true);
    expect(terraform.detects({ planned_values: document.planned_values })).toBe(true);
    expect(terraform.detects({ planned_values: 'many' })).toBe(false);
  });

  test('does not know what the configuration gives and they leave out, in blocks neither', () => {
    const { raws } = terraform.read(
      planned(
        { name: 'x', block: [{ one: 1 }, { one: 2 }], set: [{ inner: [{ a: 1 }] }] },
        {
          name: { references: ['var.name'] },
          kms_key_id: given,
          nothing: { constant_value: null },
          block: [{ one: { constant_value: 1 }, two: given }, { one: { constant_value: 2 } }],
          set: [{ inner: [{ a: { constant_value: 1 }, b: given }] }],
        },
      ),
      {},
    );
    expect(raws[0]?.properties).toEqual({
      name: 'x',
      kms_key_id: unknown,
      block: [
        { one: 1, two: unknown },
        { one: 2, two: unknown },
      ],
      set: [{ inner: [{ a: 1, b: unknown }] }],
    });
  });

  const many = Array.from({ length: 5_000 }, (_, index) => index);

  test('does not know it of any of many blocks, however many there are', () => {
    const blocks = (amount: number, more = {}) => {
      const some = many.slice(0, amount);
      const { raws } = terraform.read(
        planned(
          { block: some.map((one) => ({ one })) },
          { block: some.map((one) => ({ one: { constant_value: one }, two: given, ...more })) },
        ),
        {},
      );
      return raws[0]?.properties.block as unknown[];
    };
    expect(blocks(300).at(-1)).toEqual({ one: 299, two: unknown });
    const wide = Object.fromEntries(many.slice(0, 100).map((one) => [`a${one}`, given]));
    expect(blocks(300, wide).at(-1)).toEqual(unknown);
  });

  test('of many blocks with many names is read in proportion to its size', () => {
    const document = planned(
      { block: many.map(() => ({})) },
      { block: [Object.fromEntries(many.map((index) => [`a${index}`, given]))] },
    );
    const elapsed = startCpuTime();
    terraform.read(document, {});
    expect(elapsed()).toBeLessThan(3000);
  });
});

describe('a value that is known after apply', () => {
  const bucket = change('aws_s3_bucket.main', {
    change: { after_unknown: { id: true, acl: true } },
  });
  const policy = change('aws_s3_bucket_policy.main', {
    change: { after_unknown: { bucket: true, policy: true } },
  });
  const resources = [
    { address: 'aws_s3_bucket.main', expressions: {} },
    {
      address: 'aws_s3_bucket_policy.main',
      expressions: {
        bucket: { references: ['aws_s3_bucket.main.id', 'aws_s3_bucket.main'] },
        policy: { references: ['var.policy'] },
      },
    },
  ];

  test('knows the resource and the attribute that it comes from', () => {
    const [, raw] = read([bucket, policy], configuration({ resources }));
    expect(raw?.properties.bucket).toEqual(
      new UnknownValue('aws_s3_bucket.main.id', { target: 'aws_s3_bucket.main', attribute: 'id' }),
    );
  });

  test('is not surely set where nothing, or a variable that is null, gives it', () => {
    const [first, second] = read([bucket, policy], configuration({ resources }));
    expect(first?.properties.acl).toMatchObject({ present: false });
    expect(second?.properties.policy).toMatchObject({ present: false });
  });

  test('may be set where the plan does not hold the configuration of its resource', () => {
    const others = configuration({ resources: resources.slice(0, 1) });
    for (const rest of [{}, configuration({}), others]) {
      const [first, second] = read([bucket, policy], rest);
      const isLeftOut = rest === others;
      expect(first?.properties.acl).toMatchObject({ present: !isLeftOut });
      expect(second?.properties.policy).toMatchObject({ present: true });
    }
  });

  test.each([
    [['var.name', 'aws_s3_bucket.main.id', 'aws_s3_bucket.main'], undefined],
    [['local.name', 'aws_s3_bucket.main.id', 'aws_s3_bucket.main'], undefined],
    [['aws_s3_bucket.main', 'count.index'], 'aws_s3_bucket.main'],
    [['aws_s3_bucket.main', 'var.key'], 'aws_s3_bucket.main'],
    [
      ['aws_s3_bucket.main.id', 'aws_s3_bucket.main.arn', 'aws_s3_bucket.main'],
      'aws_s3_bucket.main',
    ],
  ])('made of %j comes from %s', (references, target) => {
    const [own, other] = resources;
    const composed = { ...other, expressions: { bucket: { references } } };
    const [, raw] = read([bucket, policy], configuration({ resources: [own, composed] }));
    expect(raw?.properties.bucket).toMatchObject({ target, present: true });
  });

  test.each(['module.offices', 'module.offices.cidr'])('is given by %s as a whole', (reference) => {
    const [own, other] = resources;
    const whole = { ...other, expressions: { bucket: { references: [reference] } } };
    const [, raw] = read([bucket, policy], configuration({ resources: [own, whole] }));
    expect(raw?.properties.bucket).toMatchObject({ present: true });
  });

  test.each([
    ['a function of nothing', {}, true],
    ['null', { constant_value: null }, undefined],
  ])('through the input of a module, which %s gives', (_what, name, present) => {
    const [raw] = read(
      [
        change('module.logs.aws_s3_bucket_policy.main', {
          module_address: 'module.logs',
          change: { after_unknown: { bucket: true } },
        }),
      ],
      configuration({
        module_calls: {
          logs: {
            expressions: { name },
            module: {
              resources: [
                {
                  address: 'aws_s3_bucket_policy.main',
                  expressions: { bucket: { references: ['var.name'] } },
                },
              ],
            },
          },
        },
      }),
    );
    expect(raw?.properties.bucket).toMatchObject({ present: present ?? false });
  });

  test('is found through the inputs and outputs of modules', () => {
    const raws = read(
      [
        change('module.data.aws_s3_bucket.main', { module_address: 'module.data' }),
        change('module.logs["eu"].aws_s3_bucket_policy.main', {
          module_address: 'module.logs["eu"]',
          change: { after_unknown: { bucket: true } },
        }),
      ],
      configuration({
        module_calls: {
          data: {
            module: {
              outputs: { name: { expression: { references: ['aws_s3_bucket.main.id'] } } },
            },
          },
          logs: {
            expressions: { bucket: { references: ['module.data.name', 'module.data'] } },
            module: {
              resources: [
                {
                  address: 'aws_s3_bucket_policy.main',
                  expressions: { bucket: { references: ['var.bucket'] } },
                },
              ],
            },
          },
        },
      }),
    );
    expect(raws[1]?.properties.bucket).toMatchObject({ target: 'module.data.aws_s3_bucket.main' });
  });

  test.each([
    ['count.index', ['aws_kms_key.main', 'count.index'], 1],
    ['each.key', ['aws_kms_key.main', 'each.key'], 'a'],
    ['a key', ['aws_kms_key.main["b"].arn', 'aws_kms_key.main'], 'a'],
  ])('is that of the instance which %s names', (_, references, index) => {
    const target = references[0]?.includes('"b"') ? 'b' : index;
    const keys = [0, 1, 'a', 'b'].map((key) =>
      change(`aws_kms_key.main[${JSON.stringify(key)}]`, { name: 'main', index: key }),
    );
    const queue = change(`aws_sqs_queue.main[${JSON.stringify(index)}]`, {
      name: 'main',
      index,
      change: { after_unknown: { kms_master_key_id: true } },
    });
    const raws = read(
      [...keys, queue],
      configuration({
        resources: [
          { address: 'aws_sqs_queue.main', expressions: { kms_master_key_id: { references } } },
        ],
      }),
    );
    expect(raws.at(-1)?.properties.kms_master_key_id).toMatchObject({
      target: `aws_kms_key.main[${JSON.stringify(target)}]`,
    });
  });

  test('stands in the lists and blocks beside known values', () => {
    const [raw] = read([
      change('aws_instance.main', {
        change: {
          after: { disk: [{ size: 1 }, {}], ids: ['a', null] },
          after_unknown: { disk: [{ id: true }, { id: true }], ids: [false, true] },
        },
      }),
    ]);
    expect(raw?.properties).toMatchObject({
      disk: [{ size: 1, id: expect.any(UnknownValue) as unknown }, {}],
      ids: ['a', expect.any(UnknownValue)],
    });
  });
});

describe('a resource of a plan', () => {
  test('has the ids, tags and places that its values tell', () => {
    const arn = 'arn:aws:sqs:eu-central-1:123456789012:main';
    const [raw] = read([
      change('aws_sqs_queue.main', { change: { after: { arn, tags_all: { env: 'prod' } } } }),
    ]);
    expect(raw).toMatchObject({
      id: arn,
      region: 'eu-central-1',
      account_id: '123456789012',
      tags: { env: 'prod' },
    });
  });

  test('that is part of another with the same id goes by its address', () => {
    const id = 'shop';
    const raws = read([
      change('aws_s3_bucket.main', { change: { after: { id } } }),
      change('aws_s3_bucket_versioning.main', { change: { after: { id } } }),
    ]);
    expect(raws.map((raw) => raw.id)).toEqual(['shop', 'aws_s3_bucket_versioning.main']);
  });

  test('takes the region from its provider where that is a literal or a variable', () => {
    const [raw] = read([change('aws_sqs_queue.main')], {
      variables: { region: { value: 'eu-west-1' } },
      configuration: {
        provider_config: { aws: { expressions: { region: { references: ['var.region'] } } } },
      },
    });
    expect(raw?.region).toBe('eu-west-1');
  });

  test('says which of its values are sensitive', () => {
    const [raw] = read([
      change('aws_db_instance.main', {
        change: { after: { password: 'x' }, after_sensitive: { password: true, a: [{ b: true }] } },
      }),
    ]);
    expect(raw?.source.sensitive).toEqual(['password', 'a[0].b']);
  });
});

test('a state file has an address for each instance', () => {
  const { raws } = terraform.read(
    {
      version: 4,
      terraform_version: '1.9.0',
      lineage: 'x',
      resources: [
        {
          module: 'module.a',
          mode: 'managed',
          type: 'aws_subnet',
          name: 'main',
          instances: [
            { index_key: 'x', attributes: { id: 'subnet-1' } },
            { index_key: 'y', attributes: { id: 'subnet-2' } },
          ],
        },
      ],
    },
    {},
  );
  expect(raws.map((raw) => raw.address)).toEqual([
    'module.a.aws_subnet.main["x"]',
    'module.a.aws_subnet.main["y"]',
  ]);
});

test.each([
  [[{ '@level': 'info', '@module': 'terraform.ui' }], /terraform show -json/],
  [{ version: 3, lineage: 'x' }, /version 3/],
])('what is no plan says what to do instead', (document, message) => {
  expect(terraform.detects(document)).toBe(true);
  expect(terraform.read(document, {}).problems[0]?.message).toMatch(message);
});

test.each([
  ['aws_s3_bucket', 'AWS::S3::Bucket'],
  ['aws_s3_bucket_versioning', 'AWS::S3::BucketVersioning'],
  ['aws_subnet', 'AWS::EC2::Subnet'],
  ['aws_lb_listener', 'AWS::ElasticLoadBalancingV2::Listener'],
  ['aws_cloudwatch_log_group', 'AWS::Logs::LogGroup'],
  ['aws_newservice_thing', 'AWS::Newservice::Thing'],
  ['google_sql_database_instance', 'GCP::Sqladmin::Instance'],
  ['google_compute_instance', 'GCP::Compute::Instance'],
  ['azurerm_storage_account', 'Azure::Storage::storageAccounts'],
  ['datadog_monitor', 'Datadog::Monitor'],
  ['aws_s3control_bucket', 'AWS::S3Outposts::Bucket'],
  ['aws_kinesis_video_stream', 'AWS::KinesisVideo::Stream'],
  ['aws_cognito_managed_user_pool_client', 'AWS::Cognito::UserPoolClient'],
  ['aws_qldb_ledger', 'AWS::QLDB::Ledger'],
  ['azurerm_linux_function_app_slot', 'Azure::Web::sites/slots'],
  ['azurerm_function_app_flex_consumption', 'Azure::Web::sites'],
  ['azurerm_postgresql_firewall_rule', 'Azure::DBforPostgreSQL::servers/firewallRules'],
  ['google_compute_region_ssl_policy', 'GCP::Compute::SslPolicy'],
  ['google_bigtable_instance', 'GCP::Bigtableadmin::Instance'],
  ['google_binary_authorization_policy', 'GCP::Binaryauthorization::Policy'],
])('%s is %s', (type, expected) => {
  expect(resourceType(type, {})).toBe(expected);
});

test.each([
  ['MicrosoftAD', 'AWS::DirectoryService::MicrosoftAD'],
  ['SimpleAD', 'AWS::DirectoryService::SimpleAD'],
  ['ADConnector', 'AWS::DirectoryService::ADConnector'],
  [undefined, 'AWS::DirectoryService::SimpleAD'],
])('a directory of the kind %s is %s', (type, expected) => {
  expect(resourceType('aws_directory_service_directory', { type })).toBe(expected);
});

describe('what would be left out without a word is a problem with its place', () => {
  const fine = change('aws_sqs_queue.fine');
  const without = (name: string): Fields => ({
    ...change('aws_sqs_queue.main'),
    [name]: undefined,
  });
  const plan = (entry: unknown): Fields => ({ resource_changes: [fine, entry] });
  const inValues = (...resources: unknown[]): Fields => ({ root_module: { resources } });
  const at = ['resource_changes', 1];

  test.each<[name: string, document: Fields, message: RegExp, at: unknown[]]>([
    ['a change that is none', plan('x'), /needs an address and a type/, at],
    ['one without an address', plan(without('address')), /needs an address and a type/, at],
    ['one without a type', plan(without('type')), /needs an address and a type/, at],
    ['one without a change', plan(without('change')), /aws_sqs_queue\.main has no change/, at],
    [
      'one without planned values',
      plan(change('aws_sqs_queue.main', { change: { actions: ['update'], after: null } })),
      /aws_sqs_queue\.main has no planned values/,
      at,
    ],
    [
      'a mode that nobody knows',
      plan(change('aws_sqs_queue.main', { mode: 'Managed' })),
      /unknown mode "Managed"/,
      at,
    ],
    [
      'a change that waits and is none',
      { ...plan(fine), deferred_changes: [{ reason: 'x' }] },
      /needs an address/,
      ['deferred_changes', 0],
    ],
    [
      'a list of changes that is none, beside planned values',
      { resource_changes: { 0: fine }, planned_values: inValues({ ...fine, values: {} }) },
      /resource_changes must be a list/,
      ['resource_changes'],
    ],
    [
      'a planned value that is none',
      { planned_values: inValues({ ...fine, values: {} }, { values: {} }) },
      /needs an address/,
      ['planned_values', 'root_module', 'resources', 1],
    ],
    [
      'a list of modules that is none, in a state',
      {
        values: {
          root_module: { resources: [{ ...fine, values: { id: 'q' } }], child_modules: {} },
        },
      },
      /child_modules must be a list/,
      ['values', 'root_module', 'child_modules'],
    ],
    [
      'a resource of a state without values',
      { values: inValues({ ...fine, values: { id: 'q' } }, { ...fine, values: null }) },
      /has no values, so it is not checked/,
      ['values', 'root_module', 'resources', 1],
    ],
    [
      'an instance of a state file that has its values in the form of Terraform 0.11',
      {
        ...{ version: 4, lineage: 'l' },
        resources: [
          {
            ...{ mode: 'managed', type: 'aws_sqs_queue', name: 'fine' },
            instances: [{ attributes: { id: 'fine' } }, { attributes_flat: { id: 'x' } }],
          },
        ],
      },
      /has no values, so it is not checked/,
      ['resources', 0, 'instances', 1],
    ],
    [
      'an error while it was planned',
      { ...plan(fine), errored: true },
      /run `terraform plan` again/,
      ['errored'],
    ],
  ])('%s', (_, document, message, place) => {
    const { raws, problems, notices } = terraform.read({ format_version: '1.2', ...document }, {});
    expect(new Set(raws.map(({ address }) => address))).toEqual(new Set(['aws_sqs_queue.fine']));
    expect(problems).toEqual([{ message: expect.stringMatching(message) as unknown, at: place }]);
    expect(notices ?? []).toEqual([]);
  });

  const stateFile = (...resources: unknown[]): Fields => ({
    version: 4,
    lineage: 'x',
    resources: [
      { type: 'aws_sqs_queue', name: 'fine', instances: [{ attributes: { id: 'fine' } }] },
      ...resources,
    ],
  });

  test.each<[name: string, resource: unknown, message: RegExp]>([
    ['instances that are no list', { type: 'a_b', name: 'c', instances: null }, /a_b\.c must be/],
    ['an entry without a name', { type: 'a_b', instances: [{}] }, /needs a type and a name/],
    ['an entry that is none', null, /needs a type and a name/],
  ])('%s, in a state file', (_, resource, message) => {
    const { raws, problems } = terraform.read(stateFile(resource), {});
    expect(raws.map(({ address }) => address)).toEqual(['aws_sqs_queue.fine']);
    expect(problems).toEqual([
      { message: expect.stringMatching(message) as unknown, at: ['resources', 1] },
    ]);
  });

  test('a state that OpenTofu encrypted', () => {
    const document = { serial: 1, lineage: 'x', meta: {}, encrypted_data: 'eA==' };
    expect(terraform.detects(document)).toBe(true);
    const { raws, problems } = terraform.read(document, {});
    expect(raws).toEqual([]);
    expect(problems[0]?.message).toMatch(/encrypted.*tofu show -json/);
  });

  test('but not what is deleted, read, forgotten, opened or deposed', () => {
    const gone = (actions: string[], more: Fields = {}): Fields =>
      change('aws_sqs_queue.main', { change: { actions, after: null }, ...more });
    const resource_changes = [
      fine,
      gone(['delete']),
      gone(['forget']),
      gone(['read'], { mode: 'data' }),
      gone(['open'], { mode: 'ephemeral' }),
      gone(['delete'], { deposed: 'a1' }),
    ];
    expect(terraform.read({ format_version: '1.2', resource_changes }, {})).toMatchObject({
      raws: [{ address: 'aws_sqs_queue.fine' }],
      problems: [],
    });
  });

  test('and a plan that is not complete is a notice', () => {
    const document = { format_version: '1.2', ...plan(fine), complete: false };
    expect(terraform.read(document, {})).toMatchObject({
      problems: [],
      notices: [{ message: expect.stringContaining('-target') as unknown, at: ['complete'] }],
    });
  });
});

describe('a hostile document', () => {
  test('with modules that ask each other in a circle is read', () => {
    const references = ['module.a.x', 'var.x'];
    const module: Fields = {
      outputs: { x: { expression: { references } } },
      module_calls: { a: { expressions: { x: { references } }, module: {} } },
      resources: [{ address: 'aws_sqs_queue.main', expressions: { name: { references } } }],
    };
    module.module_calls = { a: { expressions: { x: { references } }, module: { ...module } } };
    const [raw] = read(
      [change('aws_sqs_queue.main', { change: { after_unknown: { name: true } } })],
      configuration(module),
    );
    expect(raw?.properties.name).toBeInstanceOf(UnknownValue);
  });

  test('with ten thousand instances that refer to each other is read in a second or so', () => {
    const references = ['aws_kms_key.main', 'each.key'];
    const changes = Array.from({ length: 10_000 }, (_, index) =>
      [
        change('aws_kms_key.main', { address: `aws_kms_key.main["${index}"]`, index: `${index}` }),
        change('aws_sqs_queue.main', {
          address: `aws_sqs_queue.main["${index}"]`,
          index: `${index}`,
          change: { after_unknown: { key: true } },
        }),
      ].flat(),
    ).flat();
    const cpuTime = startCpuTime();
    const raws = read(
      changes,
      configuration({
        resources: [{ address: 'aws_sqs_queue.main', expressions: { key: { references } } }],
      }),
    );
    expect(raws.at(-1)?.properties.key).toMatchObject({ target: 'aws_kms_key.main["9999"]' });
    expect(cpuTime()).toBeLessThan(5_000);
  });

  test('sets no prototype', () => {
    const after = JSON.parse(
      '{"__proto__": {"encrypted": true}, "tags": {"__proto__": "x"}}',
    ) as Fields;
    const [raw] = read([
      change('aws_ebs_volume.main', {
        change: { after, after_unknown: JSON.parse('{"__proto__": {"id": true}}') as Fields },
      }),
    ]);
    expect(raw?.properties.encrypted).toBeUndefined();
    expect(Object.getPrototypeOf(raw?.properties)).toBe(Object.prototype);
  });

  test('of any shape is read without a throw', () => {
    const anything = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(
        fc.record({
          format_version: fc.constant('1.2'),
          resource_changes: fc.oneof(
            anything,
            fc.array(
              fc.record({
                address: fc.string(),
                type: fc.constantFrom('aws_s3_bucket', 'azapi_resource', 'google_project', 'x'),
                change: fc.record({
                  actions: anything,
                  after: anything,
                  after_unknown: anything,
                  after_sensitive: anything,
                }),
              }),
            ),
          ),
          configuration: fc.oneof(
            anything,
            fc.record({ root_module: anything, provider_config: anything }),
          ),
          values: fc.option(anything, { nil: undefined }),
        }),
        (document) => {
          expect(Array.isArray(terraform.read(document, {}).raws)).toBe(true);
        },
      ),
    );
  });
});
