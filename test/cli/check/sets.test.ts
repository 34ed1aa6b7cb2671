import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import { bucket } from './samples.ts';

const policy = (key: string, ...tags: readonly string[]): string => `key: ${key}
name: ${key}
resource_type: AWS::S3::Bucket
severity: LOW
${tags.length === 0 ? '' : `tags: ${JSON.stringify(tags)}\n`}rules:
  - condition: resource.encryption.enabled == false
    effect: DENY
    message: Encrypt.
`;

const library = [
  policy('base', 'a', 'set:baseline'),
  policy('extra', 'set:strict'),
  policy('both', 'set:strict', 'set:baseline'),
  policy('must', 'set:strict', 'enforcement:mandatory'),
  policy('other', 'set:prod'),
  policy('plain'),
];

const repo = (config = '', policies: readonly string[] = library): string =>
  makeRepo({
    'govctl.yaml': `project: p\npaths: [policies]\n${config}`,
    'policies/a.yaml': policies.join('---\n'),
    'in.json': bucket('b', false),
  });

const check = (cwd: string, ...words: string[]) =>
  runCommandLine(['check', 'in.json', ...words], { cwd, columns: 100 });

interface Report {
  readonly set: object;
  readonly results: readonly { readonly policy: string }[];
}

async function findings(cwd: string, ...words: string[]) {
  const { stdout } = await check(cwd, '-o', 'json', ...words);
  const { set, results } = JSON.parse(stdout) as Report;
  return { set, policies: results.map((each) => each.policy) };
}

const all = ['base', 'extra', 'both', 'must', 'other', 'plain'];
const baseline = all.filter((name) => name !== 'extra');

describe('the set of a check', () => {
  it.each([
    ['', [], baseline, { name: 'baseline', policies_left_out: 1 }],
    ['', ['--set', 'strict'], all, { name: 'strict', policies_left_out: 0 }],
    ['set: strict\n', [], all, { name: 'strict', policies_left_out: 0 }],
    ['set: strict\n', ['--set', 'baseline'], baseline, { name: 'baseline', policies_left_out: 1 }],
  ])('with %j in govctl.yaml and %j runs what is in it', async (config, words, policies, set) => {
    expect(await findings(repo(config), ...words)).toEqual({ policies, set });
  });

  it('leaves out nothing that --policy names', async () => {
    const { policies } = await findings(repo(), '--policy', 'extra');
    expect(policies).toEqual(['extra']);
  });

  it('says how many policies it leaves out, and what runs them', async () => {
    const { stdout } = await check(repo());
    expect(stdout).toContain(
      '\n1 policy is not in the baseline set. Use --set strict to run it.\n',
    );
    const two = [...library, policy('more', 'set:strict')];
    expect((await check(repo('', two))).stdout).toContain(
      '\n2 policies are not in the baseline set. Use --set strict to run them.\n',
    );
    expect((await check(repo(), '--set', 'strict')).stdout).not.toContain(' set. ');
  });

  it('says that it leaves out every policy', async () => {
    const { exitCode, stdout } = await check(repo('', [policy('extra', 'set:strict')]));
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Nothing was evaluated: no policies in the baseline set.\n');
  });

  it('calls no entry of a baseline file stale that a policy left out may have found', async () => {
    const cwd = repo();
    await check(cwd, '--set', 'strict', '--write-baseline', 'known.json');
    const { exitCode, stdout } = await check(cwd, '--baseline', 'known.json');
    expect(stdout).not.toContain('outdated');
    expect(exitCode).toBe(2); // the mandatory one, which no baseline accepts
  });

  it('is one of two words', async () => {
    const typed = await check(repo(), '--set', 'stric');
    expect([typed.exitCode, typed.stderr]).toEqual([
      3,
      expect.stringMatching(/--set.*'stric'[^]*baseline, strict/),
    ]);
    const written = await check(repo('set: all\n'));
    expect(written.exitCode).toBe(3);
    expect(written.stdout + written.stderr).toMatch(/govctl\.yaml:3:6: error: .*set[^]*baseline/);
  });
});
