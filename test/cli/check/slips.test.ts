import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkInputs } from '../../../src/cli/check/check-inputs.ts';
import { createRun } from '../../../src/cli/check/check-run.ts';
import { createCollector } from '../../../src/cli/check/collect.ts';
import { createChecker } from '../../../src/project/check/checker.ts';
import { findInputs } from '../../../src/cli/check/prepare.ts';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import { bucket, policies } from './samples.ts';

const repo = (files: Readonly<Record<string, string>>): string =>
  makeRepo({
    'govctl.yaml': 'project: p\npaths: [policies]\n',
    'policies/a.yaml': policies,
    ...files,
  });

const run = (cwd: string, words: string, settings: FakeWorldSettings = {}) =>
  runCommandLine(words.split(' '), { cwd, columns: 100, ...settings });

describe('what must not be missed', () => {
  it('gives GitHub the worst findings first, before what could not be read', async () => {
    const low = policies
      .replace('severity: HIGH', 'severity: LOW')
      .replaceAll('s3-', 'low-')
      .replaceAll('Buckets', 'Low buckets');
    const cwd = repo({
      'policies/b.yaml': low,
      'in/a.json': `{"resources":[${Array.from({ length: 12 }, (_, n) => bucket(`a${n}`, false)).join(',')}]}`,
      ...Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`in/bad${n}.json`, '{'])),
    });
    const { stdout, exitCode } = await run(cwd, 'check in -o github');
    const errors = stdout.split('\n').filter((line) => line.startsWith('::error'));
    expect(exitCode).toBe(3);
    expect(errors).toHaveLength(10);
    expect(errors.filter((line) => !line.includes('(HIGH)'))).toEqual([]);
    expect(stdout).toContain('could not be read');
  });

  it('warns of what a policy can hardly mean, as it would pass silently', async () => {
    const cwd = repo({
      'policies/b.yaml': policies
        .replaceAll('s3-', 'typo-')
        .replaceAll('Buckets', 'Typed buckets')
        .replaceAll('AWS::S3::Bucket', 'AWS::S3::Buckett'),
      'a.json': bucket('a', true),
    });
    const { stdout, exitCode } = await run(cwd, 'check a.json');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('warning: resource_type AWS::S3::Buckett is unknown');
    expect(stdout).toContain('Did you mean AWS::S3::Bucket?');
  });

  it('shows findings and what could not be read with --quiet, and nothing else', async () => {
    const cwd = repo({ 'a.json': bucket('a', false), 'bad.json': '{' });
    const { stdout, exitCode } = await run(cwd, 'check a.json bad.json -q');
    expect(exitCode).toBe(3);
    expect(stdout).toContain('HIGH     FAIL  Buckets are encrypted');
    expect(stdout).toContain('bad.json:1:2: error:');
    expect(stdout).toContain('1 failed (1 HIGH).');
    expect(stdout).not.toContain('Checked');
  });

  it('refuses two formats on standard output', async () => {
    const cwd = repo({ 'a.json': bucket('a', false) });
    const { stderr, exitCode } = await run(cwd, 'check a.json -o sarif -o json');
    expect(exitCode).toBe(3);
    expect(stderr).toContain('-o json=FILE');
  });
});

describe('--prune-baseline', () => {
  it('drops what is gone, and accepts nothing new', async () => {
    const cwd = repo({ 'a.ndjson': `${bucket('a', false)}\n${bucket('b', false)}\n` });
    await run(cwd, 'check a.ndjson --write-baseline base.json');
    writeFileSync(path.join(cwd, 'a.ndjson'), `${bucket('b', false)}\n${bucket('c', false)}\n`);
    const before = await run(cwd, 'check a.ndjson --baseline base.json');
    expect(before.stdout).toContain('--prune-baseline');
    const { stdout, exitCode } = await run(
      cwd,
      'check a.ndjson --baseline base.json --prune-baseline',
    );
    expect(exitCode).toBe(2);
    expect(stdout).toContain('1 outdated entry in base.json removed.');
    const kept = JSON.parse(readFileSync(path.join(cwd, 'base.json'), 'utf8')) as {
      findings: { resource: string }[];
    };
    expect(kept.findings.map(({ resource }) => resource)).toEqual(['b']);
  });

  it('needs a baseline', async () => {
    const { stderr } = await run(
      repo({ 'a.json': bucket('a', true) }),
      'check a.json --prune-baseline',
    );
    expect(stderr).toContain('--baseline FILE');
  });
});

describe('a fault of govctl itself', () => {
  it('costs the file it is met in, not the others', async () => {
    const cwd = repo({ 'a.json': bucket('a', false), 'b.json': bucket('b', false) });
    const { files } = await findInputs({ cwd }, ['a.json', 'b.json']);
    const faults: unknown[] = [];
    const work = createRun({
      checker: createChecker({ policies: [], exemptions: [], now: 0, all: false }),
      collector: createCollector({ baselineRoot: cwd, recording: false }),
      signal: new AbortController().signal,
      exemptions: 0,
      unreadable: [],
      onProgress: () => Promise.resolve(),
    });
    const boom = new TypeError('boom');
    await checkInputs(
      files,
      {
        wants: ({ resource }) => {
          if (resource.id === 'a') throw boom;
          return true;
        },
        lineCheckerFor: () => {
          throw new Error('no lines are read');
        },
        tellFault: (error) => Promise.resolve(void faults.push(error)),
      },
      work,
      createFakeWorld().terminal,
    );
    expect(work.unreadable.items).toEqual([
      { file: 'a.json', message: expect.stringContaining('internal error: boom') as string },
    ]);
    expect(work.tally.resources).toBe(1);
    expect(faults).toEqual([boom]);
  });
});

describe('messages that say what to write', () => {
  it('sends who names a .tf file to a plan', async () => {
    const { stdout } = await run(repo({ 'main.tf': 'resource "a" "b" {}\n' }), 'check main.tf');
    expect(stdout.replace(/\s+/g, ' ')).toContain('terraform show -json plan.out > plan.json');
  });

  it('sends who names a Bicep file to the template that it builds', async () => {
    const bicep = "resource a 'Microsoft.Storage/storageAccounts@2023-01-01' = {\n}\n";
    const { stdout } = await run(repo({ 'main.bicep': bicep }), 'check main.bicep');
    expect(stdout.replace(/\s+/g, ' ')).toContain('az bicep build --file main.bicep');
  });

  it('names no flag that the command lacks', async () => {
    const cwd = repo({ 'policies/a.test.yaml': suite });
    const { stderr } = await run(cwd, 'test --policy zzzzzzzzzz');
    expect(stderr).not.toContain('--policies');
  });

  it('finds the tests beside a policy file that is named', async () => {
    const cwd = repo({ 'policies/a.test.yaml': suite });
    const { stdout } = await run(cwd, 'test policies/a.yaml');
    expect(stdout).toContain('1 case in 1 test: all passed.');
  });
});

const suite = `policy: a.yaml
cases:
  - name: plain
    input: {resources: [{id: x, type: "AWS::S3::Bucket", tags: {}, encryption: {configured: false}}]}
    expect: [{resource: x, result: fail, policy: s3-encryption}, {resource: x, result: error, policy: s3-owner}]
`;

describe('--explain', () => {
  it('hides a secret in a map, and neither the map nor the id of a key', async () => {
    const cwd = repo({
      'a.json': bucket('a', false, {
        encryption: { enabled: false, kms_key_id: 'arn:aws:kms:key/1', password: 'hunter2-long' },
        properties: { KMSMasterKeyID: 'arn:aws:kms:key/1' },
      }),
    });
    const { stdout } = await run(cwd, 'check a.json --explain', { columns: 300 });
    expect(stdout).toContain('"kms_key_id": "arn:aws:kms:key/1"');
    expect(stdout).toContain('"password": "(hidden)"');
    expect(stdout).not.toContain('hunter2');
  });
});
