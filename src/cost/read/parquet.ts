import { parquetMetadataAsync, parquetRead, parquetSchema } from 'hyparquet';
import type {
  AsyncBuffer,
  Compressors,
  FileMetaData,
  ParquetParsers,
  SchemaElement,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { CellValue } from './cells.ts';
import type { Cells } from './cells.ts';
import { ReadError } from './place.ts';

/** Bytes of a file from one up to, and without, another. */
type ReadRange = (start: number, end: number) => Promise<Uint8Array>;

const mebibyte = 1024 * 1024;
const mostFooter = 64 * mebibyte;
/** Compressed bytes of all columns that are read of a row group, and bytes of a page. */
const mostOfGroup = 256 * mebibyte;
const mostOfPage = 128 * mebibyte;
const mostFields = 512;
const longestText = mebibyte;
/** Rows that are in memory at once: as many as the row groups of DuckDB and others have. */
const rowsAtOnce = 131_072;
const tailBytes = 8;
/** Digits after the point that the longest decimals have. */
const mostScale = 76;

/** The rows of a Parquet file, a part of a row group at a time; of any codec and encoding. */
export class ParquetFile {
  /** Of the columns at the top: a map or a list is one. */
  readonly names: readonly string[];
  private readonly elements: readonly SchemaElement[];

  private constructor(
    private readonly file: AsyncBuffer,
    private readonly metadata: FileMetaData,
  ) {
    const { children } = parquetSchema(metadata);
    this.names = children.map(({ element }) => element.name);
    this.elements = children.map(({ element }) => ({ ...element }));
    // Decimals as they are stored: the library divides them as doubles, which have too few digits.
    for (const element of metadata.schema) {
      if (!isDecimal(element)) continue;
      delete element.converted_type;
      delete element.logical_type;
    }
  }

  /** @throws ReadError it is cut off or damaged */
  static async open(read: ReadRange, size: number): Promise<ParquetFile> {
    if (size < tailBytes + 4) throw cutOff();
    const tail = await read(size - tailBytes, size);
    if (new TextDecoder().decode(tail.subarray(4)) !== 'PAR1') throw cutOff();
    const footer = new DataView(tail.slice().buffer).getUint32(0, true);
    if (footer > size - tailBytes) throw cutOff();
    if (footer > mostFooter) throw new ReadError('has a footer of more than 64 MiB');
    const file: AsyncBuffer = {
      byteLength: size,
      async slice(start, end = size) {
        if (!(start >= 0 && start <= end && end <= size))
          throw damaged('a part is outside of the file');
        if (end - start > mostOfGroup) throw tooLarge();
        return (await read(start, end)).slice().buffer;
      },
    };
    const metadata = await understood(() => parquetMetadataAsync(file, { geoparquet: false }));
    const opened = await understood(async () => new ParquetFile(file, metadata));
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
   * @param pause is awaited between parts
   * @throws ReadError
   */
  async rows(
    fields: readonly number[],
    onRow: (row: Cells) => void,
    pause: () => Promise<void>,
  ): Promise<void> {
    const columns = fields.map((field) => this.names[field] ?? '');
    const at = new Map(fields.map((field, column) => [field, column]));
    const textOf = fields.map((field) => reading(this.elements[field]));
    let first = 0;
    for (const group of this.metadata.row_groups) {
      const compressed = group.columns.reduce(
        (sum, { meta_data: one }) =>
          one && columns.includes(one.path_in_schema[0] ?? '')
            ? sum + Number(one.total_compressed_size)
            : sum,
        0,
      );
      if (compressed > mostOfGroup) throw tooLarge();
      const end = first + Number(group.num_rows);
      for (; first < end; first += rowsAtOnce) {
        const last = Math.min(end, first + rowsAtOnce);
        const rows = await this.part(columns, first, last);
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
            place: (field) => ({ line: first + index + 1, column: field + 1 }),
          });
        }
        await pause();
      }
      first = end;
    }
  }

  private part(
    columns: readonly string[],
    rowStart: number,
    rowEnd: number,
  ): Promise<readonly (readonly unknown[])[]> {
    return understood(
      () =>
        new Promise((resolve, reject) => {
          parquetRead({
            file: this.file,
            metadata: this.metadata,
            columns: [...columns],
            rowStart,
            rowEnd,
            compressors: bounded,
            parsers,
            utf8: false,
            onComplete: (rows: readonly (readonly unknown[])[]) => resolve(rows),
          }).catch(reject);
        }),
    );
  }
}

const cutOff = (): ReadError => new ReadError('is a Parquet file that is cut off');
const damaged = (why: string): ReadError => new ReadError(`is a damaged Parquet file: ${why}`);
const tooLarge = (): ReadError =>
  new ReadError('has row groups of more than 256 MiB; write it with smaller row groups');

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

/** Codecs that refuse pages larger than any writer makes. */
const bounded: Compressors = Object.fromEntries(
  Object.entries(compressors).map(([codec, decompress]) => [
    codec,
    (input: Uint8Array, length: number): Uint8Array => {
      if (!(length >= 0 && length <= mostOfPage)) throw damaged('a page is larger than 128 MiB');
      return decompress(input, length);
    },
  ]),
);

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
    if (!(scale >= 0 && scale <= mostScale)) throw damaged('a decimal has no possible scale');
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
  if (!isWhole && !(value instanceof Uint8Array)) throw damaged('a decimal is no whole number');
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
