import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvReader } from '../../src/cost/read/csv.ts';
import type { CsvRow } from '../../src/cost/read/csv.ts';
import { ReadError } from '../../src/cost/read/place.ts';

const bytesOf = (text: string): Uint8Array => Buffer.from(text);

const fieldsOf = (row: CsvRow): string[] =>
  Array.from({ length: row.length }, (_, field) => row.text(field) ?? '');

/** Reads bytes that come in chunks of these sizes, the last size again and again. */
function readAll(
  bytes: Uint8Array,
  sizes: readonly number[] = [bytes.length],
  delimiter = ',',
  onRow: (row: CsvRow) => void = () => {},
): string[][] {
  const rows: string[][] = [];
  const reader = new CsvReader({
    delimiter,
    onRow: (row) => {
      rows.push(fieldsOf(row));
      onRow(row);
    },
  });
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = Math.max(1, sizes[Math.min(turn, sizes.length - 1)] ?? 1);
    reader.push(bytes.slice(at, at + size));
    at += size;
  }
  reader.end();
  return rows;
}
const read = (text: string): string[][] => readAll(bytesOf(text));

function failureOf(bytes: Uint8Array | string, size?: number): unknown {
  try {
    readAll(typeof bytes === 'string' ? bytesOf(bytes) : bytes, size ? [size] : undefined);
    return undefined;
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    return [error.message, error.place?.line, error.place?.column];
  }
}

const cell = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', 'é', '漢', '"', ',', '\n', '\r\n', ' ', '😀'),
    maxLength: 6,
  }),
  fc.constantFrom('', 'NULL', '0.5'),
);
const table = fc
  .integer({ min: 1, max: 5 })
  .chain((columns) =>
    fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { maxLength: 8 }),
  );

describe('a CSV file', () => {
  it('has the rows that were written, however its bytes are cut', () => {
    fc.assert(
      fc.property(
        table,
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n'),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (rows, delimiter, end, sizes) => {
          // A line without any character would be no row.
          const text = stringify(rows, {
            delimiter,
            record_delimiter: end,
            quoted_empty: true,
            quoted_match: /[\r\n]/,
          });
          const values: string[][] = [];
          const onRow = (row: CsvRow): void => {
            values.push(fieldsOf(row).map((_, field) => row.value(field).text));
          };
          expect(readAll(bytesOf(text), sizes, delimiter, onRow)).toEqual(rows);
          const valueOf = (one: string): string => one.trim().replace(/^NULL$/, '');
          expect(values).toEqual(rows.map((row) => row.map(valueOf)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('may begin with a byte order mark, have lines without text and no line break at its end', () => {
    expect(read('\uFEFF"A",B\n\r\n1,2\n\n\n3,4')).toEqual([
      ['A', 'B'],
      ['1', '2'],
      ['3', '4'],
    ]);
    expect(readAll(bytesOf('\uFEFFA\n1'), [1])).toEqual([['A'], ['1']]);
    expect(read('')).toEqual([]);
    expect(read('a')).toEqual([['a']]);
    expect(read('a,\n')).toEqual([['a', '']]);
  });

  it('has NULL without quotes as no value, and tells where a field is', () => {
    const seen: unknown[] = [];
    readAll(bytesOf('NULL,"NULL",ä\n"x\ny",z,ä\n"x\ny",Z,ä'), [3], ',', (row) => {
      const fields = [0, 1, 2];
      seen.push([
        row.line,
        fields.map((at) => row.value(at).text),
        fields.map((at) => Object.values(row.place(at)).join(':')),
      ]);
    });
    expect(seen).toEqual([
      [1, ['', 'NULL', 'ä'], ['1:1', '1:6', '1:13']],
      [2, ['x\ny', 'z', 'ä'], ['2:1', '3:4', '3:6']],
      [4, ['x\ny', 'Z', 'ä'], ['4:1', '5:4', '5:6']],
    ]);
  });

  it('is refused with line and column where it is none', () => {
    expect(failureOf('a\n"b\nc')).toEqual(['a closing quote is missing', 2, 1]);
    expect(failureOf('a\nx,"b"c\n')).toEqual(['text follows a closing quote', 2, 6]);
    expect(failureOf('a\nx,\0\n')).toEqual(['is binary, not CSV', 2, 3]);
    expect(failureOf(Buffer.from([0x61, 0x0a, 0xff, 0x0a]))).toEqual([
      'is not UTF-8; save the file as UTF-8',
      2,
      1,
    ]);
    expect(failureOf(','.repeat(600))).toEqual(['the row has more than 512 fields', 1, 513]);
    expect(failureOf(`a\n${'x'.repeat(1024 * 1024 + 1)}`)).toEqual([
      'the field is longer than 1 MiB',
      2,
      1,
    ]);
  });

  it.each([
    [
      'in quotes',
      'a\nx,y"z,"',
      ['the row is longer than 8 MiB; a closing quote may be missing', 2, 7],
    ],
    ['without quotes', 'a\n"x",', ['the row is longer than 8 MiB', 2, 1]],
  ])('ends a row %s that never ends before it fills the memory', (_, begin, said) => {
    expect(failureOf(`${begin}${'x'.repeat(9 * 1024 * 1024)}`, 512 * 1024)).toEqual(said);
  });
});
