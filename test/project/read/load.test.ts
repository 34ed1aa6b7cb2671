import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { GovctlError } from '../../../src/contract/errors.ts';
import { loadProject } from '../../../src/project/read/load.ts';
import type { LoadedProject } from '../../../src/project/model.ts';
import { makeRepo } from '../../support/temp-repo.ts';

const policy = (name: string, more = ''): string => `name: ${name}
resource_type: AWS::S3::Bucket
rules:
  - condition: resource.a == 1
    effect: DENY
${more}`;

const load = (cwd: string, ...paths: string[]): Promise<LoadedProject> =>
  loadProject({ cwd, paths });

/** `line:column code`, and what the caret marks. */
function findings({ problems }: LoadedProject): string[] {
  return problems.map(({ line, column, code, excerpt }) => {
    const marked = excerpt?.text.slice(column - 1, column - 1 + excerpt.width) ?? '';
    return `${line}:${column} ${code} ${marked}`.trim();
  });
}

const findingsOf = async (text: string | Uint8Array, file = 'a.yaml'): Promise<string[]> =>
  findings(await load(makeRepo({ [file]: text })));

describe('reading policies', () => {
  it('gives a policy as the API takes it, with its key and its place', async () => {
    const repo = makeRepo({ 'p/a.yaml': `# first\n${policy('Encrypt S3 buckets')}` });
    expect(await load(repo)).toEqual({
      config: { paths: ['.'], set: 'baseline', concurrency: 8, guards: { max_delete: 30 } },
      root: repo,
      policies: [
        {
          key: 'encrypt-s3-buckets',
          policy: {
            name: 'Encrypt S3 buckets',
            resource_type: 'AWS::S3::Bucket',
            enabled: true,
            rules: [{ condition: 'resource.a == 1', effect: 'DENY' }],
          },
          place: { file: 'p/a.yaml', line: 2, column: 1 },
        },
      ],
      webhooks: [],
      schedules: [],
      exemptions: [],
      frameworks: [],
      budgets: [],
      others: [],
      problems: [],
      files: 1,
      unread: [],
    });
  });

  it('takes any number of documents from a file: separate ones, and items of a list', async () => {
    const repo = makeRepo({
      'a.yaml': `${policy('one')}---\n# nothing here\n---\n- name: two
  resource_type: A::B
  rules: &same
    - {condition: resource.x, effect: ALLOW}
- name: three
  key: third
  resource_type: A::B
  rules: *same
`,
    });
    const { policies, problems } = await load(repo);
    expect(problems).toEqual([]);
    expect(policies.map(({ key, place }) => [key, place.line])).toEqual([
      ['one', 1],
      ['two', 9],
      ['third', 13],
    ]);
  });

  it('merges maps with <<, as files written for other tools do', async () => {
    const { policies, problems } = await load(
      makeRepo({
        'a.yaml': `- &base
  name: one
  resource_type: A::B
  severity: HIGH
  rules: [{condition: resource.x, effect: DENY}]
- <<: *base
  name: two
`,
      }),
    );
    expect(problems).toEqual([]);
    expect(policies[1]?.policy).toMatchObject({ name: 'two', severity: 'HIGH' });
  });

  it('reads documents of the other kinds', async () => {
    const { others, problems } = await load(
      makeRepo({
        'a.yaml': `${policy('encrypt')}---
kind: Schedule
name: weekly
schedule: {cron: 0 9 * * 1, timezone: Europe/Berlin}
report_template: {name: Weekly, type: compliance}
---
kind: Webhook
url: https://example.com/hook
events: [policy.violation.created]
secret: \${HOOK_SECRET}
---
kind: Exemption
policy: encrypt
resources: [arn:aws:s3:::legacy-*]
reason: moves in March
owner: team-storage
expires: 2026-03-31
`,
        'a.test.yaml': `policy: a.yaml
cases:
  - name: fails
    input: {cloudformation: template.yaml}
    expect: [{resource: x, result: fail}]
`,
        // What a test reads holds resources, not policies.
        'template.yaml': 'Resources: {Bucket: {Type: "AWS::S3::Bucket", Name: !Ref X}}\n',
      }),
    );
    expect(problems).toEqual([]);
    expect(others.map(({ kind, title }) => [kind, title])).toEqual([
      ['PolicyTest', 'a.yaml'],
      ['Schedule', 'weekly'],
      ['Webhook', 'https://example.com/hook'],
      ['Exemption', 'encrypt'],
    ]);
  });

  it('warns of a secret that is written out, and does not repeat it', async () => {
    const { problems } = await load(
      makeRepo({
        'a.yaml':
          'kind: Webhook\nurl: https://example.com\nevents: [scan.failed]\nsecret: hunter2hunter2\n',
      }),
    );
    expect(problems).toMatchObject([{ level: 'warning', code: 'plain-secret', line: 4 }]);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
    const schedule = (chat: string): string =>
      `kind: Schedule\nname: W\nschedule: {cron: "0 9 * * 1"}\nreport_template: {name: W, type: audit}\ndelivery:\n  team_chat: {${chat}}\n`;
    const plain = await load(
      makeRepo({ 'a.yaml': schedule('webhook_url: "https://a.example/hunter2"') }),
    );
    expect(plain.problems).toMatchObject([{ level: 'warning', code: 'plain-secret', line: 6 }]);
    expect(JSON.stringify(plain.problems)).not.toContain('hunter2');
    const named = await load(makeRepo({ 'a.yaml': schedule('webhook_url_env: TEAM_HOOK') }));
    expect(named.problems).toEqual([]);
  });
});

describe('what is wrong with a document', () => {
  it('is said all at once, each at its place', async () => {
    expect(
      await findingsOf(`name: 123
resource_type: Bucket
severty: HIGH
severity: on
enabled: yes
rules:
  - condition: resourse.a == 1
    effect: DENNY
  - {efect: DENY}
description:
`),
    ).toEqual([
      '1:7 wrong-type 123',
      '2:16 invalid-value Bucket',
      '3:1 unknown-field severty',
      '4:11 invalid-value on',
      '5:10 wrong-type yes',
      '7:16 condition resourse',
      '8:13 invalid-value DENNY',
      '9:6 missing-field efect',
      '9:6 unknown-field efect',
      '10:1 wrong-type description',
    ]);
  });

  it('names the nearest valid word', async () => {
    const { problems } = await load(
      makeRepo({ 'a.yaml': `${policy('a', 'severty: HIGH\n')}---\nkind: Polici\n` }),
    );
    expect(problems.map(({ hint }) => hint)).toEqual([
      'Did you mean severity?',
      'Did you mean Policy?',
    ]);
  });

  it('never reaches a prototype: such names are unknown fields', async () => {
    const found = await findingsOf(
      policy('a', '__proto__: {polluted: 1}\nconstructor: 1\ntoString: 1\nhasOwnProperty: 1\n'),
    );
    expect(found).toEqual([
      '6:1 unknown-field __proto__',
      '7:1 unknown-field constructor',
      '8:1 unknown-field toString',
      '9:1 unknown-field hasOwnProperty',
    ]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it.each([
    ['a quote that is never closed', 'name: "x\nseverity: LOW\n', 'syntax'],
    ['a tab as indentation', 'name: x\nrules:\n\t- a: 1\n', 'tab'],
    ['a field twice', 'name: x\nname: y\n', 'duplicate-field'],
    ['a map as a field name', '? {a: 1}\n: b\n', 'field-name'],
    ['an alias without an anchor', 'name: *nobody\n', 'alias'],
    ['an alias around itself', 'name: &a [*a]\n', 'cyclic-alias'],
    ['a tag of another tool', 'name: !Ref x\n', 'tag'],
    ['text that is no map', 'just text\n', 'not-a-document'],
    ['a number', '42\n', 'not-a-document'],
    ['a list of lists', '- [a]\n', 'not-a-document'],
    ['a document of another tool', 'services: {web: {image: x}}\n', 'not-a-document'],
    ['a kind of another tool', 'apiVersion: v1\nkind: ConfigMap\n', 'unknown-kind'],
    ['a merge of a text', '<<: text\nname: x\n', 'syntax'],
  ])('includes %s', async (_what, text, code) => {
    const found = await findingsOf(text);
    expect(found.some((finding) => finding.includes(` ${code}`))).toBe(true);
  });

  it('ends in one finding for a YAML bomb', async () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 12; i++) {
      lines.push(`a${i}: &a${i} [${Array.from({ length: 9 }, () => `*a${i - 1}`).join(', ')}]`);
    }
    expect((await findingsOf(`${lines.join('\n')}\n`))[0]).toMatch(/^1:1 alias-bomb/);
  });

  it.each([
    ['brackets', `name: ${'['.repeat(100_000)}`],
    ['braces', `name: ${'{a: '.repeat(10_000)}`],
    ['dashes', '- '.repeat(10_000)],
    ['question marks', '? '.repeat(10_000)],
    ['closed brackets', `name: ${'['.repeat(10_000)}${']'.repeat(10_000)}`],
  ])('ends in one finding for ten thousand nested %s', async (_what, text) => {
    const found = await findingsOf(text);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/too-deep/);
  });

  it('is found in seconds in a map of a hundred thousand fields', async () => {
    const text = Array.from({ length: 100_000 }, (_, n) => `f${n}: 1\n`).join('');
    expect(await findingsOf(`${text}f7: 2\n`)).toEqual([
      '1:1 not-a-document f0',
      '100001:1 duplicate-field f7',
    ]);
  });

  it('includes names and keys that another document has, and where', async () => {
    const { problems } = await load(
      makeRepo({
        'a.yaml': policy('same'),
        'b.yaml': `# moved\n${policy('same')}---\n${policy('other', 'key: same\n')}`,
        'c.yaml': policy('Same!'),
      }),
    );
    expect(problems.map(({ file, line, code, message }) => [file, line, code, message])).toEqual([
      ['b.yaml', 2, 'duplicate-name', 'another policy is named "same": a.yaml:1'],
      ['b.yaml', 13, 'duplicate-key', 'another policy has the key "same": a.yaml:1'],
      [
        'c.yaml',
        1,
        'duplicate-key',
        'the name results in the key "same", which another policy already has: a.yaml:1',
      ],
    ]);
  });

  it.each([
    ['UTF-16', new Uint8Array(Buffer.from('\ufeffname: x\n', 'utf16le')), '1:1 encoding'],
    ['Latin-1', new Uint8Array(Buffer.from('# ok\nname: é\n', 'latin1')), '2:7 encoding'],
    ['a NUL byte', new Uint8Array(Buffer.from('# ok\nna\0me: x\n')), '2:3 binary-file'],
  ])('includes %s', async (_what, bytes, expected) => {
    expect((await findingsOf(bytes))[0]).toContain(expected);
  });

  it('is nothing for a byte order mark, CRLF line ends, or a file of comments', async () => {
    expect(await findingsOf(`\ufeff${policy('a')}`.replaceAll('\n', '\r\n'))).toEqual([]);
    expect(await findingsOf('')).toEqual([]);
    expect(await findingsOf('# nothing yet\n')).toEqual([]);
  });

  it('never throws, whatever the file holds', async () => {
    const repo = makeRepo();
    const file = path.join(repo, 'a.yaml');
    const fragment = fc.constantFrom(
      ...['name: ', 'rules:\n', '  - ', '{', '}', '[', ']', '"', "'", '&a ', '*a', '|', '>', '\n'],
      ...[
        '---\n',
        '...\n',
        '%YAML 1.1\n',
        '!!str ',
        '? ',
        ': ',
        '\t',
        '#',
        'kind: Policy\n',
        '<<: ',
      ],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fragment, { maxLength: 25 }), async (parts) => {
        writeFileSync(file, parts.join(''));
        const { problems } = await load(repo);
        for (const { line, column } of problems) expect(line * column).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the place of a fault inside a condition', () => {
  const condition = fc
    .tuple(
      fc.array(
        fc.constantFrom('resource.a == 1', 'has(resource.b)', "resource.c == 'é'", '"x" == "y"'),
        {
          maxLength: 6,
        },
      ),
      fc.constantFrom(' && ', '\n&& ', ' ||\n  '),
    )
    .map(([parts, glue]) => [...parts, 'nobody.x'].join(glue));
  const style = fc.constantFrom(
    'PLAIN' as const,
    'QUOTE_SINGLE' as const,
    'QUOTE_DOUBLE' as const,
    'BLOCK_LITERAL' as const,
    'BLOCK_FOLDED' as const,
  );

  it('is the same character in the file, however the condition is written', async () => {
    const repo = makeRepo();
    await fc.assert(
      fc.asyncProperty(condition, style, fc.constantFrom(0, 30, 80), async (text, type, width) => {
        const document = {
          name: 'a',
          resource_type: 'A::B',
          rules: [{ condition: text, effect: 'DENY' }],
        };
        const written = stringify(document, {
          defaultStringType: type,
          defaultKeyType: 'PLAIN',
          lineWidth: width,
        });
        writeFileSync(path.join(repo, 'a.yaml'), written);
        const found = findings(await load(repo));
        expect(found, written).toHaveLength(1);
        expect(found[0], written).toMatch(/ condition nobody$/);
      }),
      { numRuns: 200 },
    );
  });
});

describe('finding policy files', () => {
  it('skips dot-folders, node_modules, govctl.yaml, other files and what .govctlignore names', async () => {
    const repo = makeRepo({
      'govctl.yaml': 'project: demo\n',
      '.govctlignore': 'templates/\n*.draft.yaml\n!keep.draft.yaml\n',
      'a.yaml': policy('a'),
      'b.yml': policy('b'),
      'keep.draft.yaml': policy('keep'),
      'x.draft.yaml': 'broken: [',
      'templates/t.yaml': 'broken: [',
      '.github/workflows/ci.yml': 'on: push\n',
      'node_modules/x/a.yaml': 'broken: [',
      'notes.txt': 'broken: [',
    });
    const { policies, problems } = await load(repo);
    expect(problems).toEqual([]);
    expect(policies.map(({ key }) => key)).toEqual(['a', 'b', 'keep']);
    // Named by hand, an ignored file is read.
    expect((await load(repo, 'x.draft.yaml')).problems).not.toEqual([]);
  });

  it('survives links that loop, and reads a file that is reached twice once', async () => {
    const repo = makeRepo({ 'p/a.yaml': policy('a') });
    symlinkSync('.', path.join(repo, 'p', 'loop'));
    symlinkSync('a.yaml', path.join(repo, 'p', 'b.yaml'));
    const { policies, files, problems } = await load(repo, 'p', 'p/a.yaml', '.');
    expect([policies.length, files, problems]).toEqual([1, 1, []]);
  });

  it('reports what cannot be read, and goes on', async () => {
    const repo = makeRepo({ 'a.yaml': policy('a') });
    symlinkSync('gone.yaml', path.join(repo, 'dangling.yaml'));
    symlinkSync('self.yaml', path.join(repo, 'self.yaml'));
    writeFileSync(path.join(repo, 'huge.yaml'), '');
    truncateSync(path.join(repo, 'huge.yaml'), 100 * 1024 * 1024);
    mkdirSync(path.join(repo, 'folder.yaml'));
    const { policies, problems } = await load(repo);
    expect(policies).toHaveLength(1);
    expect(problems.map(({ file, code }) => [file, code])).toEqual([
      ['dangling.yaml', 'unreadable-file'],
      ['huge.yaml', 'file-too-large'],
      ['self.yaml', 'unreadable-file'],
    ]);
  });

  it('refuses a path that is not there', async () => {
    await expect(load(makeRepo(), 'nowhere')).rejects.toThrow(GovctlError);
    await expect(load(makeRepo(), 'nowhere')).rejects.toMatchObject({
      error: 'usage_error',
      message: 'nowhere: no such file or directory',
    });
  });
});

describe('govctl.yaml', () => {
  it('is found above the working folder, and its paths are relative to it', async () => {
    const repo = makeRepo({
      'govctl.yaml':
        'project: demo\nbase_url: https://x.example\npaths: [p]\nconcurrency: 2\nguards: {max_delete: 5}\n',
      'p/a.yaml': policy('a'),
      'other/b.yaml': 'broken: [',
      'p/deep/c.yaml': policy('c'),
    });
    const { config, root, policies } = await load(path.join(repo, 'p', 'deep'));
    expect(config).toEqual({
      project: 'demo',
      base_url: 'https://x.example',
      paths: ['p'],
      set: 'baseline',
      concurrency: 2,
      guards: { max_delete: 5 },
    });
    expect(root).toBe(repo);
    expect(policies.map(({ place }) => place.file)).toEqual(['../a.yaml', 'c.yaml']);
  });

  it('is not looked for above the folder that holds .git', async () => {
    const repo = makeRepo({ 'govctl.yaml': 'project: outer\n', 'inner/.git/HEAD': '' });
    expect((await load(path.join(repo, 'inner'))).config.project).toBeUndefined();
  });

  it('has its own findings, and never a secret', async () => {
    const loaded = await load(
      makeRepo({
        'govctl.yaml':
          'project: no spaces\npathes: [a]\ntoken: gk_secret\nbase_url: ftp://x\nconcurrency: 65\nguards: {max_delete: -1}\n',
      }),
    );
    expect(findings(loaded)).toEqual([
      '1:10 invalid-value no spaces',
      '2:1 unknown-field pathes',
      '3:1 secret-field',
      '4:11 invalid-value ftp://x',
      '5:14 invalid-value 65',
      '6:22 invalid-value -1',
    ]);
    expect(JSON.stringify(loaded)).not.toContain('gk_secret');
  });

  it('yields to --project, which must be a name too', async () => {
    const cwd = makeRepo({ 'govctl.yaml': 'project: demo\n' });
    const options = { cwd, paths: [] };
    expect((await loadProject({ ...options, project: 'mine' })).config.project).toBe('mine');
    await expect(loadProject({ ...options, project: 'a b' })).rejects.toMatchObject({
      error: 'usage_error',
    });
  });
});

describe('reading policies without their tests', () => {
  const suite = `policy: a.yaml
cases:
  - name: fails
    input: {cloudformation: template.yaml}
    expect: [{resource: x, result: fail}]
`;
  const loadFiles = (files: Record<string, string>): Promise<LoadedProject> =>
    loadProject({
      cwd: makeRepo({ 'a.yaml': policy('a'), ...files }),
      paths: [],
      withoutTests: true,
    });

  it.each([
    ['with their kind', `kind: PolicyTest\n${suite}`],
    ['without it, as their name says it', suite],
    ['with line ends of Windows', `kind: PolicyTest\n${suite}`.replaceAll('\n', '\r\n')],
    ['with a mistake, which `validate` finds', `${suite}nonsense: true\n`],
  ])('leaves those that hold tests alone: %s', async (_, text) => {
    const { policies, others, problems, unread, files } = await loadFiles({ 'a.test.yaml': text });
    expect([policies.length, others, problems, files]).toEqual([1, [], [], 2]);
    expect(unread).toEqual(['a.test.yaml']);
  });

  const hidden = policy('hidden', 'kind: Policy\n');
  it.each([
    ['kind: Policy', hidden],
    ['a kind in quotes', hidden.replace('kind:', '"kind":')],
    ['a kind that is spelled with an escape', hidden.replace('kind:', '"\\x6bind":')],
    ['a kind from an anchor', `.x: &x {kind: Policy}\n<<: *x\n${policy('hidden')}`],
    ['a second document', `kind: PolicyTest\n${suite}---\n${hidden}`],
    ['a list', `- kind: Policy\n${policy('hidden').replaceAll(/^/gm, '  ')}`],
  ])('reads a policy in a file of tests as ever: %s', async (_, text) => {
    const cwd = makeRepo({ 'a.yaml': policy('a'), 'a.test.yaml': text, 'template.yaml': '' });
    const whole = await loadProject({ cwd, paths: [] });
    const without = await loadProject({ cwd, paths: [], withoutTests: true });
    expect(without).toEqual(whole);
  });

  it('reads them where another file is no policy: it may be the input of a test', async () => {
    const template = 'Resources: {Bucket: {Type: "AWS::S3::Bucket"}}\n';
    const read = await loadFiles({ 'a.test.yaml': suite, 'template.yaml': template });
    expect([read.problems, read.unread]).toEqual([[], []]);
    const none = await loadFiles({ 'b.test.yaml': suite, 'other.yaml': template });
    expect(none.problems.map(({ file }) => file)).toContain('other.yaml');
  });

  it('takes no template for a test because of its name', async () => {
    const template = 'Resources: {Bucket: {Type: "AWS::S3::Bucket"}}\n';
    const { unread, problems } = await loadFiles({ 'a.test.yaml': template });
    expect(unread).toEqual([]);
    expect(problems.map(({ file }) => file)).toContain('a.test.yaml');
  });
});
