import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { namesTag, readRange } from '../../../src/server/http/range.ts';

describe('a Range header', () => {
  test.each([
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=0-99', { start: 0, end: 10 }],
    ['bytes=3-', { start: 3, end: 10 }],
    ['Bytes= 3-4 ', { start: 3, end: 5 }],
    ['bytes=-4', { start: 6, end: 10 }],
    ['bytes=-40', { start: 0, end: 10 }],
    ['bytes=9-9', { start: 9, end: 10 }],
    ['bytes=10-', 'none'],
    ['bytes=10-20', 'none'],
    ['bytes=-0', 'none'],
    ['bytes=99999999999999999999-', 'none'],
    ['bytes=4-3', 'whole'],
    ['bytes=0-1,3-4', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=a-b', 'whole'],
    ['bytes=0x1-2', 'whole'],
    ['items=0-1', 'whole'],
    ['', 'whole'],
    [null, 'whole'],
  ] as const)('%s of ten bytes', (header, expected) => {
    expect(readRange(header, 10)).toEqual(expected);
  });

  test('of an empty file is never there', () => {
    for (const header of ['bytes=0-', 'bytes=0-0', 'bytes=-1']) {
      expect(readRange(header, 0)).toBe('none');
    }
  });

  test('lies within the file and has a byte at least, or is none, whatever is written', () => {
    const anyHeader = fc.oneof(
      fc.string(),
      fc.tuple(fc.nat(30), fc.nat(30)).map(([from, to]) => `bytes=${from}-${to}`),
      fc.stringMatching(/^bytes=[-0-9, ]{0,8}$/),
    );
    fc.assert(
      fc.property(anyHeader, fc.nat(20), (header, size) => {
        const range = readRange(header, size);
        if (typeof range === 'string') return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.end).toBeGreaterThan(range.start);
        expect(range.end).toBeLessThanOrEqual(size);
      }),
    );
  });
});

test('If-None-Match names a tag in a list, weakly, or all of them', () => {
  for (const header of ['"a"', 'W/"a"', '"b", "a"', '*', ' * ']) {
    expect(namesTag(header, '"a"'), header).toBe(true);
  }
  for (const header of ['"b"', 'a', '', null]) expect(namesTag(header, '"a"')).toBe(false);
});
