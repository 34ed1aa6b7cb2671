import { expect, it } from 'vitest';
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
