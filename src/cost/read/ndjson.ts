import { CellValue } from './cells.ts';
import type { Cells, Rejected } from './cells.ts';
import type { Place } from './place.ts';
import { ReadError } from './place.ts';

const longestLine = 2 * 1024 * 1024;
const mostFields = 512;
const lineFeed = 0x0a;

/** Strings as they are; numbers, which a double would round, in quotes. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Reads JSON objects, one a line, from chunks of UTF-8: the keys of the first are the header, which is the first row. A later
 * line that is no object, or has a key that the first lacks and whose value would be lost, is a rejected row. Amounts keep all
 * their digits.
 */
export class NdjsonReader {
  private readonly onRow: (row: Cells) => void;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private rest: Uint8Array[] = [];
  private restLength = 0;
  private line = 0;
  private names: readonly string[] | undefined;

  constructor({ onRow }: { readonly onRow: (row: Cells) => void }) {
    this.onRow = onRow;
  }

  /** @throws ReadError, and what `onRow` throws */
  push(chunk: Uint8Array): void {
    let from = 0;
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
      this.take(chunk.subarray(from, at));
      from = at + 1;
    }
    if (from === chunk.length) return;
    this.rest.push(chunk.slice(from));
    this.restLength += chunk.length - from;
    if (this.restLength > longestLine) throw this.error('the line is longer than 2 MiB', 1);
  }

  /** After the last chunk. @throws ReadError */
  end(): void {
    if (this.rest.length > 0) this.take(new Uint8Array(0));
  }

  private take(end: Uint8Array): void {
    const bytes = this.rest.length === 0 ? end : joined([...this.rest, end]);
    this.rest = [];
    this.restLength = 0;
    const text = this.decode(bytes);
    if (text.trim() !== '') this.read(text);
    this.line += 1;
  }

  private decode(bytes: Uint8Array): string {
    try {
      return this.decoder.decode(bytes);
    } catch {
      throw this.error('is not UTF-8; save the file as UTF-8', 1);
    }
  }

  private read(text: string): void {
    const line = this.line + 1;
    const place = (name: string | undefined): Place => ({
      line,
      column: name === undefined ? 1 : columnOf(text, name),
    });
    const object = objectIn(text);
    if (!object) {
      if (!this.names) throw this.error(noObject, 1);
      const rejected = { column: '', message: noObject, place: place(undefined) };
      this.onRow({ ...cellsOf([], () => rejected.place), rejected });
      return;
    }
    if (!this.names) {
      const names = Object.keys(object);
      if (names.length > mostFields) throw this.error(`has more than ${mostFields} fields`, 1);
      this.names = names;
      this.onRow(cellsOf(names, (field) => place(names[field])));
    }
    const { names } = this;
    const known = new Set(names);
    const unknown = Object.keys(object).find((name) => !known.has(name));
    const values = names.map((name) => textOf(object[name]));
    const cells = cellsOf(values, (field) => place(names[field]));
    const rejected = unknown === undefined ? undefined : notInFirst(unknown, place(unknown));
    this.onRow(rejected ? { ...cells, rejected } : cells);
  }

  private error(message: string, column: number): ReadError {
    return new ReadError(message, { line: this.line + 1, column });
  }
}

const noObject = 'is not a JSON object';

const notInFirst = (name: string, place: Place): Rejected => ({
  column: name.slice(0, 100),
  message: 'is not a field of the first object',
  place,
});

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(tokens, (token) => (token[0] === '"' ? token : `"${token}"`)));
  } catch {
    return undefined;
  }
  return typeof value !== 'object' || value === null || Array.isArray(value)
    ? undefined
    : (value as Readonly<Record<string, unknown>>);
}

/** Where a key of an object begins; a value may be the same text. */
function columnOf(text: string, name: string): number {
  const key = JSON.stringify(name);
  let at = text.indexOf(key);
  while (at >= 0 && !/^\s*:/.test(text.slice(at + key.length))) at = text.indexOf(key, at + 1);
  return Math.max(0, at) + 1;
}

/** Objects and lists, such as tags, as JSON. */
const textOf = (value: unknown): string | undefined => {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

function cellsOf(values: readonly (string | undefined)[], place: (field: number) => Place): Cells {
  return {
    length: values.length,
    text: (field) => values[field],
    // A string says what it means: absent values are null.
    value: (field) => new CellValue((values[field] ?? '').trim()),
    place,
  };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
