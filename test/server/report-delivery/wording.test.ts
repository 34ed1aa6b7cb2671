import { expect, test } from 'vitest';
import { oneLine } from '../../../src/server/report-delivery/channels/wording.ts';

test('what turns the direction of text around is written out in subjects and texts', () => {
  expect(oneLine('Invoice \u202efdp.exe\nnext', 100)).toBe('Invoice [U+202E]fdp.exe next');
});
