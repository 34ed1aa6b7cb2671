import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readInventory } from '../../src/inventory/read.ts';

type Fields = Record<string, unknown>;

const read = (document: unknown, options: Parameters<typeof readInventory>[1] = {}) => {
  const result = readInventory(JSON.stringify(document), options);
  if (!result.ok) throw new Error(result.problem.message);
  const { resources, leftOut, problems } = result.inventory;
  return { resources: resources.map(({ resource }) => resource), leftOut, problems };
};

const idsOf = (document: unknown): string[] => read(document).resources.map(({ id }) => id);

const $schema = 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#';
const account = (name: string, more: Fields = {}) => ({
  type: 'Microsoft.Storage/storageAccounts',
  // Others have a resource more: the settings of their blobs.
  kind: 'FileStorage',
  apiVersion: '2023-01-01',
  name,
  properties: {},
  ...more,
});
const deployment = (name: string, resources: unknown[], more: Fields = {}) => ({
  type: 'Microsoft.Resources/deployments',
  apiVersion: '2022-09-01',
  name,
  properties: { mode: 'Incremental', template: { $schema, contentVersion: '1.0.0.0', resources } },
  ...more,
});

describe('resources of one id that differ are all there', () => {
  it('items of AWS Config that do not say when they were captured', () => {
    const item = (more: Fields) => ({
      resourceType: 'AWS::S3::Bucket',
      resourceId: 'shop',
      ARN: 'arn:aws:s3:::shop',
      accountId: '123456789012',
      configuration: {},
      ...more,
    });
    const [open, closed] = [item({ configuration: { a: 1 } }), item({ configuration: { a: 2 } })];
    expect(idsOf({ configurationItems: [open, closed] })).toHaveLength(2);
    expect(idsOf({ configurationItems: [open, closed, open] })).toHaveLength(2);
    const timed = item({ configurationItemCaptureTime: '2026-01-01T00:00:00Z' });
    const older = item({ configurationItemCaptureTime: '2025-01-01T00:00:00Z' });
    expect(idsOf({ configurationItems: [timed, older] })).toHaveLength(1);
    expect(idsOf({ configurationItems: [timed, older, closed] })).toHaveLength(2);
  });

  it('items of AWS Config of one name in two regions', () => {
    const item = (awsRegion: string) => ({
      resourceType: 'AWS::RDS::DBSubnetGroup',
      resourceId: 'default',
      accountId: '123456789012',
      configurationStateId: '1',
      configuration: {},
      awsRegion,
    });
    expect(idsOf({ configurationItems: [item('eu-west-1'), item('us-east-1')] })).toHaveLength(2);
  });

  it('each perimeter of an access policy, which all have the name of their organisation', () => {
    const organisation = {
      name: '//cloudresourcemanager.googleapis.com/organizations/1',
      asset_type: 'cloudresourcemanager.googleapis.com/Organization',
    };
    const perimeters = ['a', 'b'].map((name) => ({
      ...organisation,
      service_perimeter: { name: `accessPolicies/1/servicePerimeters/${name}` },
    }));
    const resource = { ...organisation, resource: { data: { displayName: 'shop' } } };
    const { resources } = read([resource, ...perimeters]);
    expect(resources).toMatchObject([
      { type: 'GCP::Cloudresourcemanager::Organization', properties: { displayName: 'shop' } },
      ...['a', 'b'].map((name) => ({
        type: 'GCP::Accesscontextmanager::ServicePerimeter',
        id: `//accesscontextmanager.googleapis.com/accessPolicies/1/servicePerimeters/${name}`,
        name,
      })),
    ]);
  });

  it('assets that contradict each other, and nobody knows whose their IAM policy is', () => {
    const dataset = (more: Fields) => ({
      name: '//bigquery.googleapis.com/projects/p/datasets/d',
      asset_type: 'bigquery.googleapis.com/Dataset',
      ...more,
    });
    const data = (location: string) => dataset({ resource: { data: { location } } });
    const policy = (role: string) => dataset({ iam_policy: { bindings: [{ role, members: [] }] } });
    expect(read([data('EU'), data('US'), policy('r')]).resources).toMatchObject([
      { region: 'eu', properties: { iamPolicy: { bindings: [{ role: 'r' }] } } },
      { region: 'us', properties: { iamPolicy: { bindings: [{ role: 'r' }] } } },
    ]);
    const disputed = read([data('EU'), policy('r'), policy('s')]).resources;
    expect(disputed.map(({ region }) => region)).toEqual(['eu', 'eu']);
  });

  it('things of two types or of two contents in a list of an API', () => {
    const named = (kind: string, more: Fields = {}) => ({ kind, name: 'n', ...more });
    const items = [named('compute#disk'), named('compute#image'), named('compute#disk', { x: 1 })];
    expect(idsOf({ items: [...items, named('compute#disk')] })).toEqual(['n', 'n', 'n']);
  });

  it('resources that Azure lists, but for copies', () => {
    const live = (more: Fields = {}) => ({
      id: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/a',
      type: 'Microsoft.Storage/storageAccounts',
      ...more,
    });
    expect(idsOf([live(), live({ location: 'westeurope' }), live()])).toHaveLength(2);
  });

  it('deployments of one name to several groups, each with its own parts', () => {
    const database = { type: 'Microsoft.Sql/servers/databases', name: 's/d', properties: {} };
    const encryption = (state: string) => ({
      type: 'Microsoft.Sql/servers/databases/transparentDataEncryption',
      name: 's/d/current',
      properties: { state },
    });
    const template = {
      $schema,
      resources: [
        database,
        deployment('one', [database, encryption('Enabled')], { resourceGroup: 'one' }),
        deployment('two', [encryption('Disabled'), database], { resourceGroup: 'two' }),
      ],
    };
    const id = 'Microsoft.Sql/servers/s/databases/d';
    const databases = read(template).resources.filter((one) => one.id === id);
    expect(databases.map(({ encryption }) => encryption)).toEqual([
      { enabled: true }, // as Azure does by default
      { enabled: true },
      { enabled: false },
    ]);
  });

  it('resources of Azure whose names are not known', () => {
    const name = "[parameters('name')]";
    expect(
      idsOf({
        $schema,
        parameters: { name: { type: 'string' } },
        resources: [account(name), account(name)],
      }),
    ).toHaveLength(2);
  });
});

describe('what a false condition leaves out is named', () => {
  const template = {
    Parameters: { Env: { Type: 'String', Default: 'dev' }, Zone: { Type: 'String' } },
    Conditions: {
      Prod: { 'Fn::Equals': [{ Ref: 'Env' }, 'prod'] },
      Open: { 'Fn::Equals': [{ Ref: 'Zone' }, 'a'] },
    },
    Resources: {
      Always: { Type: 'AWS::S3::Bucket' },
      Free: { Type: 'AWS::S3::Bucket', Condition: 'Open' },
      Nested: { Type: 'AWS::CloudFormation::Stack', Condition: 'Prod' },
      Api: { Type: 'AWS::Serverless::Api', Condition: 'Prod' },
      Held: {
        Type: 'AWS::S3::Bucket',
        Condition: 'Prod',
        Properties: { BucketName: { 'Fn::If': ['Prod', 'yes', 'no'] } },
      },
    },
  };

  it('of CloudFormation and SAM, with the condition', () => {
    const { resources, leftOut } = read(template);
    expect(resources.map(({ id }) => id)).toEqual(['Always', 'Free']);
    expect(leftOut).toMatchObject([
      { address: 'Nested', type: 'AWS::CloudFormation::Stack', condition: 'Prod' },
      { address: 'Api', type: 'AWS::Serverless::Api', condition: 'Prod' },
      { address: 'Held', type: 'AWS::S3::Bucket', condition: 'Prod', at: ['Resources', 'Held'] },
    ]);
  });

  it('and read as if it held, where all conditions are wanted', () => {
    const { resources, leftOut } = read(template, { allConditions: true });
    expect(leftOut).toEqual([]);
    const ids = Object.keys(template.Resources).flatMap(
      (id) => (id === 'Api' ? ['Api', 'ApiDeployment', 'ApiStage'] : [id]), // as SAM deploys it
    );
    expect(resources.map(({ id }) => id)).toEqual(ids);
    expect(resources.at(-1)).toMatchObject({ name: 'yes', source: { condition: 'Prod' } });
  });

  it('a loop over an empty list too, as its resources have no name', () => {
    const loop = ['Name', [], { 'Topic${Name}': { Type: 'AWS::SNS::Topic' } }];
    const { leftOut } = read({
      Transform: 'AWS::LanguageExtensions',
      Resources: { 'Fn::ForEach::Topics': loop, Other: { Type: 'AWS::SNS::Topic' } },
    });
    expect(leftOut).toMatchObject([{ address: 'Topic${Name}', type: 'AWS::SNS::Topic' }]);
  });

  const parameters = {
    on: { type: 'bool', defaultValue: false },
    count: { type: 'int', defaultValue: 0 },
  };
  const condition = "[parameters('on')]";
  const children = (resources: unknown[]) => ({ resources });
  const child = { type: 'blobServices', apiVersion: '2023-01-01', name: 'default' };

  it.each<[string, unknown, string[], string[]]>([
    ['a resource', account('a', { condition }), [], ['storageAccounts/a']],
    // "Conditional deployment doesn't cascade to child resources" (Conditional deployment in ARM templates).
    [
      'a resource, and not its child, which has none',
      account('a', { condition, ...children([child]) }),
      ['blobServices/default'],
      ['storageAccounts/a'],
    ],
    [
      'a deployment with all that it would deploy',
      deployment('d', [account('a', children([child]))], { condition }),
      [],
      ['deployments/d', 'storageAccounts/a', 'blobServices/default'],
    ],
    [
      'a copy that is made 0 times',
      account("[concat('a', copyIndex())]", {
        copy: { name: 'c', count: "[parameters('count')]" },
        ...children([child]),
      }),
      [],
      ["storageAccounts/concat('a', copyIndex('c'))", 'blobServices/default'],
    ],
  ])('of Azure: %s', (_, resource, evaluated, omitted) => {
    const ends = (ids: readonly string[]): string[] =>
      ids.map((id) => id.split('/').slice(-2).join('/'));
    const document = { $schema, parameters, resources: [resource] };
    const { resources, leftOut } = read(document);
    expect(ends(resources.map(({ id }) => id))).toEqual(evaluated);
    expect(ends(leftOut.map(({ address }) => address))).toHaveLength(omitted.length);
    if (!omitted[0]?.includes('copyIndex'))
      expect(ends(leftOut.map(({ address }) => address))).toEqual(omitted);
    const all = read(document, { allConditions: true });
    expect(all.leftOut).toEqual([]);
    expect(all.resources).toHaveLength(resources.length + leftOut.length);
  });
});

describe('what cannot be read is named', () => {
  it('in a list of an API: things that have a name, and no type', () => {
    const disk = { kind: 'compute#disk', name: 'd' };
    const { resources, problems } = read({
      items: [disk, { name: 'x' }, { kind: 'compute#disk' }],
    });
    expect([resources.length, problems.length]).toEqual([1, 2]);
  });

  it('in an Azure template: what is no map, or nested too deep', () => {
    const deep = Array.from({ length: 20 }).reduce<unknown>(
      (inner, _, at) => deployment(`d${at}`, [inner]),
      account('a'),
    );
    const { resources, problems } = read({ $schema, resources: [account('b'), 'text', deep] });
    expect(problems.map(({ message }) => message)).toEqual([
      'a resource must be a map',
      'deployments nested more than 16 levels deep are not read',
    ]);
    expect(resources).toHaveLength(18);
  });

  it('all of it, where nothing can be read', () => {
    const result = readInventory(JSON.stringify({ Resources: { A: {}, B: {}, C: 1 } }));
    expect(result).toMatchObject({ ok: false, more: [{}, {}] });
  });
});

describe('a type in another case is that type', () => {
  const typeOf = (document: unknown): unknown => read(document).resources[0]?.type;

  it('of a template, of the native format and of an export', () => {
    expect(typeOf({ Resources: { It: { Type: 'aws::s3::BUCKET' } } })).toBe('AWS::S3::Bucket');
    expect(typeOf([{ id: 'it', type: 'aws::s3::bucket' }])).toBe('AWS::S3::Bucket');
    expect(typeOf([{ name: '//x/it', asset_type: 'storage.googleapis.com/bucket' }])).toBe(
      'GCP::Storage::Bucket',
    );
  });

  it('while one that is not known stays as it is written', () => {
    expect(typeOf([{ id: 'it', type: 'Custom::repository' }])).toBe('Custom::repository');
  });
});

describe('as many come out as go in, however they are called, ordered or split', () => {
  const conditions = ['Yes', 'No', 'Maybe', 'Undeclared', undefined] as const;
  const bodies = fc.array(
    fc.record({
      name: fc.constantFrom('A', 'B', 'C', 'D', 'E'),
      condition: fc.constantFrom(...conditions),
      isBroken: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  );

  const count = (document: unknown): number => {
    const result = readInventory(JSON.stringify(document));
    if (!result.ok) return 1;
    const { resources, leftOut, problems } = result.inventory;
    return resources.length + leftOut.length + problems.length;
  };

  it('resources of CloudFormation', () => {
    const template = (Resources: Fields) => ({
      Parameters: { Free: { Type: 'String' } },
      Conditions: {
        Yes: { 'Fn::Equals': ['a', 'a'] },
        No: { 'Fn::Equals': ['a', 'b'] },
        Maybe: { 'Fn::Equals': [{ Ref: 'Free' }, 'b'] },
      },
      Resources,
    });
    fc.assert(
      fc.property(bodies, fc.nat(), (list, at) => {
        const entries = list.map(({ name, condition: Condition, isBroken }, index) => [
          `${name}${index}`,
          isBroken ? { Condition } : { Type: 'AWS::S3::Bucket', Condition },
        ]);
        const whole: Fields = { Keep: { Type: 'AWS::S3::Bucket' } };
        const part = (some: typeof entries) =>
          template({ ...whole, ...(Object.fromEntries(some) as Fields) });
        const cut = at % (entries.length + 1);
        expect(count(part(entries))).toBe(entries.length + 1);
        expect(count(part(entries.toReversed()))).toBe(entries.length + 1);
        expect(count(part(entries.slice(0, cut))) + count(part(entries.slice(cut)))).toBe(
          entries.length + 2,
        );
      }),
    );
  });

  it('resources of Azure, also of one name', () => {
    const written: Readonly<Record<string, unknown>> = {
      Yes: true,
      No: false,
      Maybe: "[parameters('x')]",
    };
    const template = (resources: unknown[]) => ({
      $schema,
      parameters: { x: { type: 'bool' } },
      resources: [account('keep'), ...resources],
    });
    fc.assert(
      fc.property(bodies, fc.nat(), (list, at) => {
        const made = list.map(({ name, condition, isBroken }) => {
          const body = account(name, { condition: condition && written[condition] });
          return isBroken ? { ...body, type: undefined } : body;
        });
        const cut = at % (made.length + 1);
        expect(count(template(made))).toBe(made.length + 1);
        expect(count(template(made.toReversed()))).toBe(made.length + 1);
        const [first, second] = [made.slice(0, cut), made.slice(cut)];
        expect(count(template(first)) + count(template(second))).toBe(made.length + 2);
        const isDeployed = (one: Fields) => one.type !== undefined;
        const nested = [deployment('d', first, { resourceGroup: 'g' }), ...second];
        expect(count(template(nested))).toBe(made.length + 2);
        expect(read(template(nested), { allConditions: true }).resources).toHaveLength(
          made.filter(isDeployed).length + 2,
        );
      }),
    );
  });

  it('exports of Google Cloud and AWS Config, where all differ', () => {
    fc.assert(
      fc.property(bodies, (list) => {
        const assets = list.map(({ name }, index) => ({
          name: `//storage.googleapis.com/${name}`,
          asset_type: 'storage.googleapis.com/Bucket',
          resource: { data: { index } },
        }));
        expect(count(assets)).toBe(list.length);
        expect(count(assets.toReversed())).toBe(list.length);
        const items = list.map(({ name }, index) => ({
          resourceType: 'AWS::S3::Bucket',
          ARN: `arn:aws:s3:::${name}`,
          configuration: { index },
        }));
        expect(count({ configurationItems: items })).toBe(list.length);
      }),
    );
  });
});
