import { expect, test } from 'vitest';
import { crc32c } from '../../../../src/server/store/lowdb/crc32c.ts';

// Published check values: the Rocksoft model's, and RFC 3720 appendix B.4.
test.each([
  ['', 0],
  ['123456789', 0xe3069283],
  ['\0'.repeat(32), 0x8a9136aa],
  [String.fromCharCode(...Array(32).keys()), 0x46dd794e],
])('gives the published checksum of %j', (text, expected) => {
  expect(crc32c(Buffer.from(text, 'latin1'))).toBe(expected);
});

test('goes on where it ended', () => {
  expect(crc32c(Buffer.from('6789'), crc32c(Buffer.from('12345')))).toBe(0xe3069283);
});
