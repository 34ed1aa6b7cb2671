import { parquetMetadataAsync, parquetRead, parquetSchema } from 'hyparquet';
import type {
  AsyncBuffer,
  Compressors,
  FileMetaData,
  ColumnMetaData,
  ParquetParsers,
  RowGroup,
  SchemaElement,
  SchemaTree,
} from 'hyparquet';
import { compressors, decompressZstd } from 'hyparquet-compressors';
import { CellValue } from './cells.ts';
import type { Cells } from './cells.ts';
import { checkPages, damaged } from './parquet-pages.ts';
import type { PagedColumn } from './parquet-pages.ts';
import { ReadError } from './place.ts';

/** Bytes of a file from one up to, and without, another. */
type ReadRange = (start: number, end: number) => Promise<Uint8Array>;

const mebibyte = 1024 * 1024;
const mostFooter = 16 * mebibyte;
/** Compressed bytes of all columns that are read of a row group. */
const mostOfGroup = 256 * mebibyte;
/** Decompressed bytes, and values, of all pages that have some of the rows that are read at once. */
const mostAtOnce = { bytes: 256 * mebibyte, values: 32 * mebibyte };
const mostFields = 512;
/** Columns with those in maps and lists, and how deep these are. */
const mostElements = 10_000;
const mostLevels = 32;
const longestText = mebibyte;
/** Rows that are in memory at once: as many as the row groups of DuckDB and others have. */
const rowsAtOnce = 131_072;
/** Rows of a row group. */
const mostRows = 1_024 * rowsAtOnce;
const tailBytes = 8;
/** Digits after the point that the longest decimals have. */
const mostScale = 76;

/** Bytes of a column of a row group, from their place in the file. */
interface KeptColumn {
  readonly start: number;
  readonly buffer: ArrayBuffer;
}

type AtOnce = Record<keyof typeof mostAtOnce, number>;

/** @throws ReadError */
function addTo(sum: AtOnce, { bytes, values }: AtOnce): void {
  sum.bytes += bytes;
  sum.values += values;
  if (sum.bytes > mostAtOnce.bytes || sum.values > mostAtOnce.values) throw tooMuch();
}

/** The rows of a Parquet file, a part of a row group at a time; of any codec and encoding. */
export class ParquetFile {
  /** Of the columns at the top: a map or a list is one. */
  readonly names: readonly string[];
  private readonly elements: readonly SchemaElement[];

  private readonly tree: SchemaTree;
  /** The columns of the row group that is read. */
  private kept: readonly KeptColumn[] = [];
  /** The file, of which those are not read again. */
  private readonly keeping: AsyncBuffer;

  private constructor(
    private readonly file: AsyncBuffer,
    private readonly metadata: FileMetaData,
    private readonly codecs: Compressors,
  ) {
    this.keeping = {
      byteLength: file.byteLength,
      slice: (start, end = file.byteLength) =>
        this.kept.find((one) => one.start === start && start + one.buffer.byteLength === end)
          ?.buffer ?? file.slice(start, end),
    };
    this.tree = parquetSchema(metadata);
    const { children } = this.tree;
    this.names = children.map(({ element }) => element.name);
    this.elements = children.map(({ element }) => ({ ...element }));
    // Decimals as they are stored: the library divides them as doubles, which have too few digits. And no values that can
    // become larger than their pages.
    for (const element of metadata.schema) {
      if (expanding.has(element.logical_type?.type ?? '')) delete element.logical_type;
      if (!isDecimal(element)) continue;
      delete element.converted_type;
      delete element.logical_type;
    }
  }

  /** @throws ReadError it is cut off or damaged */
  static async open(
    read: ReadRange,
    size: number,
    codecs: Parameters<typeof bounded>[0],
  ): Promise<ParquetFile> {
    if (size < tailBytes + 4) throw cutOff();
    const tail = await read(size - tailBytes, size);
    if (new TextDecoder().decode(tail.subarray(4)) !== 'PAR1') throw cutOff();
    const footer = new DataView(tail.slice().buffer).getUint32(0, true);
    if (footer > size - tailBytes) throw cutOff();
    if (footer > mostFooter) throw new ReadError('has a footer of more than 16 MiB');
    const file: AsyncBuffer = {
      byteLength: size,
      async slice(start, end = size) {
        if (!(start >= 0 && start <= end && end <= size))
          throw damaged('a section is outside the file');
        if (end - start > mostOfGroup) throw tooLarge();
        return (await read(start, end)).slice().buffer;
      },
    };
    const metadata = await understood(() => parquetMetadataAsync(file, { geoparquet: false }));
    const opened = await understood(async () => new ParquetFile(file, metadata, bounded(codecs)));
    if (metadata.schema.length > mostElements) {
      throw new ReadError('has more than 10,000 columns in maps and lists');
    }
    if (opened.names.length > mostFields)
      throw new ReadError(`has more than ${mostFields} columns`);
    return opened;
  }

  /** The names of its columns, as the header of other formats. */
  header(): Cells {
    return {
      length: this.names.length,
      text: (field) => this.names[field],
      value: (field) => new CellValue(this.names[field] ?? ''),
      place: (field) => ({ line: 1, column: field + 1 }),
    };
  }

  /**
   * Gives the rows, in their order.
   * @param fields those that are read; others have no text
   * @param pause is awaited after each part, with the bytes that it took
   * @throws ReadError
   */
  async rows(
    fields: readonly number[],
    onRow: (row: Cells) => void,
    pause: (bytes: number) => Promise<void>,
  ): Promise<void> {
    const columns = fields.map((field) => this.names[field] ?? '');
    const at = new Map(fields.map((field, column) => [field, column]));
    const textOf = fields.map((field) => reading(this.elements[field]));
    let before = 0;
    for (const group of this.metadata.row_groups) {
      const count = Number(group.num_rows);
      const sizes = await understood(() => this.checkGroup(group, columns));
      for (let first = 0; first < count; first += rowsAtOnce) {
        const last = Math.min(count, first + rowsAtOnce);
        const rows = await this.part(group, columns, first, last);
        for (const [index, values] of rows.entries()) {
          const text = (field: number): string | undefined => {
            const column = at.get(field);
            return column === undefined ? undefined : textOf[column]?.(values[column]);
          };
          onRow({
            length: this.names.length,
            text,
            // A string says what it means: absent values are null.
            value: (field) => new CellValue((text(field) ?? '').trim()),
            place: (field) => ({ line: before + first + index + 1, column: field + 1 }),
          });
        }
        await pause(sizes[first / rowsAtOnce] ?? 0);
      }
      before += count;
    }
  }

  /**
   * Checks what the pages of a row group claim before they are read, and keeps their bytes for that.
   * @returns the bytes that each of its parts takes, decompressed and as lists
   */
  private async checkGroup(
    { columns, num_rows: count }: RowGroup,
    names: readonly string[],
  ): Promise<readonly number[]> {
    const metas = columns.flatMap(({ meta_data: meta }) =>
      meta && names.includes(meta.path_in_schema[0] ?? '') ? [meta] : [],
    );
    const sizes = metas.map(({ total_compressed_size: size }) => Number(size));
    if (sizes.some((size) => !(size >= 0))) throw damaged('a column has an invalid size');
    if (sizes.reduce((sum, size) => sum + size, 0) > mostOfGroup) throw tooLarge();
    const kept: KeptColumn[] = (this.kept = []);
    const parts: AtOnce[] = [];
    for (const meta of metas) {
      // 0 is none, too: a file begins with its kind.
      const start = Number(meta.dictionary_page_offset) || Number(meta.data_page_offset);
      const buffer = await this.file.slice(start, start + Number(meta.total_compressed_size));
      kept.push({ start, buffer });
      const { isFlat, ...column } = this.pagedColumn(meta);
      let rows = 0;
      // Of a map or list, all pages are read for each part.
      const whole: AtOnce = { bytes: 0, values: 0 };
      checkPages(new Uint8Array(buffer), column, (page) => {
        const from = isFlat ? Math.floor(rows / rowsAtOnce) : 0;
        rows += page.rows;
        if (rows > mostRows) throw tooMuch();
        const to = isFlat ? Math.ceil(rows / rowsAtOnce) : 0;
        for (let at = from; at < to; at++) addTo((parts[at] ??= { bytes: 0, values: 0 }), page);
        if (!isFlat || page.rows === 0) addTo(whole, page);
      });
      if (rows !== Number(count)) {
        throw damaged(`a column has ${rows} rows in a row group of ${count}`);
      }
      for (let at = 0; at * rowsAtOnce < rows; at++) {
        addTo((parts[at] ??= { bytes: 0, values: 0 }), whole);
      }
    }
    return parts.map(({ bytes, values }) => bytes + 8 * values);
  }

  private pagedColumn(meta: ColumnMetaData): PagedColumn & { readonly isFlat: boolean } {
    let tree: SchemaTree | undefined = this.tree;
    let [definition, repetition] = [0, 0];
    for (const name of meta.path_in_schema) {
      tree = tree?.children.find(({ element }) => element.name === name);
      const { repetition_type: kind } = tree?.element ?? {};
      if (kind !== 'REQUIRED') definition += 1;
      if (kind === 'REPEATED') repetition += 1;
    }
    if (!tree || definition > mostLevels) throw damaged('a column is not in its schema');
    const decompress = this.codecs[meta.codec];
    if (meta.codec !== 'UNCOMPRESSED' && !decompress) {
      throw new ReadError(`is compressed with ${meta.codec}, which is not supported`);
    }
    return {
      type: meta.type,
      length: tree.element.type_length ?? 0,
      definition,
      repetition,
      decompress,
      isFlat: meta.path_in_schema.length === 1 && repetition === 0,
    };
  }

  private part(
    group: RowGroup,
    columns: readonly string[],
    rowStart: number,
    rowEnd: number,
  ): Promise<readonly (readonly unknown[])[]> {
    return understood(
      () =>
        new Promise((resolve, reject) => {
          parquetRead({
            file: this.keeping,
            // Of this row group alone: those before it would be gone through for each part.
            metadata: { ...this.metadata, row_groups: [group] },
            columns: [...columns],
            rowStart,
            rowEnd,
            compressors: this.codecs,
            parsers,
            utf8: false,
            onComplete: (rows: readonly (readonly unknown[])[]) => resolve(rows),
          }).catch(reject);
        }),
    );
  }
}

const cutOff = (): ReadError => new ReadError('is a truncated Parquet file');
const tooLarge = (): ReadError =>
  new ReadError('has row groups of more than 256 MiB; write it with smaller row groups');

const tooMuch = (): ReadError =>
  new ReadError(
    'has pages that require too much memory; write it with row groups of at most 100,000 rows',
  );

/** What the library says of damaged files. */
async function understood<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ReadError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw damaged(message.slice(0, 200));
  }
}

/** Decompresses a page to at most so many bytes. */
export type Decompress = (input: Uint8Array, length: number) => Uint8Array;

/** Codecs that make no more of a page than its header says. */
const bounded = (own: Readonly<Record<'GZIP' | 'BROTLI', Decompress>>): Compressors => ({
  ...compressors,
  ...own,
  ZSTD: (input, length) => decompressZstd(input, new Uint8Array(length)),
});

/** Kinds of values that the library unfolds. */
const expanding: ReadonlySet<string> = new Set(['VARIANT', 'GEOMETRY', 'GEOGRAPHY']);

const isoOf = (ms: number): string => {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
};

const decoder = new TextDecoder();

/** Times as text. */
const parsers: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (millis) => isoOf(Number(millis)),
  timestampFromMicroseconds: (micros) => isoOf(Number(micros / 1000n)),
  timestampFromNanoseconds: (nanos) => isoOf(Number(nanos / 1_000_000n)),
  dateFromDays: (days) => isoOf(days * 86_400_000),
  jsonFromBytes: (bytes) => decoder.decode(bytes),
};

const isDecimal = ({ converted_type: converted, logical_type: logical }: SchemaElement): boolean =>
  converted === 'DECIMAL' || logical?.type === 'DECIMAL';

/** How the values of a column become texts: numbers with all their digits. */
function reading(element: SchemaElement | undefined): (value: unknown) => string | undefined {
  if (element && isDecimal(element)) {
    const { scale = 0 } = element;
    if (!(scale >= 0 && scale <= mostScale)) throw damaged('a decimal has an invalid scale');
    return (value) => decimalOf(value, scale);
  }
  if (element?.type === 'FLOAT') {
    return (value) => (typeof value === 'number' ? shortestFloat(value) : textOf(value));
  }
  return textOf;
}

function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value;
  const text =
    value instanceof Uint8Array
      ? decoder.decode(value)
      : typeof value === 'object'
        ? JSON.stringify(value, plain)
        : String(value as number | bigint | boolean);
  if (text.length > longestText) throw new ReadError('has a value that is longer than 1 MiB');
  return text;
}

/** Values inside of maps and lists. */
const plain = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' || value instanceof Uint8Array ? textOf(value) : value;

function decimalOf(value: unknown, scale: number): string | undefined {
  if (value === null || value === undefined) return undefined;
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
  if (!isWhole && !(value instanceof Uint8Array)) throw damaged('a decimal is not a whole number');
  const whole = value instanceof Uint8Array ? signed(value) : BigInt(value as number | bigint);
  const digits = (whole < 0n ? -whole : whole).toString().padStart(scale + 1, '0');
  const sign = whole < 0n ? '-' : '';
  return scale === 0
    ? `${sign}${digits}`
    : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** A whole number from its bytes, the highest first. */
const signed = (bytes: Uint8Array): bigint => {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return BigInt.asIntN(8 * bytes.length, value);
};

/** The shortest decimal that is this number in 32 bits. */
function shortestFloat(value: number): string {
  for (let digits = 6; digits < 10; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(value);
}
