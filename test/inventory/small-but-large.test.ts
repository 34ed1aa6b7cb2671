// Pages that multiply to more than memory holds, or lead further than the stack does.
import { describe, expect, test } from 'vitest';
import { startCpuTime } from '../support/cpu-time.ts';
import { readInventory } from '../../src/inventory/read.ts';

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const template = (resources: object, rest: object = {}): string =>
  JSON.stringify({ Resources: resources, ...rest });

const queue = (properties: object): object => ({ Type: 'AWS::SQS::Queue', Properties: properties });

const azure = (properties: object, variables: object = {}): string =>
  JSON.stringify({
    $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
    variables,
    resources: [{ type: 'Microsoft.Network/virtualNetworks', name: 'n', properties }],
  });

const plan = (count: number, expressions: object): string =>
  JSON.stringify({
    format_version: '1.2',
    resource_changes: [
      {
        address: 'aws_security_group.a',
        mode: 'managed',
        type: 'aws_security_group',
        name: 'a',
        change: {
          actions: ['create'],
          after: { ingress: range(count).map((from_port) => ({ from_port })) },
          after_unknown: { ingress: range(count).map(() => ({ cidr_blocks: true })) },
        },
      },
    ],
    configuration: {
      root_module: { resources: [{ address: 'aws_security_group.a', ...expressions }] },
    },
  });

const doubled = (count: number, of: (before: string) => unknown): object =>
  Object.fromEntries([
    ['v0', 'x'.repeat(100)],
    ...range(count).map((index) => [`v${index + 1}`, of(`variables('v${index}')`)]),
  ]);

/** A queue that has one value many times, as YAML writes it in three characters each. */
const repeated = (value: object, count: number, rest: object = {}): string =>
  [
    ...Object.entries(rest).map(([name, section]) => `${name}: ${JSON.stringify(section)}`),
    `Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties:`,
    `      X: &x ${JSON.stringify(value)}\n      Y: [${Array(count).fill('*x').join(',')}]\n`,
  ].join('\n');

const longParameter = { Parameters: { P: { Type: 'String', Default: 'x'.repeat(300_000) } } };
const longList = { Mappings: { M: { a: { b: Array<string>(60_000).fill('') } } } };
const findList = { 'Fn::FindInMap': ['M', 'a', 'b'] };

/** Policy documents that are each made of the one before, twice. */
const doubledDocuments = (count: number): string => {
  const type = 'aws_iam_policy_document';
  const documents = range(count).map((index) => ({
    mode: 'data',
    type,
    name: `d${index}`,
    address: `data.${type}.d${index}`,
  }));
  return JSON.stringify({
    format_version: '1.2',
    resource_changes: [
      ...documents.map((one, index) => ({
        ...one,
        change: {
          actions: ['read'],
          after:
            index === 0
              ? { statement: [{ actions: ['s3:*'], resources: ['*'] }] }
              : { source_policy_documents: [null, null] },
          after_unknown: { json: true, source_policy_documents: index === 0 ? [] : [true, true] },
        },
      })),
      {
        address: 'aws_iam_policy.p',
        mode: 'managed',
        type: 'aws_iam_policy',
        name: 'p',
        change: { actions: ['create'], after: {}, after_unknown: { policy: true } },
      },
    ],
    configuration: {
      root_module: {
        resources: [
          ...documents.map((one, index) => ({
            ...one,
            expressions: {
              source_policy_documents: { references: [`data.${type}.d${index - 1}.json`] },
            },
          })),
          {
            address: 'aws_iam_policy.p',
            expressions: { policy: { references: [`data.${type}.d${count - 1}.json`] } },
          },
        ],
      },
    },
  });
};

/** A module's key that is as long as a page, around a resource of which much is unknown. */
const longModule = (): string => {
  const module = `module.m["${'k'.repeat(200_000)}"]`;
  const names = range(300).map((index) => `a${index}`);
  const all = <T>(value: T): Record<string, T> =>
    Object.fromEntries(names.map((name) => [name, value]));
  const expression = { references: range(200).map((index) => `var.v${index}`) };
  return JSON.stringify({
    format_version: '1.2',
    resource_changes: [
      {
        address: `${module}.aws_sqs_queue.q`,
        module_address: module,
        mode: 'managed',
        type: 'aws_sqs_queue',
        name: 'q',
        change: { actions: ['create'], after: {}, after_unknown: all(true) },
      },
    ],
    configuration: {
      root_module: {
        module_calls: {
          m: {
            module: {
              resources: [{ address: 'aws_sqs_queue.q', expressions: all(expression) }],
            },
          },
        },
      },
    },
  });
};

describe('a page is read in little time and memory, though it', () => {
  test.each<[string, string]>([
    [
      'repeats a parameter',
      template(
        Object.fromEntries(
          range(500).map((index) => [
            `Q${index}`,
            queue({ QueueName: { 'Fn::Sub': `${'${P}'.repeat(24)}${index}` } }),
          ]),
        ),
        { Parameters: { P: { Type: 'String', Default: 'x'.repeat(40_000) } } },
      ),
    ],
    [
      'would make a text longer than texts can be',
      template(
        { Q: queue({ QueueName: { 'Fn::Sub': '${P}'.repeat(15_000) } }) },
        { Parameters: { P: { Type: 'String', Default: 'x'.repeat(40_000) } } },
      ),
    ],
    [
      'splits a text again and again',
      template(
        Object.fromEntries(
          range(500).map((index) => [
            `Q${index}`,
            queue({ X: { 'Fn::Split': [',', { Ref: 'P' }] } }),
          ]),
        ),
        { Parameters: { P: { Type: 'String', Default: 'a,'.repeat(40_000) } } },
      ),
    ],
    [
      'chains its conditions',
      template(
        { Q: { Type: 'AWS::SQS::Queue', Condition: 'C4000' } },
        {
          Conditions: Object.fromEntries(
            range(4_001).map((index) => [
              `C${index}`,
              { 'Fn::Not': [{ Condition: `C${index - 1}` }] },
            ]),
          ),
        },
      ),
    ],
    [
      'loops over long texts',
      template({
        'Fn::ForEach::a': [
          'A',
          range(2_000).map((index) => `${'y'.repeat(20)}${index}`),
          { 'Q${A}': queue({ X: '${A}'.repeat(5_000) }) },
        ],
      }),
    ],
    [
      'gives very much to very many functions of SAM',
      template(
        Object.fromEntries(
          range(1_500).map((index) => [`F${index}`, { Type: 'AWS::Serverless::Function' }]),
        ),
        {
          Transform: 'AWS::Serverless-2016-10-31',
          Globals: { Function: { Policies: range(2_000).map((index) => `Policy${index}`) } },
        },
      ),
    ],
    [
      'doubles a variable',
      azure(
        { x: "[variables('v60')]" },
        doubled(60, (of) => `[concat(${of},${of})]`),
      ),
    ],
    [
      'doubles a variable as a map',
      azure(
        { x: "[variables('v30')]" },
        doubled(30, (of) => ({ a: `[${of}]`, b: `[${of}]` })),
      ),
    ],
    [
      'puts a long variable together a thousand times',
      azure(
        { x: `[concat(${Array(1_000).fill("variables('v15')").join(',')})]` },
        doubled(15, (of) => `[concat(${of},${of})]`),
      ),
    ],
    [
      'replaces each letter by a page',
      azure({ x: `[replace('${'a'.repeat(40_000)}','a','${'b'.repeat(40_000)}')]` }),
    ],
    [
      'reads a deep list of a text',
      azure({ x: `[string(json('${'['.repeat(20_000)}${']'.repeat(20_000)}'))]` }),
    ],
    [
      'takes a map for a text',
      azure({ x: `[int(json('{"toString":1}'))]`, y: `[concat(json('{"toString":1}'),'a')]` }),
    ],
    [
      'copies inside of copies',
      azure({
        copy: [
          {
            name: 'x',
            count: 800,
            input: { copy: [{ name: 'y', count: 800, input: "[string(copyIndex('y'))]" }] },
          },
        ],
      }),
    ],
    [
      'copies a long expression inside of copies',
      azure({
        copy: [
          {
            name: 'x',
            count: 800,
            input: {
              copy: [
                {
                  name: 'y',
                  count: 800,
                  input: `[if(false(),createArray(${Array(8_000).fill('1').join(',')}),1)]`,
                },
              ],
            },
          },
        ],
      }),
    ],
    [
      'divides one network again and again',
      repeated({ 'Fn::Cidr': ['10.0.0.0/8', 256, 8] }, 60_000),
    ],
    [
      'asks for an attribute with a long name again and again',
      repeated({ 'Fn::GetAtt': [{ Ref: 'P' }, 'x'] }, 20_000, longParameter),
    ],
    [
      'looks a long name up again and again',
      repeated({ 'Fn::FindInMap': ['M', { Ref: 'P' }, 'x'] }, 20_000, {
        ...longParameter,
        ...longList,
      }),
    ],
    [
      'writes a long list as JSON again and again',
      repeated({ 'Fn::ToJsonString': findList }, 20_000, longList),
    ],
    [
      'joins a long list of nothing again and again',
      repeated({ 'Fn::Join': ['', findList] }, 20_000, longList),
    ],
    ['makes each policy of another one twice', doubledDocuments(40)],
    ['has an address as long as a page', longModule()],
    [
      'gives many blocks that may each be any',
      plan(800, {
        expressions: {
          ingress: range(800).map(() => ({
            from_port: {},
            cidr_blocks: { references: ['aws_vpc.v.id'] },
          })),
        },
      }),
    ],
    [
      'goes through many things',
      plan(800, {
        expressions: { ingress: [{ cidr_blocks: { references: ['each.value'] } }] },
        for_each_expression: { references: range(2_000).map((index) => `aws_vpc.v${index}.id`) },
      }),
    ],
    [
      'names one thing by many aliases',
      `x: &x {Type: AWS::SQS::Queue}\nResources:\n${range(3_000)
        .map((index) => `  Q${index}: *x\n`)
        .join('')}`,
    ],
  ])('%s', (_, text) => {
    const before = process.memoryUsage().heapUsed;
    const cpuTime = startCpuTime();
    const read = readInventory(text);
    if (read.ok) for (const { at } of read.inventory.resources) read.inventory.locate(at);
    // Small for the page itself, with room for a slow machine, and for garbage.
    expect(cpuTime()).toBeLessThan(20_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(400_000_000);
    expect(read.ok || /Fn::ForEach|the ID of this resource has/.test(read.problem.message)).toBe(
      true,
    );
  });
});
