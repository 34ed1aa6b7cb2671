import { ReadError } from './place.ts';

const mebibyte = 1024 * 1024;
/** Decompressed bytes of a page. */
const mostOfPage = 128 * mebibyte;
/** Values of a page: writers have at most a million. */
const mostValues = 4 * mebibyte;
/** Values by which the last group of a bit-packed run may exceed its page. */
const mostPadding = 504;

/** A column of a row group, as its pages are to be understood. */
export interface PagedColumn {
  readonly type: string;
  /** Of values of fixed length. */
  readonly length: number;
  /** Levels of definition and of repetition; 0: there are none. */
  readonly definition: number;
  readonly repetition: number;
  /** Its codec; undefined: pages are not compressed. */
  readonly decompress: ((input: Uint8Array, length: number) => Uint8Array) | undefined;
}

/** What a page makes of memory. */
export interface PageSize {
  /** 0 of a dictionary. */
  readonly rows: number;
  readonly values: number;
  readonly bytes: number;
}

export const damaged = (why: string): ReadError =>
  new ReadError(`is a damaged Parquet file: ${why}`);

/**
 * Checks what the pages of a column claim. The library makes lists of it without a look, outside of the memory that a thread
 * may have, or in so large steps that the process ends instead of the thread.
 * @param bytes those of all pages
 * @throws ReadError
 */
export function checkPages(
  bytes: Uint8Array,
  column: PagedColumn,
  onPage: (page: PageSize) => void,
): void {
  const source = new Source(bytes);
  // As the library does: a single byte is no page.
  while (source.at < bytes.length - 1) {
    const header = source.struct();
    const [kind, size, compressed] = [header.count(1), header.count(2), header.count(3)];
    if (size > mostOfPage) throw damaged('a page is larger than 128 MiB');
    if (compressed > bytes.length - source.at) throw damaged('a page is truncated');
    const body = bytes.subarray(source.at, (source.at += compressed));
    onPage({ bytes: size, ...checkPage(kind, header, { body, size, column }) });
  }
}

interface PageBody {
  readonly body: Uint8Array;
  readonly size: number;
  readonly column: PagedColumn;
}

const pageKinds = { data: 0, dictionary: 2, newData: 3 };

function checkPage(kind: number, header: Fields, page: PageBody): Omit<PageSize, 'bytes'> {
  switch (kind) {
    case pageKinds.data:
      return checkData(header.struct(5), page);
    case pageKinds.newData:
      return checkNewData(header.struct(8), page);
    case pageKinds.dictionary:
      return { rows: 0, values: valuesOf(header.struct(7)) };
    default:
      throw damaged(`a page has the unsupported type ${kind}`);
  }
}

function valuesOf(header: Fields): number {
  const values = header.count(1);
  if (values > mostValues) {
    throw new ReadError(
      'has pages of more than 4,194,304 values; write it with row groups of at most 100,000 rows',
    );
  }
  return values;
}

/** A data page of version 1: levels and values are compressed together. */
function checkData(header: Fields, { body, size, column }: PageBody): Omit<PageSize, 'bytes'> {
  const values = valuesOf(header);
  const source = new Source(column.decompress ? column.decompress(body, size) : body);
  const { repetition, definition } = column;
  const rows = repetition > 0 ? levels(source.part(), repetition, values, 0) : values;
  const given = definition > 0 ? levels(source.part(), definition, values, definition) : values;
  checkValues(source, header.count(2), given, column, false);
  return { rows, values };
}

/** A data page of version 2: only the values are compressed. */
function checkNewData(header: Fields, { body, size, column }: PageBody): Omit<PageSize, 'bytes'> {
  const values = valuesOf(header);
  const [nulls, ofDefinition, ofRepetition] = [header.count(2), header.count(5), header.count(6)];
  if (nulls > values || ofDefinition + ofRepetition > Math.min(size, body.length)) {
    throw damaged('the header of a page is inconsistent');
  }
  const { repetition, definition, decompress } = column;
  const repeated = body.subarray(0, ofRepetition);
  const defined = body.subarray(ofRepetition, ofRepetition + ofDefinition);
  const rows = repetition > 0 ? levels(new Source(repeated), repetition, values, 0) : values;
  if (definition > 0) levels(new Source(defined), definition, values, definition);
  const rest = body.subarray(ofRepetition + (definition > 0 ? ofDefinition : 0));
  const own = size - ofDefinition - ofRepetition;
  const isPacked = decompress && own > 0 && !header.isFalse(7);
  const source = new Source(isPacked ? decompress(rest, own) : rest);
  checkValues(source, header.count(4), values - nulls, column, true);
  return { rows, values };
}

const encodings = {
  plain: 0,
  plainDictionary: 2,
  runs: 3,
  deltas: 5,
  deltaLengths: 6,
  deltaBytes: 7,
  dictionary: 8,
  split: 9,
};

function checkValues(
  source: Source,
  encoding: number,
  count: number,
  { type, length }: PagedColumn,
  isNew: boolean,
): void {
  switch (encoding) {
    case encodings.plain:
    case encodings.deltas:
    case encodings.deltaLengths:
      // Lists of as many values as were counted, each of which must be there.
      return;
    case encodings.plainDictionary:
    case encodings.dictionary:
    case encodings.runs: {
      const isFlag = isNew ? encoding === encodings.runs : type === 'BOOLEAN';
      if (isFlag) return void runs(source.part(), 1, count);
      // A page without values may have no byte that says how wide they are.
      if (count === 0) return;
      const width = source.byte();
      if (width > 32) throw damaged('a page contains integers of more than 32 bits');
      if (width > 0 || isNew) runs(source, width, count);
      return;
    }
    case encodings.deltaBytes:
      return checkPrefixes(source, count);
    case encodings.split: {
      const width = widths[type] ?? length;
      if (count * width > source.left)
        throw damaged('a page has fewer values than its header declares');
      return;
    }
    default:
      throw new ReadError(`has pages with the encoding ${encoding}, which is not supported`);
  }
}

const widths: Readonly<Record<string, number>> = { INT32: 4, FLOAT: 4, INT64: 8, DOUBLE: 8 };

/** @returns how many of the levels are the wanted one */
function levels(source: Source, highest: number, count: number, wanted: number): number {
  let found = 0;
  runs(source, 32 - Math.clz32(highest), count, (level, times) => {
    if (level === wanted) found += times;
  });
  return found;
}

/** Follows runs of numbers until there are as many as counted. */
function runs(
  source: Source,
  width: number,
  count: number,
  onRun?: (value: number, times: number) => void,
): void {
  const bytes = Math.ceil(width / 8);
  for (let seen = 0; seen < count;) {
    const head = source.number();
    const left = count - seen;
    const times = Math.floor(head / 2) * (head % 2 === 1 ? 8 : 1);
    if (times > left + (head % 2 === 1 ? mostPadding : 0)) {
      throw damaged('a run in a page is longer than the page');
    }
    seen += times;
    if (head % 2 === 0) {
      const value = source.little(bytes);
      onRun?.(value, times);
      continue;
    }
    const packed = source.take((times / 8) * width);
    if (!onRun) continue;
    const mask = 2 ** width - 1;
    for (let n = 0, bit = 0; n < Math.min(times, left); n++, bit += width) {
      const at = bit >>> 3;
      const two = (packed[at] ?? 0) | ((packed[at + 1] ?? 0) << 8);
      onRun((two >>> (bit & 7)) & mask, 1);
    }
  }
}

/** Each value repeats the beginning of the one before: together they can be far longer than the page. */
function checkPrefixes(source: Source, count: number): void {
  if (count === 0) return;
  const size = source.number();
  const parts = source.number();
  source.number();
  const ofPart = size / parts;
  let value = source.signed();
  let sum = 0;
  let seen = 0;
  const add = (): void => {
    sum += value;
    seen += 1;
    if (value < 0 || sum > mostOfPage) throw damaged('a page is larger than 128 MiB');
  };
  add();
  while (seen < count) {
    const least = source.signed();
    const bits = source.take(parts);
    for (let part = 0; part < parts && seen < count; part++) {
      const width = bits[part] ?? 0;
      if (width > 32) throw damaged('a page contains integers of more than 32 bits');
      const packed = source.take((ofPart * width) / 8);
      for (let n = 0; n < ofPart && seen < count; n++) {
        value = (value + least + bitsAt(packed, n * width, width)) | 0;
        add();
      }
    }
  }
}

function bitsAt(bytes: Uint8Array, from: number, width: number): number {
  let value = 0;
  for (let bit = 0; bit < width; bit++) {
    const at = from + bit;
    value += (((bytes[at >>> 3] ?? 0) >>> (at & 7)) & 1) * 2 ** bit;
  }
  return value;
}

/** A value of which something may be asked; undefined: any other. */
type Field = number | boolean | Fields | undefined;

/** The fields of a struct of Thrift's compact protocol. */
class Fields {
  private readonly values = new Map<number, Field>();

  set(field: number, value: Field): void {
    this.values.set(field, value);
  }

  /** @throws ReadError it is none, or negative */
  count(field: number): number {
    const value = this.values.get(field);
    if (typeof value === 'number' && value >= 0) return value;
    throw damaged('the header of a page lacks a required number');
  }

  isFalse(field: number): boolean {
    return this.values.get(field) === false;
  }

  struct(field: number): Fields {
    const value = this.values.get(field);
    if (value instanceof Fields) return value;
    throw damaged('the header of a page lacks a required field');
  }
}

const mostDepth = 8;

/** Bytes that are read from the first to the last. */
class Source {
  at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get left(): number {
    return this.bytes.length - this.at;
  }

  byte(): number {
    const value = this.bytes[this.at++];
    if (value === undefined) throw damaged('a page is truncated');
    return value;
  }

  /** @param count may be none: then a page is damaged */
  take(count: number): Uint8Array {
    if (!(count >= 0 && count <= this.left)) throw damaged('a page is truncated');
    return this.bytes.subarray(this.at, (this.at += Math.ceil(count)));
  }

  /** What follows its own length. */
  part(): Source {
    return new Source(this.take(this.little(4)));
  }

  /** A number of some bytes, the lowest first. */
  little(bytes: number): number {
    let value = 0;
    for (let n = 0; n < bytes; n++) value += this.byte() * 2 ** (8 * n);
    return value;
  }

  /** A number of up to 31 bits. */
  number(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (value >= 2 ** 32) break;
        return value;
      }
    }
    throw damaged('a number is too long');
  }

  /** A number with its sign in the lowest bit. */
  signed(): number {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  struct(depth = 0): Fields {
    if (depth > mostDepth) throw damaged('the header of a page is nested too deeply');
    const fields = new Fields();
    for (let field = 0; ;) {
      const head = this.byte();
      if (head === 0) return fields;
      field = head >> 4 ? field + (head >> 4) : this.signed();
      fields.set(field, this.value(head & 0x0f, depth));
    }
  }

  private value(type: number, depth: number): Field {
    switch (type) {
      case 1:
      case 2:
        return type === 1;
      case 3:
        return (this.byte() << 24) >> 24;
      case 4:
      case 5:
        return this.signed();
      case 6:
        while (this.byte() >= 0x80);
        return undefined;
      case 7:
        this.take(8);
        return undefined;
      case 8:
        this.take(this.number());
        return undefined;
      case 9: {
        const head = this.byte();
        const count = head >> 4 === 15 ? this.number() : head >> 4;
        const each = head & 0x0f;
        for (let n = 0; n < count; n++) this.value(each <= 2 ? 3 : each, depth + 1);
        return undefined;
      }
      case 12:
        return this.struct(depth + 1);
      default:
        throw damaged('the header of a page cannot be read');
    }
  }
}
