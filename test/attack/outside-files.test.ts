import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../support/fake-world.ts';
import type { FakeWorldSettings } from '../support/fake-world.ts';
import { hostileService } from '../support/hostile.ts';
import { createMinimalService } from '../support/minimal-service.ts';
import { makeRepo } from '../support/temp-repo.ts';
import { until } from '../support/until.ts';

const policy = (name: string): string =>
  `name: ${name}\nresource_type: AWS::S3::Bucket\nrules:\n  - condition: resource.encryption.enabled == false\n    effect: DENY\n`;
const secret = 'the-contents-of-a-private-file';
const bucket = (id: string) =>
  JSON.stringify([{ id, type: 'AWS::S3::Bucket', encryption: { enabled: false } }]);

/** A cloned repo beside files of its user that are none of its business. */
function clone(
  files: Readonly<Record<string, string>>,
  config = 'project: acme\npaths: [policies]\n',
) {
  const base = realpathSync(
    makeRepo({
      'home/secret.yaml': `${secret}: [`,
      'home/more/policy.yaml': policy(secret),
      'home/bucket.json': bucket(secret),
      'repo/govctl.yaml': config,
      'repo/policies/fine.yaml': policy('fine'),
      ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`repo/${name}`, text])),
    }),
  );
  const repo = path.join(base, 'repo');
  const home = path.join(base, 'home');
  const link = (target: string, at: string): void => {
    mkdirSync(path.dirname(path.join(repo, at)), { recursive: true });
    symlinkSync(target, path.join(repo, at));
  };
  const govctl = (words: string, settings: FakeWorldSettings = {}) =>
    runCommandLine(words.split(' '), {
      cwd: repo,
      fetch: createMinimalService().fetch,
      ...settings,
      env: { GOVCTL_BASE_URL: 'https://service.test', GOVCTL_TOKEN: 'key', ...settings.env },
    });
  return { repo, home, link, govctl };
}

const readers = [
  'validate',
  'fmt --check',
  'test',
  'plan',
  'diff',
  'drift',
  'apply --yes',
  'check policies',
];

describe('what a link of a repo leads to outside of it', () => {
  it.each(readers)('is not read by `govctl %s`, which names link and target', async (words) => {
    const { link, home, govctl } = clone({});
    link(path.join(home, 'secret.yaml'), 'policies/linked.yaml');
    link(path.join(home, 'more'), 'policies/folder');
    const { exitCode, stdout, stderr } = await govctl(words);
    const said = stdout + stderr;
    expect(exitCode).toBe(3);
    expect(said).not.toContain(secret);
    expect(said).toContain('policies/linked.yaml');
    expect(said).toContain(path.join(home, 'secret.yaml'));
    expect(said).toContain(path.join(home, 'more'));
    expect(said).toContain('--allow-outside');
  });

  it('is read with --allow-outside', async () => {
    const { link, home, govctl } = clone({});
    link(path.join(home, 'more'), 'policies/folder');
    const { exitCode, stdout } = await govctl('validate --allow-outside');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('2 policies in 2 files')]);
  });

  it('is read where the user types it, whatever else it is', async () => {
    const { link, home, govctl } = clone({});
    link(path.join(home, 'more'), 'policies/folder');
    link(path.join(home, 'bucket.json'), 'inputs/bucket.json');
    expect((await govctl('validate policies/folder')).exitCode).toBe(0);
    expect((await govctl(`validate ${home}/more/policy.yaml`)).exitCode).toBe(0);
    const args = `check inputs/bucket.json ${home}/bucket.json --policies policies/fine.yaml`;
    expect((await govctl(args)).exitCode).toBe(2);
  });

  it('is not read as an input of a check or an import, while the others are', async () => {
    const { link, home, govctl } = clone({ 'inputs/own.json': bucket('own') });
    link(path.join(home, 'bucket.json'), 'inputs/linked.json');
    link(home, 'inputs/folder');
    const { exitCode, stdout, stderr } = await govctl('check inputs -o json');
    expect(exitCode).toBe(3);
    expect(stdout + stderr).not.toContain(secret);
    expect(stdout).toContain('linked.json');
    expect(stdout).toContain(path.join(home, 'bucket.json'));
    const sent: string[] = [];
    await govctl('resource import inputs', {
      fetch: async (_, { body = '' }) => {
        sent.push(body);
        return new Response('{}', { status: 404 });
      },
    });
    expect(sent.join()).toContain('"own"');
    expect(sent.join()).not.toContain(secret);
    expect((await govctl('check inputs -o json')).stdout).toContain('"own"');
    expect((await govctl('check inputs --allow-outside -o json')).stdout).toContain(secret);
  });

  it('is not taken for outside where it stays in the git work tree', async () => {
    const { repo, link, govctl } = clone({
      'shared/p.yaml': policy('shared'),
      'team/govctl.yaml': 'project: team\npaths: [policies, ../shared]\n',
    });
    mkdirSync(path.join(repo, '.git'));
    link('../../shared', 'team/policies/shared');
    const { exitCode, stdout } = await govctl('validate', { cwd: path.join(repo, 'team') });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('1 policy in 1 file')]);
  });

  it('is not read as govctl.yaml or .govctlignore', async () => {
    const { repo, link, home, govctl } = clone({});
    link(path.join(home, 'secret.yaml'), '.govctlignore');
    const ignoring = await govctl('validate');
    rmSync(path.join(repo, 'govctl.yaml'));
    rmSync(path.join(repo, '.govctlignore'));
    link(path.join(home, 'secret.yaml'), 'govctl.yaml');
    for (const { exitCode, stdout, stderr } of [
      ignoring,
      await govctl('validate'),
      await govctl('plan'),
      await govctl('policy list', { env: { GOVCTL_BASE_URL: '' } }),
    ]) {
      expect(exitCode).toBe(3);
      expect(stdout + stderr).toContain(path.join(home, 'secret.yaml'));
      expect(stdout + stderr).not.toContain(secret);
    }
  });
});

describe('a link of a repo where a file is about to be written', () => {
  const ways: Readonly<Record<string, string>> = {
    'a file that is there': 'home/secret.yaml',
    'a file that is not there yet': 'home/new',
    'a folder': 'home',
  };
  it.each(Object.keys(ways))(
    'takes nothing outside of it, where the path leads to %s',
    async (way) => {
      const { repo, link, govctl } = clone({ 'inputs/own.json': bucket('own') });
      const target = path.join(path.dirname(repo), ways[way] ?? '');
      link(target, 'out');
      link(path.join(repo, 'out'), 'linked');
      const before = readdirSync(path.dirname(repo), { recursive: true }).sort();
      for (const name of ['out', 'linked']) {
        const file = path.join(repo, way === 'a folder' ? `${name}/secret.yaml` : name);
        for (const words of [
          ...['json', 'ndjson', 'junit', 'sarif'].map((as) => `check inputs -o ${as}=${file}`),
          `validate -o json=${file}`,
          `policy list -o ndjson=${file}`,
          `check inputs --write-baseline ${file}`,
        ]) {
          const { exitCode, stderr } = await govctl(words);
          expect([words, exitCode, stderr]).toEqual([
            words,
            1,
            expect.stringMatching(
              /was not written: the path leads to .*outside the repo[^]*allow-outside/,
            ),
          ]);
        }
      }
      expect(readdirSync(path.dirname(repo), { recursive: true }).sort()).toEqual(before);
      expect(readFileSync(path.join(path.dirname(repo), 'home/secret.yaml'), 'utf8')).toBe(
        `${secret}: [`,
      );
    },
  );

  it('takes no schema outside of it', async () => {
    const { home, link, govctl } = clone({});
    link(path.join(home, 'secret.yaml'), 'schemas/govctl-config.schema.json');
    const { exitCode, stderr } = await govctl('schema --out schemas');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('was not written')]);
    expect(readFileSync(path.join(home, 'secret.yaml'), 'utf8')).toBe(`${secret}: [`);
  });

  it('is followed within it, and with --allow-outside; what is named outside is the choice of who names it', async () => {
    const { repo, home, link, govctl } = clone({ 'build/old.json': '' });
    link(path.join(repo, 'build/old.json'), 'in');
    link('build/new.json', 'fresh');
    link(path.join(home, 'out.json'), 'out');
    for (const [file, flags, written] of [
      [path.join(repo, 'in'), '', path.join(repo, 'build/old.json')],
      [path.join(repo, 'fresh'), '', path.join(repo, 'build/new.json')],
      [path.join(repo, 'out'), ' --allow-outside', path.join(home, 'out.json')],
      [path.join(home, 'named.json'), '', path.join(home, 'named.json')],
    ] as const) {
      expect((await govctl(`validate -o json=${file}${flags}`)).exitCode).toBe(0);
      expect(JSON.parse(readFileSync(written, 'utf8'))).toHaveProperty('format_version');
    }
  });
});

describe('a path that a file of a repo names', () => {
  it.each(['../home', '/etc', '../home/secret.yaml'])(
    'is not read outside of it: %s',
    async (named) => {
      const { govctl } = clone({}, `project: acme\npaths: [policies, ${JSON.stringify(named)}]\n`);
      const { exitCode, stdout, stderr } = await govctl('validate');
      expect(exitCode).toBe(3);
      expect(stdout + stderr).not.toContain(secret);
      expect(stdout).toContain('outside the repo');
    },
  );

  it('is not read outside of it as the policy of a test', async () => {
    const { govctl } = clone({
      'policies/a.test.yaml':
        'kind: PolicyTest\npolicy: ../../home/secret.yaml\ncases: [{name: a, input: {resources: []}, expect: []}]\n',
    });
    const { exitCode, stdout, stderr } = await govctl('test');
    expect(exitCode).toBe(3);
    expect(stdout + stderr).not.toContain(`${secret}:`);
    expect(stdout + stderr).toContain('outside the repo');
  });

  it.each(['../../home/secret.yaml', 'linked.yaml', '/dev/zero', 'zero.json'])(
    'is not read outside of it as the input of a test: %s',
    async (file) => {
      const { link, home, govctl } = clone({
        'policies/a.test.yaml': `kind: PolicyTest\npolicy: fine.yaml\ncases: [{name: a, input: {cloudformation: ${file}}, expect: []}]\n`,
      });
      link(path.join(home, 'secret.yaml'), 'policies/linked.yaml');
      link('/dev/zero', 'policies/zero.json');
      const { exitCode, stdout, stderr } = await govctl('test policies/a.test.yaml');
      expect(exitCode).toBe(2);
      expect(stdout + stderr).not.toContain(secret);
      expect(stdout + stderr).toContain('outside the repo');
    },
  );

  it('is no source of Terraform resources, and a device is not read to its end', async () => {
    const { link, home, govctl } = clone({ 'inputs/own.json': bucket('own') });
    link('/dev/zero', 'tf/endless.tf');
    link(path.join(home, 'secret.yaml'), 'tf/secret.tf');
    const { exitCode, stdout } = await govctl('check inputs --source tf');
    expect(exitCode).toBe(2);
    expect(stdout).not.toContain(secret);
  });
});

describe('what govctl writes into a repo', () => {
  it('goes through no link that stands in the way of an import', async () => {
    const { repo, link, home, govctl } = clone({});
    const service = createMinimalService();
    service.put({
      name: 'taken',
      resource_type: 'AWS::S3::Bucket',
      rules: [{ condition: 'true', effect: 'DENY' }],
    });
    const target = path.join(home, 'written.yaml');
    link(target, 'imported/taken.yaml');
    link(home, 'folder');
    const before = readdirSync(home, { recursive: true }).length;
    for (const words of ['import --out imported --force', 'import --out folder --force']) {
      const { exitCode, stderr } = await govctl(words, { fetch: service.fetch });
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('was not written')]);
    }
    expect(readdirSync(home, { recursive: true })).toHaveLength(before);
    const allowed = await govctl('import --out imported --force --allow-outside', {
      fetch: service.fetch,
    });
    expect(allowed.exitCode).toBe(0);
    expect(existsSync(target)).toBe(true);
    expect(lstatSync(path.join(repo, 'imported/taken.yaml')).isSymbolicLink()).toBe(true);
  });

  it.each([
    'plan --out folder/plan.json',
    'plan --out plan.json',
    'report download rpt_1 --format csv --out folder',
    'report download rpt_1 --format csv --out folder/new/',
    'server snapshot folder/snapshot.json',
    'init folder',
    'schema --out folder',
  ])('goes through no link to a folder outside of it: %s', async (words) => {
    const { link, home, govctl } = clone({});
    link(home, 'folder');
    link(path.join(home, 'plan.json'), 'plan.json');
    const before = readdirSync(home, { recursive: true }).length;
    const { exitCode, stderr } = await govctl(words, { fetch: hostileService() });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('was not written')]);
    expect(readdirSync(home, { recursive: true })).toHaveLength(before);
  });

  it.each(['.github', '.gitignore', 'schemas'])(
    'does not follow the link %s to lay out a repo',
    async (name) => {
      const { link, home, govctl } = clone({});
      const target = path.join(home, name === '.gitignore' ? 'secret.yaml' : 'more');
      const before = readdirSync(home, { recursive: true }).length;
      link(target, name);
      const { exitCode, stderr } = await govctl('init');
      expect(exitCode).toBe(1);
      expect(stderr).toContain(target);
      expect(readdirSync(home, { recursive: true })).toHaveLength(before);
      expect(readFileSync(path.join(home, 'secret.yaml'), 'utf8')).not.toContain('.govctl');
    },
  );
});

describe('what govctl rewrites', () => {
  const untidy = 'severity:  LOW # why\nname: a\n';
  const patched = (name: string): string =>
    `name: ${name}\nresource_type: AWS::S3::Bucket\nrules: [{condition: '!resource.versioning.enabled', effect: DENY}]\nremediation_action: 'patch:{"versioning":{"enabled":true}}'\n`;
  const template = 'Resources:\n  B: {Type: AWS::S3::Bucket}\n';

  it('is no file outside of the repo, where a link to it is typed, as a shell does for *.yaml; the others are', async () => {
    const { repo, home, link, govctl } = clone({ 'own.yaml': untidy });
    const target = path.join(home, 'untidy.yaml');
    writeFileSync(target, untidy);
    link(target, 'linked.yaml');
    link(home, 'folder');
    const words = 'linked.yaml own.yaml folder/untidy.yaml';
    for (const [cwd, typed] of [
      [repo, words],
      // From outside of the repo it is a link of the repo all the same.
      [home, `${repo}/linked.yaml`],
      [path.dirname(repo), 'repo/linked.yaml'],
    ] as const) {
      const { exitCode, stdout } = await govctl(`fmt ${typed}`, { cwd });
      expect([exitCode, stdout]).toEqual([
        3,
        expect.stringContaining(`the path leads to ${target}`),
      ]);
      expect(readFileSync(target, 'utf8')).toBe(untidy);
    }
    expect(readFileSync(path.join(repo, 'own.yaml'), 'utf8')).not.toBe(untidy);
    expect((await govctl('fmt linked.yaml --allow-outside')).exitCode).toBe(0);
    expect(readFileSync(target, 'utf8')).not.toBe(untidy);
  });

  it('is no template and no source outside of it', async () => {
    const { repo, home, link, govctl } = clone({ 'own.yaml': template });
    writeFileSync(path.join(repo, 'policies/fine.yaml'), patched('fine'));
    const target = path.join(home, 't.yaml');
    writeFileSync(target, template);
    link(target, 'linked.yaml');
    const fix = '--fix --write -o json';
    const { stdout } = await govctl(`check own.yaml linked.yaml ${fix}`);
    expect(JSON.parse(stdout)).toMatchObject({
      fixes: [
        { file: 'own.yaml', offered: true },
        {
          file: 'linked.yaml',
          offered: false,
          why: `not written: the path leads to ${target}, outside the repo`,
        },
      ],
    });
    expect(readFileSync(path.join(repo, 'own.yaml'), 'utf8')).not.toBe(template);
    expect(readFileSync(target, 'utf8')).toBe(template);
    expect((await govctl(`check linked.yaml ${fix} --allow-outside`)).exitCode).toBe(0);
    expect(readFileSync(target, 'utf8')).not.toBe(template);
  });

  it('gets no new name: who has it under another name keeps what was there', async () => {
    const { repo, home, govctl } = clone({ 'own.yaml': untidy });
    linkSync(path.join(repo, 'own.yaml'), path.join(home, 'same.yaml'));
    expect((await govctl('fmt own.yaml')).exitCode).toBe(0);
    expect(readFileSync(path.join(home, 'same.yaml'), 'utf8')).toBe(untidy);
    expect(readFileSync(path.join(repo, 'own.yaml'), 'utf8')).not.toBe(untidy);
  });
});

describe('a folder that never ends', () => {
  it('ends: links in a circle, pipes and devices', async () => {
    const { repo, link, govctl } = clone({ 'inputs/own.json': bucket('own') });
    link('.', 'policies/self');
    link('..', 'policies/up');
    link('.', 'inputs/self');
    link('/dev/zero', 'inputs/zero.json');
    execFileSync('mkfifo', [
      path.join(repo, 'policies/pipe.yaml'),
      path.join(repo, 'inputs/pipe.json'),
    ]);
    // `up` leads to the whole repo, with its inputs.
    expect((await govctl('validate policies/fine.yaml')).exitCode).toBe(0);
    expect((await govctl('check inputs --policies policies/fine.yaml')).exitCode).toBe(3);
    expect((await govctl('validate')).exitCode).toBeDefined();
  });

  it('is refused as a file: more than 8 MiB, or aliases that multiply', async () => {
    const bomb = Array.from(
      { length: 12 },
      (_, n) => `a${n}: &a${n} [${`*a${n - 1},`.repeat(n === 0 ? 0 : 9)}x]`,
    ).join('\n');
    const { govctl } = clone({
      'policies/large.yaml': ' '.repeat(9 * 1024 * 1024),
      'policies/bomb.yaml': bomb,
    });
    const { exitCode, stdout } = await govctl('validate');
    expect(exitCode).toBe(3);
    expect(stdout).toContain('policies/large.yaml');
    expect(stdout).toContain('policies/bomb.yaml');
  });
});

const built = fileURLToPath(new URL('../../bin/govctl.js', import.meta.url));

/** Makes the program say on stderr that it listens to signals: one before that would end it at once. */
const announcing = `data:text/javascript,process.on('newListener', (name) => {
  if (name === 'SIGTERM') setImmediate(() => process.stderr.write('listening\\n'));
})`;

/** Folders and files that take a while, gone when the test ends. */
function largeTree(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'govctl-large-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(path.join(folder, 'govctl.yaml'), 'project: acme\npaths: [.]\n');
  for (let n = 0; n < 200; n++) {
    const at = path.join(folder, `f${n}`);
    mkdirSync(at);
    for (let m = 0; m < 20; m++) {
      writeFileSync(
        path.join(at, `${m}.yaml`),
        `  ${policy(`p${n}-${m}`).replaceAll('\n', '\n  ').trimEnd()}\n`,
      );
      writeFileSync(path.join(at, `${m}.json`), bucket(`b${n}-${m}`));
    }
  }
  return folder;
}

describe('an interrupted command', () => {
  it.each([
    ['SIGINT', ['validate']],
    ['SIGTERM', ['validate']],
    ['SIGINT', ['check', '.']],
    ['SIGTERM', ['check', '.', '-o', 'ndjson=findings.ndjson']],
    ['SIGINT', ['fmt']],
    ['SIGTERM', ['test']],
    ['SIGINT', ['plan', '--base-url', 'http://127.0.0.1:1']],
  ] as const)('ends at %s with 130 and writes nothing by halves: %j', async (signal, words) => {
    const cwd = largeTree();
    const child = spawn(process.execPath, ['--import', announcing, built, ...words], {
      cwd,
      env: { ...process.env, GOVCTL_TOKEN: 'key', GOVCTL_CONFIG_DIR: path.join(cwd, '.config') },
    });
    let stdout = '';
    child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.stderr.once('data', () => child.kill(signal));
    const code = await ended;
    expect(code).toBe(130);
    expect(stdout).toBe('');
    expect(existsSync(path.join(cwd, 'findings.ndjson'))).toBe(false);
    const drafts = readdirSync(cwd, { recursive: true })
      .map(String)
      .filter((file) => /\.(?:tmp|part)$/.test(file));
    expect(drafts).toEqual([]);
  });

  it.each([
    'report verify pipe --certificate pipe',
    'report verify report.csv --certificate pipe',
    'check report.csv --baseline pipe',
    'check report.csv --parameters-file pipe',
    'webhook verify --request pipe --secret-env SECRET',
    'api /v1/policies --data @pipe',
    'server --api-key-file pipe --port 0 --data-dir data',
  ])('ends where it waits for a pipe that nobody writes to: %s', async (words) => {
    const { repo } = clone({ 'report.csv': 'a,b' });
    execFileSync('mkfifo', [path.join(repo, 'pipe')]);
    const bin = fileURLToPath(new URL('../../bin/govctl.js', import.meta.url));
    const child = spawn(process.execPath, [bin, ...words.split(' ')], {
      cwd: repo,
      env: {
        ...process.env,
        GOVCTL_CONFIG_DIR: path.join(repo, '.config'),
        GOVCTL_BASE_URL: 'http://127.0.0.1:9',
        GOVCTL_TOKEN: 'key',
        SECRET: 'a-secret-of-it',
      },
      stdio: 'ignore',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = new Promise<void>((done) => child.once('exit', () => done()));
    // It succeeds only once somebody reads.
    const openToWrite = (): number | undefined => {
      try {
        return openSync(path.join(repo, 'pipe'), constants.O_WRONLY | constants.O_NONBLOCK);
      } catch {
        return undefined;
      }
    };
    let writer: number | undefined;
    await until(() => (writer ??= openToWrite()) !== undefined);
    child.kill('SIGTERM');
    await ended;
    if (writer !== undefined) closeSync(writer);
  });

  it('reads no signature that lies beside a report as a pipe, a device or an endless file', async () => {
    const { repo, link, govctl } = clone({ 'report.csv': 'a,b' });
    execFileSync('mkfifo', [path.join(repo, 'report.csv.sig')]);
    link('/dev/zero', 'other.csv.sig');
    writeFileSync(path.join(repo, 'other.csv'), 'a,b');
    writeFileSync(path.join(repo, 'cert.pem'), 'no certificate');
    for (const file of ['report.csv', 'other.csv']) {
      const { exitCode } = await govctl(`report verify ${file} --certificate cert.pem`);
      expect(exitCode).toBe(3);
    }
  });

  it('ends a walk in which nothing is read', async () => {
    const cwd = largeTree();
    for (const words of [['validate'], ['check', '.'], ['fmt'], ['test'], ['plan']]) {
      const signal = AbortSignal.abort();
      const settings = {
        cwd,
        signal,
        fetch: createMinimalService().fetch,
        env: { GOVCTL_BASE_URL: 'https://a.example', GOVCTL_TOKEN: 'k' },
      };
      const { exitCode, stdout } = await runCommandLine(words, settings);
      expect([exitCode, stdout], words.join(' ')).toEqual([130, '']);
    }
  });
});
