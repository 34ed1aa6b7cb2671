// What findings repeat (IDs, types, expressions) may be millions of characters in a hostile file.
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../support/fake-world.ts';
import type { Outcome } from '../support/fake-world.ts';
import { makeRepo } from '../support/temp-repo.ts';

const long = 'x'.repeat(1_000_000);
const schema = 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#';
const bucket = { Type: 'AWS::S3::Bucket' };

const policies = ['AWS::S3::Bucket', 'AWS::S3::*', 'Azure::Storage::storageAccounts', 'GCP::*']
  .map(
    (type, nth) =>
      `name: p${nth}\nresource_type: '${type}'\nrules:\n  - condition: has(resource.properties.AccessControl) && resource.properties.AccessControl == 'a'\n    effect: DENY\n`,
  )
  .join('---\n');

const check = (input: unknown, ...more: readonly string[]): Promise<Outcome> =>
  runCommandLine(['check', 'in.json', ...more], {
    cwd: makeRepo({
      'govctl.yaml': 'project: acme\npaths: [policies]\n',
      'policies/p.yaml': policies,
      'in.json': JSON.stringify(input),
    }),
    env: { NO_COLOR: '1' },
  });

describe('an ID or a type of a million characters', () => {
  const planned = {
    address: `aws_s3_bucket.${long}`,
    mode: 'managed',
    type: 'aws_s3_bucket',
    name: long,
    provider_name: 'example.com/hashicorp/aws',
  };
  const inputs: Readonly<Record<string, unknown>> = {
    'a CloudFormation template': { Resources: { [long]: bucket, ok: bucket } },
    'the type of a template': { Resources: { b: { Type: `AWS::S3::${long}` }, ok: bucket } },
    'a Terraform plan': {
      format_version: '1.2',
      terraform_version: '1.9.0',
      resource_changes: [
        { ...planned, change: { actions: ['create'], before: null, after: {}, after_unknown: {} } },
      ],
      configuration: { root_module: {} },
    },
    'an ARM template': {
      $schema: schema,
      resources: [{ type: 'Microsoft.Storage/storageAccounts', name: long, properties: {} }],
    },
    'an AWS Config snapshot': {
      fileVersion: '1.0',
      configurationItems: [
        {
          resourceType: 'AWS::S3::Bucket',
          resourceId: long,
          resourceName: long,
          configuration: {},
        },
      ],
    },
    'a GCP export': [
      {
        name: `//storage.googleapis.com/${long}`,
        assetType: 'storage.googleapis.com/Bucket',
        resource: { data: {} },
      },
    ],
    'an Azure export': [
      { id: `/subscriptions/a/${long}`, type: 'Microsoft.Storage/storageAccounts', properties: {} },
    ],
    'a resource that is left out': {
      Conditions: { No: { 'Fn::Equals': ['a', 'b'] } },
      Resources: { [long]: { ...bucket, Condition: 'No' }, ok: bucket },
    },
  };
  it.each(Object.keys(inputs))('in %s is refused with its place, and never said', async (name) => {
    for (const format of ['table', 'json', 'sarif', 'junit']) {
      const { exitCode, stdout, stderr } = await check(inputs[name], '-o', format);
      expect(exitCode).toBe(3);
      const said = (stdout + stderr).replace(/\s+/g, ' ');
      expect(said).toMatch(
        /this resource has 1,000,\d{3} characters, and at most (2,048|256) are allowed/,
      );
      expect(said.length).toBeLessThan(20_000);
    }
  });
});

it('a parameter or condition with a name of a million characters is cut where messages name it', async () => {
  const { exitCode, stdout } = await check(
    {
      Parameters: { [long]: { Type: 'String' } },
      Conditions: { [long]: { 'Fn::Equals': [{ Ref: long }, 'a'] } },
      Resources: {
        a: { ...bucket, Condition: long, Properties: { AccessControl: { Ref: long } } },
      },
    },
    '-o',
    'json',
  );
  expect(exitCode).toBe(2);
  const { summary } = JSON.parse(stdout) as { summary: { error: number } };
  expect(summary.error).toBe(2);
  expect(stdout.length).toBeLessThan(20_000);
});

it('variables that double an unknown text are worked out within the budget of the template', async () => {
  const doubled = Object.fromEntries(
    Array.from({ length: 16 }, (_, n) => [
      `v${n + 1}`,
      `[concat(variables('v${n}'),variables('v${n}'))]`,
    ]),
  );
  const { exitCode, stdout } = await check(
    {
      $schema: schema,
      parameters: { x: { type: 'string' } },
      variables: { v0: "[concat(parameters('x'), 'abcdefghijklmnopqrstuvwxyz')]", ...doubled },
      resources: Array.from({ length: 500 }, (_, n) => ({
        type: 'Microsoft.Storage/storageAccounts',
        name: `[concat(variables('v16'), '${n}')]`,
        properties: {},
      })),
    },
    '-o',
    'json',
  );
  expect(exitCode).toBe(3);
  expect(stdout).toContain('have too many values');
  expect(stdout.length).toBeLessThan(4_000_000);
});
