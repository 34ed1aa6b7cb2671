import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import { bucket, policies, template, waiver } from './samples.ts';

const repo = (files: Readonly<Record<string, string>>): string =>
  makeRepo({
    'govctl.yaml': 'project: p\npaths: [policies]\n',
    'policies/a.yaml': policies,
    ...files,
  });

const check = (cwd: string, words: string, settings: FakeWorldSettings = {}) =>
  runCommandLine(['check', ...words.split(' ')], { cwd, ...settings });

/** What SARIF 2.1.0 requires of the parts that are used, and what code scanning asks for beyond it. */
const text = z.strictObject({ text: z.string().min(1) });
const level = z.enum(['none', 'note', 'warning', 'error']);
const Sarif = z.strictObject({
  $schema: z.url(),
  version: z.literal('2.1.0'),
  runs: z.tuple([
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string(),
          version: z.string(),
          rules: z.array(
            z.strictObject({
              id: z.string().min(1),
              shortDescription: text,
              fullDescription: text,
              help: text,
              defaultConfiguration: z.strictObject({ level }),
              properties: z.strictObject({
                'security-severity': z.string().regex(/^\d{1,2}\.\d$/),
                tags: z.array(z.string()).refine((tags) => new Set(tags).size === tags.length),
              }),
            }),
          ),
        }),
      }),
      invocations: z.tuple([
        z.strictObject({
          executionSuccessful: z.boolean(),
          toolExecutionNotifications: z.array(z.strictObject({ level, message: text })),
        }),
      ]),
      columnKind: z.enum(['utf16CodeUnits', 'unicodeCodePoints']),
      results: z.array(
        z.strictObject({
          ruleId: z.string(),
          ruleIndex: z.int().min(0),
          level,
          message: text,
          locations: z.tuple([
            z.strictObject({
              physicalLocation: z.strictObject({
                artifactLocation: z.strictObject({ uri: z.string().regex(/^[^\s\\]+$/) }),
                region: z.strictObject({
                  startLine: z.int().min(1),
                  startColumn: z.int().min(1),
                }),
              }),
            }),
          ]),
          partialFingerprints: z.record(z.string(), z.string().min(16)),
          suppressions: z
            .array(
              z.strictObject({
                kind: z.enum(['inSource', 'external']),
                status: z.enum(['accepted', 'underReview', 'rejected']),
                justification: z.string(),
              }),
            )
            .optional(),
        }),
      ),
    }),
  ]),
});

async function sarifOf(cwd: string, words: string) {
  const { stdout } = await check(cwd, `${words} -o sarif`);
  return Sarif.parse(JSON.parse(stdout)).runs[0];
}

describe('govctl check -o sarif', () => {
  it('keeps the schema: a rule for each policy, a place for each result', async () => {
    const cwd = repo({
      'b c.json': bucket('b', false),
      'bad.json': '{',
      'policies/w.yaml': waiver('legacy', '2026-12-31'),
      'l.json': bucket('legacy', false),
    });
    const { tool, results, invocations } = await sarifOf(cwd, '.');
    expect(tool.driver.rules[0]).toMatchObject({
      id: 's3-encryption',
      help: { text: 'Data at rest in S3 is encrypted.' },
      properties: { 'security-severity': '8.0' },
    });
    expect(results.map(({ ruleId, level, suppressions }) => [ruleId, level, suppressions])).toEqual(
      [
        ['s3-encryption', 'error', undefined],
        [
          's3-encryption',
          'error',
          [
            {
              kind: 'external',
              status: 'accepted',
              justification: 'moves in March (team-storage, until 2026-12-31)',
            },
          ],
        ],
      ],
    );
    for (const { ruleId, ruleIndex } of results) {
      expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    }
    expect(results[0]?.locations[0].physicalLocation.artifactLocation.uri).toBe('b%20c.json');
    expect(invocations[0]).toMatchObject({
      executionSuccessful: false,
      toolExecutionNotifications: [{ message: { text: expect.stringContaining('bad.json') } }],
    });
  });

  it('names findings alike when their lines move', async () => {
    const fingerprints = async (content: string) =>
      (await sarifOf(repo({ 't.yaml': content }), 't.yaml')).results.map(
        (each) => each.partialFingerprints,
      );
    const before = await fingerprints(template);
    expect(before).toHaveLength(1);
    expect(await fingerprints(`# moved\n\n${template}`)).toEqual(before);
    expect(await fingerprints(template.replace('Plain', 'Other'))).not.toEqual(before);
  });

  it('tells findings of a resource ID that occurs twice apart', async () => {
    const one = bucket('a', false);
    const fingerprints = async (content: string) =>
      (await sarifOf(repo({ 'a.json': content }), 'a.json')).results.map(
        (each) => each.partialFingerprints['govctlProblem/v1'],
      );
    const [first] = await fingerprints(`[${one}]`);
    const three = `[${one},${one},${one}]`;
    expect(await fingerprints(three)).toEqual([first, `${first}:2`, `${first}:3`]);
  });
});

describe('govctl check -o junit', () => {
  it('has a case for each policy: failed, passed, or skipped where it had nothing to decide', async () => {
    const cwd = repo({
      'policies/b.yaml':
        'name: Queues\nresource_type: AWS::SQS::Queue\nrules: [{condition: "true", effect: DENY}]\n',
      'a.json': bucket('a<&>', false),
    });
    const { stdout } = await check(cwd, 'a.json -o junit');
    expect(stdout).toContain(
      '<testsuites name="govctl" tests="3" failures="1" errors="0" skipped="1">',
    );
    expect(stdout).toMatch(/name="Buckets are encrypted" file="policies\/a.yaml">\s+<failure/);
    expect(stdout).toContain('name="Buckets have an owner" file="policies/a.yaml"/>');
    expect(stdout).toMatch(/name="Queues".*>\s+<skipped message="no resources of this type"\/>/);
    expect(stdout).toContain('a.json:1:1: error: a&lt;&amp;&gt;: Buckets are encrypted (HIGH)');
  });

  it('fails for an input that cannot be read', async () => {
    const { stdout } = await check(repo({ 'a.json': '{' }), 'a.json -o junit');
    expect(stdout).toMatch(/name="inputs are readable">\s+<failure type="unreadable"/);
  });
});

describe('the other reports of govctl check', () => {
  const many = Array.from({ length: 3_000 }, (_, n) => bucket(`bucket-${n}`, false)).join('\n');

  it('annotate at most ten findings on GitHub and say how many there are', async () => {
    const root = repo({ 'sub/a.ndjson': many });
    const { stdout } = await runCommandLine(['check', 'a.ndjson', '-o', 'github'], {
      cwd: path.join(root, 'sub'),
      env: { GITHUB_WORKSPACE: root },
    });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.filter((line) => line.startsWith('::error '))).toHaveLength(10);
    expect(lines[0]).toMatch(
      /^::error file=sub\/a.ndjson,line=1,col=1,title=govctl%3A s3-encryption::/,
    );
    expect(lines[10]).toMatch(/^2990 more not shown /);
    expect(lines[11]).toContain('3,000 failed');
  });

  it('keep markdown under 60,000 bytes with the verdict first', async () => {
    const { stdout } = await check(repo({ 'a.ndjson': many }), 'a.ndjson -o markdown');
    expect(Buffer.byteLength(stdout)).toBeLessThan(60_000);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      '## govctl check',
      '',
      '3,000 failed (3,000 HIGH).',
    ]);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^\d+ more\. Run `govctl check`/);
  });

  it('make a warning of what does not fail the check', async () => {
    const { stdout } = await check(
      repo({ 'a.json': bucket('a', false) }),
      'a.json -o github --fail-on CRITICAL',
    );
    expect(stdout).toMatch(/^::warning /);
  });

  it('hand their figures to later steps of a GitHub job', async () => {
    const cwd = repo({ 'a.json': bucket('a', false), output: '' });
    const file = path.join(cwd, 'output');
    await check(cwd, 'a.json', { env: { GITHUB_OUTPUT: file } });
    expect(readFileSync(file, 'utf8').trim().split('\n')).toEqual([
      'passed=false',
      'resources=1',
      'evaluated=2',
      'pass=1',
      'fail=1',
      'error=0',
      'exempt=0',
      'failing=1',
      'unreadable=0',
    ]);
  });
});
