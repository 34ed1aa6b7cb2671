import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startCpuTime } from '../../support/cpu-time.ts';
import { UnknownValue } from '../../../src/contract/resources.ts';
import { normaliseAll } from '../../../src/inventory/attributes/normalise.ts';
import { azure } from '../../../src/inventory/formats/azure/reader.ts';
import { azureType } from '../../../src/inventory/formats/azure/types.ts';
import { readInventory } from '../../../src/inventory/read.ts';

type Fields = Record<string, unknown>;

const $schema = 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#';
const readTemplate = (template: Fields, parameters: Record<string, string> = {}) =>
  azure.read({ $schema, ...template }, { parameters }).raws;

/** What an expression gives in a template. */
const valueOf = (expression: string, template: Fields = {}, parameters = {}): unknown =>
  readTemplate(
    { ...template, resources: [{ type: 'A.B/c', name: 'c', properties: { value: expression } }] },
    parameters,
  )[0]?.properties.value;

test.each([
  ['Microsoft.Sql/servers/databases', 'Azure::Sql::servers/databases'],
  ['Dynatrace.Observability/monitors', 'Azure::Dynatrace.Observability::monitors'],
  ['microsoft.network/NETWORKINTERFACES', 'Azure::Network::networkInterfaces'],
])('%s is %s', (type, expected) => {
  expect(azureType(type)).toBe(expected);
});

describe('an expression', () => {
  const template = {
    parameters: {
      size: { type: 'int', defaultValue: 3 },
      key: { type: 'secureString' },
      on: { type: 'bool', defaultValue: false },
    },
    variables: { names: ['a', 'b'], deep: { Inner: 'x' }, again: "[variables('again')]" },
  };

  test.each<[string, unknown]>([
    ['plain', 'plain'],
    ['[[not one]', '[not one]'],
    ["[parameters('size')]", 3],
    ["[PARAMETERS('SIZE')]", 3],
    ["[add(parameters('size'), 2)]", 5],
    ["[concat('a', variables('names')[1], string(1))]", 'ab1'],
    ["[concat(variables('names'), createArray('c'))]", ['a', 'b', 'c']],
    ["[format('{0}-{1:D2}', 'x', 7)]", 'x-7'],
    ["[if(parameters('on'), 'yes', 'no')]", 'no'],
    ["[and(true(), not(equals('A', 'a')))]", false],
    ["[or(parameters('on'), greater(parameters('size'), 2))]", true],
    ["[toLower(variables('deep').inner)]", 'x'],
    ["[union(createObject('a', 1), createObject('b', 2))]", { a: 1, b: 2 }],
    ['[json(\'{"a":true}\').a]', true],
    ["[coalesce(null(), 'it''s')]", "it's"],
    ["[length(split('a,b', ','))]", 2],
    ["[take(variables('names'), 1)]", ['a']],
    ["[first(items(createObject('k', 'v'))).value]", 'v'],
  ])('%s gives %j', (expression, expected) => {
    expect(valueOf(expression, template)).toEqual(expected);
  });

  test.each([
    "[parameters('key')]",
    "[variables('again')]",
    "[uniqueString('x')]",
    '[resourceGroup().location]',
    "[unknownFunction('x')]",
    "[concat('a', resourceGroup().name)]",
    '[broken(]',
    '[div(1, 0)]',
  ])('%s cannot be known', (expression) => {
    expect(valueOf(expression, template)).toBeInstanceOf(UnknownValue);
  });

  test('of a secret parameter says so; a text that is known in part keeps it', () => {
    expect(valueOf("[parameters('key')]", template)).toMatchObject({
      parameter: { name: 'key', secret: true },
    });
    expect(valueOf("[concat('log-', parameters('key'))]", template)).toMatchObject({
      text: "log-${parameters('key')}",
    });
  });

  test('takes given parameters before defaults, by their type', () => {
    expect(valueOf("[parameters('size')]", template, { Size: '8' })).toBe(8);
  });

  test('that decides whatever the unknown part is, is known', () => {
    expect(valueOf("[and(false(), equals(parameters('key'), 'x'))]", template)).toBe(false);
    expect(valueOf("[if(equals(parameters('key'), 'x'), 1, 1)]", template)).toBe(1);
  });
});

describe('a template', () => {
  test('has children, copies and nested deployments as resources', () => {
    const raws = readTemplate({
      resources: [
        {
          type: 'Microsoft.Sql/servers',
          name: 's',
          location: 'West Europe',
          sku: { name: 'S1' },
          tags: { env: 'prod' },
          properties: {},
          resources: [{ type: 'databases', name: 'd' }],
        },
        {
          type: 'Microsoft.Storage/storageAccounts',
          name: "[concat('st', copyIndex(1))]",
          kind: 'FileStorage',
          copy: { name: 'loop', count: 2 },
        },
        { type: 'Microsoft.Web/sites', name: 'no', condition: "[equals('a', 'b')]" },
        {
          type: 'Microsoft.Resources/deployments',
          name: 'inner',
          properties: {
            expressionEvaluationOptions: { scope: 'inner' },
            parameters: { tls: { value: 'TLS1_2' } },
            template: {
              parameters: { tls: { type: 'string' } },
              resources: [
                {
                  type: 'Microsoft.Storage/storageAccounts',
                  name: 'in',
                  kind: 'FileStorage',
                  properties: { minimumTlsVersion: "[parameters('tls')]" },
                },
              ],
            },
          },
        },
      ],
    });
    expect(raws.map((raw) => raw.address)).toEqual([
      'Microsoft.Sql/servers/s',
      'Microsoft.Storage/storageAccounts/st1',
      'Microsoft.Storage/storageAccounts/st2',
      'Microsoft.Resources/deployments/inner',
      'Microsoft.Sql/servers/s/databases/d',
      'Microsoft.Storage/storageAccounts/in',
    ]);
    expect(raws[0]).toMatchObject({
      region: 'westeurope',
      tags: { env: 'prod' },
      properties: { sku: { name: 'S1' } },
    });
    expect(raws[4]?.source).toMatchObject({ parent: 'Microsoft.Sql/servers/s' });
    expect(raws[5]?.properties).toEqual({ kind: 'FileStorage', minimumTlsVersion: 'TLS1_2' });
  });

  test('has the settings of the blobs of an account, with their defaults where it says nothing of them', () => {
    const account = { type: 'Microsoft.Storage/storageAccounts', name: 'a' };
    const settings = 'Microsoft.Storage/storageAccounts/a/blobServices/default';
    const own = { properties: { isVersioningEnabled: true } };
    const child = { ...own, type: 'blobServices', name: 'default' };
    const beside = { ...own, type: `${account.type}/blobServices`, name: 'a/default' };
    for (const [resources, properties] of [
      [[account], {}],
      [[{ ...account, resources: [child] }], own.properties],
      [[account, beside], own.properties],
      [[account, { ...beside, condition: false }], {}],
    ] as const) {
      const raws = readTemplate({ resources });
      expect(raws.map(({ address }) => address)).toEqual([
        'Microsoft.Storage/storageAccounts/a',
        settings,
      ]);
      expect(raws[1]?.properties).toEqual(properties);
    }
  });

  test('knows which of its resources an id or a reference is of', () => {
    const name = "[concat('nic-', uniqueString(resourceGroup().id))]";
    const [, vm] = readTemplate({
      variables: { nic: name },
      resources: [
        { type: 'Microsoft.Network/networkInterfaces', name },
        {
          type: 'Microsoft.Compute/virtualMachines',
          name: 'vm',
          properties: {
            nic: "[resourceId('microsoft.network/networkInterfaces', variables('nic'))]",
          },
        },
      ],
    });
    expect(vm?.properties.nic).toMatchObject({
      target: 'Microsoft.Network/networkInterfaces/nic-${uniqueString(resourceGroup().id)}',
      attribute: 'id',
    });
  });
});

test('lists of Resource Manager and Resource Graph are read', () => {
  const id = '/subscriptions/1/resourceGroups/g/providers/Microsoft.Sql/servers/s/firewallRules/r';
  for (const document of [{ value: [{ id }] }, { data: [{ id }] }, [{ id }]]) {
    expect(azure.detects(document)).toBe(true);
    expect(azure.read(document, {}).raws).toMatchObject([
      { id, type: 'Azure::Sql::servers/firewallRules', account_id: '1' },
    ]);
  }
});

test.each<[given: Record<string, string>, message: string | undefined]>([
  [{ env: 'prod' }, undefined],
  [{ ENV: 'PROD' }, undefined],
  [{ env: 'production' }, 'the parameter env must have one of its allowed values: "dev", "prod"'],
  [{ sizes: '[1, 2]' }, undefined],
  [{ sizes: '[1, 3]' }, 'the parameter sizes must have one of its allowed values: 1, 2'],
  [{ evn: 'prod' }, 'the template has no parameter evn; did you mean env?'],
])('a template is given parameters that it has, with values that it allows: %j', (given, message) => {
  const parameters = {
    env: { type: 'string', defaultValue: 'dev', allowedValues: ['dev', 'prod'] },
    sizes: { type: 'array', defaultValue: [1], allowedValues: [1, 2] },
  };
  const read = azure.read({ $schema, parameters, resources: [] }, { parameters: given });
  expect(read.problems.map((one) => [one.message, one.affectsAll])).toEqual(message === undefined ? [] : [[message, true]]);
}); // prettier-ignore

test.each([
  ['no properties', {}],
  ['empty properties', { properties: {} }],
])('a listed resource with %s has settings that nobody can know', (_, given) => {
  const id = '/subscriptions/s/resourceGroups/r/providers/Microsoft.Storage/storageAccounts/a';
  const type = 'Microsoft.Storage/storageAccounts';
  const { raws } = azure.read({ value: [{ id, type, name: 'a', ...given }] }, {});
  const [one] = normaliseAll(raws, 'azure').map(({ resource }) => resource);
  expect(one?.['properties']).toBeInstanceOf(UnknownValue);
  expect(one?.['anonymous_access']).toBeInstanceOf(UnknownValue);
}); // prettier-ignore

test('a parameter file is named for what it is', () => {
  const document = { $schema: $schema.replace('Template', 'Parameters'), parameters: {} };
  expect(azure.read(document, {}).problems[0]?.message).toMatch(/parameters of a deployment/);
});

test.each([['value'], ['data'], [undefined]])(
  'what is no resource of a list is a problem with its place (%s)',
  (name) => {
    const id = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/a';
    const live = { id, type: 'Microsoft.Storage/storageAccounts', name: 'a' };
    const list = ['x', live, null];
    const { raws, problems } = azure.read(name === undefined ? list : { [name]: list }, {});
    expect(raws).toMatchObject([{ id }]);
    const prefix = name === undefined ? [] : [name];
    expect(problems.map(({ at }) => at)).toEqual([
      [...prefix, 0],
      [...prefix, 2],
    ]);
    expect(problems[0]?.message).toMatch(/needs an ID and a type/);
  },
);

describe('a hostile template', () => {
  test('with more copies than Azure takes is cut, and says so', () => {
    const copy = { name: 'x', count: 1_000_000 };
    const template = {
      $schema,
      resources: [{ type: 'A.B/c', name: '[string(copyIndex())]', copy }],
    };
    const { raws, problems } = azure.read(template, {});
    expect(raws).toHaveLength(800);
    expect(problems[0]?.message).toMatch(/at most 800/);
  });

  test('whose values double and double stops at what can be held', () => {
    const steps = Array.from({ length: 60 }, (_, index): [string, unknown] => [
      `v${index + 1}`,
      `[concat(variables('v${index}'), variables('v${index}'))]`,
    ]);
    const variables = { ...Object.fromEntries(steps), v0: 'xxxxxxxxxxxxxxxx' };
    const cpuTime = startCpuTime();
    expect(valueOf("[variables('v60')]", { variables })).toBeInstanceOf(UnknownValue);
    expect(cpuTime()).toBeLessThan(5_000);
  });

  test('with deployments in deployments stops at a depth', () => {
    let resource: Fields = { type: 'A.B/c', name: 'c' };
    for (let depth = 0; depth < 30; depth++) {
      const properties = { template: { resources: [resource] } };
      resource = { type: 'Microsoft.Resources/deployments', name: `d${depth}`, properties };
    }
    expect(readTemplate({ resources: [resource] }).length).toBeLessThan(30);
  });

  test('or any other document is looked through without a throw', () => {
    const text = fc.oneof(
      fc.string(),
      fc
        .string({ unit: fc.constantFrom('[', ']', "'", '(', ')', ',', '.', 'a', '1') })
        .map((inner) => `[${inner}]`),
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('any')),
        fc.dictionary(
          fc.constantFrom(
            'copy',
            'name',
            'type',
            'count',
            'input',
            'resources',
            'properties',
            '__proto__',
          ),
          tie('any'),
        ),
      ),
    })).any;
    fc.assert(
      fc.property(fc.array(value), value, (resources, variables) => {
        expect(Array.isArray(readTemplate({ resources, variables, parameters: variables }))).toBe(
          true,
        );
      }),
    );
  });
});

describe('a word of the template language in another case', () => {
  // Without blobs, and so without their settings.
  const account = {
    type: 'Microsoft.Storage/storageAccounts',
    name: 'a',
    kind: 'FileStorage',
  };
  const nested = (properties: Fields): Fields => ({
    resources: [{ type: 'Microsoft.Resources/deployments', name: 'd', properties }],
  });
  const read = (template: Fields) => {
    const found = readInventory(JSON.stringify({ $schema, ...template }));
    if (!found.ok) throw new Error(found.problem.message);
    return {
      problems: found.inventory.problems,
      resources: found.inventory.resources.map(({ resource }) => resource),
    };
  };
  const own = read({ resources: [{ ...account, properties: { allowSharedKeyAccess: false } }] });

  test.each<[name: string, template: Fields]>([
    [
      'of the template',
      { RESOURCES: [{ ...account, properties: { allowSharedKeyAccess: false } }] },
    ],
    ['of a resource', { resources: [{ ...account, Properties: { allowSharedKeyAccess: false } }] }],
    ['of a property', { resources: [{ ...account, properties: { AllowSharedKeyAccess: false } }] }],
    [
      'of a type and a name',
      {
        resources: [
          {
            TYPE: account.type,
            Name: account.name,
            kind: account.kind,
            properties: { allowSharedKeyAccess: false },
          },
        ],
      },
    ],
  ])('%s says the same', (_, template) => {
    const { resources, problems } = read(template);
    expect(problems).toEqual([]);
    expect(resources.map((one) => one['local_auth'])).toEqual([false]);
    expect(resources.map((one) => one['local_auth'])).toEqual(
      own.resources.map((one) => one['local_auth']),
    );
  });

  test.each<[name: string, template: Fields]>([
    ['of a nested template', nested({ template: { Resources: [account] } })],
    ['of a deployment', nested({ Template: { resources: [account] } })],
  ])('%s loses no resource', (_, template) => {
    expect(read(template).resources.map(({ name }) => name)).toEqual(['d', 'a']);
  });

  test('loses to the word in its own case', () => {
    const { resources } = read({
      resources: [
        { ...account, properties: { allowSharedKeyAccess: true, AllowSharedKeyAccess: false } },
      ],
    });
    expect(resources.map((one) => one['local_auth'])).toEqual([true]);
  });
});
