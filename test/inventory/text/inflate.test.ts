import { deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gunzip } from '../../../src/inventory/text/inflate.ts';

const most = 1 << 20;
/** Repetitive, as scripts are, or not at all. */
const content = fc.oneof(
  fc.uint8Array({ maxLength: 5_000 }),
  fc
    .array(fc.constantFrom('apt-get install -y ', 'echo ', '\n', 'é', 'x'), { maxLength: 2_000 })
    .map((parts) => new TextEncoder().encode(parts.join(''))),
);

describe('gunzip', () => {
  it('reads what zlib packs, at every level', () => {
    fc.assert(
      fc.property(
        content,
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: 0, max: 4 }),
        (bytes, level, strategy) => {
          expect(gunzip(gzipSync(bytes, { level, strategy }), most)).toEqual(bytes);
        },
      ),
    );
  });

  it('reads past the optional fields of the header', () => {
    const header = [0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 3];
    const fields = [3, 0, 1, 2, 3, ...Buffer.from('name\0comment\0'), 9, 9];
    const packed = Buffer.concat([Buffer.from([...header, ...fields]), deflateRawSync('hello')]);
    expect(Buffer.from(gunzip(packed, most) ?? []).toString()).toBe('hello');
  });

  it('gives no more than is asked for', () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    expect(gunzip(bomb, 10_000)?.length).toBeLessThan(10_300);
  });

  it('gives nothing, or the like, for bytes that are damaged', () => {
    fc.assert(
      fc.property(content, fc.nat(), fc.nat(255), fc.nat(), (bytes, at, byte, length) => {
        const packed = Uint8Array.from(gzipSync(bytes));
        packed[at % packed.length] = byte;
        const read = gunzip(packed.slice(0, length % (packed.length + 1)), most);
        expect(read === undefined || read.length <= most + 258).toBe(true);
      }),
    );
    expect(gunzip(new Uint8Array(), most)).toBeUndefined();
    expect(gunzip(Buffer.from('#!/bin/sh'), most)).toBeUndefined();
  });
});
