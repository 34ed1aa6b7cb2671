import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NdjsonReader } from '../../src/cost/read/ndjson.ts';
import type { Cells } from '../../src/cost/read/cells.ts';
import { ReadError } from '../../src/cost/read/place.ts';

type Row = readonly (string | undefined)[];

function readAll(bytes: Uint8Array, size = bytes.length, onRow?: (row: Cells) => void): Row[] {
  const rows: Row[] = [];
  const reader = new NdjsonReader({
    onRow: (row) => {
      rows.push(Array.from({ length: row.length }, (_, field) => row.text(field)));
      onRow?.(row);
    },
  });
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.slice(at, at + size));
  reader.end();
  return rows;
}
const read = (text: string): Row[] => readAll(Buffer.from(text));

function failureOf(text: string | Uint8Array): unknown {
  try {
    readAll(Buffer.from(text));
    return undefined;
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    return [error.message, error.place?.line, error.place?.column];
  }
}

describe('JSON objects, one a line', () => {
  it('are rows under the keys of the first, however the bytes are cut', () => {
    const object = fc.record({ a: fc.string({ unit: 'grapheme' }), 'b"': fc.option(fc.string()) });
    fc.assert(
      fc.property(
        fc.array(object, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 9 }),
        (objects, size) => {
          const text = objects.map((one) => JSON.stringify(one)).join('\n');
          expect(readAll(Buffer.from(text), size)).toEqual([
            ['a', 'b"'],
            ...objects.map((one) => [one.a, one['b"'] ?? undefined]),
          ]);
        },
      ),
    );
  });

  it('have numbers with all their digits, tags as JSON, and nothing for null and what is left out', () => {
    expect(
      read(
        '\uFEFF{"cost": 0.00001605990, "tags": {"a": 1.50, "b": "x1"}, "c": "1", "d": null}\n\n{"tags": null, "cost": -12345678901234567890.1E-3}\r\n',
      ),
    ).toEqual([
      ['cost', 'tags', 'c', 'd'],
      ['0.00001605990', '{"a":"1.50","b":"x1"}', '1', undefined],
      ['-12345678901234567890.1E-3', undefined, undefined, undefined],
    ]);
  });

  it('say where a field is', () => {
    const seen: unknown[] = [];
    const text = '{"a": "1", "b": "2"}\n{"b": "2", "a": "3"}';
    readAll(Buffer.from(text), 7, (row) => {
      seen.push([0, 1].map((at) => Object.values(row.place(at)).join(':')));
    });
    expect(seen.slice(1)).toEqual([
      ['1:2', '1:12'],
      ['2:12', '2:2'],
    ]);
  });

  it('may have long strings of escapes', () => {
    const text = JSON.stringify({ a: '"\\'.repeat(400_000) });
    expect(read(text)[1]?.[0]).toHaveLength(800_000);
  });

  it('are rejected rows where they are none, or have a field that the first lacks', () => {
    const lines = ['{"a": 1}', '{"a": 01}', '[1]', '', 'null', '{"a": 1, "b": 2}', '{"a": 3}'];
    const rejected: unknown[] = [];
    const rows = readAll(Buffer.from(lines.join('\n')), 9, (row) => rejected.push(row.rejected));
    const noObject = (line: number) => ({
      column: '',
      message: 'is not a JSON object',
      place: { line, column: 1 },
    });
    const unknown = {
      column: 'b',
      message: 'is not a field of the first object',
      place: { line: 6, column: 10 },
    };
    expect(rejected).toEqual([
      ...[undefined, undefined, noObject(2), noObject(3), noObject(5), unknown, undefined],
    ]);
    expect(rows).toEqual([['a'], ['1'], [], [], [], ['1'], ['3']]);
  });

  it('are refused with line and column where the first is none, or a line cannot be taken in', () => {
    expect(failureOf('[1]')).toEqual(['is not a JSON object', 1, 1]);
    expect(failureOf(Buffer.from([0x7b, 0xff, 0x7d]))).toEqual([
      'is not UTF-8; save the file as UTF-8',
      1,
      1,
    ]);
    expect(failureOf(`{"a": "${'x'.repeat(9 * 1024 * 1024)}`)).toEqual([
      'the line is longer than 2 MiB',
      1,
      1,
    ]);
  });
});
