import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventoryOf } from '../../server/inventory-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

type Fields = Readonly<Record<string, unknown>>;

const bucket = (id: string, fields: Fields = {}): Fields => ({
  id,
  type: 'AWS::S3::Bucket',
  account_id: '111122223333',
  region: 'eu-west-1',
  public: true,
  ...fields,
});

const ndjson = (...resources: readonly Fields[]): string =>
  resources.map((one) => `${JSON.stringify(one)}\n`).join('');

const settings = (): FakeWorldSettings => ({
  env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
  fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
});

/** Imports a file with `--prune`. */
const prune = (text: string, argv: readonly string[], more: FakeWorldSettings = {}) =>
  runCommandLine(['resource', 'import', 'export.ndjson', '--prune', ...argv], {
    cwd: makeRepo({ 'export.ndjson': text }),
    ...settings(),
    ...more,
  });

async function ids(): Promise<string[]> {
  const { json } = await inventoryOf(service).ok('GET', '/v1/resources?limit=100&sort_by=id&order=asc'); // prettier-ignore
  return (json.resources as { id: string }[]).map(({ id }) => id);
}

const store = (...resources: readonly Fields[]) =>
  inventoryOf(service).importLines(ndjson(...resources));

const stack = (name: string): string =>
  JSON.stringify({ Resources: { [name]: { Type: 'AWS::SQS::Queue', Properties: {} } } });

/** Imports a template; with `--prune` where it is asked for. */
const deploy = (name: string, ...argv: string[]) =>
  runCommandLine(['resource', 'import', 'stack.json', ...argv], {
    cwd: makeRepo({ 'stack.json': stack(name) }),
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
  });

it.each(['[]', '{"resources":[]}'])(
  'an empty list, %s, is imported, and prunes nothing, also beside another',
  async (none) => {
    await store(bucket('a'), bucket('b'));
    const run = (...argv: string[]) =>
      runCommandLine(['resource', 'import', ...argv], {
        cwd: makeRepo({ 'none.json': none, 'b.ndjson': ndjson(bucket('b')) }),
        ...settings(),
      });
    const { exitCode, stdout } = await run('none.json', '-o', 'json');
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { created: 0, skipped: ['none.json'], warnings: [{ file: 'none.json' }] }]); // prettier-ignore
    const pruned = await run('none.json', 'b.ndjson', '--prune', '-y');
    expect([pruned.exitCode, pruned.stderr]).toEqual([6, expect.stringContaining('no resources were read from none.json')]); // prettier-ignore
    expect(await ids()).toEqual(['a', 'b']);
  },
);

describe('a folder', () => {
  const run = (files: Readonly<Record<string, string>>, ...argv: string[]) =>
    runCommandLine(['resource', 'import', 'exports', ...argv, '-o', 'json'], {
      cwd: makeRepo(files),
      ...settings(),
    });
  const packed = { 'exports/snapshot.json.gz': '' };

  it('of compressed files alone is an error, and so is one of nothing', async () => {
    const { exitCode, stdout } = await run(packed);
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([3, { rejected_lines: [{ file: 'exports/snapshot.json.gz', reason: 'compressed files are not read; unpack them' }] }]); // prettier-ignore
    expect((await run({ 'exports/readme.txt': '' })).exitCode).toBe(3);
  });

  it('that has compressed files beside others is imported with a warning, and prunes nothing', async () => {
    await store(bucket('a'), bucket('b'));
    const files = { ...packed, 'exports/b.ndjson': ndjson(bucket('b')) };
    const { exitCode, stdout } = await run(files);
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { unchanged: 1, warnings: [{ file: 'exports/snapshot.json.gz' }] }]); // prettier-ignore
    const pruned = await run(files, '--prune', '-y');
    expect([pruned.exitCode, pruned.stderr]).toEqual([6, expect.stringContaining('no resources were read from exports/snapshot.json.gz')]); // prettier-ignore
    expect(await ids()).toEqual(['a', 'b']);
  });
});

describe('templates, which contain a part of an account', () => {
  it('prune nothing, as their resources may be anywhere', async () => {
    await deploy('Data');
    const part = await deploy('Logs', '--prune', '-y');
    expect([part.exitCode, part.stderr.replaceAll(/\s+/g, ' ')]).toEqual([6, expect.stringContaining('The files do not list all resources of an account and region, so nothing is pruned')]); // prettier-ignore
    const { exitCode, stderr } = await deploy('Logs', '--prune', '--complete', '-y');
    expect(exitCode).toBe(6);
    expect(stderr).toContain('The account or region of the resources is not known');
    expect(await ids()).toEqual(['Data', 'Logs']);
  });

  it('are pruned by none, and prune where both are given with --complete', async () => {
    const place = ['--parameters', 'AWS::AccountId=111122223333', '--parameters', 'AWS::Region=eu-west-1']; // prettier-ignore
    await deploy('Elsewhere');
    await deploy('Old', ...place);
    expect((await deploy('New', ...place, '--prune', '-y')).exitCode).toBe(6);
    const { exitCode, stdout } = await deploy('New', ...place, '--prune', '--complete', '-y');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Pruned 1 resource')]);
    expect(await ids()).toEqual(['Elsewhere', 'New']);
  });
});

it('a template with a parameter that it does not have is not imported, as its values may be others', async () => {
  await deploy('Data');
  const { exitCode, stdout } = await deploy('Logs', '--parameters', 'Stage=prod');
  expect(exitCode).toBe(3);
  expect(stdout).toContain('rejected stack.json:1:1  the template has no parameter Stage');
  expect(stdout).toContain('Imported 0 created, 0 updated and 0 unchanged');
  expect(await ids()).toEqual(['Data']);
});

describe('govctl resource import --prune', () => {
  it('deletes what the files no longer contain, and resolves its violations', async () => {
    const inventory = inventoryOf(service);
    await inventory.createPolicy('private');
    await store(bucket('kept'), bucket('gone'));
    const { exitCode, stdout } = await prune(ndjson(bucket('kept'), bucket('new')), ['-y']);
    expect([exitCode, stdout]).toEqual([
      0,
      'Imported 1 created, 0 updated and 1 unchanged\nPruned 1 resource\n',
    ]);
    expect(await ids()).toEqual(['kept', 'new']);
    const resolved = await inventory.violations('status=RESOLVED');
    expect(resolved).toMatchObject([{ resource_id: 'gone', history: [{}, { cause: 'resource_deleted' }] }]); // prettier-ignore
  });

  it('touches no other type, account or region than the files contain', async () => {
    const others = [
      bucket('other-account', { account_id: '444455556666' }),
      bucket('other-region', { region: 'us-east-1' }),
      bucket('other-type', { type: 'AWS::SNS::Topic' }),
      bucket('no-account', { account_id: undefined, region: undefined }),
    ];
    await store(bucket('gone'), ...others);
    expect((await prune(ndjson(bucket('kept')), ['-y'])).exitCode).toBe(0);
    expect(await ids()).toEqual([...others.map(({ id }) => id), 'kept'].sort());
  });

  it('deletes within each account and region of its own, not across them', async () => {
    const [here, there] = [
      { account_id: '1', region: 'a' },
      { account_id: '2', region: 'b' },
    ];
    await store(bucket('crossed', { account_id: '1', region: 'b' }), bucket('gone', there));
    await prune(ndjson(bucket('one', here), bucket('two', there)), ['-y']);
    expect(await ids()).toEqual(['crossed', 'one', 'two']);
  });

  it('shows with --dry-run what would go, and changes nothing', async () => {
    await store(bucket('kept'), bucket('gone'));
    const file = ndjson(bucket('kept'), bucket('new'));
    const { exitCode, stdout } = await prune(file, ['--dry-run']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ID +TYPE .*\ngone +AWS::S3::Bucket .*\nWould prune 1 resource\n$/);
    const json = await prune(file, ['--dry-run', '-o', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      created: 0,
      dry_run: true,
      pruned: [{ id: 'gone', type: 'AWS::S3::Bucket', account_id: '111122223333', region: 'eu-west-1' }],
    }); // prettier-ignore
    expect(await ids()).toEqual(['gone', 'kept']);
  });

  it('asks on a terminal, and exits with 3 before it sends anything where it cannot', async () => {
    await store(bucket('gone'));
    const file = ndjson(bucket('kept'));
    const silent = await prune(file, []);
    expect(silent.exitCode).toBe(3);
    expect(silent.stderr).toContain('Approval required: run with --auto-approve');
    expect(await ids()).toEqual(['gone']);
    const no = await prune(file, [], { tty: true, answers: [false] });
    expect(no.exitCode).toBe(3);
    expect(no.stderr).toMatch(/\ngone +AWS::S3::Bucket/);
    expect(await ids()).toEqual(['gone', 'kept']);
    expect((await prune(file, [], { tty: true, answers: [true] })).exitCode).toBe(0);
    expect(await ids()).toEqual(['kept']);
  });

  it.each([
    ['an empty file', ''],
    ['a file with a line that is cut off', `${ndjson(bucket('kept'))}{"id": "k`],
    ['a file with a line that is no resource', ndjson(bucket('kept'), { id: 'untyped' })],
    ['a file with two contents for an ID', ndjson(bucket('kept'), bucket('kept', { public: false }))],
  ])('never prunes for %s', async (_, text) => {
    await store(bucket('gone'));
    for (const argv of [['-y'], ['--dry-run'], ['-y', '--max-delete', '100']]) {
      const { exitCode, stderr } = await prune(text, argv);
      expect([exitCode, stderr]).toEqual([6, expect.stringContaining('nothing is pruned')]);
    }
    expect(await ids()).toContain('gone');
  }); // prettier-ignore

  it('never prunes for a page of a longer list, as the rest may be on other pages', async () => {
    await store(bucket('gone'));
    const page = JSON.stringify({ resources: [bucket('kept')], pagination: { next_cursor: 'c' } });
    for (const argv of [['-y'], ['--dry-run'], ['-y', '--max-delete', '100']]) {
      const { exitCode, stderr } = await prune(page, argv);
      expect([exitCode, stderr]).toEqual([
        6,
        expect.stringContaining('export.ndjson is one page of a longer list, so nothing is pruned'),
      ]);
    }
    const last = JSON.stringify({ resources: [bucket('kept')], pagination: { total: 2 } });
    expect((await prune(last, ['-y'])).stderr).toContain('is one page of a longer list');
    expect(await ids()).toEqual(['gone', 'kept']);
  });

  it('never prunes where a file of a folder has no resources, as a failed export leaves one', async () => {
    await store(bucket('gone'));
    const failed = ['{"error":{"code":"AuthorizationFailed"}}', '<html>503</html>', '{"value":[],"nextLink":"https://x"}']; // prettier-ignore
    for (const text of failed) {
      const cwd = makeRepo({ 'exp/a.ndjson': ndjson(bucket('kept')), 'exp/b.json': text });
      const { exitCode, stderr } = await runCommandLine(['resource', 'import', 'exp', '--prune', '-y'], { ...settings(), cwd }); // prettier-ignore
      expect([exitCode, stderr]).toEqual([6, expect.stringContaining('nothing is pruned')]);
    }
    expect(await ids()).toEqual(['gone', 'kept']);
  });

  it('never prunes because of one resource that is no list', async () => {
    const account = (name: string) => ({
      id: `/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/${name}`,
      ...{ type: 'Microsoft.Storage/storageAccounts', name, location: 'x', properties: {} },
    });
    const asset = { name: '//storage.googleapis.com/b', asset_type: 'storage.googleapis.com/Bucket', resource: { data: { name: 'b' } } }; // prettier-ignore
    for (const one of [account('a'), asset]) {
      const { exitCode, stderr } = await prune(JSON.stringify(one), ['-y']);
      expect([exitCode, stderr.replaceAll(/\s+/g, ' ')]).toEqual([6, expect.stringContaining('do not list all resources')]); // prettier-ignore
    }
  });

  it('never prunes because of files with a single resource each that are read together', async () => {
    const id = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/a';
    const account = {
      id,
      type: 'Microsoft.Storage/storageAccounts',
      location: 'x',
      properties: {},
    };
    const service = { id: `${id}/blobServices/default`, type: 'Microsoft.Storage/storageAccounts/blobServices', properties: {} }; // prettier-ignore
    const asset = { name: '//storage.googleapis.com/b', asset_type: 'storage.googleapis.com/Bucket' }; // prettier-ignore
    const bucketData = { ...asset, resource: { data: { name: 'b' } } };
    for (const [a, b] of [
      [account, service],
      [bucketData, { ...asset, iam_policy: {} }],
    ]) {
      const { exitCode, stderr } = await runCommandLine(
        ['resource', 'import', 'a.json', 'b.json', '--prune', '-y'],
        { ...settings(), cwd: makeRepo({ 'a.json': JSON.stringify(a), 'b.json': JSON.stringify(b) }) }, // prettier-ignore
      );
      expect([exitCode, stderr.replaceAll(/\s+/g, ' ')]).toEqual([6, expect.stringContaining('do not list all resources')]); // prettier-ignore
    }
  });

  it('asks for the export of the resources where Google Cloud IAM policies are passed alone', async () => {
    const policy = (id: string) => ({ name: `//storage.googleapis.com/${id}`, asset_type: 'storage.googleapis.com/Bucket', iam_policy: { bindings: [] } }); // prettier-ignore
    const { exitCode, stderr } = await prune(ndjson(policy('a'), policy('b')), ['--dry-run']);
    expect(exitCode).toBe(6);
    const said = stderr.replaceAll(/\s+/g, ' ');
    expect(said).toContain('The account or region of the resources is not known');
    expect(said).toContain('also pass the export of the resources (`gcloud asset export');
    expect(said).not.toContain('--parameters');
  });

  it('names the page among files that are read together', async () => {
    const asset = {
      name: '//storage.googleapis.com/b',
      asset_type: 'storage.googleapis.com/Bucket',
    };
    const files = {
      'a.json': JSON.stringify({ assets: [{ ...asset, resource: { data: { name: 'b' } } }] }),
      'b.json': JSON.stringify({ assets: [{ ...asset, iam_policy: {} }], nextPageToken: 't' }),
    };
    const { stderr } = await runCommandLine(
      ['resource', 'import', 'a.json', 'b.json', '--prune', '-y'],
      { ...settings(), cwd: makeRepo(files) },
    );
    expect(stderr).toContain('b.json is one page of a longer list, so nothing is pruned');
  });

  it('never prunes where a file is missing', async () => {
    await store(bucket('gone'));
    const { exitCode } = await prune(ndjson(bucket('kept')), ['absent.ndjson', '-y']);
    expect(exitCode).toBe(6);
    expect(await ids()).toEqual(['gone', 'kept']);
  });

  it('refuses to delete more than --max-delete, or than the guard of govctl.yaml', async () => {
    const many = Array.from({ length: 12 }, (_, at) => bucket(`b${at}`));
    await store(...many);
    const half = ndjson(...many.slice(0, 6));
    const refused = await prune(half, ['-y']);
    expect(refused.exitCode).toBe(6);
    expect(refused.stderr).toContain(
      '6 of 12 resources would be deleted (50%); the maximum is 30%',
    );
    expect(refused.stderr).toContain('--max-delete 50');
    for (const at of [6, 7, 8, 9, 10, 11]) expect(refused.stderr).toContain(`\nb${at} `);
    const repo = makeRepo({ 'govctl.yaml': 'project: p\nguards:\n  max_delete: 49\n', 'export.ndjson': half }); // prettier-ignore
    expect((await prune(half, ['-y'], { cwd: repo })).stderr).toContain('the maximum is 49%');
    expect(await ids()).toHaveLength(12);
    expect((await prune(half, ['-y', '--max-delete', '50'])).exitCode).toBe(0);
    expect(await ids()).toHaveLength(6);
  });

  it('looks at every page of the inventory', async () => {
    const many = Array.from({ length: 250 }, (_, at) => bucket(`b${at}`));
    await store(...many);
    const { stdout } = await prune(ndjson(...many.slice(30)), ['-y']);
    expect(stdout).toContain('Pruned 30 resources');
  });

  it('says how many it deleted, and what was imported, when the service fails in between', async () => {
    const many = Array.from({ length: 100 }, (_, at) => bucket(`b${at}`));
    await store(...many);
    const fails: FakeWorldSettings['fetch'] = async (url, init) =>
      init?.method === 'DELETE' && String(url).endsWith('/b11')
        ? Response.json({ error: 'internal', message: 'broken' }, { status: 500 })
        : service.app.fetch(new Request(url, init), {});
    const rest = ndjson(...many.slice(20), bucket('new'));
    const { exitCode, stdout, stderr } = await prune(rest, ['-y'], { fetch: fails });
    expect(exitCode).toBe(1);
    expect(stdout).toContain('Imported 1 created');
    const left = (await ids()).length - 81;
    expect(left).toBeGreaterThan(0);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`; before this, ${20 - left} of 20 resources to prune were deleted`); // prettier-ignore
    expect(stderr).toContain('To prune the rest, run the command again.');
    expect((await prune(rest, ['-y'])).stdout).toContain(`Pruned ${left} resource`);
  });

  it('looks beyond a page of resources whose region is not known', async () => {
    const unplaced = Array.from({ length: 150 }, (_, at) =>
      bucket(`a${at}`, {
        region: undefined,
        _unknown: [{ path: ['region'], expression: 'Region' }],
      }),
    );
    await store(...unplaced, bucket('gone'));
    const { stdout } = await prune(ndjson(bucket('kept')), ['-y']);
    expect(stdout).toContain('Pruned 1 resource\n');
  });

  it.each([['--dry-run'], ['--max-delete', '40']])(
    'refuses %s without --prune',
    async (...flag) => {
      const { exitCode, stderr } = await runCommandLine(['resource', 'import', 'x.json', ...flag]);
      expect([exitCode, stderr]).toEqual([3, expect.stringContaining('requires --prune')]);
    },
  );
});
