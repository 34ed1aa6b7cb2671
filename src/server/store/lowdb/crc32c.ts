/**
 * CRC-32C (Castagnoli, RFC 3720 appendix B.4), reflected polynomial 0x82f63b78. Four tables of 256, so that a step
 * takes four bytes (Kounavis and Berry, "slicing-by-4"): table n is what a byte does n bytes further on.
 */
const TABLES = new Uint32Array(4 * 256);
for (let byte = 0; byte < 256; byte += 1) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  TABLES[byte] = crc;
}
for (let at = 256; at < TABLES.length; at += 1) {
  const before = TABLES[at - 256] as number; // in bounds
  TABLES[at] = (before >>> 8) ^ (TABLES[before & 0xff] as number);
}

/** The checksum of the first `length` bytes; give the previous result as `seed` to go on where it ended. */
export const crc32c = (bytes: Uint8Array, seed = 0, length = bytes.length): number => {
  let crc = ~seed;
  let at = 0;
  // All reads are in bounds: of the bytes by the loops, of the tables by the masks.
  const byte = (index: number): number => bytes[index] as number;
  const table = (index: number): number => TABLES[index] as number;
  for (const end = length - 3; at < end; at += 4) {
    crc ^= byte(at) | (byte(at + 1) << 8) | (byte(at + 2) << 16) | (byte(at + 3) << 24);
    crc =
      table(768 + (crc & 0xff)) ^
      table(512 + ((crc >>> 8) & 0xff)) ^
      table(256 + ((crc >>> 16) & 0xff)) ^
      table(crc >>> 24);
  }
  for (; at < length; at += 1) crc = (crc >>> 8) ^ table((crc ^ byte(at)) & 0xff);
  return ~crc >>> 0;
};
