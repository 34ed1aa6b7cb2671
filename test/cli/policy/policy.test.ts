import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeWorldSettings } from '../../support/fake-world.ts';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';
import type { Faults, MinimalService } from '../../support/minimal-service.ts';
import { createMinimalService } from '../../support/minimal-service.ts';

let folder: string;
let service: MinimalService;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'govctl-policy-'));
  service = createMinimalService();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const settings = (more: FakeWorldSettings = {}): FakeWorldSettings => ({
  cwd: folder,
  fetch: service.fetch,
  ...more,
  env: {
    GOVCTL_TOKEN: 'token',
    GOVCTL_BASE_URL: 'https://service.example.com',
    GOVCTL_CONFIG_DIR: folder,
    ...more.env,
  },
});
const run = (argv: readonly string[], more: FakeWorldSettings = {}) =>
  runCommandLine(['policy', ...argv], settings(more));

const rules = [{ condition: 'resource.acl == "public-read"', effect: 'DENY', message: 'Close it' }];
const put = (name: string, more: Record<string, unknown> = {}) =>
  service.put({ name, resource_type: 'AWS::S3::Bucket', severity: 'HIGH', rules, ...more });
const owned = ['govctl.owner:platform', 'govctl.key:a@0123456789ab'];

describe('policy list', () => {
  it('shows a table, sorted by name, and nothing else on stdout', async () => {
    put('one', { enabled: false });
    put('two', { tags: owned });
    const outcome = await run(['list']);
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
    expect(outcome.stdout).toMatch(/NAME +TYPE +SEVERITY +ENABLED +PROJECT +ID/);
    expect(outcome.stdout).toMatch(/one +AWS::S3::Bucket +HIGH +no +- +pol_000001/);
    expect(outcome.stdout).toMatch(/two .* platform +pol_000002/);
    expect(outcome.stdout).not.toContain('govctl.owner');
  });

  it('marks those that are quarantined, and policy get says why and what to do', async () => {
    const quarantined = {
      since: '2026-03-01T12:00:00.000Z',
      resources: 12,
      example: 'arn:aws:s3:::logs',
      reason: 'the conditions exceed the budget of 2,000,000 steps',
    };
    put('costly', { quarantined, enabled: true });
    expect((await run(['list'])).stdout).toMatch(/costly .* yes, quarantined +pol_000001/);
    const { stdout } = await run(['get', 'costly']);
    expect(stdout).toContain('not evaluated since 2026-03-01 12:00 UTC');
    expect(stdout).toContain('on 12 resources, such as arn:aws:s3:::logs');
    expect(stdout).toContain("change the policy's conditions");
  });

  it('get says why automatic remediation has stopped, and how to resume it', async () => {
    const remediation_problem = {
      since: '2026-03-01T12:00:00.000Z',
      reason: 'logs failed again within 24 hours of its remediation',
      stopped: true,
      remediation_id: 'rem_1',
    };
    put('restless', { remediation_problem, auto_remediation: true });
    const { stdout } = await run(['get', 'restless']);
    expect(stdout).toContain('automatic remediation stopped at 2026-03-01 12:00 UTC');
    expect(stdout).toContain('               logs failed again within 24 hours');
    expect(stdout).toContain('For details, run `govctl remediate show rem_1`.');
    expect(stdout).toContain('or turn auto_remediation off and on');
    const reason = 'nothing carries out patches';
    put('unready', { remediation_problem: { ...remediation_problem, reason, stopped: false } });
    const unready = await run(['get', 'unready']);
    expect(unready.stdout).toContain('automatic remediation failing since 2026-03-01');
    expect(unready.stdout).toContain('govctl remediate apply --policy unready');
    put('not ready', { remediation_problem: { ...remediation_problem, stopped: false } });
    const spaced = await run(['get', 'not ready']);
    expect(spaced.stdout).toContain("govctl remediate apply --policy 'not ready'");
  });

  it('gives the API’s own list as JSON, ownership tags included', async () => {
    put('two', { tags: owned });
    const outcome = await run(['list', '-o', 'json']);
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      format_version: 1,
      policies: [{ name: 'two', tags: owned }],
      pagination: { total: 1, has_more: false },
    });
  });

  it('pages by itself up to --limit, and through everything with --all', async () => {
    for (let i = 0; i < 250; i++) put(`policy ${i}`);
    const some = await run(['list', '--sort', 'created_at', '--limit', '120', '-o', 'json']);
    expect(JSON.parse(some.stdout)).toMatchObject({ pagination: { total: 250, has_more: true } });
    expect(JSON.parse(some.stdout).policies).toHaveLength(120);
    expect(some.stderr).toContain('120 of 250');
    expect(service.requests.map(({ query }) => query.get('limit'))).toEqual(['100', '20']);
    const all = await run(['list', '--all', '-o', 'ndjson']);
    expect(all.stdout.trim().split('\n')).toHaveLength(250);
  });

  it.each<[string, Faults]>([
    ['small pages', { largestPage: 7 }],
    ['bare lists', { bareLists: true, largestPage: 7 }],
    ['null for what is absent', { answersNull: true }],
  ])('reads a server with %s', async (_, faults) => {
    service.setFaults(faults);
    for (let i = 0; i < 20; i++) put(`policy ${i}`);
    const outcome = await run(['list', '--all', '-o', 'ndjson']);
    expect(outcome.exitCode).toBe(0);
    const names = outcome.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).name);
    expect(new Set(names).size).toBe(20);
  });

  const names = async (...flags: string[]): Promise<string[]> => {
    const { stdout } = await run(['list', ...flags, '-o', 'json']);
    return (JSON.parse(stdout) as { policies: { name: string }[] }).policies.map(
      ({ name }) => name,
    );
  };

  it('asks a server for one value per filter, and for created_at and updated_at only', async () => {
    await names('--type', 'X::Y', '--severity', 'high', '--tag', 'a', '--disabled', '--sort', 'updated_at', '--order', 'desc'); // prettier-ignore
    const asked = () => Object.fromEntries(service.requests.at(-1)?.query ?? []);
    expect(asked()).toMatchObject({
      resource_type: 'X::Y',
      severity: 'HIGH',
      tags: 'a',
      enabled: 'false',
      sort_by: 'updated_at',
      order: 'desc',
    });
    await names('--severity', 'high,low', '--type', 'X::Y', '--type', 'X::Z');
    expect(asked()).toMatchObject({ sort_by: 'created_at', order: 'asc' });
    expect(Object.keys(asked())).not.toEqual(expect.arrayContaining(['severity']));
    expect(Object.keys(asked())).not.toEqual(expect.arrayContaining(['resource_type']));
  });

  it('sorts and filters itself where the service description promises nothing', async () => {
    put('b', { severity: 'LOW', tags: ['x', 'y'] });
    put('c', { severity: 'CRITICAL', tags: ['x'] });
    put('a', { severity: 'HIGH', enabled: false });
    expect(await names()).toEqual(['a', 'b', 'c']);
    expect(await names('--sort', 'severity', '--order', 'desc')).toEqual(['c', 'a', 'b']);
    expect(await names('--sort', 'enabled')).toEqual(['a', 'b', 'c']);
    expect(await names('--severity', 'low,critical')).toEqual(['b', 'c']);
    expect(await names('--tag', 'x', '--tag', 'y')).toEqual(['b']);
    expect(await names('--limit', '1')).toEqual(['a']);
  });

  it.each([
    [['--severity', 'HIHG'], 'Did you mean HIGH?'],
    [['--limit', '0'], '--limit 0'],
    [['--limit', '1e3'], '--limit 1e3'],
    [['--sort', 'colour'], 'Allowed choices'],
    [['--enabled', '--disabled'], 'cannot be used with'],
    [['--limt', '3'], 'Did you mean --limit?'],
    [['extra'], 'too many arguments'],
  ])('refuses %j', async (flags, why) => {
    const outcome = await run(['list', ...flags]);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain(why);
    expect(service.requests).toEqual([]);
  });

  it('lets no name act on the terminal or forge a row', async () => {
    put('evil\u001b[2J\nFORGED  row');
    const outcome = await run(['list']);
    expect(outcome.stdout).not.toContain('\u001b');
    expect(outcome.stdout.trim().split('\n')).toHaveLength(2);
  });

  it('fits a narrow terminal, and cuts nothing in a pipe', async () => {
    const name = 'a policy with quite a long name that goes on and on';
    put(name);
    const narrow = await run(['list'], { tty: true, columns: 70, env: { NO_COLOR: '1' } });
    for (const line of narrow.stdout.trimEnd().split('\n'))
      expect(line.length).toBeLessThanOrEqual(70);
    expect(narrow.stdout).toContain('…');
    expect((await run(['list'])).stdout).toContain(name);
  });

  it('has whole IDs at any width, and names what it hides', async () => {
    const name = 'Object storage keeps its versions';
    put(name, { tags: owned, resource_type: 'AWS::CertificateManager::Certificate' });
    const at = async (columns: number): Promise<string> =>
      (await run(['list'], { tty: true, columns, env: { NO_COLOR: '1' } })).stdout;
    expect(await at(80)).toMatch(/AWS::.*….*icate/);
    expect(await at(60)).toContain('\nHidden columns: TYPE');
    expect(await at(200)).toContain(name);
    for (const columns of [40, 60, 72, 80, 100, 200]) {
      expect(await at(columns)).toMatch(/ pol_000001\n/);
      for (const line of (await at(columns)).trimEnd().split('\n')) {
        expect(line.length).toBeLessThanOrEqual(columns);
      }
    }
  });
});

describe('policy get', () => {
  it('finds by id and by name, and hides govctl’s own tags from people', async () => {
    const { id } = put('one', { tags: ['mine', ...owned], description: 'What it is for' });
    for (const which of [id, 'one']) {
      const outcome = await run(['get', which]);
      expect(outcome.exitCode).toBe(0);
      expect(outcome.stdout).toContain('What it is for');
      expect(outcome.stdout).toMatch(/tags +mine\n/);
      expect(outcome.stdout).toContain('managed by project platform, key a');
      expect(outcome.stdout).toContain('DENY  resource.acl == "public-read"');
    }
    expect(JSON.parse((await run(['get', id, '-o', 'json'])).stdout)).toMatchObject({
      format_version: 1,
      tags: ['mine', ...owned],
    });
  });

  it('finds a name that looks like an id', async () => {
    put('pol_icy');
    expect(await run(['get', 'pol_icy'])).toMatchObject({ exitCode: 0 });
  });

  it('names the nearest one when there is none', async () => {
    put('s3-public');
    const outcome = await run(['get', 's3-publik']);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toContain('Did you mean "s3-public"?');
  });

  it('finds by the key in git what has no such name: the own project’s first', async () => {
    const tagged = (owner: string, key: string) => ({
      tags: [`govctl.owner:${owner}`, `govctl.key:${key}@0123456789ab`],
    });
    put('Encrypt buckets', tagged('platform', 'encrypt'));
    put('Close ports', tagged('platform', 'ports'));
    put('Close more ports', tagged('other', 'ports'));
    expect((await run(['get', 'encrypt'])).stdout).toContain('Encrypt buckets');
    const several = await run(['get', 'ports']);
    expect(several).toMatchObject({ exitCode: 3 });
    expect(several.stderr).toContain('Several policies have the key "ports"');
    expect(several.stderr).toMatch(/Use an ID: \S+ \(project platform\), \S+ \(project other\)\./);
    writeFileSync(path.join(folder, 'govctl.yaml'), 'project: other\n');
    expect((await run(['get', 'ports'], { cwd: folder })).stdout).toContain('Close more ports');
    put('encrypt');
    expect((await run(['get', 'encrypt', '-o', 'json'])).stdout).toContain('"name": "encrypt"');
  });

  it('asks for the id where several have the name', async () => {
    service.setFaults({ duplicateNames: true });
    put('twin');
    put('twin');
    const outcome = await run(['get', 'twin']);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain('pol_000001, pol_000002');
  });
});

describe('policy create', () => {
  const flags = ['create', '--name', 'n', '--type', 'AWS::S3::Bucket', '--deny', 'resource.a == 1'];

  it('makes one from flags', async () => {
    const outcome = await run([
      ...flags,
      ...[
        '--allow',
        'resource.b == 2',
        '--message',
        'm',
        '--tag',
        't',
        '--framework',
        'SOC2',
        '--severity',
        'LOW',
        '--disabled',
      ],
    ]);
    expect(outcome.exitCode).toBe(0);
    expect([...service.policies.values()]).toMatchObject([
      {
        name: 'n',
        enabled: false,
        severity: 'LOW',
        tags: ['t'],
        compliance_frameworks: ['SOC2'],
        rules: [
          { condition: 'resource.a == 1', effect: 'DENY', message: 'm' },
          { condition: 'resource.b == 2', effect: 'ALLOW', message: 'm' },
        ],
      },
    ]);
  });

  it.each([
    ['YAML', 'name: n\nresource_type: A::B\nrules: [{condition: "true", effect: DENY}]\n'],
    ['JSON', '{"name":"n","resource_type":"A::B","rules":[{"condition":"true","effect":"DENY"}]}'],
  ])('makes one from %s on standard input or in a file', async (_, text) => {
    expect(await run(['create', '-f', '-'], { stdin: text })).toMatchObject({ exitCode: 0 });
    service.policies.clear();
    writeFileSync(path.join(folder, 'p.yaml'), text);
    expect(await run(['create', '-f', 'p.yaml'])).toMatchObject({ exitCode: 0 });
    expect(service.policies.size).toBe(1);
  });

  it('takes a file of a repo, but leaves what has a key to apply', async () => {
    const text =
      'kind: Policy\nname: n\nresource_type: A::B\nrules: [{condition: "true", effect: DENY}]\n';
    expect(await run(['create', '-f', '-'], { stdin: text })).toMatchObject({ exitCode: 0 });
    const keyed = await run(['create', '-f', '-'], { stdin: `key: k\n${text}` });
    expect(keyed).toMatchObject({ exitCode: 3 });
    expect(keyed.stderr).toContain('Use `govctl apply`');
  });

  it('shows what it sent where the server answers nothing', async () => {
    service.setFaults({ emptyAnswers: true });
    const outcome = await run([...flags, '-o', 'json']);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ name: 'n', enabled: true });
  });

  it('makes no second one when the answer was lost', async () => {
    service.setFaults({
      duplicateNames: true,
      onRequest: ({ method }) => (method === 'POST' ? 'cut-after' : undefined),
    });
    const outcome = await run(flags);
    expect(outcome.exitCode).toBe(1);
    expect(service.policies.size).toBe(1);
  });

  it('says every mistake of a file with its place', async () => {
    const outcome = await run(['create', '-f', '-'], {
      stdin: 'name: q\nresource_typ: x\nrules:\n  - condition: "true"\n    efect: DENY\n',
    });
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain('standard input:2:1');
    expect(outcome.stderr).toContain('Did you mean resource_type?');
    expect(outcome.stderr).toContain('Did you mean effect?');
    expect(service.requests).toEqual([]);
  });

  it.each([
    [['create'], 'No policy specified'],
    [['create', '--name', 'x'], '--type and --deny or --allow'],
    [['create', '-f', 'p.yaml', '--name', 'x'], 'Use either --file or --name'],
    [['create', '-f', 'none.yaml'], 'none.yaml could not be read'],
    [['create', '-f', '.'], 'is not a file'],
    [[...flags, '--type', 'nonsense'], 'resource_type'],
    [[...flags, '--severity', 'SEVERE'], 'Allowed choices'],
  ])('refuses %j', async (argv, why) => {
    const outcome = await run(argv);
    expect([1, 3]).toContain(outcome.exitCode);
    expect(outcome.stderr).toContain(why);
    expect(service.requests).toEqual([]);
  });

  it.each([
    ['', 'is empty'],
    ['a: 1\n---\nb: 2\n', 'contains 2 policies'],
    ['a: [', 'standard input:1'],
    ['a: &a [*a]', 'standard input:1'],
    [
      '__proto__: {x: 1}\nname: n\nresource_type: A::B\nrules: [{condition: "true", effect: DENY}]',
      '__proto__',
    ],
  ])('refuses the file %j', async (stdin, why) => {
    const outcome = await run(['create', '-f', '-'], { stdin });
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain(why);
    expect(outcome.stderr).not.toContain('fault of govctl');
  });

  it('ends a taken name with 5', async () => {
    put('n');
    expect(await run(flags)).toMatchObject({ exitCode: 5 });
  });
});

describe('policy update', () => {
  const lastChange = () => service.requests.findLast(({ method }) => method === 'PUT');

  it('changes only what --set and the file name, values read as YAML', async () => {
    const { id } = put('one', { description: 'old', tags: ['a'] });
    const outcome = await run(
      [
        'update',
        'one',
        '-f',
        '-',
        '--set',
        'severity=LOW',
        '--set',
        'description=null',
        '--set',
        'tags=[x, "1"]',
      ],
      { stdin: 'auto_remediation: true\n' },
    );
    expect(outcome.exitCode).toBe(0);
    expect(JSON.parse(lastChange()?.body ?? '')).toEqual({
      auto_remediation: true,
      severity: 'LOW',
      description: null,
      tags: ['x', '1'],
    });
    expect(service.policies.get(id)).not.toHaveProperty('description');
  });

  it('warns that a policy is kept in git, and leaves its ownership in place when tags change', async () => {
    const { id } = put('one', { tags: ['a', ...owned] });
    const outcome = await run(['update', 'one', '--set', 'tags=[b]', '--quiet']);
    expect(outcome.stderr).toContain('managed in git by project "platform"');
    expect(outcome.stderr).toContain('drift');
    expect(service.policies.get(id)?.tags).toEqual(['b', ...owned]);
  });

  it('shows the policy as it is then where the server answers nothing', async () => {
    put('one');
    service.setFaults({ emptyAnswers: true });
    const outcome = await run(['update', 'one', '--set', 'severity=LOW', '-o', 'json']);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ severity: 'LOW' });
  });

  it.each([
    [[], 'No changes specified'],
    [['--set', 'severity'], 'must be field=value'],
    [['--set', '=x'], 'must be field=value'],
    [['--set', 'severty=LOW'], 'Did you mean severity?'],
    [['--set', 'severity=LOUD'], 'severity'],
    [['--set', 'id=pol_2'], 'no field "id"'],
    [['--set', 'tags=[a'], 'invalid YAML'],
  ])('refuses %j', async (argv, why) => {
    put('one');
    const outcome = await run(['update', 'one', ...argv]);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain(why);
    expect(service.requests).toEqual([]);
  });

  it('names the nearest severity', async () => {
    put('one');
    const outcome = await run(['update', 'one', '--set', 'severity=hgh']);
    expect(outcome).toMatchObject({ exitCode: 3 });
    expect(outcome.stderr).toContain(
      'severity: must be one of LOW, MEDIUM, HIGH, CRITICAL. Did you mean HIGH?',
    );
  });

  it('sends --if-match', async () => {
    put('one');
    await run(['update', 'one', '--set', 'severity=LOW', '--if-match', '"7"']);
    expect(lastChange()?.headers['if-match']).toBe('"7"');
  });
});

describe('policy enable and disable', () => {
  it('switch, and say when nothing was to do', async () => {
    const { id } = put('one');
    expect((await run(['disable', 'one', '--auto-approve'])).stdout).toContain('Disabled one');
    expect(service.policies.get(id)?.enabled).toBe(false);
    const count = service.requests.filter(({ method }) => method === 'PUT').length;
    expect((await run(['disable', 'one'])).stdout).toContain('is already disabled');
    expect(service.requests.filter(({ method }) => method === 'PUT')).toHaveLength(count);
    expect((await run(['enable', id])).stdout).toContain('Enabled one');
  });

  it('ask before switching off; without a terminal it takes --yes', async () => {
    const { id } = put('one');
    const outcome = await run(['disable', 'one']);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain('policy one (pol_000001) was not disabled');
    expect(outcome.stderr).toContain('--yes');
    const world = createFakeWorld(settings({ tty: true, answers: [false, true] }));
    expect((await runCommandLine(['policy', 'disable', 'one'], world)).exitCode).toBe(3);
    expect(world.asked).toEqual(['Disable policy one (pol_000001)?']);
    expect(service.policies.get(id)?.enabled).not.toBe(false);
    await run(['disable', 'one'], { tty: true, answers: [true] });
    expect(service.policies.get(id)?.enabled).toBe(false);
  });
});

describe('policy delete', () => {
  it('deletes nothing without a terminal or --yes', async () => {
    put('one');
    const outcome = await run(['delete', 'one']);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain('--yes');
    expect(service.policies.size).toBe(1);
  });

  it('asks on a terminal, and heeds a no', async () => {
    put('one');
    const world = createFakeWorld(settings({ tty: true, answers: [false] }));
    const outcome = await runCommandLine(['policy', 'delete', 'one'], world);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain('Not approved. Nothing was changed.');
    expect(world.asked[0]).toContain('Delete one (pol_000001) from https://service.example.com');
    expect(service.policies.size).toBe(1);
    await run(['delete', 'one'], { tty: true, answers: [true] });
    expect(service.policies.size).toBe(0);
  });

  it('deletes with --yes, and warns when the policy is managed in git', async () => {
    put('one', { tags: owned });
    const outcome = await run(['delete', 'one', '--yes', '-o', 'json']);
    expect(JSON.parse(outcome.stdout)).toEqual({
      format_version: 1,
      deleted: 'pol_000001',
      name: 'one',
    });
    expect(outcome.stderr).toContain('managed in git');
    expect(service.policies.size).toBe(0);
  });
});
