import { describe, expect, test } from 'vitest';
import type { Resource } from '../../src/contract/resources.ts';
import { UnknownValue } from '../../src/contract/resources.ts';
import { compileCondition } from '../../src/engine/condition/compile.ts';
import { createEvaluator } from '../../src/engine/condition/create-evaluator.ts';
import { readInventory } from '../../src/inventory/read.ts';

function readOne(text: string): Resource {
  const read = readInventory(text);
  if (!read.ok) throw new Error(read.problem.message);
  const [found] = read.inventory.resources;
  if (!found) throw new Error('no resource');
  return found.resource;
}

const inTemplate = (tags: string): Resource =>
  readOne(`
Parameters: {Free: {Type: String}, Pairs: {Type: CommaDelimitedList}}
Conditions: {Open: !Equals [!Ref Free, x]}
Resources: {A: {Type: AWS::SQS::Queue, Properties: {Tags: ${tags}}}}`);

interface Planned {
  readonly tags?: unknown;
  readonly references?: readonly string[];
  readonly all?: unknown;
  readonly provider?: unknown;
}

/** A queue in a plan; `unknown` where a value is known after apply. */
function inPlan({ tags, references, all, provider }: Planned): Resource {
  const isOpen = (value: unknown): boolean => value === 'unknown';
  const known = Object.entries({ tags, tags_all: all }).filter(([, value]) => !isOpen(value));
  return readOne(
    JSON.stringify({
      format_version: '1.2',
      resource_changes: [
        {
          address: 'aws_sqs_queue.a',
          mode: 'managed',
          type: 'aws_sqs_queue',
          name: 'a',
          provider_name: 'registry.terraform.io/hashicorp/aws',
          change: {
            actions: ['create'],
            after: Object.fromEntries(known),
            after_unknown: { tags: isOpen(tags), tags_all: isOpen(all) },
          },
        },
      ],
      configuration: {
        provider_config: { aws: { name: 'aws', expressions: { default_tags: provider } } },
        root_module: {
          resources: [
            {
              address: 'aws_sqs_queue.a',
              expressions: references ? { tags: { references } } : {},
            },
          ],
        },
      },
    }),
  );
}

const inAzure = (tags: unknown): Resource =>
  readOne(
    JSON.stringify({
      $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
      parameters: { tags: { type: 'object' } },
      resources: [{ type: 'Microsoft.Network/virtualNetworks', name: 'n', tags }],
    }),
  );

/** true, false, or why it can't be decided. */
function holds(condition: string, resource: Resource): boolean | string {
  const compiled = compileCondition(condition);
  if (!compiled.ok) throw new Error(compiled.problem.message);
  const held = createEvaluator(compiled.condition).holds(resource, 0);
  return typeof held === 'boolean' ? held : held.reason;
}

describe('tags of which nothing can be known', () => {
  test.each<[string, Resource]>([
    ['a list parameter', inTemplate('!Ref Pairs')],
    ['a choice between a list and a parameter', inTemplate('!If [Open, [], !Ref Pairs]')],
    ['a pair that is not known', inTemplate('[{Key: a, Value: b}, !Ref Free]')],
    ['a key that is not known', inTemplate('[{Key: !Ref Free, Value: b}]')],
    ['a local of a plan', inPlan({ tags: 'unknown', references: ['local.tags'] })],
    [
      'a local beside computed ones',
      inPlan({ tags: 'unknown', references: ['random_id.a.hex', 'random_id.a'], all: 'unknown' }),
    ],
    [
      'tags of the provider',
      inPlan({ all: 'unknown', provider: [{ tags: { references: ['local.tags'] } }] }),
    ],
    ['a parameter of an Azure template', inAzure("[parameters('tags')]")],
  ])('are not guessed: %s', (_, resource) => {
    expect(resource.tags).toBeInstanceOf(UnknownValue);
    expect(resource.environment).toBeInstanceOf(UnknownValue);
    for (const condition of [
      'has(resource.tags.owner)',
      '!("owner" in resource.tags)',
      'resource.tags.owner == "x"',
      'resource.tags.all(key, key != "secret")',
      'has(resource.environment) && resource.environment == "production"',
    ]) {
      expect(holds(condition, resource)).toBe('unknown_value');
    }
  });
});

describe('tags of which some can be known', () => {
  test.each([
    ['[{Key: a, Value: b}, !If [Open, {Key: owner, Value: x}, !Ref AWS::NoValue]]'],
    ['!If [Open, [{Key: a, Value: b}, {Key: owner, Value: x}], [{Key: a, Value: b}]]'],
  ])('are unknown one by one: %s', (tags) => {
    const resource = inTemplate(tags);
    expect(resource.tags).toEqual({ a: 'b', owner: expect.any(UnknownValue) as unknown });
    expect(holds('resource.tags.a == "b" && !has(resource.tags.team)', resource)).toBe(true);
    expect(holds('has(resource.tags.owner)', resource)).toBe('unknown_value');
  });

  test('say by which branch a tag differs, and that it is there', () => {
    const resource = inTemplate('[{Key: owner, Value: !If [Open, x, y]}]');
    expect(holds('has(resource.tags.owner)', resource)).toBe(true);
    expect(holds('resource.tags.owner == "x"', resource)).toBe('unknown_value');
  });

  test('give no environment by a value that is not known', () => {
    const resource = inTemplate('[{Key: Environment, Value: !Ref Free}]');
    expect(holds('has(resource.environment)', resource)).toBe(true);
    expect(holds('resource.environment == "production"', resource)).toBe('unknown_value');
  });

  test('of a plan are joined with what its provider gives to all, where that is a constant', () => {
    const all = { tags: { constant_value: { team: 'core', env: 'prod' } } };
    expect(inPlan({ tags: { env: 'dev' }, all: 'unknown', provider: [all] })).toMatchObject({
      tags: { team: 'core', env: 'dev' },
      environment: 'development',
    });
  });
});

test('a plan of an old provider, in which all tags are unknown because there are none, has none', () => {
  expect(inPlan({ all: 'unknown' }).tags).toEqual({});
  expect(inPlan({ tags: { env: 'dev' }, all: 'unknown' }).tags).toEqual({ env: 'dev' });
});
