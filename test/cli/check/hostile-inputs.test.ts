import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import { bucket, policies, waiver } from './samples.ts';

const repo = (files: Readonly<Record<string, string | Uint8Array>>): string =>
  makeRepo({
    'govctl.yaml': 'project: p\npaths: [policies]\n',
    'policies/a.yaml': policies,
    ...files,
  });

async function check(cwd: string, words: string, settings: FakeWorldSettings = {}) {
  const argv = ['check', ...words.split(' '), '-o', 'json'];
  const { stdout, exitCode, stderr } = await runCommandLine(argv, { cwd, ...settings });
  if (stdout === '') throw new Error(stderr);
  const { unreadable, summary, warnings, results } = JSON.parse(stdout) as {
    unreadable: { file: string; line?: number; column?: number; message: string }[];
    summary: { resources: number };
    warnings: { code: string; message: string; hint?: string; file: string; line: number }[];
    results: { resource: string }[];
  };
  return { unreadable, resources: summary.resources, warnings, results, exitCode };
}

describe('an entry of a folder that cannot be read is told, and the others are checked', () => {
  it.each<[what: string, make: (folder: string) => void, file: string, message: string]>([
    [
      'a link to nowhere',
      (folder) => symlinkSync('gone.json', path.join(folder, 'l.json')),
      'd/l.json',
      'a broken symbolic link',
    ],
    [
      'a link to itself',
      (folder) => symlinkSync('l.json', path.join(folder, 'l.json')),
      'd/l.json',
      'a symbolic link to itself',
    ],
    [
      'a pipe',
      (folder) => execFileSync('mkfifo', [path.join(folder, 'l.json')]),
      'd/l.json',
      'the path is a pipe',
    ],
    [
      'a name that is not UTF-8',
      (folder) => writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), notUtf8]), '{}'),
      'd/caf\ufffd.json',
      'the file name is not valid UTF-8',
    ],
    [
      'a folder whose name is not UTF-8',
      (folder) => mkdirSync(Buffer.concat([Buffer.from(`${folder}/`), notUtf8.subarray(0, -5)])),
      'd/caf\ufffd',
      'the file name is not valid UTF-8',
    ],
  ])('%s', async (_, make, file, message) => {
    const cwd = repo({ 'd/a.json': bucket('a', false) });
    make(path.join(cwd, 'd'));
    const checked = await check(cwd, 'd');
    expect(checked).toMatchObject({ exitCode: 3, resources: 1 });
    expect(checked.unreadable).toEqual([{ file, message: expect.stringContaining(message) }]);
  });

  it('but a link to nowhere without the name of an input is no concern of it', async () => {
    const cwd = repo({ 'd/a.json': bucket('a', true) });
    symlinkSync('gone', path.join(cwd, 'd', 'README.md'));
    expect(await check(cwd, 'd')).toMatchObject({ exitCode: 0, unreadable: [] });
  });
});

const notUtf8 = Buffer.from('caf\u00e9.json', 'latin1');

describe('an input that is named', () => {
  it.each([
    ['is not there', 'nope.json', 'no such file or directory'],
    ['is a link to itself', 'loop.json', 'a symbolic link to itself'],
    ['gives no end of bytes', '/dev/zero', 'larger than 256 MiB'],
  ])('and %s is told, and the others are checked', async (_, file, message) => {
    const cwd = repo({ 'bad.json': bucket('a', false) });
    symlinkSync('loop.json', path.join(cwd, 'loop.json'));
    const checked = await check(cwd, `${file} bad.json`);
    expect(checked).toMatchObject({ exitCode: 3, resources: 1, results: [{ resource: 'a' }] });
    expect(checked.unreadable).toEqual([
      { file: expect.stringContaining(file), message: expect.stringContaining(message) },
    ]);
  });

  it('and contains policies is told, and its policies are still evaluated', async () => {
    const cwd = repo({ 'bad.json': bucket('a', false) });
    const checked = await check(cwd, 'bad.json policies/a.yaml');
    expect(checked).toMatchObject({ exitCode: 3, resources: 1, results: [{ resource: 'a' }] });
    expect(checked.unreadable).toEqual([
      { file: 'policies/a.yaml', message: expect.stringContaining('contains policies') },
    ]);
  });

  it('is a pipe: it is read as the bytes come', async () => {
    const cwd = repo({ 'bad.json': bucket('a', false) });
    execFileSync('mkfifo', [path.join(cwd, 'pipe')]);
    spawn('sh', ['-c', 'sleep 0.3; cat bad.json > pipe'], { cwd, stdio: 'ignore' });
    const checked = await check(cwd, 'pipe');
    expect(checked).toMatchObject({ exitCode: 2, resources: 1, unreadable: [] });
  });

  it('is a pipe that nobody writes to: it is waited for until the signal', async () => {
    const cwd = repo({});
    execFileSync('mkfifo', [path.join(cwd, 'pipe')]);
    const signal = AbortSignal.timeout(200);
    const { stderr } = await runCommandLine(['check', 'pipe'], { cwd, signal });
    expect(stderr).toContain('Interrupted');
  });
});

const twice =
  '{"id":"d","type":"AWS::S3::Bucket","encryption":{"enabled":false},"encryption":{"enabled":true}}';
const tricky = bucket('t', true, { note: '": "a": , {"x" :', more: ':', 'k":"': ' :' });

describe('a key that stands twice', () => {
  it.each([
    ['a resource', twice, 1, 67],
    ['a list', `[${tricky},\n${twice}]`, 2, 67],
    ['the second of several lines', `${bucket('a', true)}\n${twice}\n`, 2, 67],
    [
      'a Terraform plan',
      `{"format_version":"1.2","terraform_version":"1.9.0","resource_changes":[],\n"resource_changes":[]}`,
      2,
      1,
    ],
  ])('is told with its place: %s', async (_, text, line, column) => {
    const cwd = repo({ 'a.json': text });
    const { exitCode, unreadable } = await check(cwd, 'a.json');
    expect(exitCode).toBe(3);
    expect(unreadable).toEqual([
      {
        file: 'a.json',
        line,
        column,
        message: expect.stringMatching(/duplicate key ".*"/),
      },
    ]);
  });

  it('is not seen where texts only look like it', async () => {
    const cwd = repo({ 'a.ndjson': `${tricky}\n${tricky.replace('"t"', '"u"')}\n` });
    expect(await check(cwd, 'a.ndjson')).toMatchObject({ exitCode: 0, resources: 2 });
  });
});

describe('lines of resources', () => {
  const lines = `${bucket('a', false)}\n${bucket('b', false)}\n`;

  it.each([
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${lines}`)],
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${lines}`, 'utf16le')],
    ['UTF-16 without one', Buffer.from(lines, 'utf16le')],
  ])('in %s lose none', async (_, bytes) => {
    const cwd = repo({ 'a.ndjson': bytes });
    const { results, unreadable, exitCode } = await check(cwd, 'a.ndjson');
    expect(results.map(({ resource }) => resource)).toEqual(['a', 'b']);
    expect([unreadable, exitCode]).toEqual([[], 2]);
    expect(await check(cwd, '-', { stdin: bytes })).toMatchObject({ resources: 2, exitCode: 2 });
  });

  it('up to one that is too long are checked, and its number is right', async () => {
    const long = Buffer.alloc(66 * 1024 * 1024, 0x78);
    const cwd = repo({ 'a.ndjson': Buffer.concat([Buffer.from(lines), long]) });
    expect(await check(cwd, 'a.ndjson')).toMatchObject({
      exitCode: 3,
      resources: 2,
      unreadable: [{ line: 3, column: 1, message: expect.stringContaining('longer than 64 MiB') }],
    });
  });
});

describe('an exemption from a policy that there is not', () => {
  const stray = waiver('a', '2026-12-31').replace('s3-encryption', 's3-encrpytion');

  it('is a warning with its place and the nearest name, and counts as unused', async () => {
    const cwd = repo({ 'policies/w.yaml': stray, 'a.json': bucket('a', true) });
    const { warnings, exitCode } = await check(cwd, 'a.json');
    expect(warnings).toMatchObject([
      { code: 'unknown-policy', hint: 'Did you mean "s3-encryption"?', file: 'policies/w.yaml' },
    ]);
    expect(exitCode).toBe(0);
    expect(await check(cwd, 'a.json --fail-unused-exemptions')).toMatchObject({ exitCode: 2 });
    const validated = await runCommandLine(['validate'], { cwd });
    expect(validated.stdout).toContain('Did you mean "s3-encryption"?');
  });

  it('is none where --policy left its policy out', async () => {
    const cwd = repo({ 'policies/w.yaml': waiver('a', '2026-12-31'), 'a.json': bucket('a', true) });
    expect(await check(cwd, 'a.json --policy s3-owner')).toMatchObject({ warnings: [] });
  });
});

describe('control characters of an input', () => {
  const evil = '\u001b]0;x\u0007\u009b31m\u202e\u2066\r';

  it.each(['table', 'github', 'markdown', 'junit', 'sarif', 'json', 'ndjson', 'yaml'])(
    'never reach %s output as they are',
    async (format) => {
      const cwd = repo({
        [`bad\u001b[31m\u202e.json`]: bucket(`a${evil}`, false, { name: evil }),
        'broken\u0007.json': `{"id": "${evil}`,
      });
      const { stdout, stderr } = await runCommandLine(['check', '.', '-o', format], { cwd });
      expect(stdout).not.toBe('');
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]/);
      if (!['sarif', 'json', 'ndjson', 'yaml'].includes(format)) {
        expect(stdout + stderr).not.toMatch(/[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/);
      }
    },
  );
});

describe('rows in a file', () => {
  const out = (cwd: string) => readdirSync(cwd).filter((name) => name.startsWith('out'));

  it('are there when all are, and replace those of before', async () => {
    const cwd = repo({ 'a.json': bucket('a', false), 'out.ndjson': 'before' });
    await runCommandLine(['check', 'a.json', '-o', `ndjson=${cwd}/out.ndjson`], { cwd });
    expect(out(cwd)).toEqual(['out.ndjson']);
    const rows = readFileSync(path.join(cwd, 'out.ndjson'), 'utf8');
    expect(JSON.parse(rows)).toMatchObject({ resource: 'a' });
  });

  it('are not when it was interrupted', async () => {
    const cwd = repo({ 'a.json': bucket('a', false) });
    const { exitCode } = await runCommandLine(
      ['check', 'a.json', 'a.json', '-o', `ndjson=${cwd}/out.ndjson`],
      { cwd, signal: AbortSignal.abort() },
    );
    expect([exitCode, out(cwd)]).toEqual([130, []]);
  });
});
