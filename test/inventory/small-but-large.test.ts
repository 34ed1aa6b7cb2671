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
            queue({ x: { 'Fn::Split': [',', { Ref: 'P' }] } }),
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
          { 'Q${A}': queue({ x: '${A}'.repeat(5_000) }) },
        ],
      }),
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
    expect(cpuTime()).toBeLessThan(5_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(400_000_000);
    expect(read.ok || /Fn::ForEach/.test(read.problem.message)).toBe(true);
  });
});
