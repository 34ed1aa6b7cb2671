import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resourceLines } from '../../../src/cli/resource/resource-lines.ts';
import { UnknownValue } from '../../../src/contract/resources.ts';
import type { Resource } from '../../../src/contract/resources.ts';
import { restoreUnknown } from '../../../src/engine/restore-unknown.ts';
import { inventoryOf } from '../../server/inventory-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const policies = {
  runtime: 'has(resource.properties.Runtime) && resource.properties.Runtime == "python2.7"',
  layer: 'resource.properties.Layers.exists(one, one == "shared")',
  variable:
    'has(resource.properties.Environment) && resource.properties.Environment.Variables.MODE == "debug"',
  owner: '!has(resource.tags.owner)',
};

const template = {
  Parameters: { Runtime: { Type: 'String' }, Owner: { Type: 'String' }, Layer: { Type: 'String' } },
  Resources: {
    Mail: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        FunctionName: 'mail',
        Runtime: { Ref: 'Runtime' },
        Layers: ['own', { Ref: 'Layer' }],
        Environment: { Variables: { MODE: { Ref: 'Runtime' } } },
        Tags: [{ Key: { Ref: 'Owner' }, Value: 'x' }],
      },
    },
  },
};

const repo = (): string =>
  makeRepo({
    'template.json': JSON.stringify(template),
    'policies.yaml': JSON.stringify(
      Object.entries(policies).map(([name, condition]) => ({
        name,
        resource_type: 'AWS::Lambda::Function',
        severity: 'HIGH',
        rules: [{ effect: 'DENY', condition, message: 'no' }],
      })),
    ),
  });

const govctl = (cwd: string, ...argv: string[]) =>
  runCommandLine(argv, {
    cwd,
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
  });

describe('a value that an import does not know', () => {
  it('leaves an evaluation undecided in the service as in check', async () => {
    const cwd = repo();
    const inventory = inventoryOf(service);
    for (const [name, condition] of Object.entries(policies)) {
      await inventory.createPolicy(name, {
        resource_type: 'AWS::Lambda::Function',
        rules: [{ effect: 'DENY', condition, message: 'no' }],
      });
    }
    const { stdout: checked } = await govctl(cwd, 'check', 'template.json', '--policies', 'policies.yaml', '--all', '-o', 'json'); // prettier-ignore
    const { results } = JSON.parse(checked) as { results: { policy: string; status: string }[] };
    const { stderr } = await govctl(cwd, 'resource', 'import', 'template.json');
    expect(stderr).toContain('values are not known; evaluations that need one end in an ERROR.');

    const stored = async (): Promise<unknown> => {
      const { json } = await inventory.ok('GET', '/v1/evaluations?limit=100');
      return (json.evaluations as { policy_name: string; status: string }[]).map(({ policy_name: policy, status }) => [policy, status]).sort(); // prettier-ignore
    };
    const inCheck = results.map(({ policy, status }) => [policy, status]).sort();
    expect(inCheck).toEqual(Object.keys(policies).sort().map((name) => [name, 'ERROR'])); // prettier-ignore
    expect(await stored()).toEqual(inCheck);
  });

  it('is listed by its path', async () => {
    const cwd = repo();
    await govctl(cwd, 'resource', 'import', 'template.json');
    const { json } = await inventoryOf(service).ok('GET', '/v1/resources');
    const [stored] = json.resources as { id: string }[];
    const { stdout } = await govctl(cwd, 'resource', 'get', stored?.id ?? '');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('properties.Layers.1');
  });

  it('is stored so that it can be restored, wherever it is', () => {
    const unknown = fc
      .record({ expression: fc.string(), present: fc.boolean(), text: fc.option(fc.string(), { nil: undefined }) })
      .map(({ expression, present, text }) => new UnknownValue(expression, { present, ...(text === undefined ? {} : { text }) })); // prettier-ignore
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        unknown,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('value'), { maxKeys: 4 }),
      ),
    })); // prettier-ignore
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), (properties) => {
        const resource = { id: 'a', type: 'A::B::C', provider: 'a', tags: {}, properties };
        const read = [{ resource: resource as Resource, address: 'a', at: [] }];
        const [sent] = resourceLines(read, () => {}, () => true); // prettier-ignore
        const line = JSON.parse(sent?.text ?? '') as Resource;
        expect(restoreUnknown(line)).toEqual(resource);
      }),
    );
  });

  it('is known once the resource has a value there', () => {
    const listed = [{ path: ['a', 'b'], expression: 'Ref B' }, { path: ['list', 1], expression: 'Ref L' }]; // prettier-ignore
    const fill = (fields: object) =>
      restoreUnknown({ ...fields, _unknown: listed } as unknown as Resource);
    expect(fill({ a: { b: 1 }, list: [1, 2] })).toEqual({ a: { b: 1 }, list: [1, 2] });
    expect(fill({ a: 'text', list: [] })).toEqual({ a: 'text', list: [] });
    expect(fill({})).toMatchObject({ a: { b: { expression: 'Ref B' } } });
  });

  it.each([
    ['absent', {}],
    ['null', { list: null }],
    ['an empty map', { list: {} }],
  ])(
    'makes a list unknown that is %s, as nobody knows what else is in it',
    async (_, properties) => {
      const inventory = inventoryOf(service);
      await inventory.createPolicy('list', {
        resource_type: 'AWS::S3::Bucket',
        rules: [{ effect: 'DENY', condition: 'has(resource.properties.list)', message: 'no' }],
      });
      const listed = { path: ['properties', 'list', 0, 'x'], expression: 'Ref X', present: false };
      await inventory.put('a', { properties, _unknown: [listed] });
      const { json } = await inventory.ok('GET', '/v1/evaluations');
      expect(json.evaluations).toMatchObject([{ status: 'ERROR', reason: 'unknown_value' }]);
    },
  );

  it.each([
    [1.5, 'must be the name of an attribute, or a place in a list from 0'],
    [null, 'must be the name of an attribute, or a place in a list from 0'],
    [-1, 'must be at least 0'],
  ])('is refused at the step %s of its path, which leads nowhere', async (step, message) => {
    const { status, json } = await service.send('PUT', '/v1/resources/a', {
      body: { id: 'a', type: 'AWS::S3::Bucket', _unknown: [{ path: [step], expression: 'Ref X' }] },
    });
    expect([status, json.details]).toEqual([
      400,
      [{ field: '_unknown[0].path[0]', message: expect.stringContaining(message) }],
    ]);
  });
});
