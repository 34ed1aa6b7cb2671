import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import { bucket, policies, template, waiver } from './samples.ts';

const repo = (files: Readonly<Record<string, string | Uint8Array>>): string =>
  makeRepo({
    'govctl.yaml': 'project: p\npaths: [policies]\n',
    'policies/a.yaml': policies,
    ...files,
  });

const check = (cwd: string, words: string, settings: FakeWorldSettings = {}) =>
  runCommandLine(['check', ...words.split(' ')], { cwd, columns: 80, ...settings });

async function checkJson(cwd: string, words: string, settings: FakeWorldSettings = {}) {
  const { stdout, exitCode, stderr } = await check(cwd, `${words} -o json`, settings);
  const value = JSON.parse(stdout) as {
    summary: Record<string, number>;
    results: Record<string, unknown>[];
    unreadable: Record<string, unknown>[];
    warnings: { code: string; message: string }[];
    baseline?: { stale: unknown[]; written?: number };
    skipped?: string[];
    unmatched_types?: unknown[];
  };
  return { ...value, exitCode, stderr };
}

describe('govctl check, for people', () => {
  it('puts findings under their resource, the worst first, and says what was checked', async () => {
    const cwd = repo({ 'template.yaml': template });
    expect(await check(cwd, 'template.yaml')).toEqual({
      exitCode: 2,
      stdout: `template.yaml:2:3  Plain  AWS::S3::Bucket
  HIGH     FAIL  Buckets are encrypted [s3-encryption]
    Switch on default encryption.

1 failed (1 HIGH).
Checked 2 resources in 1 file (2 policies): 2 evaluations, 1 passed, 1 failed.
No policy covers the type of 1 resource: AWS::SQS::Queue (1).
`,
      stderr: '',
    });
  });

  it('checks a resource of a known type whatever the case of the type', async () => {
    const cwd = repo({ 'a.json': bucket('a', false, { type: 'aws::s3::bucket' }) });
    expect((await check(cwd, 'a.json')).exitCode).toBe(2);
  });

  it('asks whether another type that differs from that of a policy only in case was meant to be that', async () => {
    const policy = {
      name: 'owned',
      resource_type: 'Custom::Repository',
      severity: 'LOW',
      rules: [{ condition: '!has(resource.owner)', effect: 'DENY' }],
    };
    const cwd = repo({
      'policies/owned.yaml': JSON.stringify(policy),
      'a.json': bucket('a', false, { type: 'custom::repository' }),
    });
    const { exitCode, stdout } = await check(cwd, 'a.json');
    expect(exitCode).toBe(0);
    expect(stdout.replaceAll('\n  ', ' ')).toContain(
      'custom::repository (1; did you mean Custom::Repository?)',
    );
    expect((await checkJson(cwd, 'a.json')).unmatched_types).toEqual([
      { type: 'custom::repository', resources: 1, did_you_mean: 'Custom::Repository' },
    ]);
  });

  it('shows the worst hundred resources, and counts the others by policy', async () => {
    const lines = Array.from({ length: 130 }, (_, n) =>
      n < 60 ? bucket(`b${n}`, true, { tags: { owner: 'nobody' } }) : bucket(`b${n}`, false),
    );
    const { stdout } = await check(repo({ 'a.ndjson': lines.join('\n') }), 'a.ndjson');
    expect(stdout.match(/HIGH {5}FAIL/g)).toHaveLength(70);
    expect(stdout).toContain(`
… and 30 more resources (use -o json or -o ndjson to list all):
  LOW      FAIL  Buckets have an owner [s3-owner] × 30

130 failed`);
  });

  it('says that all passed', async () => {
    const cwd = repo({ 'a.json': bucket('a', true) });
    expect(await check(cwd, 'a.json')).toEqual({
      exitCode: 0,
      stdout: `All 2 evaluations passed.
Checked 1 resource in 1 file (2 policies): 2 evaluations, 2 passed, 0 failed.
`,
      stderr: '',
    });
  });

  it.each([
    [
      'no policy is about the types',
      '{"id":"q","type":"AWS::SQS::Queue"}',
      'no policy applies to AWS::SQS::Queue (1).',
    ],
    ['there are no resources', '{"resources":[]}', 'there are no resources in the input.'],
  ])('never passes in silence where %s', async (_, text, said) => {
    const cwd = repo({ 'a.json': text });
    const { stdout, exitCode } = await check(cwd, 'a.json --format native');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Nothing was evaluated: ${said}`);
    const quiet = await check(cwd, 'a.json --format native -o junit');
    expect(quiet.stderr).toContain('warning: Nothing was evaluated');
  });

  it('fits 80 columns', async () => {
    const long = `${'Rotate it now. '.repeat(9)}`;
    const cwd = repo({
      'policies/a.yaml': policies.replace('Switch on default encryption.', long),
      'a.json': bucket('a', false),
    });
    const { stdout } = await check(cwd, 'a.json');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(stdout.match(/Rotate/g)).toHaveLength(9);
  });

  it('breaks no line within what is to be copied', async () => {
    const long = `${'Rotate it. '.repeat(6)}Set \`disableLocalAuth: true\`.`;
    const cwd = repo({
      'policies/a.yaml': policies.replace('Switch on default encryption.', `'${long}'`),
      'a.json': bucket('a', false),
    });
    const { stdout } = await check(cwd, 'a.json');
    expect(stdout).toContain('Set\n    `disableLocalAuth: true`.\n');
  });

  it('defuses what a resource is called', async () => {
    const cwd = repo({ 'a.json': bucket('\u001b[2Jevil\nid', false) });
    const { stdout } = await check(cwd, 'a.json');
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toContain('evil id');
  });

  it('keeps values of resources out of its output', async () => {
    const secret = 'hunter2-hunter2';
    const cwd = repo({
      'policies/a.yaml': policies.replace('== "nobody"', '== resource.password + 1'),
      'a.json': bucket('a', false, { password: secret, properties: { Secret: secret } }),
    });
    for (const format of ['table', 'json', 'sarif', 'junit', 'github', 'markdown']) {
      const { stdout, stderr } = await check(cwd, `a.json -o ${format}`);
      expect(stdout + stderr).not.toContain(secret);
    }
  });
});

describe('what govctl check reads', () => {
  it('takes files, folders and standard input, and nothing that is no input', async () => {
    const cwd = repo({
      'infra/a.json': bucket('a', false),
      'infra/deep/b.ndjson': `${bucket('b', false)}\n${bucket('c', false)}\n`,
      'infra/t.yaml': template,
      'infra/package.json': '{}',
      'infra/node_modules/x.json': bucket('no', false),
      'infra/.cache/x.json': bucket('no', false),
      'infra/x.test.yaml': 'kind: PolicyTest',
      'infra/notes.md': 'x',
      'infra/other.json': '{"anything": 1}',
    });
    const { results, summary, skipped, exitCode } = await checkJson(cwd, 'infra -', {
      stdin: bucket('in', false),
    });
    expect(results.map(({ file, line, resource }) => [file, line, resource])).toEqual([
      ['infra/a.json', 1, 'a'],
      ['infra/deep/b.ndjson', 1, 'b'],
      ['infra/deep/b.ndjson', 2, 'c'],
      ['infra/t.yaml', 2, 'Plain'],
      ['stdin', 1, 'in'],
    ]);
    expect([summary.resources, skipped, exitCode]).toEqual([6, ['infra/other.json'], 2]);
  });

  it('tells policies and inputs in one folder apart', async () => {
    const cwd = makeRepo({ 'a.yaml': policies, 'template.yaml': template, 'x/t.yaml': template });
    for (const words of ['.', 'template.yaml x/t.yaml', 'template.yaml x --policies a.yaml']) {
      const { summary } = await checkJson(cwd, words);
      expect([words, summary.resources, summary.fail]).toEqual([words, 4, 2]);
    }
  });

  it('names the forms of infrastructure in a folder that it does not read, and does not pass where there is nothing else', async () => {
    const unread = { 'infra/a.tf': '', 'infra/b/b.tf': '', 'infra/c.bicep': '', 'infra/d.json.gz': '', 'infra/logo.svg.gz': '' }; // prettier-ignore
    const messages = [
      ['infra/a.tf', expect.stringMatching(/^Terraform source files are not read \(2 in these directories\); check a plan/)],
      ['infra/c.bicep', expect.stringMatching(/^Bicep files are not read; check the template/)],
      ['infra/d.json.gz', 'compressed files are not read; unpack them'],
    ]; // prettier-ignore
    const alone = await checkJson(repo(unread), 'infra');
    expect(alone.unreadable.map(({ file, message }) => [file, message])).toEqual(messages);
    expect([alone.warnings, alone.exitCode]).toEqual([[], 3]);
    const beside = await checkJson(repo({ ...unread, 'infra/e.cfn': template }), 'infra');
    expect(beside.warnings.map((one) => [(one as { file?: string }).file, one.message])).toEqual(messages); // prettier-ignore
    expect([beside.unreadable, beside.summary['resources'], beside.exitCode]).toEqual([[], 2, 2]);
  });

  it('reads UTF-16, as PowerShell writes it', async () => {
    const text = Buffer.from(`\ufeff${bucket('a', false)}`, 'utf16le');
    const { results } = await checkJson(repo({ 'a.json': text }), 'a.json');
    expect(results).toHaveLength(1);
  });

  it('reads NDJSON after a byte order mark', async () => {
    const lines = `\ufeff${bucket('a', false)}\n${bucket('b', true)}\n`;
    const { results, summary } = await checkJson(repo({ 'a.ndjson': lines }), 'a.ndjson');
    expect([results.length, summary.resources]).toEqual([1, 2]);
  });

  it.each([
    ['broken JSON', '{"id": ', { line: 1 }],
    ['an unknown format', '{"anything": 1}', { line: 1, column: 1 }],
    ['broken YAML', 'Resources: [', { line: 1 }],
    ['bytes that are no text', Buffer.from([0xc3, 0x28, 0xa0]), {}],
  ])('reports %s at its place, checks the others, and exits with 3', async (_, bad, place) => {
    const cwd = repo({ 'bad.json': bad, 'good.json': bucket('a', false) });
    const { unreadable, results, exitCode, stderr } = await checkJson(cwd, 'bad.json good.json');
    expect(unreadable).toEqual([
      expect.objectContaining({ file: 'bad.json', message: expect.stringMatching(/./), ...place }),
    ]);
    expect([results.length, exitCode]).toEqual([1, 3]);
    expect(stderr).toContain('warning: bad.json: ');
    const { stdout } = await check(cwd, 'bad.json good.json');
    expect(stdout).toContain('bad.json:1:');
    expect(stdout).toContain('1 part of the input could not be read: the check is incomplete.');
  });

  it('names the line and column of a resource that is none among a million', async () => {
    const lines = [bucket('a', true), '{"id":"b","type":}', '', '{"id":"c"}', bucket('d', false)];
    const cwd = repo({ 'a.ndjson': lines.join('\n') });
    const { unreadable, results, summary } = await checkJson(cwd, 'a.ndjson');
    expect(unreadable.map(({ line, column }) => [line, column])).toEqual([
      [2, 18],
      [4, 1],
    ]);
    expect(unreadable[1]?.message).toContain('type');
    expect(results).toMatchObject([{ resource: 'd', line: 5 }]);
    expect(summary.resources).toBe(2);
  });

  it('says which ids come twice, and checks both', async () => {
    const lines = [bucket('a', true), bucket('b', true), bucket('a', false)];
    for (const [file, text] of [
      ['a.ndjson', lines.join('\n')],
      ['a.json', `[${lines.join(',\n')}]`],
    ] as const) {
      const { warnings, summary, exitCode } = await checkJson(repo({ [file]: text }), file);
      expect(warnings).toMatchObject([{ code: 'duplicate-id', file, line: 3 }]);
      expect(warnings[0]?.message).toContain('"a"');
      expect([summary.fail, exitCode]).toEqual([1, 2]);
    }
  });

  it('gives templates their parameters', async () => {
    const cwd = repo({
      'policies/a.yaml': policies.replace('"nobody"', '"parameter"'),
      't.yaml': `Parameters: {Owner: {Type: String}}\n${template.replace('ana', '!Ref Owner')}`,
      'p.json': '[{"ParameterKey": "Owner", "ParameterValue": "parameter"}]',
      'q.yaml': 'Parameters: {Owner: parameter}',
    });
    const owner = async (words: string) =>
      (await checkJson(cwd, `t.yaml --policy s3-owner ${words}`)).results;
    expect(await owner('')).toMatchObject([{ status: 'ERROR', reason: 'unknown_value' }]);
    for (const words of [
      '--parameters Owner=parameter',
      '--parameters-file p.json',
      '--parameters-file q.yaml',
    ]) {
      expect(await owner(words)).toMatchObject([{ status: 'FAIL' }]);
    }
    expect(await owner('--parameters-file p.json --parameters Owner=x')).toEqual([]);
  });

  it('points at .tf files with --source', async () => {
    const change = { actions: ['create'], before: null, after: { bucket: 'x' }, after_unknown: {} };
    const plan = {
      format_version: '1.2',
      terraform_version: '1.9.0',
      resource_changes: [
        {
          address: 'aws_s3_bucket.logs',
          mode: 'managed',
          type: 'aws_s3_bucket',
          name: 'logs',
          provider_name: 'registry.terraform.io/hashicorp/aws',
          change,
        },
      ],
      planned_values: { root_module: {} },
      configuration: { root_module: {} },
    };
    const cwd = repo({
      'plan.json': JSON.stringify(plan),
      'infra/main.tf': '# buckets\n\nresource "aws_s3_bucket" "logs" {\n  bucket = "x"\n}\n',
    });
    const { results } = await checkJson(cwd, 'plan.json --policy s3-encryption --source infra');
    expect(results).toMatchObject([{ file: 'infra/main.tf', line: 3, column: 1 }]);
  });
});

describe('what fails govctl check', () => {
  const undecided = '{"id":"u","type":"AWS::S3::Bucket","tags":{"owner":"x"}}';

  it.each([
    ['a failure', bucket('a', false), '', 2],
    ['a failure below --fail-on', bucket('a', false), '--fail-on critical', 0],
    ['a failure at --fail-on', bucket('a', false), '--fail-on HIGH', 2],
    ['a missing attribute', undecided, '', 2],
    ['a missing attribute with --on-error warn', undecided, '--on-error warn', 0],
    ['a missing attribute with --on-unknown warn', undecided, '--on-unknown warn', 2],
    ['nothing', bucket('a', true), '', 0],
  ])('%s → its exit code', async (_, text, words, exitCode) => {
    const cwd = repo({ 'a.json': text });
    expect((await check(cwd, `a.json ${words}`.trim())).exitCode).toBe(exitCode);
  });

  it('is an invalid policy, shown as validate shows it', async () => {
    const cwd = repo({
      'policies/b.yaml': policies.replace('resource.enc', 'resurce.enc'),
      'a.json': bucket('a', true),
    });
    const checked = await check(cwd, 'a.json');
    const validated = await runCommandLine(['validate'], { cwd, columns: 80 });
    expect(checked.exitCode).toBe(3);
    expect(checked.stdout).toBe(validated.stdout);
  });

  it.each([
    ['a.json --policy s3-encryptoin', 'no policy has this name or key', 's3-encryption'],
    ['a.json --type AWS::S3::Buckt', 'unknown type', 'AWS::S3::Bucket'],
    ['a.json --policies none', 'none: no such file or directory', ''],
    ['a.json --format cloudformatoin', "argument 'cloudformatoin' is invalid", 'cloudformation'],
    ['a.json --fail-on worst', "argument 'worst' is invalid", 'CRITICAL'],
    ['a.json --now yesterday', '--now yesterday: must be a date or a time', '2026-01-31'],
    ['a.json --jobs 0', "argument '0' is invalid", 'whole number'],
    ['a.json --parameters x', 'must be KEY=VALUE', ''],
    ['a.json --baseline none.json', 'no such file', '--write-baseline'],
    ['a.json --baseline a.json', 'not a govctl baseline', '--write-baseline'],
    ['a.json --source none', '--source none', 'root module'],
    ['--all', 'No input files given', 'Pass a file'],
  ])('is a wrong command: %s', async (words, said, hint) => {
    const cwd = repo({ 'a.json': bucket('a', true) });
    const { exitCode, stderr } = await check(cwd, words);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(said);
    expect(stderr).toContain(hint);
  });

  it('is a folder without policies', async () => {
    const cwd = makeRepo({ 'a.json': bucket('a', true), 'p/readme.md': '' });
    const { exitCode, stderr } = await check(cwd, 'a.json --policies p');
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('No policies found in p')]);
    expect(stderr).toContain('govctl init --set baseline');
  });

  it('is not a disabled policy, which --all lists as skipped', async () => {
    const cwd = repo({
      'policies/a.yaml': policies.replace('severity: HIGH', 'severity: HIGH\nenabled: false'),
      'a.json': bucket('a', false),
    });
    const { results, exitCode } = await checkJson(cwd, 'a.json --all');
    expect(exitCode).toBe(0);
    expect(results.map(({ policy_key: key, status }) => [key, status])).toEqual([
      ['s3-encryption', 'SKIPPED'],
      ['s3-owner', 'PASS'],
    ]);
  });
});

describe('exemptions', () => {
  const checkWith = (exemption: string, words = '', input = bucket('legacy-1', false)) =>
    checkJson(repo({ 'policies/w.yaml': exemption, 'a.json': input }), `a.json ${words}`.trim());

  it('spare what they name until the end of their last day', async () => {
    const exemption = waiver('"legacy-*"', '2026-03-31');
    const spared = await checkWith(exemption, '--now 2026-03-31T23:59:59Z');
    expect([spared.exitCode, spared.summary.exempt]).toEqual([0, 1]);
    expect(spared.results).toMatchObject([
      { status: 'EXEMPT', exemption: 'moves in March (team-storage, until 2026-03-31)' },
    ]);
    expect(spared.warnings).toMatchObject([{ code: 'expiring-exemption' }]);
    const ended = await checkWith(exemption, '--now 2026-04-01');
    expect([ended.exitCode, ended.summary.fail]).toEqual([2, 1]);
    expect(ended.warnings).toMatchObject([{ code: 'expired-exemption' }]);
  });

  it('are warned of two weeks before they end', async () => {
    const exemption = waiver('"legacy-*"', '2026-03-31');
    expect((await checkWith(exemption, '--now 2026-03-15')).warnings).toEqual([]);
    expect((await checkWith(exemption, '--now 2026-03-19')).warnings).toMatchObject([
      { message: expect.stringContaining('ends in 13 days') },
    ]);
  });

  it('are reported when they spare nothing, and can fail the check', async () => {
    const exemption = waiver('other', '2026-12-31');
    const input = bucket('a', true);
    const kept = await checkWith(exemption, '', input);
    expect([kept.exitCode, kept.warnings[0]?.code]).toEqual([0, 'unused-exemption']);
    expect((await checkWith(exemption, '--fail-unused-exemptions', input)).exitCode).toBe(2);
  });

  it('stand in templates as suppressed Guard rules', async () => {
    const suppressed = template.replace(
      '    Properties:',
      '    Metadata: {guard: {SuppressedRules: [S3_ENCRYPTED]}}\n    Properties:',
    );
    const { results, exitCode } = await checkJson(repo({ 't.yaml': suppressed }), 't.yaml');
    expect(results).toMatchObject([
      { status: 'EXEMPT', exemption: expect.stringContaining('S3_ENCRYPTED') },
    ]);
    expect(exitCode).toBe(0);
  });
});

describe('a baseline', () => {
  it('accepts what was there wherever it moves, and fails what is new', async () => {
    const cwd = repo({ 't.yaml': template });
    const written = await checkJson(cwd, 't.yaml --write-baseline base.json');
    expect([written.exitCode, written.baseline?.written]).toEqual([0, 1]);

    writeFileSync(path.join(cwd, 't.yaml'), `# moved\n\n${template}`);
    const moved = await checkJson(cwd, 't.yaml --baseline base.json');
    expect([moved.exitCode, moved.results, moved.summary]).toEqual([
      0,
      [],
      { resources: 2, evaluated: 2, pass: 1, fail: 0, error: 0, exempt: 0, baselined: 1 },
    ]);

    writeFileSync(
      path.join(cwd, 't.yaml'),
      `${template}  Newer: {Type: "AWS::S3::Bucket", Properties: {Tags: [{Key: owner, Value: x}]}}\n`,
    );
    const newer = await checkJson(cwd, 't.yaml --baseline base.json');
    expect(newer.exitCode).toBe(2);
    expect(newer.results).toMatchObject([{ resource: 'Newer' }]);
  });

  it('says which of its entries are gone', async () => {
    const cwd = repo({ 'a.ndjson': `${bucket('a', false)}\n${bucket('b', false)}\n` });
    await check(cwd, 'a.ndjson --write-baseline base.json');
    writeFileSync(path.join(cwd, 'a.ndjson'), bucket('a', false));
    const { baseline } = await checkJson(cwd, 'a.ndjson --baseline base.json');
    expect(baseline?.stale).toMatchObject([{ resource: 'b', policy: 's3-encryption' }]);
    const other = await checkJson(cwd, 'a.ndjson --baseline base.json --policy s3-owner');
    expect(other.baseline?.stale).toEqual([]);
    const { stdout } = await check(cwd, 'a.ndjson --baseline base.json');
    expect(stdout).toContain('1 outdated entry in base.json. Use --prune-baseline');
  });
});

describe('what AWS Config records of no resource', () => {
  const secrets = `name: No secrets in user data
key: user-data
resource_type: AWS::EC2::Instance
severity: HIGH
rules:
  - condition: size(resource.user_data.secrets) > 0
    effect: DENY
  - condition: resource.public_access
    effect: DENY
    message: The instance has a public address.
`;
  const snapshot = (...addresses: readonly (string | null)[]): string =>
    JSON.stringify({
      fileVersion: '1.0',
      configurationItems: addresses.map((publicIpAddress, at) => ({
        resourceType: 'AWS::EC2::Instance',
        resourceId: `i-${at}`,
        configurationItemStatus: 'ResourceDiscovered',
        configurationItemCaptureTime: '2026-01-01T00:00:00.000Z',
        configuration: { instanceId: `i-${at}`, publicIpAddress },
      })),
    });
  const checked = (text: string, words = '') =>
    check(repo({ 'policies/a.yaml': secrets, 'a.json': text }), `a.json${words}`);

  it('is said once for each policy, and still is no pass', async () => {
    const { stdout, exitCode } = await checked(snapshot(null, '192.0.2.1', null));
    expect(exitCode).toBe(2);
    expect(stdout).toBe(`a.json:1:266  i-1  AWS::EC2::Instance
  HIGH     FAIL  No secrets in user data [user-data]
    The instance has a public address.

Not checked, because AWS Config does not record the required values. Check the
  template or plan instead, or use --on-unknown warn:
  HIGH     ERROR No secrets in user data [user-data] × 2 AWS::EC2::Instance
    resource.user_data.secrets is not known: user data, which AWS Config does
    not record

1 failed (1 HIGH); 2 errors (2 HIGH).
Checked 3 resources in 1 file (1 policy): 3 evaluations, 0 passed, 1 failed, 2
  errors.
`);
  });

  it('is a finding of the resource where there is only one', async () => {
    const { stdout } = await checked(snapshot(null));
    expect(stdout).toContain('  i-0  AWS::EC2::Instance\n  HIGH     ERROR No secrets');
    expect(stdout).not.toContain('Not checked');
  });

  it('is in JSON an error of each resource', async () => {
    const { stdout } = await checked(snapshot(null, null), ' -o json');
    const { results } = JSON.parse(stdout) as { results: { resource: string; status: string }[] };
    expect(results.map(({ resource, status }) => [resource, status])).toEqual([
      ['i-0', 'ERROR'],
      ['i-1', 'ERROR'],
    ]);
  });
});

describe('a resource that contains a whole template', () => {
  const inner = JSON.stringify({ Resources: { Logs: { Type: 'AWS::S3::Bucket' } } });

  it('is named, as what the template deploys is not checked', async () => {
    const set = { Type: 'AWS::CloudFormation::StackSet', Properties: { TemplateBody: inner } };
    const cwd = repo({ 'set.json': JSON.stringify({ Resources: { Roles: set } }) });
    const { stdout } = await check(cwd, 'set.json');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'Roles contains a template (TemplateBody) that is not checked; save it as a file and check that, too',
    );
  });

  it('is named in a Terraform plan, also where the template is known only after apply', async () => {
    const change = (type: string, after: object, unknown: object) => ({
      ...{ address: `${type}.it`, mode: 'managed', type, name: 'it' },
      change: { actions: ['create'], before: null, after, after_unknown: unknown },
    });
    const plan = {
      format_version: '1.2',
      resource_changes: [
        change('aws_cloudformation_stack', { template_body: inner }, {}),
        change('azurerm_resource_group_template_deployment', {}, { template_content: true }),
        change('aws_cloudformation_stack_set', { template_url: 'https://example.com/t' }, {}),
      ],
    };
    const cwd = repo({ 'plan.json': JSON.stringify(plan) });
    const { stdout } = await check(cwd, 'plan.json');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'aws_cloudformation_stack.it contains a template (template_body)',
    );
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'template_deployment.it contains a template (template_content)',
    );
    expect(stdout.replaceAll(/\s+/g, ' ')).not.toContain('aws_cloudformation_stack_set.it');
  });
});

describe('a policy about a pattern of types', () => {
  const tagged = `name: Everything is tagged
resource_type: AWS::*
rules:
  - condition: size(resource.tags) == 0
    effect: DENY
`;

  it('is evaluated on all that it matches, and counts with each', async () => {
    const cwd = repo({ 'template.yaml': template, 'policies/tagged.yaml': tagged });
    const { results, summary, exitCode } = await checkJson(cwd, 'template.yaml');
    expect(results.map(({ policy, resource_type: type }) => [policy, type])).toEqual([
      ['Buckets are encrypted', 'AWS::S3::Bucket'],
      ['Everything is tagged', 'AWS::SQS::Queue'],
    ]);
    expect([summary, exitCode]).toMatchObject([{ evaluated: 4, pass: 2, fail: 2 }, 2]);
  });

  it.each([
    ['AWS::SQS::Queue', ['Everything is tagged']],
    ['AWS::S3::*', ['Buckets are encrypted']],
    ['AWS::*', ['Buckets are encrypted', 'Everything is tagged']],
  ])('is evaluated on those that --type %s selects', async (type, names) => {
    const cwd = repo({ 'template.yaml': template, 'policies/tagged.yaml': tagged });
    const { results } = await checkJson(cwd, `template.yaml --type ${type}`);
    expect(results.map(({ policy }) => policy)).toEqual(names);
  });

  it('about the IAM policies or the secrets of all types hides of no type that it alone is about it', async () => {
    const everywhere = (name: string, condition: string) =>
      `name: ${name}\nresource_type: GCP::*\nrules:\n  - condition: ${condition}\n    effect: DENY\n`;
    const asset = (type: string, id: string) => ({
      name: `//${type.split('/')[0] ?? ''}/projects/acme/${id}`,
      asset_type: type,
      resource: { version: 'v1', data: { name: id } },
    });
    const cwd = repo({
      'assets.json': JSON.stringify([
        asset('dataproc.googleapis.com/Cluster', 'a'),
        asset('foo.googleapis.com/Bar', 'b'),
      ]),
      'policies/iam.yaml': everywhere('No public members', 'has(resource.iam) && resource.iam.bindings.exists(b, "allUsers" in b.members)'), // prettier-ignore
      'policies/secrets.yaml': everywhere('No secrets', 'has(resource.plaintext_secrets)'),
    });
    expect((await check(cwd, 'assets.json')).stdout).toContain(
      'No policy covers the types of 2 resources: GCP::Dataproc::Cluster (1),',
    );
  });

  it('hides of no type that it alone is about it', async () => {
    const cwd = repo({ 'template.yaml': template, 'policies/tagged.yaml': tagged });
    const { stdout } = await check(cwd, 'template.yaml');
    expect(stdout).toContain('No policy covers the type of 1 resource: AWS::SQS::Queue (1).');
    const { unmatched_types: types } = await checkJson(cwd, 'template.yaml');
    expect(types).toEqual([{ type: 'AWS::SQS::Queue', resources: 1 }]);
  });

  it.each([
    ['a service', 'AWS::SQS::*', 'size(resource.tags) == 0'],
    ['a type of any service', 'AWS::*::Queue', 'size(resource.tags) == 0'],
    ['the type in a condition', 'AWS::*', 'resource.type == "AWS::SQS::Queue"'],
    ['the type in a list', '"*"', 'resource.type in ["AWS::SNS::Topic", "AWS::SQS::Queue"]'],
    ['an attribute that the type has', 'AWS::*', 'resource.encryption.enabled == false'],
    ['what is inside such a one', 'AWS::*', 'resource.policy.statements.exists(s, s.sid == "x")'],
  ])('is about a type where it names %s', async (_, wanted, condition) => {
    const named = `name: Named\nresource_type: ${wanted}\nrules:\n  - condition: ${condition}\n    effect: DENY\n`;
    const cwd = repo({ 'template.yaml': template, 'policies/named.yaml': named });
    expect((await checkJson(cwd, 'template.yaml')).unmatched_types).toBeUndefined();
  });

  it.each([
    ['an attribute of other types', 'has(resource.ingress)'],
    ['an attribute of other types of the service', 'has(resource.ingress)', 'AWS::SQS::*'],
    ['other types of the service', 'resource.type == "AWS::SQS::QueuePolicy"', 'AWS::SQS::*'],
    ['only the first part of one', 'has(resource.encryption)'],
    ['one that begins like it', 'has(resource.encryption.enabled_by)'],
    ['another type', 'resource.type == "AWS::SQS::QueuePolicy"'],
  ])('is about no type where it names %s', async (_, condition, wanted = 'AWS::*') => {
    const named = `name: Named\nresource_type: ${wanted}\nrules:\n  - condition: ${condition}\n    effect: DENY\n`;
    const cwd = repo({ 'template.yaml': template, 'policies/named.yaml': named });
    expect((await checkJson(cwd, 'template.yaml')).unmatched_types).toHaveLength(1);
  });

  it('is refused where it fits known types only in another case', async () => {
    const other = tagged.replace('AWS::*', 'aws::s3::*');
    const cwd = repo({ 'template.yaml': template, 'policies/tagged.yaml': other });
    const { exitCode, stdout, stderr } = await check(cwd, 'template.yaml');
    expect([exitCode, `${stdout}${stderr}`]).toEqual([3, expect.stringContaining('AWS::S3::*')]);
  });
});

describe('the order of findings', () => {
  it('is that of the input, and ndjson has all of them where memory keeps some', async () => {
    const count = 10_500;
    const lines = Array.from({ length: count }, (_, n) => bucket(`b${n}`, false));
    const cwd = repo({ 'a.ndjson': lines.join('\n') });
    const file = path.join(cwd, 'rows.ndjson');
    const { results, summary, ...rest } = await checkJson(cwd, `a.ndjson -o ndjson=${file}`);
    expect([results.length, summary.fail]).toEqual([10_000, count]);
    expect(rest).toMatchObject({ results_omitted: 500 });
    const rows = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(rows.map((row) => (JSON.parse(row) as { line: number }).line)).toEqual(
      Array.from({ length: count }, (_, n) => n + 1),
    );
    const { stdout } = await check(cwd, 'a.ndjson');
    expect(stdout).toContain('… and 500 more findings');
  });
});
