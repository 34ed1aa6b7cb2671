// What is unknown hides no fault beside it: a list with an item that is surely wrong fails, whatever the others turn out to be.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Resource } from '../../src/contract/resources.ts';
import { UnknownValue } from '../../src/contract/resources.ts';
import { evaluate } from '../../src/engine/evaluate.ts';
import { readInventory } from '../../src/inventory/read.ts';
import { PolicyTestDocument } from '../../src/project/documents/policy-test.ts';
import { libraryFor } from '../support/policy-library.ts';

const someDay = Date.UTC(2026, 0, 1);

describe('one unknown value', () => {
  const unknown = { Ref: 'Zz' };
  const template = (type: string, properties: object): object => ({
    Parameters: { Zz: { Type: 'String' } },
    Resources: { It: { Type: type, Properties: properties } },
  });
  const plan = (
    type: string,
    after: object,
    afterUnknown: object,
    more: object[] = [],
  ): object => ({
    format_version: '1.2',
    resource_changes: [
      { type, name: 'it', change: { actions: ['create'], after, after_unknown: afterUnknown } },
      ...more,
    ].map((one) => ({ mode: 'managed', address: `${type}.it`, ...one })),
  });
  const password = 'PASSWORD=hunter22hunter22';
  const machine = { NetworkInterfaceId: unknown };

  test.each<[fault: string, policy: string, document: object]>([
    [
      "a password in one of a machine's scripts, of which another is unknown",
      'gcp-instance-no-secrets-in-metadata',
      plan(
        'google_compute_instance',
        { metadata: { 'startup-script': password } },
        { metadata: { more: true } },
      ),
    ],
    [
      'a password in the custom data, beside user data that are unknown',
      'azure-vm-no-secrets-in-user-data',
      plan('azurerm_linux_virtual_machine', { custom_data: btoa(password) }, { user_data: true }),
    ],
    [
      'a privileged container of a job, beside one range of nodes that is unknown',
      'aws-batch-job-unprivileged',
      template('AWS::Batch::JobDefinition', {
        Type: 'multinode',
        NodeProperties: {
          NodeRangeProperties: [{ Container: { Privileged: true, Image: 'x' } }, unknown],
        },
      }),
    ],
    [
      'a password in the address of a source, beside further sources that are unknown',
      'aws-codebuild-no-credentials-in-source-url',
      template('AWS::CodeBuild::Project', {
        Source: { Type: 'GITHUB', Location: 'https://joe:hunter22@github.com/acme/shop.git' },
        SecondarySources: unknown,
      }),
    ],
    [
      'an open port, beside rules that are unknown',
      'aws-ec2-security-group-no-public-ssh',
      template('AWS::EC2::SecurityGroup', {
        SecurityGroupIngress: [
          unknown,
          { IpProtocol: 'tcp', FromPort: 22, ToPort: 22, CidrIp: '0.0.0.0/0' },
        ],
      }),
    ],
    [
      'an open range, beside a range that is unknown',
      'aws-ec2-security-group-no-public-ssh',
      plan(
        'aws_security_group',
        { ingress: [{ protocol: 'tcp', from_port: 22, to_port: 22, cidr_blocks: ['0.0.0.0/0'] }] },
        { ingress: [{ cidr_blocks: [false, true], ipv6_cidr_blocks: true }] },
      ),
    ],
    [
      'a statement for everybody, beside one that is unknown',
      'aws-sqs-queue-policy-not-public',
      template('AWS::SQS::QueuePolicy', {
        Queues: ['x'],
        PolicyDocument: {
          Statement: [unknown, { Effect: 'Allow', Principal: '*', Action: 'sqs:*', Resource: '*' }],
        },
      }),
    ],
    [
      'an inline policy, beside one that depends on a condition that is unknown',
      'aws-iam-group-no-inline-policies',
      {
        ...template('AWS::IAM::Group', {
          Policies: [
            { PolicyName: 'a', PolicyDocument: { Statement: [] } },
            { 'Fn::If': ['Maybe', { PolicyName: 'b' }, { Ref: 'AWS::NoValue' }] },
          ],
        }),
        Conditions: { Maybe: { 'Fn::Equals': [unknown, 'x'] } },
      },
    ],
    [
      'a volume that is not encrypted, beside volumes that are unknown',
      'aws-ec2-instance-encrypted-volumes',
      plan(
        'aws_instance',
        { root_block_device: [{ device_name: '/dev/xvda', encrypted: false }] },
        { ebs_block_device: true },
      ),
    ],
    [
      'a script with a password of a machine whose network is unknown',
      'aws-ec2-instance-no-secrets-in-user-data',
      template('AWS::EC2::Instance', {
        UserData: { 'Fn::Join': ['', [password, ' ', unknown]] },
        NetworkInterfaces: [machine],
      }),
    ],
  ])('hides not %s', (_fault, name, document) => {
    const read = readInventory(JSON.stringify(document));
    if (!read.ok) throw new Error(read.problem.message);
    const statuses = read.inventory.resources.flatMap(({ resource }) =>
      libraryFor(resource.type)
        .filter(({ policy }) => policy.name === name)
        .map((prepared) => evaluate(prepared, resource, someDay).status),
    );
    expect(statuses).toEqual(['FAIL']);
  });
});

const library = path.resolve(import.meta.dirname, '../../policies-example');

/** The lists of a value, each with the last name of the path to it. */
function listsOf(value: unknown, name = ''): { name: string; list: unknown[] }[] {
  if (typeof value !== 'object' || value === null || value instanceof UnknownValue) return [];
  const inner = Object.entries(value).flatMap(([key, one]) =>
    listsOf(one, Array.isArray(value) ? name : key),
  );
  return Array.isArray(value) ? [{ name, list: value as unknown[] }, ...inner] : inner;
}

function withItems(list: unknown[], items: readonly unknown[], ask: () => string): string {
  const before = list.length;
  list.push(...items);
  const answer = ask();
  list.length = before;
  return answer;
}

describe('an item of which nothing is known', () => {
  const files = readdirSync(library, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^(aws|azure|gcp).*\.test\.yaml$/.test(file),
  );
  const tests = files.map((file) =>
    PolicyTestDocument.parse(parse(readFileSync(path.join(library, file), 'utf8'))),
  );

  test('is open in a list of a failing resource only where some item would make it pass', () => {
    let asked = 0;
    const hidden = tests.flatMap(({ policy: file, cases, now }) => {
      const all = cases.flatMap(({ name, input, now: own, expect: rows }) =>
        (input.resources === undefined ? [] : nativeOf(input.resources)).map((resource) => ({
          name,
          resource,
          at: Date.parse(own ?? now ?? '2026-01-01'),
          fails: rows.some((row) => row.resource === resource.id && row.result === 'fail'),
        })),
      );
      const known = all.flatMap(({ resource }) => listsOf(resource));
      return all.flatMap(({ name, resource, at, fails }) => {
        const prepared = libraryFor(resource.type).find(
          (one) => `${one.policy.name}.yaml` === path.basename(file),
        );
        if (!prepared || !fails) return [];
        const ask = (): string => evaluate(prepared, resource, at).status;
        return listsOf(resource).flatMap(({ name: ofList, list }) => {
          asked++;
          const open = [true, false].map((present) =>
            withItems(list, [new UnknownValue('it', { present })], ask),
          );
          if (open.every((status) => status === 'FAIL')) return [];
          const items = known.flatMap((one) => (one.name === ofList ? one.list : []));
          // An unknown list that is joined stands for any number of items.
          const isFixed =
            [...items, ...usual].some((item) => withItems(list, [item], ask) === 'PASS') ||
            withItems(list, items, ask) === 'PASS';
          return isFixed ? [] : [`${file}, ${name}: ${ofList}`];
        });
      });
    });
    expect(hidden).toEqual([]);
    expect(asked).toBeGreaterThan(300);
  });
});

/** Items that end faults of absence, beside those of the passing cases. */
const usual = ['*', '0.0.0.0/0', 's3:*', 'audit', 'false', {}];

function nativeOf(resources: unknown): Resource[] {
  const read = readInventory(JSON.stringify(resources), { format: 'native' });
  if (!read.ok) throw new Error(read.problem.message);
  return read.inventory.resources.map(({ resource }) => resource);
}
