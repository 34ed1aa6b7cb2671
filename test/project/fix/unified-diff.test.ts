import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { makeRepo } from '../../support/temp-repo.ts';
import { unifiedDiff } from '../../../src/project/fix/unified-diff.ts';

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join('');

it('shows changes with three lines around them', () => {
  const text = lines(1, 20);
  expect(unifiedDiff('a.txt', text, text.replace('5\n', 'five\n').replace('\n18\n', '\n18\nx\n')))
    .toBe(`--- a/a.txt
+++ b/a.txt
@@ -2,7 +2,7 @@
 2
 3
 4
-5
+five
 6
 7
 8
@@ -16,5 +16,6 @@
 16
 17
 18
+x
 19
 20
`);
});

it('says where a text does not end with a line break, and nothing where nothing changed', () => {
  expect(unifiedDiff('a', 'x', 'x\ny')).toBe(
    '--- a/a\n+++ b/a\n@@ -1,1 +1,2 @@\n-x\n\\ No newline at end of file\n+x\n+y\n\\ No newline at end of file\n',
  );
  expect(unifiedDiff('a', 'x', 'x')).toBe('');
});

it.each([
  ['plain.yaml', 'a/plain.yaml'],
  ['grün.yaml', 'a/grün.yaml'],
  ['with blanks.yaml', 'a/with blanks.yaml\t'],
  ['a"b\\c.yaml', String.raw`"a/a\"b\\c.yaml"`],
  ['x\n+++ b/etc.yaml', String.raw`"a/x\n+++ b/etc.yaml"`],
  ['\u001b[2J\u009b.yaml', String.raw`"a/\033[2J\302\233.yaml"`],
  ['\u202eright\u200b.yaml', String.raw`"a/\342\200\256right\342\200\213.yaml"`],
  ['##[set-env x]y.yaml', String.raw`"a/#\043[set-env x]y.yaml"`],
])('names a file as git does: %j', (name, shown) => {
  expect(unifiedDiff(name, 'x\n', 'y\n').split('\n')[0]).toBe(`--- ${shown}`);
  const cwd = makeRepo({ [name]: 'x\n' });
  execFileSync('git', ['apply', '-'], { cwd, input: unifiedDiff(name, 'x\n', 'y\n') });
  expect(readFileSync(path.join(cwd, name), 'utf8')).toBe('y\n');
});
