import { describe, expect, test } from 'vitest';
import { hasRecordings, recordings, statuses } from './recordings.ts';

if (!hasRecordings) {
  console.log('corpus: no recorded AWS answers here; skipped');
  test.skip('recorded AWS answers', () => {});
} else {
  describe.each(recordings.map((one) => [one.folder, one] as const))('%s', (_, recording) => {
    test(`red is found by ${recording.policy}`, () => {
      expect(statuses(recording, 'red')).toContain('FAIL');
    });
    test('green is not', () => {
      const found = statuses(recording, 'green');
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter((status) => status !== 'PASS')).toEqual([]);
    });
  });
}
