// Files of a cloned repo, of some hundred KB, that are many times one small thing: what one costs must not grow with all.
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../support/fake-world.ts';
import type { Outcome } from '../support/fake-world.ts';
import { makeRepo } from '../support/temp-repo.ts';

const many = <T>(count: number, make: (nth: number) => T): T[] =>
  Array.from({ length: count }, (_, nth) => make(nth));

const run = (words: string, files: Readonly<Record<string, string>>): Promise<Outcome> =>
  runCommandLine(words.split(' '), {
    cwd: makeRepo({ 'govctl.yaml': 'project: acme\npaths: [.]\n', ...files }),
    env: { NO_COLOR: '1' },
  });

const policy = (name: string): string =>
  `name: ${name}\nresource_type: AWS::S3::Bucket\nrules:\n  - condition: 'true'\n    effect: DENY\n`;
const bucket = (id: string): string => `{id: ${id}, type: 'AWS::S3::Bucket'}`;
const exemption = (of: string, resource = 'a'): string =>
  `kind: Exemption\npolicy: ${of}\nresources: [${resource}]\nreason: because\nowner: us\nexpires: '2020-01-01'\n`;

describe('a policy test', () => {
  const testOf = (cases: readonly string[]): string =>
    `kind: PolicyTest\npolicy: p.yaml\ncases:\n${cases.join('')}`;

  it('of thousands of cases ends, whether they pass or fail', async () => {
    const cases = many(
      3_000,
      (nth) =>
        `  - name: c${nth}\n    input: {resources: [${bucket('b')}]}\n    expect: [{resource: b, result: ${nth % 2 ? 'pass' : 'fail'}}]\n`,
    );
    const { exitCode, stdout } = await run('test', {
      'p.yaml': policy('p'),
      'p.test.yaml': testOf(cases),
    });
    expect(exitCode).toBe(2);
    expect(stdout.split('\n').at(-2)).toBe('3,000 cases in 1 test: 1,500 failed, 1,500 passed.');
  });

  it('of one case with thousands of expectations ends, also where each names nothing', async () => {
    const expected = many(
      4_000,
      (nth) => `{resource: ${nth < 2_000 ? 'b' : 'q'}${nth}, result: fail}`,
    );
    const one = `  - name: c\n    input: {resources: [${many(4_000, (nth) => bucket(`b${nth}`)).join(',')}]}\n    expect: [${expected.join(',')}]\n`;
    const { exitCode, stdout } = await run('test -o json', {
      'p.yaml': policy('p'),
      'p.test.yaml': testOf([one]),
    });
    expect(exitCode).toBe(2);
    const { results } = JSON.parse(stdout) as { results: { failures: { message: string }[] }[] };
    const said = results[0]?.failures.map(({ message }) => message) ?? [];
    expect(said).toHaveLength(4_000);
    // 2,000 are unknown, and as many findings nobody expects.
    const unknown = said.filter((message) => message.includes('in the input'));
    expect(unknown).toHaveLength(2_000);
    expect(unknown[0]).toContain('did you mean');
    expect(unknown.at(-1)).not.toContain('did you mean');
  });
});

it('thousands of fields that no policy has are each told', async () => {
  const fields = many(30_000, (nth) => `kind_of_rule_${nth}: 1\n`).join('');
  const { exitCode, stdout } = await run('validate', { 'p.yaml': `${policy('p')}${fields}` });
  expect(exitCode).toBe(3);
  expect(stdout.match(/unknown field "kind_of_rule_/g)).toHaveLength(30_000);
});

describe('thousands of exemptions of one file', () => {
  const exemptions = (of: (nth: number) => string): string =>
    many(3_000, (nth) => exemption(of(nth), `r${nth}`)).join('---\n');

  it('that have expired are each told, with their lines', async () => {
    const { exitCode, stdout } = await run('validate', {
      'p.yaml': policy('p'),
      'e.yaml': exemptions(() => 'p'),
    });
    expect(exitCode).toBe(0);
    expect(stdout.match(/the exemption expired/g)).toHaveLength(3_000);
    expect(stdout).toContain(`e.yaml:${2_999 * 7 + 6}:`);
  });

  it('that are for the same are each told', async () => {
    const { exitCode, stdout } = await run('validate', {
      'p.yaml': policy('p'),
      'e.yaml': many(3_000, () => exemption('p')).join('---\n'),
    });
    expect(exitCode).toBe(3);
    expect(stdout.match(/another exemption has this policy/g)).toHaveLength(2_999);
  });

  it('from thousands of policies that are none are each told', async () => {
    const { exitCode, stdout } = await run('validate', {
      'p.yaml': many(3_000, (nth) => policy(`policy-with-a-rather-long-name-${nth}`)).join('---\n'),
      'e.yaml': exemptions((nth) => `policy-with-another-long-names-${nth}`),
    });
    expect(exitCode).toBe(0);
    expect(stdout.match(/no policy in these files has the name/g)).toHaveLength(3_000);
  });
});

describe('a policy file with tens of thousands of aliases', () => {
  it.each([
    ['of items of its list', many(20_000, (nth) => `- &p${nth}\n  a: 1\n- *p${nth}\n`).join('')],
    ['of one large value', `a: &b [${'[],'.repeat(100_000)}]\nl:\n${'- *b\n'.repeat(50_000)}`],
  ])('%s ends in `validate`', async (_what, text) => {
    const { exitCode, stdout } = await run('validate -o json', { 'p.yaml': text });
    expect(exitCode).toBe(3);
    expect(stdout).toContain('not a policy');
  });

  it('is refused where its merges copy more than a machine holds', async () => {
    const fields = many(40_000, (nth) => `a${nth}: 1`).join();
    const text = `m: &b {${fields}}\nl:\n${'- <<: *b\n'.repeat(900)}`;
    const { exitCode, stdout } = await run('validate -o json', { 'p.yaml': text });
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ problems: [{ code: 'alias-bomb', line: 28 }] });
  });
});

describe('YAML with more tokens than a machine should compose', () => {
  it.each([
    ['one key repeated', 'a: 1\n'.repeat(200_000)],
    ['merges', `m: &b {x: 1}\nl:\n${'- <<: *b\n'.repeat(200_000)}`],
    ['a string of blank lines', `a: |\n${'\n'.repeat(1_000_001)} x\n`],
    ['opened documents', '---\n'.repeat(500_001)],
  ])('is refused as a policy file: %s', async (_what, text) => {
    const { exitCode, stdout } = await run('validate -o json', { 'p.yaml': text });
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ problems: [{ code: 'file-too-large' }] });
  });

  it.each([
    ['one key repeated', 'a: 1\n'.repeat(200_000)],
    ['a string of 17 MiB', `a: ${'x'.repeat(17 * 1024 * 1024)}\n`],
  ])('is refused as an input, with what to do: %s', async (_what, text) => {
    const { exitCode, stdout } = await run('check in/i.yaml --policies p.yaml', {
      'p.yaml': policy('p'),
      'in/i.yaml': text,
    });
    expect(exitCode).toBe(3);
    expect(stdout).toContain('this YAML is too large');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('Convert it to JSON');
  });

  it('is refused as a file of parameters', async () => {
    const words = 'check t.yaml --policies p.yaml --parameters-file params.yaml';
    const { exitCode, stderr } = await run(words, {
      'p.yaml': policy('p'),
      't.yaml': 'Resources: {}\n',
      'params.yaml': many(200_000, (nth) => `k${nth}: 1\n`).join(''),
    });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('this YAML is too large');
  });

  it('is refused as govctl.yaml', async () => {
    const files = { 'govctl.yaml': 'a: 1\n'.repeat(200_000), 'p.yaml': policy('p') };
    const { exitCode, stdout } = await run('validate', files);
    expect(exitCode).toBe(3);
    expect(stdout).toContain('this YAML is too large');
  });
});

it.each([
  ['', ']'],
  ['a: ', '*a '],
])('a file of a million syntax errors is refused with the first: %j%j', async (start, error) => {
  const { exitCode, stdout } = await run('validate -o json', {
    'p.yaml': start + error.repeat(400_000),
  });
  expect(exitCode).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ problems: [{ code: 'syntax', line: 1 }] });
});

it('an error is told behind a thousand warnings', async () => {
  const tags = many(1_500, (nth) => `k${nth}: !t x\n`).join('');
  const { exitCode, stdout } = await run('validate', {
    'p.yaml': `${policy('p')}${tags}a: b: c\n`,
  });
  expect(exitCode).toBe(3);
  expect(stdout).toContain('this string contains a second "name: value"');
});
