import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openReplacement, replaceFile } from '../../../src/project/write/replace-file.ts';
import { makeRepo } from '../../support/temp-repo.ts';

const read = (...parts: string[]): string => readFileSync(path.join(...parts), 'utf8');

describe('a file that is replaced', () => {
  it('is there whole, with its permissions, and alone', async () => {
    const folder = makeRepo({ a: 'old' });
    const file = path.join(folder, 'a');
    chmodSync(file, 0o750);
    await replaceFile(file, 'new');
    expect([read(file), statSync(file).mode & 0o777]).toEqual(['new', 0o750]);
    await replaceFile(file, 'secret', { mode: 0o600 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await replaceFile(path.join(folder, 'b'), 'fresh');
    expect(readdirSync(folder).sort()).toEqual(['a', 'b']);
  });

  it('takes a name as long as the system does', async () => {
    const file = path.join(makeRepo(), 'x'.repeat(255));
    await replaceFile(file, 'new');
    expect(read(file)).toBe('new');
  });

  it('is as it was where it was changed since the plan, or not finished', async () => {
    const folder = makeRepo({ a: 'old' });
    const file = path.join(folder, 'a');
    await expect(replaceFile(file, 'new', { before: Buffer.from('older') })).rejects.toThrow(
      'changed by another program',
    );
    const replacement = await openReplacement(file);
    await replacement.write('half');
    await replacement.close();
    expect(read(file)).toBe('old');
    expect(readdirSync(folder)).toEqual(['a']);
  });

  it('is neither what a link leads to nor another name of it', async () => {
    const folder = makeRepo({ target: 'old', a: 'old' });
    symlinkSync('target', path.join(folder, 'link'));
    linkSync(path.join(folder, 'a'), path.join(folder, 'same'));
    await replaceFile(path.join(folder, 'link'), 'new');
    await replaceFile(path.join(folder, 'same'), 'new');
    expect([read(folder, 'target'), read(folder, 'a')]).toEqual(['old', 'old']);
    expect([read(folder, 'link'), read(folder, 'same')]).toEqual(['new', 'new']);
  });

  it('is no folder', async () => {
    const folder = makeRepo({ 'a/b': '' });
    await expect(replaceFile(path.join(folder, 'a'), 'new')).rejects.toThrow('EISDIR');
    expect(readdirSync(folder)).toEqual(['a']);
  });

  it('is not replaced where it is read-only', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may write everything');
    const folder = makeRepo({ a: 'old' });
    chmodSync(path.join(folder, 'a'), 0o444);
    await expect(replaceFile(path.join(folder, 'a'), 'new')).rejects.toThrow('EACCES');
    expect(read(folder, 'a')).toBe('old');
  });

  it('is written in place, where its folder takes no new file and it may be', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may write everything');
    const folder = makeRepo({ a: 'old' });
    chmodSync(folder, 0o555);
    try {
      await expect(replaceFile(path.join(folder, 'a'), 'new')).rejects.toThrow('EACCES');
      await replaceFile(path.join(folder, 'a'), 'new', { mayWriteInPlace: true });
      expect(read(folder, 'a')).toBe('new');
    } finally {
      chmodSync(folder, 0o755);
    }
  });
});

it('a pipe gets what is written', async () => {
  const pipe = path.join(makeRepo(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = open(pipe, 'r').then(async (handle) => {
    const text = await handle.readFile('utf8');
    await handle.close();
    return text;
  });
  await replaceFile(pipe, 'new');
  expect(await reader).toBe('new');
  expect(statSync(pipe).isFIFO()).toBe(true);
});
