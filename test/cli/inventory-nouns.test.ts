import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestService } from '../server/test-service.ts';
import { policy, startTestService } from '../server/test-service.ts';
import { createMinimalService } from '../support/minimal-service.ts';
import { runCommandLine } from '../support/fake-world.ts';
import type { Outcome } from '../support/fake-world.ts';

let service: TestService;
let cwd: string;
beforeEach(async () => {
  service = await startTestService();
  cwd = mkdtempSync(path.join(tmpdir(), 'govctl-inventory-'));
  await service.send('POST', '/v1/policies', { body: policy('private', { severity: 'HIGH' }) });
});
afterEach(async () => {
  await service.close();
  rmSync(cwd, { recursive: true });
});

/** Every request is a turn of the background, too: a scan that is waited for ends. */
const run = (
  argv: readonly string[],
  stdin?: string,
  terminal: { readonly tty?: boolean; readonly columns?: number } = {},
  key = service.key,
): Promise<Outcome> =>
  runCommandLine([...argv], {
    cwd,
    ...terminal,
    ...(stdin === undefined ? {} : { stdin }),
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: key },
    fetch: async (url, init) => {
      const answer = await service.app.fetch(new Request(url, init), {});
      await service.evaluator.step();
      return answer;
    },
  });
const json = async (...argv: string[]) =>
  JSON.parse((await run([...argv, '-o', 'json'])).stdout) as Record<string, unknown>;
const write = (name: string, text: string): string => {
  writeFileSync(path.join(cwd, name), text);
  return name;
};

const bucket = (id: string, fields = {}) =>
  JSON.stringify({ id, type: 'AWS::S3::Bucket', ...fields });

describe('govctl resource import', () => {
  it('streams resources that stand one a line, and names the file and line of those refused', async () => {
    const lines = Array.from({ length: 3_000 }, (_, at) =>
      bucket(`b-${at}`, { public: at % 1_000 === 0, filler: 'x'.repeat(200) }),
    );
    lines[2_500] = '{"id": "broken"';
    lines[2_600] = '{"id": "untyped"}';
    write('many.ndjson', lines.join('\n'));
    const outcome = await run(['resource', 'import', 'many.ndjson', '-o', 'json']);
    expect(outcome.exitCode).toBe(3);
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      created: 2_998,
      updated: 0,
      unchanged: 0,
      rejected: 2,
      rejected_lines: [
        { file: 'many.ndjson', line: 2_501 },
        { file: 'many.ndjson', line: 2_601 },
      ],
    });
    const again = await json('resource', 'import', 'many.ndjson');
    expect(again).toMatchObject({ created: 0, unchanged: 2_998 });
    expect((await json('violation', 'list')).violations).toHaveLength(3);
  });

  it('rejects an id that comes again with other content, whichever file it is in', async () => {
    const filler = Array.from({ length: 3_000 }, (_, at) =>
      bucket(`f-${at}`, { x: 'y'.repeat(200) }),
    );
    const lines = [bucket('a', { x: 1 }), ...filler, bucket('a', { x: 1 }), bucket('a', { x: 2 })];
    write('lines.ndjson', lines.join('\n'));
    write('list.json', `[${bucket('b')},\n${bucket('a', { x: 3 })}]`);
    const outcome = await run(['resource', 'import', 'lines.ndjson', 'list.json', '-o', 'json']);
    expect(outcome.exitCode).toBe(3);
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      created: 3_002,
      unchanged: 1,
      rejected: 2,
      rejected_lines: [
        {
          file: 'lines.ndjson',
          line: 3_003,
          id: 'a',
          reason: 'same ID as lines.ndjson:1, but different content',
        },
        { file: 'list.json', line: 2, id: 'a' },
      ],
    });
    expect((await json('resource', 'get', 'a')).x).toBe(1);
  });

  it('says how many of the unchanged are duplicates in the input', async () => {
    write('twice.ndjson', `${bucket('a')}\n${bucket('b')}\n${bucket('a')}\n`);
    const { stdout } = await run(['resource', 'import', 'twice.ndjson']);
    expect(stdout).toBe(
      'Imported 2 created, 0 updated and 0 unchanged; 1 duplicate in the input\n',
    );
    expect(await json('resource', 'import', 'twice.ndjson')).toMatchObject({ unchanged: 3, repeated: 1 }); // prettier-ignore
  });

  it('names the first 20 rejected, and how to list all', async () => {
    write('broken.ndjson', [bucket('a'), ...Array.from({ length: 23 }, () => '{"id": 1}')].join('\n')); // prettier-ignore
    const { stdout } = await run(['resource', 'import', 'broken.ndjson']);
    expect(stdout).toContain('... and 3 more (use -o json to list all)\n');
  });

  describe('of a Google Cloud export in two files', () => {
    const named = { name: '//storage.googleapis.com/logs', asset_type: 'storage.googleapis.com/Bucket' }; // prettier-ignore
    const bindings = [{ role: 'roles/storage.objectViewer', members: ['allUsers'] }];
    beforeEach(() => {
      write('assets.json', JSON.stringify({ ...named, resource: { data: { name: 'logs', versioning: { enabled: true } } } })); // prettier-ignore
      write('iam.json', JSON.stringify({ ...named, iam_policy: { bindings } }));
    });
    const stored = () => json('resource', 'get', named.name);

    it.each([['assets.json iam.json'], ['iam.json assets.json']])('merges the parts: %s', async (files) => {
      const outcome = await run(['resource', 'import', ...files.split(' ')]);
      expect(outcome).toMatchObject({
        exitCode: 0,
        stdout: 'Imported 1 created, 0 updated and 0 unchanged\n',
        stderr: expect.not.stringContaining('without') as unknown,
      });
      expect(await stored()).toMatchObject({ iam: { bindings }, versioning: { enabled: true } });
    }); // prettier-ignore

    it('warns if only a part is imported, and stores nothing of the other', async () => {
      const assets = await run(['resource', 'import', 'assets.json']);
      expect([assets.exitCode, assets.stderr]).toEqual([
        0,
        expect.stringContaining('(1 without their IAM policy)'),
      ]);
      expect(assets.stderr).toContain('Pass the exports of all parts in one command');
      expect(await stored()).toMatchObject({ versioning: { enabled: true } });
      expect(await stored()).not.toHaveProperty('iam');
      const iam = await run(['resource', 'import', 'iam.json']);
      expect(iam.stderr).toContain('(1 without their resource)');
      expect(await stored()).toMatchObject({ iam: { bindings } });
      expect(await stored()).not.toHaveProperty('versioning');
    });
  });

  it('names what a false condition leaves out', async () => {
    write(
      'conditions.yaml',
      'Conditions: { Never: !Equals [a, b] }\nResources:\n  Out: { Type: A::B::C, Condition: Never }\n',
    );
    const outcome = await run(['resource', 'import', 'conditions.yaml', '-o', 'json']);
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      left_out: [{ resource: 'Out', resource_type: 'A::B::C', condition: 'Never', line: 3 }],
    });
    expect(outcome.stderr).toContain('1 resource excluded because its condition is false: Out.');
    expect(await json('resource', 'import', 'conditions.yaml', '--all-conditions')).toMatchObject({
      created: 1,
      left_out: [],
    });
  });

  it('warns of a macro that a template goes through', async () => {
    write('macro.yaml', 'Transform: Mine\nResources:\n  One: { Type: A::B::C }\n');
    const outcome = await run(['resource', 'import', 'macro.yaml', '-o', 'json']);
    const said = 'the template uses the macro Mine';
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      created: 1,
      warnings: [
        { file: 'macro.yaml', line: 1, message: expect.stringContaining(said) as unknown },
      ],
    });
    expect(outcome.stderr).toContain(`macro.yaml:1:1: ${said}`);
  });

  it('reads a template, lists what is not known yet, and says so', async () => {
    write(
      'template.yaml',
      [
        'AWSTemplateFormatVersion: "2010-09-09"',
        'Parameters: { Key: { Type: String } }',
        'Resources:',
        '  Logs:',
        '    Type: AWS::S3::Bucket',
        '    Properties:',
        '      BucketName: !Ref Key',
        '      Tags: [{ Key: team, Value: a }, { Key: owner, Value: !Ref Key }]',
      ].join('\n'),
    );
    const outcome = await run(['resource', 'import', 'template.yaml']);
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout).toContain('1 created');
    expect(outcome.stderr).toMatch(/values? (is|are) not known/);
    const { resources } = (await json('resource', 'list')) as {
      resources: { id: string; tags: object }[];
    };
    expect(resources).toMatchObject([{ id: 'Logs', tags: { team: 'a' } }]);
    expect(resources[0]?.tags).not.toHaveProperty('owner');
  });

  it('keeps the place of an item that is not known: a list without it would pass for the list of the others', async () => {
    write(
      'group.yaml',
      [
        'Parameters: { From: { Type: String } }',
        'Resources:',
        '  Web:',
        '    Type: AWS::EC2::SecurityGroup',
        '    Properties:',
        '      SecurityGroupIngress:',
        '        - { IpProtocol: tcp, FromPort: 443, ToPort: 443, CidrIp: 10.0.0.0/8 }',
        '        - { IpProtocol: tcp, FromPort: 22, ToPort: 22, CidrIp: !Ref From }',
      ].join('\n'),
    );
    expect((await run(['resource', 'import', 'group.yaml'])).exitCode).toBe(0);
    const { resources } = (await json('resource', 'list')) as {
      resources: { ingress: { from_port: number; cidrs: (string | null)[] }[] }[];
    };
    const rules = resources[0]?.ingress.map(({ from_port, cidrs }) => [from_port, cidrs]);
    expect(rules).toEqual([
      [443, ['10.0.0.0/8']],
      [22, [null]],
    ]);
  });

  it('never lets a value that is not known pass for an absent one', async () => {
    const rules = [
      { condition: 'has(resource.runtime) && resource.runtime == "old"', effect: 'DENY' },
    ];
    const runtimes = policy('runtimes', { resource_type: 'AWS::Lambda::Function', rules });
    await service.send('POST', '/v1/policies', { body: runtimes });
    write(
      'function.yaml',
      [
        'Parameters: { Runtime: { Type: String } }',
        'Resources:',
        '  Run:',
        '    Type: AWS::Lambda::Function',
        '    Properties: { Runtime: !Ref Runtime }',
      ].join('\n'),
    );
    expect((await run(['resource', 'import', 'function.yaml'])).exitCode).toBe(0);
    const { evaluations } = await json('evaluation', 'list');
    expect(evaluations).toMatchObject([
      { resource_id: 'Run', reason: 'unknown_value', path: 'resource.runtime' },
    ]);

    // Exported and imported again, it is as unknown as before.
    write('exported.json', (await run(['resource', 'list', '-o', 'json'])).stdout);
    expect(await json('resource', 'import', 'exported.json')).toMatchObject({ unchanged: 1 });
    expect((await json('evaluation', 'list'))['evaluations']).toMatchObject([
      { resource_id: 'Run', reason: 'unknown_value', path: 'resource.runtime' },
    ]);
  });

  it('reads standard input', async () => {
    const outcome = await run(['resource', 'import', '-'], `${bucket('a')}\n${bucket('b')}\n`);
    expect([outcome.exitCode, outcome.stdout]).toEqual([
      0,
      'Imported 2 created, 0 updated and 0 unchanged\n',
    ]);
  });

  it('reports a file that cannot be read, and goes on with the others', async () => {
    write('broken.json', '{"Resources": ');
    write('good.json', bucket('good'));
    const outcome = await run(['resource', 'import', 'broken.json', 'good.json']);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stdout).toContain('rejected broken.json:1');
    expect(outcome.stdout).toContain('1 created');
    expect((await run(['resource', 'import', 'none.json'])).exitCode).toBe(3);
  });
});

describe('the nouns of the inventory', () => {
  beforeEach(async () => {
    write(
      'two.ndjson',
      `${bucket('open', { public: true, region: 'eu-west-1', tags: { team: 'a' } })}\n${bucket('closed', { public: false })}\n`,
    );
    await run(['resource', 'import', 'two.ndjson']);
  });

  it('refuse a pattern or a part of a type as a filter, instead of finding nothing', async () => {
    for (const noun of ['resource', 'violation', 'evaluation']) {
      for (const type of ['AWS::S3::*', 's3']) {
        const listed = await run([noun, 'list', '--type', type]);
        expect([noun, listed.exitCode, listed.stderr]).toEqual([
          noun,
          3,
          expect.stringContaining('such as AWS::S3::Bucket'),
        ]);
      }
    }
    const flags = ['--type', 'AWS::S3::*', '--reason', 'r', '--dry-run'];
    expect((await run(['violation', 'resolve', ...flags])).exitCode).toBe(3);
    expect((await run(['violation', 'summary', '--type', 'AWS::*'])).exitCode).toBe(3);
    expect((await run(['resource', 'list', '--type', 'AWS::S3::Bucket'])).exitCode).toBe(0);
  });

  it('resource: list, get and delete', async () => {
    const listed = await run(['resource', 'list']);
    expect(listed.stdout.split('\n').slice(0, 3).join('\n')).toMatch(
      /^ID +TYPE.*\nclosed .*\nopen /,
    );
    const filtered = await json('resource', 'list', '--tag', 'team=a', '--region', 'eu-west-1');
    expect(filtered).toMatchObject({ format_version: 1, resources: [{ id: 'open' }] });
    const got = await run(['resource', 'get', 'open']);
    expect(got.stdout).toContain('eu-west-1');
    expect((await run(['resource', 'delete', 'open'])).exitCode).toBe(3);
    expect((await run(['resource', 'delete', 'open', '--yes'])).stdout).toBe('Deleted open\n');
    const missing = await run(['resource', 'get', 'open']);
    expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining('RES_002')]);
  });

  it.each([40, 60, 80, 300])('have whole IDs in a terminal of %i columns', async (columns) => {
    const { violations } = (await json('violation', 'list')) as { violations: { id: string }[] };
    const { stdout } = await run(['violation', 'list'], undefined, { tty: true, columns });
    expect(violations).toHaveLength(1);
    expect(stdout).toContain(` ${violations[0]?.id ?? ''}\n`);
    expect(/Hidden columns?: .*MESSAGE/.test(stdout)).toBe(columns < 80);
  });

  it('list their commands where an unknown one is near none', async () => {
    const { stderr, exitCode } = await run(['violation', 'show', 'viol_1']);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(
      "unknown command 'show'\n(commands of violation: list, get, summary, resolve)",
    );
  });

  it('violation: list, get and resolve', async () => {
    const { violations } = (await json('violation', 'list')) as { violations: { id: string }[] };
    expect(violations).toMatchObject([{ resource_id: 'open', status: 'OPEN', severity: 'HIGH' }]);
    expect((await run(['violation', 'list'])).stdout).toContain('Make it private');
    expect((await json('violation', 'list', '--policy', 'private')).violations).toHaveLength(1);
    const found = async (...flags: string[]) =>
      ((await json('violation', 'list', ...flags)).violations as unknown[]).length;
    expect(await found('--text', 'PRIVATE', '--age', '<1d')).toBe(1);
    expect(await found('--age', '>1d')).toBe(0);
    expect(await found('--owner', 'nobody')).toBe(0);
    expect(await found('--tag', 'owner', '--framework', 'soc2')).toBe(0);
    const misspelt = await run(['violation', 'list', '--policy', 'privat']);
    expect(misspelt.exitCode).toBe(1);
    expect(misspelt.stderr).toContain('Did you mean "private"?');
    const scan = await run(['scan', 'run', '--policy', 'privat']);
    expect(scan.stderr).toContain('Did you mean "private"?');
    const id = violations[0]?.id ?? '';
    expect((await run(['violation', 'get', id])).stdout).toContain('private (pol_');
    const resolved = await run(['violation', 'resolve', id, '--reason', 'torn down']);
    expect([resolved.exitCode, resolved.stdout]).toEqual([0, expect.stringContaining('torn down')]);
    expect(resolved.stderr).not.toContain('already');
    const again = await run(['violation', 'resolve', id, '--reason', 'ticket 7']);
    expect(again.stdout).toMatch(/manual: torn down\n.*manual: ticket 7/);
    expect(again.stderr).toContain(
      'The violation was already resolved; the reason was added to its history.',
    );
    expect((await json('violation', 'list', '--status', 'resolved')).violations).toHaveLength(1);
    expect((await run(['violation', 'list'])).stderr).toContain('No violations match.');
    expect((await run(['violation', 'resolve', id])).exitCode).toBe(3);
  });

  it('scan: run without waiting ends with 8, with --wait when it has ended', async () => {
    const begun = await run(['scan', 'run', '--name', 'nightly']);
    expect(begun.exitCode).toBe(8);
    expect(begun.stderr).toContain('govctl scan get scan_');
    const ended = await run(['scan', 'run', '--wait', '-o', 'json']);
    expect(ended.exitCode).toBe(0);
    const scan = JSON.parse(ended.stdout) as { id: string };
    expect(scan).toMatchObject({
      status: 'completed',
      resources_scanned: 2,
      violations_found: 1,
      compliance_score: 50,
      summary: { evaluated: 2, pass: 1, fail: 1, error: 0, exempt: 0 },
    });
    expect((await run(['scan', 'get', scan.id])).stdout).toContain('50 of 100');
    const { scans } = (await json('scan', 'list')) as { scans: object[] };
    expect(scans).toMatchObject([{ id: scan.id }, { name: 'nightly' }]);
    expect((await run(['scan', 'run', '--wait', '--timeout', '0'])).exitCode).toBe(3);
  });

  it('scan: names what could not be decided, and a policy that is not there', async () => {
    write('more.ndjson', Array.from({ length: 7 }, (_, at) => bucket(`u${at}`)).join('\n'));
    await run(['resource', 'import', 'more.ndjson']);
    const ended = await run(['scan', 'run', '--wait']);
    expect(ended.stdout).toContain('  ? private: u0: resource.public\n');
    expect(ended.stdout).toContain('  ... and 2 more. Run `govctl evaluation list` to list all.\n');
    const wrong = await run(['scan', 'run', '--policy', 'nope']);
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      1,
      expect.stringContaining('No policy with ID, name or key "nope"'),
    ]);
  });

  it('exemption: create, list, get and delete', async () => {
    const words = ['--policy', 'private', '--reason', 'public site', '--owner', 'web'];
    const created = await run([
      ...['exemption', 'create', ...words, '--resource', 'op*', '--expires', '2026-12-31'],
      ...['-o', 'json'],
    ]);
    expect(created.exitCode).toBe(0);
    const { id } = JSON.parse(created.stdout) as { id: string };
    expect((await json('violation', 'list', '--status', 'EXEMPT')).violations).toHaveLength(1);
    expect((await run(['exemption', 'list'])).stdout).toContain('2026-12-31');
    expect((await run(['exemption', 'get', id])).stdout).toContain('public site');
    expect((await run(['exemption', 'delete', id, '--yes'])).exitCode).toBe(0);
    expect((await json('violation', 'list')).violations).toHaveLength(1);
    const typo = await run([
      ...['exemption', 'create', '--policy', 'nope', '--reason', 'r', '--owner', 'o'],
      ...['--resource', 'a', '--expires', '2026-13-01'],
    ]);
    expect([typo.exitCode, typo.stderr]).toEqual([3, expect.stringContaining('expires')]);
  });
});

describe('govctl exemption create', () => {
  const create = (resources: readonly string[], key?: string) =>
    run(
      [
        ...['exemption', 'create', '--policy', 'private', '--reason', 'r', '--owner', 'web'],
        ...['--expires', '2026-12-31', ...resources.flatMap((one) => ['--resource', one])],
      ],
      undefined,
      {},
      key,
    );
  const warnings = (stderr: string) =>
    stderr.split('\n').filter((line) => line.includes('inventory matches'));

  it('warns about resources that are not in the inventory, and creates it; update does, too', async () => {
    write('open.ndjson', bucket('open', { public: true }));
    await run(['resource', 'import', 'open.ndjson']);
    const created = await create(['open', 'op*', 'nope', 'nope-*']);
    expect([created.exitCode, warnings(created.stderr)]).toEqual([
      0,
      [
        'warning: No resource in the inventory matches "nope" at the moment.',
        'warning: No resource in the inventory matches "nope-*" at the moment.',
      ],
    ]);
    expect((await json('violation', 'list', '--status', 'EXEMPT')).violations).toHaveLength(1);
    const { exemptions } = await json('exemption', 'list');
    const [{ id }] = exemptions as [{ id: string }];
    const update = ['exemption', 'update', id, '--resource', 'op*', '--resource', 'other'];
    expect(warnings((await run(update)).stderr)).toEqual([
      'warning: No resource in the inventory matches "other" at the moment.',
    ]);
  });

  it('does not warn where the token must not read the inventory', async () => {
    const created = await create(['nope'], await service.keyWith('compliance:write'));
    expect([created.exitCode, warnings(created.stderr)]).toEqual([0, []]);
  });
});

describe('govctl exemption update', () => {
  beforeEach(async () => {
    write('open.ndjson', bucket('open', { public: true }));
    await run(['resource', 'import', 'open.ndjson']);
  });
  const create = async (): Promise<string> => {
    const words = ['--policy', 'private', '--reason', 'public site', '--owner', 'web'];
    const when = ['--expires', '2026-12-31', '--category', 'waiver'];
    const created = await json('exemption', 'create', ...words, '--resource', 'op*', ...when);
    return String(created.id);
  };
  const update = (id: string, ...flags: string[]) => run(['exemption', 'update', id, ...flags]);

  it('changes the fields that are given and leaves the others', async () => {
    const id = await create();
    const updated = await update(id, '--expires', '2027-01-31', '--no-category');
    expect(updated.exitCode).toBe(0);
    expect(updated.stdout).toContain(`Updated ${id}`);
    expect(updated.stdout).toContain('2027-01-31 (active)');
    const { reason, resources, expires, category } = await json('exemption', 'get', id);
    expect({ reason, resources, expires, category }).toEqual({
      reason: 'public site',
      resources: ['op*'],
      expires: '2027-01-31',
      category: undefined,
    });
  });

  it('moves what it covers: violations are open, or exempt, at once', async () => {
    const id = await create();
    expect((await json('violation', 'list')).violations).toHaveLength(0);
    expect((await update(id, '--resource', 'another')).exitCode).toBe(0);
    expect((await json('violation', 'list')).violations).toHaveLength(1);
    expect((await update(id, '--resource', 'another', '--resource', 'op*')).exitCode).toBe(0);
    expect((await json('violation', 'list')).violations).toHaveLength(0);
  });

  it('changes nothing that is older than the ETag says', async () => {
    const id = await create();
    const stale = await update(id, '--owner', 'ann', '--if-match', '"r0"');
    expect(stale.exitCode).toBe(5);
    expect(await json('exemption', 'get', id)).toMatchObject({ owner: 'web' });
  });

  it.each([
    [[], 3, 'No changes specified'],
    [['--expires', '2026-13-01'], 3, 'expires must be a date such as 2026-12-31'],
    [['--category', 'forever'], 3, "--category <category>' argument 'forever' is invalid"],
    [['--policy', 'nope'], 3, 'policy must be the ID, name or key in git of a policy, not "nope"'],
  ])('refuses %j', async (flags, exitCode, said) => {
    const id = await create();
    const outcome = await update(id, ...flags);
    expect(outcome.stderr).toContain(said);
    expect(outcome.exitCode).toBe(exitCode);
  });

  it('says so where there is no such exemption', async () => {
    const outcome = await update('exm_nope', '--owner', 'ann');
    expect(outcome.stderr).toContain('exm_nope');
    expect(outcome.exitCode).toBe(1);
  });
});

describe('a server that only does what the description says', () => {
  it.each([
    [['resource', 'list'], 'a resource inventory'],
    [['scan', 'run'], 'scans'],
    [['violation', 'list'], 'violations'],
    [['exemption', 'list'], 'exemptions'],
    [['exemption', 'update', 'exm_1', '--owner', 'ann'], 'exemptions'],
  ])('is told apart for %j, in one line', async (argv, feature) => {
    const minimal = createMinimalService();
    const outcome = await runCommandLine(argv, {
      cwd,
      env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: 'any' },
      fetch: minimal.fetch,
    });
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toContain(`This server does not support ${feature}`);
  });
});

describe('govctl overview', () => {
  it('shows the score, the open violations and what comes, and says what is next', async () => {
    const empty = await run(['overview']);
    expect(empty.exitCode).toBe(0);
    expect(empty.stdout).toContain('Score  none yet');
    write(
      'some.ndjson',
      [bucket('a', { public: true }), bucket('b', { public: false })].join('\n'),
    );
    await run(['resource', 'import', 'some.ndjson']);
    const { exitCode, stdout } = await run(['overview']);
    expect(exitCode).toBe(0);
    expect(stdout.replace(/^.* · 2 evaluations · .*\n/, '')).toBe(
      [
        '',
        '  50 of 100  not compliant: under 90',
        `  ${'█'.repeat(20)}${'░'.repeat(20)}`,
        '',
        '  Open violations                 About to fail',
        '  CRITICAL  0                     no resources within 30 days',
        '  HIGH      1  ████████████',
        '  MEDIUM    0',
        '  LOW       0',
        '',
        '  Last 30 days: 0% of fixes made by remediation, 1 of 8 capabilities used.',
        'To list these violations, run `govctl violation list --severity HIGH`.',
        '',
      ].join('\n'),
    );
    expect(await json('overview', '--environment', 'nowhere')).toMatchObject({
      governance_overview: { compliance_score: 0, evaluated: 0 },
    });
  });

  it('lists what will fail by itself, the next first', async () => {
    const rules = [{ condition: 'timestamp(resource.until) < now', effect: 'DENY' }];
    await service.send('POST', '/v1/policies', {
      body: policy('renewed', { severity: 'LOW', rules }),
    });
    const until = (date: string) => ({ public: false, until: `${date}T00:00:00Z` });
    write(
      'dated.ndjson',
      `${bucket('late', until('2026-03-20'))}\n${bucket('soon', until('2026-03-04'))}`,
    );
    await run(['resource', 'import', 'dated.ndjson']);
    const { stdout } = await run(['overview']);
    expect(stdout).toMatch(/About to fail\n.* LOW +soon +renewed\n.* LOW +late +renewed\n/);
    expect(stdout).toContain('To list predictions, run `govctl predict list`.');
  });

  it('says which server lacks it', async () => {
    const minimal = createMinimalService();
    const { exitCode, stderr } = await runCommandLine(['overview'], {
      cwd,
      env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: 'k' },
      fetch: (url, init) => Promise.resolve(minimal.fetch(url, init)),
    });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('an overview');
  });
});
