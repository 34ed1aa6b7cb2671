import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importFiles } from '../server/cost-imports/import-files.ts';
import { startTestService } from '../server/test-service.ts';
import type { TestService } from '../server/test-service.ts';
import { chargesFile, encodings, page, repeated, sized, varint } from './parquet-file.ts';
import type { Column } from './parquet-file.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const imported = (bytes: Uint8Array) => importFiles(service, [{ name: 'a.parquet', bytes }]);
const most = 0x7fffffff;
const rows = 1_000;
const zeros = Buffer.alloc(4);

/** Numbers as differences: the first, and for all others none. */
const allSame = (first: number, count: number, ofBlock: number): Buffer =>
  Buffer.concat([
    ...[ofBlock, 4, count, first * 2].map(varint),
    ...Array.from({ length: Math.ceil(count / ofBlock) }, () => Buffer.concat([varint(0), zeros])),
  ]);

const huge = sized(Buffer.alloc(64 << 20, 'x'));
const packed = brotliCompressSync(huge);
const text = Buffer.alloc(1 << 20, 'x');

it.each<[name: string, column: Column, said: string]>([
  ['repeats a value more often than a page has values', { dictionary: 'x', pages: [repeated(rows, most)] }, 'a run in a page is longer than the page'],
  ['repeats a level more often than a page has values', { isOptional: true, pages: [page(sized(Buffer.concat([varint(most * 2), Buffer.from([1])])), { values: rows })] }, 'a run in a page is longer than the page'],
  ['has a page of two billion values', { dictionary: 'x', pages: [repeated(most)] }, 'pages of more than 4,194,304 values'],
  ['has a page of two billion numbers', { type: 2, pages: [page(allSame(1, 1 << 20, 1 << 20), { values: most, encoding: encodings.deltas })] }, 'pages of more than 4,194,304 values'],
  ['repeats a mebibyte of the text before in each row', { pages: [page(Buffer.concat([allSame(1 << 20, rows, 128), allSame(0, rows, 128), text]), { values: rows, encoding: encodings.deltaBytes })] }, 'a page is larger than 128 MiB'],
  ['has pages that are gigabytes together', { codec: 4, pages: Array.from({ length: rows }, () => page(packed, { values: 1, unpacked: huge.length })) }, 'require too much memory'],
  ['has a page that decompresses to more than it says', { codec: 4, pages: [page(packed, { values: rows, unpacked: 10 })] }, 'is a damaged Parquet file'],
  ['says that a page is larger than any', { codec: 4, pages: [page(packed, { values: rows, unpacked: most })] }, 'a page is larger than 128 MiB'],
  ['has fewer values than rows', { dictionary: 'x', pages: [repeated(rows - 1)] }, 'a column has 999 rows in a row group of 1000'],
])('a Parquet file that %s is refused before that takes memory', async (_name, column, said) => {
  const { status, failure } = await imported(chargesFile(rows, { ServiceName: column }));
  expect({ status, ...failure }).toMatchObject({ status: 'failed', file: 'a.parquet' });
  expect(failure?.reason).toContain(said);
}); // prettier-ignore

it('a Parquet file that claims more rows than it has does not keep imports busy', async () => {
  const { failure } = await imported(chargesFile(1e15));
  expect(failure?.reason).toContain('a column has 1000 rows in a row group of 1000000000000000');
});

it('the same file without its lies is imported', async () => {
  const honest = { ServiceName: { dictionary: 'x', pages: [repeated(400), repeated(600)] } };
  const { result } = await imported(chargesFile(rows, honest));
  expect(result).toMatchObject({ rows, totals: [{ after: { billed: '1000' } }] });
});
