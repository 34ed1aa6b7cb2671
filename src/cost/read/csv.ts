import { readPlainAmount } from '../amount.ts';
import { CellValue } from './cells.ts';
import type { Cells } from './cells.ts';
import type { Place } from './place.ts';
import { ReadError } from './place.ts';
import { TextCache, isSame } from './text-cache.ts';

/** Limits of what one file may have. */
const longestField = 1024 * 1024;
const longestRow = 8 * 1024 * 1024;
const mostFields = 512;

/** A row as it stands in the bytes. */
export interface CsvRow extends Cells {
  /** Of its first character, from 1. */
  readonly line: number;
}

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const nul = 0;
const byteOrderMark = [0xef, 0xbb, 0xbf];

interface Options {
  /** One byte: `,`, `;` or a tab. */
  readonly delimiter: string;
  readonly onRow: (row: CsvRow) => void;
}

/**
 * Reads CSV (RFC 4180) from chunks of UTF-8, however they are cut: fields in quotes may contain delimiters, quotes and line breaks; lines
 * end with LF or CRLF; lines without a character are skipped. Memory is bounded by the longest row.
 */
export class CsvReader {
  private readonly delimiter: number;
  private readonly onRow: (row: CsvRow) => void;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  /** What was not read as a whole row yet, and the chunk at hand. The same memory each time: collecting that of chunks takes long. */
  private memory = new Uint8Array(0);
  /** Of the memory, from the row at hand on. */
  private bytes: Uint8Array = this.memory;
  private view = new DataView(this.bytes.buffer);
  private isBegun = false;
  private line = 1;
  /** Where the quote is that is not closed in these bytes. */
  private openQuote: number | undefined;
  private readonly row = new Bounds();
  private readonly shown: { -readonly [Name in keyof CsvRow]: CsvRow[Name] };
  private readonly cache = new TextCache();
  /** Of each field, where the row at hand or those before it with the same bytes were asked for it. */
  private readonly values = new Array<CellValue | undefined>(mostFields).fill(undefined);

  constructor({ delimiter, onRow }: Options) {
    this.delimiter = delimiter.charCodeAt(0);
    this.onRow = onRow;
    this.shown = {
      line: 1,
      length: 0,
      text: (field) => this.text(field),
      value: (field) => this.value(field),
      amount: (field, lanes, at) => this.amount(field, lanes, at),
      place: (field) => this.place(field),
    };
  }

  /** @throws ReadError, and what `onRow` throws */
  push(chunk: Uint8Array): void {
    const rest = this.bytes;
    const size = rest.length + chunk.length;
    if (this.memory.length < size) this.memory = new Uint8Array(2 * size);
    this.memory.set(rest);
    this.memory.set(chunk, rest.length);
    this.read(this.memory.subarray(0, size), false);
  }

  /** After the last chunk. @throws ReadError */
  end(): void {
    this.read(this.bytes, true);
  }

  private read(bytes: Uint8Array, isEnd: boolean): void {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (!this.isBegun && bytes.length < byteOrderMark.length && !isEnd) return;
    let from = this.isBegun || !byteOrderMark.every((byte, at) => bytes[at] === byte) ? 0 : 3;
    this.isBegun = true;
    // The row before is in other bytes.
    this.row.length = 0;
    for (;;) {
      const next = this.scan(from, isEnd);
      if (next === undefined) break;
      const { breaks, length } = this.row;
      if (length > 0) {
        this.shown.line = this.line;
        this.shown.length = length;
        this.onRow(this.shown);
      }
      this.line += breaks;
      from = next;
    }
    if (bytes.length - from > longestRow) {
      throw this.openQuote === undefined
        ? this.error('the row is longer than 8 MiB')
        : this.error(
            'the row is longer than 8 MiB; a closing quote may be missing',
            this.placeAt(this.openQuote),
          );
    }
    this.bytes = bytes.subarray(from);
  }

  /** Finds the bounds of the row that begins at a byte. @returns where the next begins; undefined: the row is not whole yet */
  private scan(from: number, isEnd: boolean): number | undefined {
    const { bytes, view, row, values, delimiter } = this;
    const highest = Math.max(delimiter, lineFeed);
    const { length } = bytes;
    /** Fields of the row before. */
    const before = row.length;
    row.reset(from);
    this.openQuote = undefined;
    let at = from;
    if (at >= length) return undefined;
    for (;;) {
      // Most columns have the same in many rows that follow each other: comparing words is faster than looking at each byte.
      if (row.length < before && row.isPlain(row.length)) {
        const start = row.start(row.length);
        const size = row.end(row.length) - start;
        if (
          at + size < length &&
          bytes[at + size] === delimiter &&
          isSame(view, at, view, start, size)
        ) {
          row.add(at, at + size, plain);
          at += size + 1;
          continue;
        }
      }
      let start = at;
      let end: number;
      let isQuoted = false;
      let hasEscapes = false;
      if (bytes[at] === quote) {
        isQuoted = true;
        start = ++at;
        for (; ; at++) {
          if (at >= length) {
            if (isEnd) throw this.error('a closing quote is missing', this.placeAt(start - 1));
            this.openQuote = start - 1;
            return undefined;
          }
          const byte = bytes[at] ?? 0;
          if (byte > quote) continue;
          if (byte === lineFeed) row.breaks += 1;
          if (byte !== quote) continue;
          if (at + 1 >= length && !isEnd) return undefined;
          if (bytes[at + 1] !== quote) break;
          hasEscapes = true;
          at += 1;
        }
        end = at++;
        // Whether a line feed follows is not known yet.
        if (bytes[at] === carriageReturn && at + 1 >= length && !isEnd) return undefined;
        if (at < length && bytes[at] !== delimiter && !isLineEnd(bytes, at)) {
          throw this.error('text follows a closing quote', this.placeAt(at));
        }
      } else {
        for (; at < length; at++) {
          const byte = bytes[at] ?? 0;
          // Most are letters and digits, above all that mean something.
          if (byte > highest) continue;
          if (byte === delimiter || byte === lineFeed) break;
          if (byte === nul) throw this.error('is binary, not CSV', this.placeAt(at));
        }
        if (at >= length && !isEnd) return undefined;
        end =
          at > start && bytes[at - 1] === carriageReturn && bytes[at] !== delimiter ? at - 1 : at;
      }
      if (bytes[at] === carriageReturn && isQuoted) at++;
      if (end - start > longestField) {
        throw this.error('the field is longer than 1 MiB', this.placeAt(start));
      }
      const isEndOfRow = at >= length || bytes[at] === lineFeed;
      // A line without a character is none.
      if (isEndOfRow && row.length === 0 && end === start && !isQuoted) row.breaks += 1;
      else if (row.length >= mostFields) {
        throw this.error(`the row has more than ${mostFields} fields`, this.placeAt(start));
      } else {
        values[row.length] = undefined;
        row.add(start, end, (isQuoted ? quoted : plain) | (hasEscapes ? escaped : plain));
        if (isEndOfRow) row.breaks += 1;
      }
      if (isEndOfRow) return Math.min(at + 1, length);
      at++;
    }
  }

  private text(field: number): string | undefined {
    const { row } = this;
    if (field >= row.length) return undefined;
    const raw = this.decode(row.start(field), row.end(field));
    return row.hasEscapes(field) ? raw.replaceAll('""', '"') : raw;
  }

  private value(field: number): CellValue {
    const known = field < this.row.length ? this.values[field] : absent;
    return known ?? (this.values[field] = this.find(field));
  }

  private find(field: number): CellValue {
    const { row } = this;
    const start = row.start(field);
    const end = row.end(field);
    // Values of two columns are two, even if they are the same: each column reads them in its own way.
    const kind = row.kindOf(field);
    const known = this.cache.get(this.view, start, end, kind);
    if (known) return known;
    const text = (this.text(field) ?? '').trim();
    const isAbsent = text === 'NULL' && !row.isQuoted(field);
    return this.cache.put(this.bytes, start, end, kind, isAbsent ? '' : text);
  }

  private amount(field: number, lanes: Float64Array, at: number): boolean {
    const { row, bytes } = this;
    if (field >= row.length) return false;
    return readPlainAmount(bytes, row.start(field), row.end(field), lanes, at);
  }

  private decode(start: number, end: number): string {
    try {
      return this.decoder.decode(this.bytes.subarray(start, end));
    } catch {
      throw this.error('is not UTF-8; save the file as UTF-8', { line: this.line, column: 1 });
    }
  }

  private place(field: number): Place {
    return this.placeAt(this.row.start(field) - (this.row.isQuoted(field) ? 1 : 0));
  }

  /** Columns count characters, as editors do. */
  private placeAt(at: number): Place {
    const before = this.bytes.subarray(this.row.from, at);
    const breaks = countBreaks(before, 0, before.length);
    const lineStart = before.lastIndexOf(lineFeed) + 1;
    const column = new TextDecoder().decode(before.subarray(lineStart)).length + 1;
    return { line: this.line + breaks, column };
  }

  private error(message: string, place: Place = { line: this.line, column: 1 }): ReadError {
    return new ReadError(message, place);
  }
}

/** How a field is written. */
const [plain, quoted, escaped] = [0, 1, 2] as const;
/** Of a field that the row does not have. */
const absent = new CellValue('');

/** The bounds of the fields of a row. */
class Bounds {
  length = 0;
  from = 0;
  /** Line breaks in the row, with that at its end. */
  breaks = 0;
  private readonly bounds = new Int32Array(mostFields * 2);
  private readonly flags = new Uint8Array(mostFields);

  reset(from: number): void {
    this.length = 0;
    this.from = from;
    this.breaks = 0;
  }
  add(start: number, end: number, flags: number): void {
    const at = this.length++;
    this.bounds[at * 2] = start;
    this.bounds[at * 2 + 1] = end;
    this.flags[at] = flags;
  }
  start(field: number): number {
    return this.bounds[field * 2] ?? 0;
  }
  end(field: number): number {
    return this.bounds[field * 2 + 1] ?? 0;
  }
  isPlain(field: number): boolean {
    return this.flags[field] === plain;
  }
  isQuoted(field: number): boolean {
    return ((this.flags[field] ?? 0) & quoted) !== 0;
  }
  hasEscapes(field: number): boolean {
    return ((this.flags[field] ?? 0) & escaped) !== 0;
  }
  /** Fields of the same kind with the same bytes have the same value. */
  kindOf(field: number): number {
    return field * 4 + (this.flags[field] ?? 0);
  }
}

const isLineEnd = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === lineFeed || (bytes[at] === carriageReturn && bytes[at + 1] === lineFeed);

function countBreaks(bytes: Uint8Array, start: number, end: number): number {
  let breaks = 0;
  for (
    let at = bytes.indexOf(lineFeed, start);
    at >= 0 && at < end;
    at = bytes.indexOf(lineFeed, at + 1)
  ) {
    breaks += 1;
  }
  return breaks;
}
