import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CliResult } from '../support/built-cli.ts';
import { makeTempFolder, projectRoot, runCli } from '../support/built-cli.ts';
import { runTool } from '../support/system-tool.ts';

/** A broad table of tries, each through the built binary: one clear message, the right exit code, no stack. */
const token = 'gk_not-to-be-seen-anywhere';
const rules = 'rules: [{condition: resource.encryption.enabled == false, effect: DENY}]';
const sound = `name: a\nresource_type: AWS::S3::Bucket\n${rules}\n`;
const hostileName = 'evil\u001b]0;title\u0007\n  + create fake';
const policy = (fields: object = {}) => ({
  id: 'pol_1',
  name: 'n',
  resource_type: 'AWS::S3::Bucket',
  rules: [{ condition: 'true', effect: 'DENY' }],
  ...fields,
});
const list = (policies: unknown[], pagination: object = { has_more: false }): string =>
  JSON.stringify({ policies, pagination });

const answers: Readonly<Record<string, (answer: ServerResponse) => unknown>> = {
  fine: (answer) => answer.end(list([])),
  html: (answer) => answer.end('<html>Sign in</html>'),
  'no-content': (answer) => answer.writeHead(204).end(),
  'not-gzip': (answer) => answer.writeHead(200, { 'content-encoding': 'gzip' }).end('\u001f\u0000'),
  'cut-json': (answer) => answer.end('{"policies": ['),
  'a-number': (answer) => answer.end('{"policies": 5}'),
  'no-name': (answer) => answer.end(list([{ id: 'pol_1' }])),
  'wrong-type': (answer) => answer.end(list([policy({ enabled: 'yes' })])),
  'a-null': (answer) => answer.end(list([null])),
  deep: (answer) => answer.end('['.repeat(1e6) + ']'.repeat(1e6)),
  twice: (answer) => answer.end(list([policy(), policy()], { total: 2, has_more: false })),
  lies: (answer) => answer.end(list([policy()], { total: 1e9, has_more: false })),
  cut: (answer) => {
    answer.writeHead(200, { 'content-length': '1000' }).write('{');
    setTimeout(() => answer.destroy(), 20);
  },
  endless: (answer) => {
    const more = (): void => {
      while (answer.write(' '.repeat(1 << 20)));
    };
    answer.on('drain', more).on('error', () => {});
    more();
  },
  redirect: (answer) => answer.writeHead(301, { location: 'http://other.test/' }).end(),
  '401': (answer) => answer.writeHead(401).end(),
  '403': (answer) =>
    answer.writeHead(403).end('{"error":"insufficient_scope","message":"no\\u001b[31m"}'),
  '404': (answer) => answer.writeHead(404).end('nope'),
  '429': (answer) => answer.writeHead(429, { 'retry-after': '0' }).end(),
  '503': (answer) => answer.writeHead(503, { 'retry-after': '0' }).end(),
  'long-error': (answer) =>
    answer.writeHead(400).end(`{"error":"x","message":"${'m'.repeat(1e5)}"}`),
  escapes: (answer) =>
    answer.end(
      list([policy({ id: 'pol\u001b[31m', name: hostileName, tags: ['govctl.owner:acme'] })]),
    ),
};

/** One message with no stack, no fault of govctl's own, nothing that acts on a terminal, and no secret. */
function expectClear({ stdout, stderr }: CliResult): void {
  const said = stdout + stderr;
  expect(said).not.toContain(token);
  expect(said).not.toMatch(/^\s+at .*:\d+/m);
  expect(said).not.toContain('fault of govctl');
  expect(said).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  expect(said.length).toBeLessThan(10_000);
}

describe('bad input, through the built binary', () => {
  const folder = makeTempFolder();
  const server = createServer(({ url = '/' }, answer) => {
    const [, mode = ''] = url.split('/');
    (answers[mode] ?? ((missing: ServerResponse) => missing.writeHead(500).end()))(answer);
  });
  let base = '';
  const env = { GOVCTL_TOKEN: token, GOVCTL_CONFIG_DIR: path.join(folder, 'config') };
  const repo = (name: string, files: Readonly<Record<string, string>>): string => {
    const at = path.join(folder, name);
    mkdirSync(at, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(at, file), text);
    return at;
  };

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on TCP
    repo('sound', { 'a.yaml': sound });
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each<[mode: string, exitCode: number, said: string]>([
    ['html', 1, 'is not JSON and begins with "<html>'],
    ['no-content', 1, '204'],
    ['not-gzip', 1, 'is not JSON'],
    ['cut-json', 1, 'is not JSON'],
    ['a-number', 1, 'not a list of policies: policies'],
    ['no-name', 1, 'policies.0.name'],
    ['wrong-type', 1, 'policies.0.enabled'],
    ['a-null', 1, 'policies.0'],
    ['deep', 1, 'not a list of policies'],
    ['twice', 1, 'is incomplete'],
    ['lies', 1, 'is incomplete'],
    ['cut', 1, 'the connection was closed'],
    ['endless', 1, 'the response is too long'],
    ['redirect', 1, 'redirects are not followed'],
    ['401', 4, 'govctl auth login'],
    ['403', 4, 'govctl auth status'],
    ['404', 1, '404'],
    ['429', 1, '429'],
    ['503', 1, '503'],
    ['long-error', 3, 'mmm'],
    ['escapes', 0, '1 policy of this project has no file'],
  ])('a server that answers with %s', async (mode, exitCode, said) => {
    const args = ['plan', '-v', '--project', 'acme', '--base-url', `http://${base}/${mode}`];
    const verbose = await runCli(args, { cwd: path.join(folder, 'sound'), env });
    expect(verbose.stdout + verbose.stderr).not.toContain(token);
    const result = await runCli(
      args.filter((one) => one !== '-v'),
      { cwd: path.join(folder, 'sound'), env },
    );
    expect(result.exitCode, result.stderr).toBe(exitCode);
    expect(result.stdout + result.stderr).toContain(said);
    expect(result.stdout).not.toMatch(/^ {2}\+ create fake/m);
    expectClear(result);
  });

  it.each<[what: string, args: string[], exitCode: number, said: string]>([
    ['no scheme', ['plan', '--base-url', 'example.com'], 3, 'is not a URL'],
    ['another scheme', ['plan', '--base-url', 'ftp://x'], 3, 'does not start with https://'],
    ['a password', ['plan', '--base-url', 'http://u:hidden@x'], 3, 'http://***@x'],
    ['a query', ['plan', '--base-url', 'http://x?q'], 3, 'must not have a query'],
    ['a closed port', ['plan', '--base-url', 'http://127.0.0.1:1'], 1, 'connection refused'],
    ['TLS where there is none', ['plan', '--base-url', 'https://BASE'], 1, 'does not use TLS'],
    ['an unknown flag', ['plan', '--prun'], 3, '--prune'],
    ['an unknown command', ['plna'], 3, 'plan'],
    ['a flag without its value', ['plan', '--target'], 3, 'argument missing'],
    ['too many arguments', ['show', 'a', 'b'], 3, 'too many arguments'],
    [
      'a key nothing has',
      ['plan', '--target', 'zz', '--base-url', 'http://BASE/fine'],
      3,
      'no document has this key',
    ],
    ['a percentage beyond 100', ['plan', '--max-delete', '101'], 3, '0 to 100'],
    ['an impossible port', ['server', '--port', '99999'], 3, '0 to 65535'],
    ['an empty data folder', ['server', '--data-dir', '', '--port', '0'], 3, '--data-dir is empty'],
    ['an empty host', ['server', '--host', '', '--port', '0'], 3, '--host is empty'],
    ['an unknown format', ['plan', '-o', 'xml'], 3, 'unknown format "xml"'],
    ['one file for two formats', ['plan', '-o', 'json=x,yaml=./x'], 3, 'twice'],
    ['a project with a line break', ['plan', '--project', 'a\nb'], 3, '--project'],
    ['a path that is not there', ['plan', 'nope'], 3, 'no such file or directory'],
    ['a plan that is not there', ['apply', 'nope.json'], 3, 'no such file or directory'],
    ['a device as a plan', ['show', '/dev/zero'], 3, 'is not a file'],
    ['a device as a policy file', ['validate', '/dev/zero'], 3, 'neither a file nor a directory'],
    ['a folder as a plan', ['show', '.'], 3, 'is a directory'],
    [
      'a prototype as a profile',
      ['plan', '--profile', '__proto__', '--base-url', 'http://BASE/fine'],
      3,
      '__proto__',
    ],
  ])('%s', async (what, given, exitCode, said) => {
    const args = given.map((one) => one.replace('BASE', base));
    const project =
      args.includes('plan') && !args.includes('--project') ? ['--project', 'acme'] : [];
    const login = what.includes('profile') ? { ...env, GOVCTL_TOKEN: '' } : env;
    const result = await runCli([args[0] ?? '', ...project, ...args.slice(1)], {
      cwd: path.join(folder, 'sound'),
      env: login,
    });
    expect(result.exitCode, result.stderr).toBe(exitCode);
    expect(result.stderr).toContain(said);
    expectClear(result);
    expect(readdirSync(path.join(folder, 'sound'))).toEqual(['a.yaml']);
  });

  it.each<[what: string, env: Record<string, string>, exitCode: number, said: string]>([
    ['a token with a line break', { GOVCTL_TOKEN: 'a\r\nX-Evil: 1' }, 3, 'not a token'],
    ['a token beyond ASCII', { GOVCTL_TOKEN: 'ü' }, 3, 'not a token'],
    ['a proxy that is no address', { http_proxy: 'nonsense' }, 3, 'http_proxy'],
    [
      'half of the client credentials',
      { GOVCTL_TOKEN: '', GOVCTL_CLIENT_ID: 'x' },
      3,
      'GOVCTL_CLIENT_SECRET',
    ],
  ])('%s in the environment', async (_, more, exitCode, said) => {
    const result = await runCli(
      ['plan', '--project', 'acme', '--base-url', `http://${base}/fine`],
      {
        cwd: path.join(folder, 'sound'),
        env: { ...env, ...more },
      },
    );
    expect(result.exitCode, result.stderr).toBe(exitCode);
    expect(result.stderr).toContain(said);
    expectClear(result);
  });

  it.each<[what: string, text: string, said: string]>([
    ['an alias bomb', bomb(), 'the aliases of this document expand'],
    ['an endless alias', 'name: &n [*n]\n', 'contains the alias'],
    ['a prototype as a field', `__proto__: {name: x}\n${sound}`, 'unknown field "__proto__"'],
    ['a tab', `\t${sound}`, 'YAML must not be indented with tabs'],
    ['a NUL', `${sound}# \0\n`, 'NUL byte'],
    [
      'one name in two normal forms',
      `${sound.replace('a\n', 'café\n')}---\n${sound.replace('a\n', 'cafe\u0301\n')}`,
      'which another policy already has',
    ],
    ['a key with @', `key: a@b\n${sound}`, 'key must be a slug'],
    ['a key of 300 characters', `key: ${'k'.repeat(300)}\n${sound}`, 'at most 128'],
    [
      "govctl's own tags",
      `${sound}tags: ["govctl.owner:other"]\n`,
      'which are reserved for govctl',
    ],
    [
      '499 tags',
      `${sound}tags: [${Array.from({ length: 499 }, (_, at) => `t${at}`).join(', ')}]\n`,
      'at most 498',
    ],
    ['brackets that never close', '[['.repeat(10_000), 'more than 100 levels deep'],
    ['a field given twice', `${sound}name: b\n`, 'duplicate field'],
  ])('a policy file with %s', async (what, text, said) => {
    const result = await runCli(['validate'], {
      cwd: repo(`file ${what}`, { 'x.yaml': text }),
      env,
    });
    expect(result.exitCode, result.stdout).toBe(3);
    expect(result.stdout).toContain(said);
    expect(result.stdout).toMatch(/^x\.yaml:\d+:\d+: error: /m);
    expectClear(result);
  });

  it.each<[what: string, text: string, said: string]>([
    ['no YAML', 'project: [\n', 'govctl.yaml:2:1'],
    ['a project with a space', 'project: a b\n', 'project must contain'],
    ['a number as project', 'project: 5\n', 'project must be text'],
    ['a list', '- a\n', 'must be a map'],
    ['a password', 'project: acme\nbase_url: http://u:hidden@x\n', 'must not contain a user name'],
    ['a token', 'project: acme\ntoken: hidden\n', 'is not allowed'],
  ])(
    'a govctl.yaml that is or has %s stops every command that reads it',
    async (what, text, said) => {
      const cwd = repo(`config ${what}`, { 'a.yaml': sound, 'govctl.yaml': text });
      const made = await runCli(
        [
          'plan',
          '--project',
          'acme',
          '--base-url',
          `http://${base}/fine`,
          '--out',
          path.join(cwd, 'p.json'),
        ],
        { cwd: path.join(folder, 'sound'), env },
      );
      expect(made.exitCode, made.stderr).toBe(0);
      for (const args of [
        ['validate'],
        ['plan'],
        ['import', '--out', 'out'],
        ['apply', 'p.json', '--auto-approve'],
      ]) {
        const result = await runCli(args, { cwd, env });
        expect(result.exitCode, args.join(' ')).toBe(3);
        expect(result.stdout + result.stderr).toContain(said);
        expect(result.stdout + result.stderr).not.toContain('hidden');
        expectClear(result);
      }
      expect(readdirSync(cwd).sort()).toEqual(['a.yaml', 'govctl.yaml', 'p.json']);
    },
  );

  it('never waits for a pipe, and follows no circle of links', async () => {
    const cwd = repo('odd', { 'a.yaml': sound });
    runTool('mkfifo', path.join(cwd, 'pipe.yaml'));
    symlinkSync('.', path.join(cwd, 'circle'));
    mkdirSync(path.join(cwd, 'folder.yaml'));
    expect(await runCli(['validate'], { cwd, env })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('1 policy in 1 file is valid'),
    });
    for (const args of [
      ['validate', 'pipe.yaml'],
      ['fmt', 'pipe.yaml'],
      ['show', 'pipe.yaml'],
    ]) {
      const result = await runCli(args, { cwd, env });
      expect(result.exitCode, args.join(' ')).toBe(3);
      expectClear(result);
    }
    runTool('mkfifo', path.join(cwd, '.govctlignore'));
    const ignoring = await runCli(['validate'], { cwd, env });
    expect(ignoring.exitCode).toBe(3);
    expect(ignoring.stderr).toContain('.govctlignore cannot be read: the path is not a file');
  });

  it('shows the result all the same where an output file cannot be written, and exits with 1', async () => {
    const result = await runCli(
      [
        'plan',
        '--project',
        'acme',
        '--base-url',
        `http://${base}/fine`,
        '-o',
        'json=/nonexistent/x',
        '-o',
        'table',
      ],
      { cwd: path.join(folder, 'sound'), env },
    );
    expect(result.exitCode).toBe(1);
    expect(result.stdout).toContain('1 to create');
    expect(result.stderr).toContain('/nonexistent/x could not be written');
  });

  it('says that the working folder is gone', async () => {
    const gone = repo('gone', {});
    const binary = path.join(projectRoot, 'bin', 'govctl.js');
    const script = `rmdir "${gone}"; "${process.execPath}" "${binary}" validate 2>&1; echo "exit $?"`;
    const said = execFileSync('sh', ['-c', script], { cwd: gone, encoding: 'utf8' });
    rmSync(gone, { recursive: true, force: true });
    expect(said).toContain('no longer exists');
    expect(said).toContain('exit 1');
  });
});

function bomb(): string {
  const level = (at: number): string =>
    `l${at}: &l${at} [${Array(9)
      .fill(`*l${at - 1}`)
      .join(', ')}]\n`;
  return `l0: &l0 [x]\n${[1, 2, 3, 4, 5, 6, 7].map(level).join('')}${sound}`;
}
