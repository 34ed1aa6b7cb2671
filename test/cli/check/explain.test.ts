import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import { bucket, policies } from './samples.ts';

const check = (files: Readonly<Record<string, string>>, ...words: readonly string[]) =>
  runCommandLine(['check', ...words], { cwd: makeRepo(files), columns: 80 });

const policy = (condition: string): string =>
  `name: p\nresource_type: A::B\nrules: [{condition: '${condition}', effect: DENY}]\n`;

describe('govctl check --explain', () => {
  it('shows which part of a condition had which value', async () => {
    const files = { 'p.yaml': policies, 'a.json': bucket('a', false) };
    const { stdout, exitCode } = await check(files, 'a.json', '--explain');
    expect(exitCode).toBe(2);
    expect(stdout).toContain(`    Switch on default encryption.
      rules[0] DENY
        resource.encryption.configured == false → true
          resource.encryption.configured → false
`);
    expect(stdout).not.toContain('resource.tags');
  });

  it('takes the input that stands after it for an input', async () => {
    const files = { 'p.yaml': policies, 'a.json': bucket('a', false) };
    const { stdout } = await check(files, '--explain', 'a.json');
    expect(stdout).toContain('resource.encryption.configured → false');
  });

  it('explains every policy of one resource, what passes too', async () => {
    const files = {
      'p.yaml': policies,
      'a.ndjson': [bucket('a', true), bucket('b', false)].join('\n'),
    };
    const { stdout, exitCode } = await check(files, 'a.ndjson', '--explain=a', '-o', 'json');
    expect(exitCode).toBe(0);
    const { results, summary } = JSON.parse(stdout) as { results: object[]; summary: object };
    expect(summary).toMatchObject({ resources: 1, pass: 2 });
    expect(results).toMatchObject([
      {
        status: 'PASS',
        explanation: [
          {
            index: 0,
            effect: 'DENY',
            condition: {
              expression: 'resource.encryption.configured == false',
              value: 'false',
              parts: [{ expression: 'resource.encryption.configured', value: 'true' }],
            },
          },
        ],
      },
      { status: 'PASS' },
    ]);
  });

  it('names the nearest where no resource has that id', async () => {
    const files = { 'p.yaml': policies, 'a.json': bucket('bucket-a', true) };
    const { stderr, exitCode } = await check(files, 'a.json', '--explain=buket-a');
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('Did you mean bucket-a?')]);
  });

  it.each([
    [
      'an attribute with a secret name',
      'resource.db_password != "x"',
      { db_password: 'hunter2hunter2' },
    ],
    ['what is made of one', 'resource.api_key + "-x" != ""', { api_key: 'hunter2hunter2' }],
    [
      'a part of a map that is shown',
      'size(resource.login) > 0',
      { login: { token: 'hunter2hunter2' } },
    ],
    [
      'the value beside a secret name',
      'resource.env.exists(e, e.value != "")',
      { env: [{ name: 'DB_PASSWORD', value: 'hunter2hunter2' }] },
    ],
    [
      'what Terraform marks sensitive',
      'resource.properties.dsn[0].url != "x"',
      {
        properties: { dsn: [{ url: 'hunter2hunter2' }] },
        source: { sensitive: ['dsn[0].url'] },
      },
    ],
    [
      'the same value elsewhere',
      'resource.copy != "x"',
      { copy: 'hunter2hunter2', password: 'hunter2hunter2' },
    ],
  ])('hides %s', async (_, condition, attributes) => {
    const files = {
      'p.yaml': policy(condition),
      'a.json': JSON.stringify({ id: 'a', type: 'A::B', ...attributes }),
    };
    for (const format of ['table', 'json']) {
      const { stdout } = await check(files, 'a.json', '--explain', '-o', format);
      expect(stdout).toContain('(hidden)');
      expect(stdout).not.toContain('hunter2');
    }
  });
});
