import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fetch } from '../../src/client/http.ts';
import type { GovctlCommand } from '../../src/cli/flags/govctl-command.ts';
import { createProgram } from '../../src/cli/program.ts';
import { createFakeWorld, runCommandLine } from '../support/fake-world.ts';
import type { FakeWorldSettings } from '../support/fake-world.ts';
import { actingIn, hostile, hostileService, refusingService } from '../support/hostile.ts';
import { makeRepo } from '../support/temp-repo.ts';

interface Line {
  /** `policy get` */
  readonly name: string;
  readonly words: readonly string[];
  readonly formats: readonly string[];
}

/** What a command needs to come as far as its output. */
const needed: Readonly<Record<string, readonly string[]>> = {
  'policy create': ['--name', 'x', '--type', 'AWS::S3::Bucket', '--deny', 'true'],
  'policy update': ['--set', 'severity=LOW'],
  'violation resolve': ['--reason', 'x', '--policy', hostile],
  'exemption create': [
    '--policy',
    'p',
    '--resource',
    'r',
    '--reason',
    'x',
    '--owner',
    'a@example.com',
    '--expires',
    '2027-01-01',
  ],
  'exemption update': ['--reason', 'x'],
  'report create': ['--type', 'compliance'],
  'evidence attach': ['--text', 'x', '--expires', '2027-01-01'],
  'report download': ['--format', 'csv', '--out', 'reports/'],
  'report verify': ['--report', 'rpt_1'],
  'schedule create': ['--cron', '0 2 * * *', '--report-type', 'risk', '--email', 'a@example.com'],
  'schedule update': ['--cron', '0 3 * * *'],
  'webhook create': [
    '--url',
    'https://receiver.example.com',
    '--event',
    'policy.violation.detected',
    '--generate-secret',
  ],
  'webhook update': ['--name', 'x'],
  'webhook rotate-secret': ['--generate-secret'],
  'webhook redeliver': ['--failed'],
  'event replay': ['--since', '1h', '--webhook', hostile],
  'event trigger': ['--data', '{}'],
  'api-key create': ['--name', 'x', '--scope', 'governance:read'],
  'api-key update': ['--name', 'x'],
  'user create': ['--role', 'viewer'],
  'user update': ['--role', 'viewer'],
  'role create': ['--scope', 'governance:read'],
  'role update': ['--scope', 'governance:read'],
  'trust create': ['--ref', 'refs/heads/main', '--scope', 'governance:read'],
  'trust update': ['--scope', 'governance:read'],
  'client create': ['--name', 'x', '--scope', 'governance:read'],
  'client update': ['--name', 'x'],
  'remediate plan': ['--policy', hostile],
  'remediate apply': ['--policy', hostile],
  'resource import': ['inputs'],
  'budget create': ['--name', 'x', '--amount', '1', '--currency', 'USD'],
  'budget update': ['--amount', '2'],
  'cost anomalies feedback': ['--expected'],
  'auth login': ['--with-token'],
  import: ['--out', 'imported', '--all-owners', '--force'],
  adopt: ['--all-matching'],
  check: ['inputs', '--policies', 'policies', '--all'],
  api: ['/v1/policies'],
  show: ['plan.json'],
};

const args: Readonly<Record<string, readonly string[]>> = {
  'report verify': ['inputs/fine.json'],
  'evidence list': [hostile],
  'evidence attach': ['SOC2:CC1.1'],
  'event trigger': ['policy.violation.detected'],
  'auth switch': ['default'],
  'schedule next': [hostile],
  'policy get': [hostile],
  'server clock set': ['2026-02-01'],
  'server clock advance': ['1h'],
  'server fault add': ['/v1/policies', '--status', '500'],
  'server restore': ['inputs/fine.json'],
  'server snapshot': ['snapshot.json'],
  'server seed': ['policies'],
  'schedule create': ['x'],
  'report create': ['x'],
  init: ['laid-out'],
  completion: ['bash'],
};

/** These run until they are stopped, or run a program, or a server; their output is tested where they are. */
const endless = ['server', 'server exec', 'webhook listen', 'demo', 'report watch'];

/** Every command line of the program, with each of its formats. */
function everyLine(): Line[] {
  const program = createProgram(() => async () => undefined, createFakeWorld(), '0.0.0-test');
  const walk = (command: GovctlCommand, path: string): Line[] => {
    const own =
      args[path] ??
      command.registeredArguments.flatMap(({ required }) => (required ? [hostile] : []));
    const extra = needed[path] ?? [];
    const approving = command.options.some(({ long }) => long === '--yes') ? ['--yes'] : [];
    const hasOwn = command.commands.length === 0 || command.hasOwnAction;
    return [
      ...(hasOwn && !endless.includes(path)
        ? [
            {
              name: path,
              words: [
                ...path.split(' '),
                ...(extra[0]?.startsWith('-') === false ? [] : own),
                ...extra,
                ...approving,
              ],
              formats: command.formats,
            },
          ]
        : []),
      ...command.commands.flatMap((child) =>
        walk(child as GovctlCommand, `${path} ${child.name()}`),
      ),
    ];
  };
  return program.commands.flatMap((command) => walk(command as GovctlCommand, command.name()));
}

const lines = everyLine();
const inYaml = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028-\u202e\u2066]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const profiles = {
  format_version: 1,
  current: 'default',
  profiles: {
    default: {
      base_url: 'https://governance.example.com',
      method: 'client_credentials',
      client_id: hostile,
      scope: hostile,
      stored_in: 'file',
      logged_in_at: hostile,
    },
  },
};

/** A repo in which everything that may be named has a hostile name. */
function hostileRepo(): string {
  const name = `::set-env name=FILE::1 \u001b[2J\u009b \u202e ##[x]`;
  return makeRepo({
    '.config/profiles.json': JSON.stringify(profiles),
    'govctl.yaml': 'project: acme\npaths: [policies]\n',
    [`policies/${name}.yaml`]: `name: ${inYaml(`${hostile}here`)}\ndescription: ${inYaml(hostile)}\nresource_type: AWS::S3::Bucket\nseverity: HIGH\nrules:\n  - condition: resource.encryption.enabled == false || resource.nothing\n    effect: DENY\n    message: ${inYaml(hostile)}\n`,
    'policies/fine.yaml': `key: fine\nname: fine\nresource_type: AWS::S3::Bucket\nrules:\n  - condition: resource.encryption.enabled == false\n    effect: DENY\n    message: ${inYaml(hostile)}\n`,
    'policies/fine.test.yaml': `kind: PolicyTest\npolicy: fine.yaml\nname: ${inYaml(hostile)}\ncases:\n  - name: ${inYaml(hostile)}\n    input:\n      resources:\n        - id: ${inYaml(hostile)}\n          type: AWS::S3::Bucket\n          encryption: {enabled: false}\n    expect:\n      - resource: ${inYaml(hostile)}\n        result: pass\n        message: ${inYaml(hostile)}\n`,
    'policies/waiver.yaml': `kind: Exemption\npolicy: ${inYaml(`${hostile}here`)}\nresources: [${inYaml(hostile)}]\nreason: ${inYaml(hostile)}\nowner: ${inYaml(hostile)}\nexpires: 2026-01-20\n`,
    'inputs/fine.json': JSON.stringify([
      { id: hostile, type: 'AWS::S3::Bucket', name: hostile, encryption: { enabled: false } },
      { id: `${hostile}2`, type: hostile },
    ]),
    [`inputs/${name}.json`]: JSON.stringify([{ id: 'plain', type: 'AWS::S3::Bucket' }]),
    [`inputs/broken ${name}.json`]: '{"a": \u001b[2J',
  });
}

/** The same, with files in which every line is wrong. */
const brokenRepo = (): string =>
  makeRepo({
    'govctl.yaml': 'project: acme\npaths: [policies]\n',
    'policies/a.yaml': `${inYaml(hostile)}: ${inYaml(hostile)}\nname: 5\nseverity: ${inYaml(hostile)}\nrules: ${inYaml(hostile)}\n`,
    'policies/b.yaml': `name: x\nresource_type: \u009b31m\u202e\nrules:\n  - condition: "resource.::set-env\u202e"\n    effect: DENY\n`,
    'policies/c.yaml': 'name: [\u0085::set-env name=X::y\u2028::error::z\n',
    'policies/d.yaml': '::set-env name=X::y\n##[set-env name=X;]y ##vso[task.setvariable]\n',
    'policies/c.test.yaml': `kind: PolicyTest\npolicy: ${inYaml(hostile)}\ncases: ${inYaml(hostile)}\n`,
    'inputs/broken.json': '{"a": \u001b[2J\n::set-env name=X::y',
  });

async function run(
  cwd: string,
  line: Line,
  format: string | undefined,
  settings: FakeWorldSettings,
) {
  const file = 'output.txt';
  const output =
    format === undefined ? [] : ['-o', format, '-o', `${format}=${path.join(cwd, file)}`];
  return runCommandLine([...line.words, ...output, '-v'], {
    cwd,
    stdin: 'gk_key',
    answers: settings.tty ? Array.from({ length: 9 }, () => true) : [],
    ...settings,
    signal: AbortSignal.timeout(60_000),
    env: {
      GOVCTL_BASE_URL: 'https://governance.example.com',
      GOVCTL_TOKEN: 'gk_key',
      GOVCTL_KEYRING: 'off',
      GOVCTL_CONFIG_DIR: path.join(cwd, '.config'),
      GITHUB_OUTPUT: path.join(cwd, 'github-output.txt'),
      ...settings.env,
    },
  });
}

/** Files that were not there before, but for those that are bytes of the server by intent. */
const newFiles = (folder: string, before: ReadonlySet<string>): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !before.has(file) && !/\.config|\.csv\.zip$|snapshot\.json$/.test(file));

const savedPlan: Line = { name: 'plan', words: ['plan', '--out', 'plan.json'], formats: [] };

async function expectHarmless(
  line: Line,
  repo: () => string,
  settings: FakeWorldSettings,
): Promise<void> {
  for (const format of line.formats.length > 0 ? line.formats : [undefined]) {
    const cwd = repo();
    if (line.words[0] === 'show') await run(cwd, savedPlan, undefined, settings);
    const before = new Set(newFiles(cwd, new Set()));
    const { stdout, stderr } = await run(cwd, line, format, settings);
    const what = `${line.name} -o ${format}`;
    const colour = settings.tty === true;
    const annotations = format === 'github';
    expect(
      actingIn(stdout, { colour, annotations }),
      `${what}: stdout ${JSON.stringify(stdout)}`,
    ).toEqual([]);
    expect(actingIn(stderr, { colour }), `${what}: stderr ${JSON.stringify(stderr)}`).toEqual([]);
    for (const file of newFiles(cwd, before)) {
      const text = readFileSync(file, 'utf8');
      expect(actingIn(text, { annotations }), `${what}: ${file} ${JSON.stringify(text)}`).toEqual(
        [],
      );
    }
  }
}

const servers: Readonly<Record<string, () => Fetch>> = {
  'answers everything': hostileService,
  'knows nothing': () => refusingService(404, hostile),
  'refuses the input': () => refusingService(400, 'invalid_policy'),
  'refuses the login': () => refusingService(401, 'invalid_token'),
  fails: () => refusingService(418, hostile),
};

describe.each(Object.keys(servers))('a hostile server that %s', (kind) => {
  const fetch = servers[kind]?.() ?? hostileService();
  it.each(lines.map((line) => [line.name, line] as const))('%s', async (_, line) => {
    // What is refused is told in one way, whatever the format.
    if (kind === 'answers everything') await expectHarmless(line, hostileRepo, { fetch });
    await expectHarmless({ ...line, formats: line.formats.slice(0, 1) }, hostileRepo, {
      fetch,
      tty: true,
      env: { TERM: 'xterm' },
    });
  });
});

describe('broken files of a hostile repo', () => {
  const offline = lines.filter(({ words: [first = ''] }) =>
    ['validate', 'fmt', 'check', 'test', 'plan', 'diff', 'apply', 'drift'].includes(first),
  );
  it.each(offline.map((line) => [line.name, line] as const))('%s', async (_, line) => {
    await expectHarmless(line, brokenRepo, { fetch: hostileService() });
    await expectHarmless({ ...line, formats: ['table'] }, brokenRepo, {
      fetch: hostileService(),
      tty: true,
    });
  });
});

describe('what is harmless', () => {
  it('is what nearly every command comes to say of that server', async () => {
    const refused: string[] = [];
    for (const line of lines) {
      const cwd = hostileRepo();
      if (line.words[0] === 'show')
        await run(cwd, savedPlan, undefined, { fetch: hostileService() });
      const { exitCode } = await run(cwd, line, undefined, { fetch: hostileService() });
      if (![0, 2].includes(exitCode)) refused.push(`${exitCode} ${line.name}`);
    }
    expect(refused).toEqual([
      '3 check', // beside its findings, an input that is broken
      '1 apply',
      '1 resource import',
      '6 remediate plan', // a guard refuses it
      '3 framework import', // its file is no catalog; framework-files.test.ts has some
      '3 cost import', // a name with NUL is no file
      '3 cost metrics import', // nor here
      '1 report open', // its bytes are not those of its hash
      '3 schedule next',
      '1 evidence export', // its bytes are not those of its hash
      '3 evidence verify', // its file is no bundle; evidence-bundles.test.ts has some
      '3 webhook verify',
      '1 audit list', // its hashes are no hashes
      '1 audit tail',
      '1 audit export',
      '1 audit verify',
      '1 server backup', // its directory is no data directory
      '1 server verify', // nor here
      '1 server archive', // its answer is no archive
      '7 server seed',
    ]);
  });

  it('means the same in JSON and YAML', async () => {
    const cwd = hostileRepo();
    const line = { name: 'policy get', words: ['policy', 'get', hostile], formats: [] };
    const fetch = hostileService();
    const { parse } = await import('yaml');
    const json = await run(cwd, line, 'json', { fetch });
    const yaml = await run(cwd, line, 'yaml', { fetch });
    expect(json.exitCode).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject({ name: hostile });
    expect(parse(yaml.stdout)).toMatchObject({ name: hostile });
  });
});
