import { chmodSync, lstatSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';

const untidy = 'severity:  LOW # why\nname: a\n';
const tidy = 'name: a\nseverity: LOW # why\n';

describe('govctl fmt', () => {
  it('formats the files that need it, keeps their mode, and names them', async () => {
    const cwd = makeRepo({ 'a.yaml': untidy, 'b.yaml': tidy });
    chmodSync(path.join(cwd, 'a.yaml'), 0o640);
    const before = statSync(path.join(cwd, 'b.yaml')).mtimeMs;
    expect(await runCommandLine(['fmt'], { cwd })).toEqual({
      exitCode: 0,
      stdout: 'a.yaml\nFormatted 1 of 2 files\n',
      stderr: '',
    });
    expect(readFileSync(path.join(cwd, 'a.yaml'), 'utf8')).toBe(tidy);
    expect(statSync(path.join(cwd, 'a.yaml')).mode & 0o777).toBe(0o640);
    expect(statSync(path.join(cwd, 'b.yaml')).mtimeMs).toBe(before);
    expect(readdirSync(cwd).sort()).toEqual(['a.yaml', 'b.yaml']);
    expect((await runCommandLine(['fmt'], { cwd })).stdout).toBe(
      '2 files checked, all formatted\n',
    );
  });

  it('writes through a link and leaves it a link', async () => {
    const cwd = makeRepo({ 'real/a.yaml': untidy, 'p/x.txt': '' });
    symlinkSync('../real/a.yaml', path.join(cwd, 'p', 'a.yaml'));
    await runCommandLine(['fmt', 'p'], { cwd });
    expect(lstatSync(path.join(cwd, 'p', 'a.yaml')).isSymbolicLink()).toBe(true);
    expect(readFileSync(path.join(cwd, 'real', 'a.yaml'), 'utf8')).toBe(tidy);
  });

  it('changes nothing with --check, lists what differs, and exits with 2', async () => {
    const cwd = makeRepo({ 'a.yaml': untidy, 'b.yaml': tidy });
    const { exitCode, stdout } = await runCommandLine(['fmt', '--check', '-o', 'json'], { cwd });
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      format_version: 1,
      summary: { files: 2, differing: 1, unreadable: 0 },
      files: ['a.yaml'],
      problems: [],
    });
    expect(readFileSync(path.join(cwd, 'a.yaml'), 'utf8')).toBe(untidy);
    expect((await runCommandLine(['fmt', '--check', 'b.yaml'], { cwd })).exitCode).toBe(0);
  });

  it('leaves a file that is no YAML alone, formats the others, and exits with 3', async () => {
    const cwd = makeRepo({ 'a.yaml': untidy, 'bad.yaml': 'name: "x\n' });
    const { exitCode, stdout } = await runCommandLine(['fmt'], { cwd });
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/bad\.yaml:\d+:\d+: error: /);
    expect(readFileSync(path.join(cwd, 'bad.yaml'), 'utf8')).toBe('name: "x\n');
    expect(readFileSync(path.join(cwd, 'a.yaml'), 'utf8')).toBe(tidy);
  });

  it('counts a file that is no YAML among those that failed only', async () => {
    const cwd = makeRepo({ 'a.yaml': untidy, 'b.yaml': tidy, 'bad.yaml': 'name: "x\n' });
    const last = async (...argv: string[]) =>
      (await runCommandLine(['fmt', ...argv], { cwd })).stdout.trimEnd().split('\n').at(-1);
    expect(await last('--check')).toBe(
      '1 of 2 files not formatted: run `govctl fmt`; 1 file could not be read',
    );
    expect(await last()).toBe('Formatted 1 of 2 files; 1 file could not be formatted');
    expect(await last()).toBe('2 files checked, all formatted; 1 file could not be formatted');
    expect(await last('bad.yaml')).toBe('1 file could not be formatted');
  });

  it('formats standard input to standard output', async () => {
    expect(await runCommandLine(['fmt', '-'], { stdin: untidy })).toEqual({
      exitCode: 0,
      stdout: tidy,
      stderr: '',
    });
    const bad = await runCommandLine(['fmt', '-'], { stdin: 'a: [' });
    expect([bad.exitCode, bad.stdout]).toEqual([3, '']);
    expect(bad.stderr).toContain('stdin:');
  });
});
