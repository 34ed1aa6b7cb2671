/** CRC-32C (Castagnoli, RFC 3720 appendix B.4), reflected polynomial 0x82f63b78. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc >>> 0;
});

/** The checksum of `bytes`; give the previous result as `seed` to go on where it ended. */
export const crc32c = (bytes: Uint8Array, seed = 0): number => {
  let crc = ~seed;
  for (let at = 0; at < bytes.length; at += 1) {
    // Both reads are in bounds: `at` by the loop, the table by the mask.
    crc = (crc >>> 8) ^ (TABLE[(crc ^ (bytes[at] as number)) & 0xff] as number);
  }
  return ~crc >>> 0;
};
