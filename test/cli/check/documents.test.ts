// Exports come in several files: what is said of a resource in one belongs to what is said of it in another.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDocuments } from '../../../src/cli/check/documents.ts';
import { readInventory } from '../../../src/inventory/read.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';

const asset = (name: string, content: object): object => ({
  name: `//storage.googleapis.com/${name}`,
  asset_type: 'storage.googleapis.com/Bucket',
  ...content,
});
const resource = (name: string, versioned = false): object =>
  asset(name, { resource: { data: { name, versioning: { enabled: versioned } } } });
const iam = (name: string, member: string): object =>
  asset(name, { iam_policy: { bindings: [{ role: 'r', members: [member] }] } });

const lines = (...assets: readonly object[]): string =>
  assets.map((one) => `${JSON.stringify(one)}\n`).join('');

const policies = `- name: private
  resource_type: GCP::Storage::Bucket
  severity: CRITICAL
  rules: [{effect: DENY, condition: 'resource.iam.bindings.exists(b, "allUsers" in b.members)', message: open}]
- name: versioned
  resource_type: GCP::Storage::Bucket
  severity: HIGH
  rules: [{effect: DENY, condition: 'resource.versioning.enabled == false', message: off}]
`;

/** The result of `check`, and each finding as `file:line policy resource status`. */
async function check(files: Readonly<Record<string, string>>) {
  const { stdout, stderr, exitCode } = await runCommandLine(
    ['check', ...Object.keys(files), '--policies', 'policies.yaml', '-o', 'json'],
    { cwd: makeRepo({ ...files, 'policies.yaml': policies }) },
  );
  const { summary, results, warnings } = JSON.parse(stdout) as {
    summary: { resources: number };
    results: { file: string; line: number; policy: string; resource: string; status: string }[];
    warnings: { file: string; line: number; message: string }[];
  };
  const findings = results.map(
    ({ file, line, policy, resource: id, status }) =>
      `${file}:${line} ${policy} ${id.slice(id.lastIndexOf('/') + 1)} ${status}`,
  );
  return { exitCode, stderr, resources: summary.resources, findings: findings.sort(), warnings };
}

describe('an export in several files', () => {
  it.each([
    ['assets.ndjson', 'iam.ndjson'],
    ['z-assets.ndjson', 'iam.ndjson'],
  ])('is one: %s and %s; a finding stands at the part at fault', async (assets, policiesFile) => {
    const { resources, findings, exitCode } = await check({
      [assets]: lines(resource('safe', true), resource('logs')),
      [policiesFile]: lines(iam('logs', 'allUsers')),
    });
    expect(findings).toEqual([
      `${assets}:2 versioned logs FAIL`,
      `${policiesFile}:1 private logs FAIL`,
    ].sort()); // prettier-ignore
    expect([resources, exitCode]).toEqual([2, 2]);
  });

  it('leaves other exports as they are: of them, no IAM policy is known', async () => {
    const { findings } = await check({
      'a/assets.json': JSON.stringify([resource('a', true)]),
      'a/iam.json': JSON.stringify([iam('a', 'user:me')]),
      'b/assets.json': JSON.stringify([resource('b', true)]),
    });
    expect(findings).toEqual(['b/assets.json:1 private b ERROR']);
  });

  it('that contradicts itself is checked in each form, with a warning at the second', async () => {
    const { findings, warnings } = await check({
      'monday.ndjson': lines(resource('logs', true)),
      'tuesday.ndjson': lines(resource('logs', false), iam('logs', 'allUsers')),
    });
    expect(findings).toEqual([
      'tuesday.ndjson:1 versioned logs FAIL',
      'tuesday.ndjson:2 private logs FAIL',
      'tuesday.ndjson:2 private logs FAIL',
    ]);
    expect(warnings).toMatchObject([{ file: 'tuesday.ndjson', line: 1 }]);
  });

  it('names the file of what cannot be read, and of a page that is not the last', async () => {
    const page = { assets: [iam('logs', 'user:me'), {}], nextPageToken: 'x' };
    const { stdout, exitCode } = await runCommandLine(
      ['check', 'a.ndjson', 'b.json', '--policies', 'p.yaml', '-o', 'json'],
      {
        cwd: makeRepo({
          'a.ndjson': lines(resource('logs', true)),
          'b.json': JSON.stringify(page),
          'p.yaml': policies,
        }),
      },
    );
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      unreadable: [{ file: 'b.json', line: 1 }],
      warnings: [{ file: 'b.json', message: expect.stringContaining('one page') as unknown }],
    });
  });

  it('is read file by file where it is too large, and says so', () => {
    const texts = [lines(resource('logs')), lines(iam('logs', 'allUsers')), lines(resource('x'))];
    const most = (texts[0]?.length ?? 0) + (texts[1]?.length ?? 0);
    const read = (given: readonly string[], limit: number) => {
      const documents = createDocuments({}, (work) => work(), given.length, limit);
      return { resources: readAll(documents, given), why: documents.notMerged() };
    };
    expect(read(texts.slice(0, 2), most)).toMatchObject({ resources: { length: 1 } });
    expect(read(texts.slice(0, 2), most).why).toBeUndefined();
    const { resources, why } = read(texts, most);
    expect(resources).toHaveLength(3);
    expect(why).toMatchObject({ file: 'f0', message: expect.stringContaining('not merged') as unknown }); // prettier-ignore
  });

  it('has the resources of one file, however it is split', () => {
    const anyAsset = fc.oneof(
      fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()).map(([name, on]) => resource(name, on)),
      fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('x', 'allUsers')).map(([name, member]) => iam(name, member)),
    ); // prettier-ignore
    const ofAll = resource('in-every-file');
    fc.assert(
      fc.property(fc.array(fc.array(anyAsset), { minLength: 2, maxLength: 4 }), (files) => {
        const texts = files.map((assets) => JSON.stringify([ofAll, ...assets]));
        const whole = readInventory(JSON.stringify([ofAll, ...files.flat()]));
        if (!whole.ok) throw new Error(whole.problem.message);
        const documents = createDocuments({}, (work) => work(), texts.length);
        expect(readAll(documents, texts)).toEqual(
          whole.inventory.resources.map(({ resource: one }) => one),
        );
      }),
    );
  });
});

const item = (name: string, captured: string, encrypted: boolean, status = 'OK'): object => ({
  resourceType: 'AWS::EC2::Volume',
  resourceId: name,
  ARN: `arn:aws:ec2:eu-west-1:111111111111:volume/${name}`,
  accountId: '111111111111',
  awsRegion: 'eu-west-1',
  configurationItemStatus: status,
  configurationItemCaptureTime: captured,
  configuration: { volumeId: name, encrypted },
});
const snapshot = (...configurationItems: object[]): string =>
  JSON.stringify({ configurationItems });

const volumePolicy = `name: encrypted
resource_type: AWS::EC2::Volume
severity: HIGH
rules: [{effect: DENY, condition: '!resource.encryption.enabled', message: not encrypted}]
`;

describe('the history of a resource in several files of AWS Config', () => {
  it('goes by the time of the capture where the state has the same ID', async () => {
    const state = (captured: string, encrypted: boolean): string =>
      snapshot({ ...item('logs', captured, encrypted), configurationStateId: '1486206633880' });
    const { stdout } = await runCommandLine(
      ['check', 'a.json', 'b.json', '--policies', 'p.yaml', '-o', 'json', '--all'],
      {
        cwd: makeRepo({
          'a.json': state('2026-03-03T00:00:00Z', false),
          'b.json': state('2026-03-02T00:00:00Z', true),
          'p.yaml': volumePolicy,
        }),
      },
    );
    expect(JSON.parse(stdout)).toMatchObject({
      results: [{ file: 'a.json', status: 'FAIL' }],
      warnings: [{ file: 'b.json' }],
    });
  });

  const files = {
    'policies.yaml': volumePolicy,
    'a-tuesday.json': snapshot(
      item('logs', '2026-03-03T00:00:00Z', true),
      item('site', '2026-03-03T00:00:00Z', false),
      item('gone', '2026-03-03T00:00:00Z', false, 'ResourceDeleted'),
    ),
    'b-monday.json': snapshot(
      item('logs', '2026-03-02T00:00:00Z', false),
      item('site', '2026-03-02T00:00:00Z', true),
      item('gone', '2026-03-02T00:00:00Z', false),
      item('only', '2026-03-02T00:00:00Z', false),
    ),
    // In as many envelopes as are looked through: a recording, an answer, an event, a query's result.
    'c-event.json': JSON.stringify({ response: { result: { detail: { event: { configurationItem: item('last', '2026-03-01T00:00:00Z', false) } } } } }), // prettier-ignore
    'd-event.json': JSON.stringify({ response: { result: { detail: { event: { configurationItem: item('last', '2026-03-04T00:00:00Z', true) } } } } }), // prettier-ignore
  };
  const inputs = Object.keys(files).slice(1);

  it.each([[inputs], [inputs.toReversed()]])(
    'is what it is now, and what is older is named once: %s',
    async (named) => {
      const { stdout, exitCode } = await runCommandLine(
        ['check', ...named, '--policies', 'policies.yaml', '-o', 'json', '--all'],
        { cwd: makeRepo(files) },
      );
      const { results, warnings } = JSON.parse(stdout) as {
        results: { file: string; resource: string; status: string }[];
        warnings: { file: string; line: number; message: string }[];
      };
      expect(results.map(({ file, resource: id, status }) => `${file} ${id.slice(id.indexOf('/') + 1)} ${status}`).sort()).toEqual([
        'a-tuesday.json logs PASS',
        'a-tuesday.json site FAIL',
        'b-monday.json only FAIL',
        'd-event.json last PASS',
      ]); // prettier-ignore
      expect(warnings.map(({ file, message }) => [file, message]).sort()).toEqual([
        ['b-monday.json', '3 configuration items, this one first, are not read, as other files have newer ones of the resources'],
        ['c-event.json', 'this configuration item is not read, as another file has a newer one of the resource'],
      ]); // prettier-ignore
      expect(exitCode).toBe(2);
    },
  );
});

describe('lists of Azure resources in several files', () => {
  const server = '/subscriptions/s/resourceGroups/r/providers/Microsoft.Sql/servers/db';
  const list = (...value: readonly object[]): string => JSON.stringify({ value }, undefined, 1);
  const servers = (name: string, more: object = {}) =>
    list({
      ...{ id: server.replace(/db$/, name), name, type: 'Microsoft.Sql/servers' },
      properties: { publicNetworkAccess: 'Enabled', ...more },
    });
  const rules = list({
    ...{ id: `${server.toUpperCase()}/firewallRules/all`, name: 'all' },
    type: 'Microsoft.Sql/servers/firewallRules',
    properties: { startIpAddress: '0.0.0.0', endIpAddress: '255.255.255.255' },
  });
  const closed = `name: closed
resource_type: Azure::Sql::servers
severity: HIGH
rules:
  - condition: 'is_internet(resource.network.allowed_cidrs)'
    effect: DENY
    message: open
`;
  const checkLists = async (files: Readonly<Record<string, string>>) => {
    const argv = ['check', ...Object.keys(files), '--policies', 'p.yaml', '--all', '-o', 'json'];
    const { stdout } = await runCommandLine(argv, { cwd: makeRepo({ ...files, 'p.yaml': closed }) }); // prettier-ignore
    const { results, warnings } = JSON.parse(stdout) as { results: { file: string; resource: string; status: string }[]; warnings: object[] }; // prettier-ignore
    return [...results.map(({ file, resource: id, status }) => `${file} ${id.slice(id.lastIndexOf('/') + 1)} ${status}`), ...warnings]; // prettier-ignore
  };

  it('have the parts of a resource in any of them, whatever the case of its ID', async () => {
    expect(await checkLists({ 'servers.json': servers('db'), 'rules.json': rules })).toEqual([
      'rules.json db FAIL',
    ]);
    expect(await checkLists({ 'servers.json': servers('db') })).toEqual(['servers.json db ERROR']);
  });

  it('leave those of other resources as they are', async () => {
    const files = { 'servers.json': servers('db2'), 'rules.json': rules };
    expect(await checkLists(files)).toEqual(['servers.json db2 ERROR']);
  });

  it('that contradict each other are checked in each form, with a warning', async () => {
    const files = { 'a.json': servers('db'), 'b.json': servers('db', { version: '12.0' }) };
    expect(await checkLists(files)).toEqual([
      'a.json db ERROR',
      'b.json db ERROR',
      expect.objectContaining({ message: expect.stringContaining('in these files') as unknown }),
    ]);
  });
});

function readAll(documents: ReturnType<typeof createDocuments>, texts: readonly string[]) {
  const alone = texts.flatMap((text, nth) => {
    const file = `f${nth}`;
    const input = { file, absolute: `/${file}`, size: text.length, named: true };
    return documents.open(input, new TextEncoder().encode(text)) ?? [];
  });
  return [...alone, ...documents.waiting()].flatMap((document) => {
    const read = document.read();
    return read.ok ? read.inventory.resources.map(({ resource: one }) => one) : [];
  });
}
