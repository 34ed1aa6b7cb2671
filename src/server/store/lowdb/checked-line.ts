import { crc32c } from './crc32c.ts';

/**
 * Journals and checkpoints consist of lines of plain JSON whose last field is a CRC-32C over
 * everything before it, so that people can read them with any tool and no flipped bit goes unseen.
 */
const SUFFIX = ',"crc32c":"00000000"';
const DIGITS_AT = SUFFIX.length - 9;
const HEX = Buffer.from('0123456789abcdef', 'latin1');

export interface SealedLine {
  readonly bytes: Buffer;
  readonly crc: number;
}

/**
 * The line of `body` (which has no closing bracket and no line break) with its checksum and `end`, which is ASCII.
 * `seed` chains lines: with the checksum of the line before, a lost or moved line shows as well.
 */
export const sealLine = (body: string, end: string, seed = 0): SealedLine => {
  const bytes = Buffer.from(body + SUFFIX + end, 'utf8');
  const length = bytes.length - SUFFIX.length - end.length;
  const crc = crc32c(bytes, seed, length);
  for (let digit = 0; digit < 8; digit += 1) {
    bytes[length + DIGITS_AT + digit] = HEX[(crc >>> (28 - 4 * digit)) & 0xf] as number; // in bounds
  }
  return { bytes, crc };
};

/** The checksum of a line that was sealed with one of `ends`; undefined when anything differs. */
export const checkLine = (
  line: Uint8Array,
  ends: readonly string[],
  seed = 0,
): number | undefined => {
  const tail = Buffer.from(line.subarray(Math.max(0, line.length - 64))).toString('latin1');
  const end = ends.find((candidate) => tail.endsWith(`"${candidate}`));
  if (end === undefined) return undefined;
  const length = line.length - SUFFIX.length - end.length;
  if (length < 0) return undefined;
  const crc = crc32c(line.subarray(0, length), seed);
  const suffix = SUFFIX.replace('00000000', crc.toString(16).padStart(8, '0'));
  return tail.endsWith(suffix + end) ? crc : undefined;
};
