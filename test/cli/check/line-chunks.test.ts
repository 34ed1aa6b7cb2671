import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkBytes, cutAtLineEnds } from '../../../src/cli/check/line-chunks.ts';

async function collect(parts: readonly Uint8Array[]): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of cutAtLineEnds(toStream(parts))) pieces.push(piece);
  return pieces;
}

async function* toStream(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

describe('a stream cut at line ends', () => {
  it('keeps every byte, and every line whole, however it comes in', async () => {
    const line = fc.integer({ min: 0, max: 3 * chunkBytes }).map((length) => 'x'.repeat(length));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: chunkBytes }), { minLength: 1, maxLength: 5 }),
        async (lines, sizes) => {
          const whole = Buffer.from(lines.join('\n'));
          const parts: Buffer[] = [];
          for (let at = 0, n = 0; at < whole.length; n++) {
            const size = sizes[n % sizes.length] ?? 1;
            parts.push(whole.subarray(at, at + Math.max(size, chunkBytes / 16)));
            at += Math.max(size, chunkBytes / 16);
          }
          const pieces = await collect(parts);
          expect(Buffer.concat(pieces).equals(whole)).toBe(true);
          for (const piece of pieces.slice(0, -1)) expect(piece.at(-1)).toBe(0x0a);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('refuses a line that never ends', async () => {
    const part = new Uint8Array(8 * 1024 * 1024).fill(0x78);
    await expect(collect(new Array<Uint8Array>(9).fill(part))).rejects.toThrow(
      'a line is longer than 64 MiB',
    );
  });
});
