import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

const arn = (name: string): string => `arn:aws:s3:::${name}`;

/** A configuration item of a bucket, as a day's file of AWS Config has it. */
const item = (name: string, day: number, status: string, region = 'eu-west-1') => ({
  configurationItemCaptureTime: `2026-11-${String(day).padStart(2, '0')}T08:00:00.000Z`,
  configurationItemStatus: status,
  resourceType: 'AWS::S3::Bucket',
  resourceId: name,
  resourceName: name,
  ARN: arn(name),
  accountId: '111122223333',
  awsRegion: region,
  ...(status === 'ResourceDeleted' ? {} : { configuration: { name } }),
  supplementaryConfiguration: {
    BucketVersioningConfiguration: { status: day > 10 ? 'Enabled' : 'Off' },
  },
});

/** Imports one file of items. */
const importItems = (items: readonly object[], ...argv: string[]) =>
  runCommandLine(['resource', 'import', 'day.json', ...argv], {
    cwd: makeRepo({
      'day.json': JSON.stringify({ configSnapshotId: 's', configurationItems: items }),
    }),
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
  });

async function versioning(): Promise<Record<string, unknown>> {
  const { json } = await inventoryOf(service).ok('GET', '/v1/resources?sort_by=id&order=asc');
  const rows = json.resources as { id: string; versioning: { enabled: boolean } }[];
  return Object.fromEntries(rows.map((one) => [one.id, one.versioning.enabled]));
}

describe('items of AWS Config that are imported in the wrong order', () => {
  it('leave the newer state, and say so', async () => {
    await importItems([item('logs', 20, 'OK'), item('old', 5, 'OK')]);
    const older = await importItems([item('logs', 5, 'OK'), item('old', 20, 'OK')]);
    expect(await versioning()).toEqual({ [arn('logs')]: true, [arn('old')]: true });
    expect(older.exitCode).toBe(0);
    expect(older.stdout).toBe('Imported 0 created, 1 updated and 0 unchanged; 1 older than in the inventory\n'); // prettier-ignore
    expect(older.stderr).toContain(
      'arn:aws:s3:::logs is older than in the inventory, so it was not stored',
    );
  });

  it('are counted in JSON', async () => {
    await importItems([item('logs', 20, 'OK')]);
    const { stdout } = await importItems([item('logs', 5, 'OK')], '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ updated: 0, older: 1, rejected_lines: [], warnings: [] },
      older_lines: [{ file: 'day.json', line: 1, id: arn('logs') }],
    });
  });

  it('replace the state again once the resource is deleted', async () => {
    await importItems([item('logs', 20, 'OK')]);
    await inventoryOf(service).ok('DELETE', `/v1/resources/${encodeURIComponent(arn('logs'))}`);
    await importItems([item('logs', 5, 'OK')]);
    expect(await versioning()).toEqual({ [arn('logs')]: false });
  });
});

describe('an older snapshot that is imported with --prune', () => {
  it('prunes nothing that was captured after it, and says so', async () => {
    await importItems([item('logs', 5, 'OK'), item('new', 20, 'OK'), item('gone', 3, 'OK')]);
    const older = await importItems([item('logs', 4, 'OK')], '--prune', '-y');
    expect(older.exitCode).toBe(0);
    expect(older.stdout).toContain('Pruned 1 resource\n1 resource (arn:aws:s3:::new) not pruned: captured after everything in the files of the same type, account and region\n'); // prettier-ignore
    expect(Object.keys(await versioning())).toEqual([arn('logs'), arn('new')]);
  });

  it('prunes it where a newer item of its type, account and region is in the files', async () => {
    await importItems([item('logs', 5, 'OK'), item('new', 20, 'OK')]);
    const topic = { ...item('t', 21, 'OK'), resourceType: 'AWS::SNS::Topic', ARN: 'arn:aws:sns:eu-west-1:111122223333:t' }; // prettier-ignore
    const other = await importItems([item('logs', 4, 'OK'), topic], '--prune', '-y', '-o', 'json');
    expect(JSON.parse(other.stdout)).toMatchObject({ pruned: [], newer: [{ id: arn('new') }] });
    const { stdout } = await importItems([item('logs', 21, 'OK')], '--prune', '-y', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ pruned: [{ id: arn('new') }], newer: [] });
  });
});

describe('an item of AWS Config whose type is no longer recorded', () => {
  const text = 'AWS Config no longer records this resource, so it is not read';

  it('is told, and its resource is not missing for --prune', async () => {
    await importItems([item('logs', 5, 'OK'), item('kept', 5, 'OK')]);
    const items = [item('logs', 8, 'OK'), item('kept', 8, 'ResourceNotRecorded')];
    const { stdout, stderr } = await importItems(items, '--prune', '-y');
    expect(stdout).toContain('Pruned no resources\n');
    expect(stderr).toContain(text);
    expect(Object.keys(await versioning())).toEqual([arn('kept'), arn('logs')]);
  });

  it('is told by govctl check, too', async () => {
    const { stdout } = await runCommandLine(['check', 'day.json', '--policies', 'p.yaml', '-o', 'json'], {
      cwd: makeRepo({
        'day.json': JSON.stringify(item('kept', 8, 'ResourceNotRecorded')),
        'p.yaml': 'name: p\nresource_type: AWS::S3::Bucket\nrules: [{condition: "true", effect: DENY}]\n',
      }),
    }); // prettier-ignore
    expect(JSON.parse(stdout)).toMatchObject({ warnings: [{ file: 'day.json', message: text }] });
  });
});

describe('an import that does not end', () => {
  const importLines = (answer: (nth: number) => Response | undefined) => {
    let nth = 0;
    const large = Array.from({ length: 4_000 }, (_, index) => JSON.stringify({ id: `b${index}`, type: 'AWS::S3::Bucket', note: 'x'.repeat(200) })); // prettier-ignore
    return runCommandLine(['resource', 'import', 'all.ndjson'], {
      cwd: makeRepo({ 'all.ndjson': large.join('\n') }),
      env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
      fetch: async (url, init) => {
        const isImport = url.endsWith('/v1/resources/import');
        return (isImport && answer(nth++)) || service.app.fetch(new Request(url, init), {});
      },
    });
  };

  it('says what it has stored, and how to go on', async () => {
    const { exitCode, stderr } = await importLines(
      (nth) =>
      nth === 1 ? Response.json({ error: 'forbidden', error_description: 'No.' }, { status: 403 }) : undefined, // prettier-ignore
    );
    expect(exitCode).toBe(4);
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /before this, [1-9],\d{3} resources were imported/,
    );
  });

  it.each([
    [0, 'no resources'],
    [1, '[1-9],\\d{3} resources'],
  ])(
    'says what was acknowledged if the server ends in piece %i, as more may be stored',
    async (last, amount) => {
      const { exitCode, stderr } = await importLines(
        (nth) =>
      nth < last ? undefined : Response.json({ error: 'unavailable', error_description: 'Starting' }, { status: 503, headers: { 'Retry-After': '0' } }), // prettier-ignore
      );
      expect(exitCode).toBe(1);
      expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
        new RegExp(
          `before this, the service acknowledged ${amount} .*More may be stored. To import the rest, run the command again.`,
        ),
      );
    },
  );

  it('is an error where the service read fewer lines than were sent', async () => {
    const { exitCode, stderr } = await importLines(
      () =>
      Response.json({ lines: 0, created: 0, updated: 0, unchanged: 0, rejected: 0, rejected_lines: [] }), // prettier-ignore
    );
    expect(exitCode).toBe(1);
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /read 0 of [\d,]+ lines, so the import is incomplete/,
    );
  });
});

describe('an item of AWS Config that says that its resource was deleted', () => {
  beforeEach(async () => {
    await importItems([item('logs', 5, 'OK'), item('data', 5, 'OK', 'us-east-1')]);
  });

  it('is told, and changes nothing without --prune', async () => {
    const { exitCode, stderr } = await importItems([item('logs', 12, 'ResourceDeleted')]);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      'the resource arn:aws:s3:::logs was deleted, but an import does not delete it from the inventory; use --prune',
    );
    expect(Object.keys(await versioning())).toEqual([arn('data'), arn('logs')]);
  });

  it('prunes this resource only, also where it is the only item', async () => {
    const items = [item('logs', 12, 'ResourceDeleted'), item('gone', 12, 'ResourceDeleted')];
    const dry = await importItems(items, '--prune', '--dry-run');
    expect(dry.stdout).toMatch(/arn:aws:s3:::logs .*\nWould prune 1 resource\n/);
    const { exitCode, stdout } = await importItems(items, '--prune', '-y');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Pruned 1 resource\n')]);
    expect(Object.keys(await versioning())).toEqual([arn('data')]);
  });

  it('prunes it beside others in other regions', async () => {
    const items = [item('data', 12, 'ResourceDeleted', 'us-east-1'), item('logs', 12, 'OK')];
    const { stdout } = await importItems(items, '--prune', '-y');
    expect(stdout).toContain('Pruned 1 resource\n');
    expect(await versioning()).toEqual({ [arn('logs')]: true });
  });

  it('does not prune another resource that has its ID, which is no ARN', async () => {
    const deleted = { ...item('jobs', 12, 'ResourceDeleted'), ARN: undefined };
    const others = [
      { type: 'AWS::SQS::Queue' },
      { type: 'AWS::S3::Bucket', account_id: '444455556666' },
      { type: 'AWS::S3::Bucket', account_id: '111122223333', region: 'us-east-1' },
    ];
    const pruned = async (live: Readonly<Record<string, unknown>>): Promise<string> => {
      await inventoryOf(service).put('jobs', live);
      return (await importItems([deleted], '--prune', '-y')).stdout;
    };
    for (const other of others) expect(await pruned(other)).toContain('Pruned no resources\n');
    expect(await pruned({ type: 'AWS::S3::Bucket' })).toContain('Pruned 1 resource\n');
  });

  it.each([
    ['a deleted item', () => ({ configurationItems: [item('logs', 12, 'ResourceDeleted'), item('more', 12, 'OK')] })], // prettier-ignore
    ['a notification', () => ({ Message: JSON.stringify({ configurationItem: item('more', 12, 'OK') }) })], // prettier-ignore
    ['a history', () => ({ configurationItems: [item('more', 9, 'OK'), item('more', 12, 'OK')] })],
    [
      'an answer about single resources',
      () => ({ baseConfigurationItems: [item('more', 12, 'OK')], unprocessedResourceKeys: [] }),
    ],
  ])('makes it a list of changes, as does %s: what it lacks is not pruned', async (_, changes) => {
    await importItems([item('logs', 5, 'OK'), item('kept', 5, 'OK'), item('more', 5, 'OK')]);
    const run = (...argv: string[]) =>
      runCommandLine(['resource', 'import', 'c.json', '--prune', '-y', ...argv], {
        cwd: makeRepo({ 'c.json': JSON.stringify(changes()) }),
        env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
        fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
      });
    await run();
    expect(Object.keys(await versioning())).toEqual(expect.arrayContaining([arn('kept'), arn('more')])); // prettier-ignore
    const { stdout } = await run('--complete');
    expect(stdout).toMatch(/Pruned \d resources?\n/);
    expect(Object.keys(await versioning())).toEqual([arn('data'), arn('more')]);
  });

  it('prunes nothing where the resource was created again', async () => {
    await importItems([item('logs', 20, 'OK')]);
    const { stdout } = await importItems([item('logs', 12, 'ResourceDeleted')], '--prune', '-y');
    expect(stdout).toContain('Pruned no resources\n');
    const both = [item('data', 12, 'ResourceDeleted'), item('data', 14, 'OK', 'us-east-1')];
    await importItems(both, '--prune', '-y');
    expect(await versioning()).toEqual({ [arn('data')]: true, [arn('logs')]: true });
  });
});
