import { crc32 } from 'node:zlib';
import { crc32c } from './crc32c.ts';

/**
 * Journals and checkpoints consist of lines of plain JSON whose last field is a CRC-32 over
 * everything before it, so that people can read them with any tool and no flipped bit goes unseen.
 * The first format of folders has a CRC-32C, which is still checked.
 */
const SUFFIX = ',"crc32":"00000000"';
const DIGITS_AT = SUFFIX.length - 9;
const HEX = Buffer.from('0123456789abcdef', 'latin1');

const hexOf = (crc: number): string => crc.toString(16).padStart(8, '0');

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
  const crc = crc32(bytes.subarray(0, length), seed);
  for (let digit = 0; digit < 8; digit += 1) {
    bytes[length + DIGITS_AT + digit] = HEX[(crc >>> (28 - 4 * digit)) & 0xf] as number; // in bounds
  }
  return { bytes, crc };
};

/** The same for a line that comes in pieces, each of which ends between two characters. */
export const sealPieces = (): {
  add(text: string): void;
  /** @returns all of the line */
  end(end: string): readonly Buffer[];
} => {
  const pieces: Buffer[] = [];
  let crc = 0;
  return {
    add(text) {
      const bytes = Buffer.from(text, 'utf8');
      crc = crc32(bytes, crc);
      pieces.push(bytes);
    },
    end(end) {
      const suffix = SUFFIX.replace('00000000', hexOf(crc));
      return [...pieces, Buffer.from(suffix + end, 'latin1')];
    },
  };
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
  const sealed = tail.slice(0, tail.length - end.length);
  const [suffix, kind, digits] = /,"(crc32c?)":"([0-9a-f]{8})"$/.exec(sealed) ?? [];
  if (suffix === undefined) return undefined;
  const body = line.subarray(0, line.length - end.length - suffix.length);
  const crc = kind === 'crc32' ? crc32(body, seed) : crc32c(body, seed);
  return hexOf(crc) === digits ? crc : undefined;
};
