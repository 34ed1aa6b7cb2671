import { crc32 } from 'node:zlib';

export interface Entry {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Of one entry, and of a whole container: a ZIP without its 64-bit extension can have no more. */
const mostBytes = 0xff_ff_ff_ff;
const mostEntries = 0xff_ff;

/** Letters, digits, `.`, `_` and `-` in each part; no part begins with a dot. */
const nameForm = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;
const longestName = 200;

const isName = (name: string): boolean => name.length <= longestName && nameForm.test(name);

const localSignature = 0x04_03_4b_50;
const centralSignature = 0x02_01_4b_50;
const endSignature = 0x06_05_4b_50;
const localLength = 30;
const centralLength = 46;
const endLength = 22;
const version = 20;
/** Names are UTF-8. */
const flags = 0x08_00;
/** 1980-01-01, the first day that a ZIP can name. */
const date = 0x00_21;

interface Written {
  readonly name: Buffer;
  readonly crc: number;
  readonly size: number;
  readonly offset: number;
}

/**
 * A ZIP that stores its entries as they are, with nothing in it that differs from one writing to the next: no time, no
 * compression, no comment, no extra field. So whoever has the entries can write it again, byte for byte.
 */
export class ContainerWriter {
  readonly #written: Written[] = [];
  readonly #names = new Set<string>();
  #offset = 0;

  /** @returns the bytes of an entry, which come after those of the one before */
  add({ name, bytes }: Entry): readonly [header: Uint8Array, content: Uint8Array] {
    if (!isName(name)) throw new Error(`not a valid entry name: ${JSON.stringify(name)}`);
    if (this.#names.has(name)) throw new Error(`two entries are named ${name}`);
    this.#names.add(name);
    const encoded = Buffer.from(name);
    const entry = { name: encoded, crc: crc32(bytes), size: bytes.length, offset: this.#offset };
    const header = Buffer.alloc(localLength + encoded.length);
    header.writeUInt32LE(localSignature, 0);
    writeCommon(header, 4, entry);
    encoded.copy(header, localLength);
    this.#written.push(entry);
    this.#offset += header.length + bytes.length;
    this.#checkRoom();
    return [header, bytes];
  }

  /** @returns the bytes that end it */
  end(): Uint8Array {
    const parts = this.#written.map((entry) => {
      const record = Buffer.alloc(centralLength + entry.name.length);
      record.writeUInt32LE(centralSignature, 0);
      record.writeUInt16LE(version, 4);
      writeCommon(record, 6, entry);
      record.writeUInt32LE(entry.offset, 42);
      entry.name.copy(record, centralLength);
      return record;
    });
    const directory = Buffer.concat(parts);
    const end = Buffer.alloc(endLength);
    end.writeUInt32LE(endSignature, 0);
    end.writeUInt16LE(this.#written.length, 8);
    end.writeUInt16LE(this.#written.length, 10);
    end.writeUInt32LE(directory.length, 12);
    end.writeUInt32LE(this.#offset, 16);
    return Buffer.concat([directory, end]);
  }

  #checkRoom(): void {
    const directory = this.#written.length * (centralLength + longestName) + endLength;
    if (this.#offset + directory <= mostBytes && this.#written.length <= mostEntries) return;
    throw new ContainerFull();
  }
}

/** The content exceeds what a ZIP can store. */
export class ContainerFull extends Error {
  override readonly name = 'ContainerFull';
}

/** What the header of an entry and its record in the directory have in common. */
function writeCommon(into: Buffer, at: number, { name, crc, size }: Written): void {
  into.writeUInt16LE(version, at);
  into.writeUInt16LE(flags, at + 2);
  into.writeUInt16LE(0, at + 4);
  into.writeUInt16LE(0, at + 6);
  into.writeUInt16LE(date, at + 8);
  into.writeUInt32LE(crc, at + 10);
  into.writeUInt32LE(size, at + 14);
  into.writeUInt32LE(size, at + 18);
  into.writeUInt16LE(name.length, at + 22);
}

/** `cut`: its end is missing, or it is no ZIP at all. `changed`: its parts don't fit. */
export interface Unread {
  readonly kind: 'cut' | 'changed';
  /** Of the first byte that is wrong or missing. */
  readonly offset: number;
  /** The entry that it is about. */
  readonly entry?: string;
  readonly what: string;
  /** All entries, where they could be told apart: what is signed says more of them. */
  readonly entries?: readonly Entry[];
}

/**
 * Reads the entries of a container. To be sure that no other program could see something else in it, it is written again
 * and compared byte by byte.
 */
export function readContainer(bytes: Buffer): readonly Entry[] | Unread {
  if (bytes.length < 4 || bytes.readUInt32LE(0) !== localSignature) {
    return { kind: 'cut', offset: 0, what: 'the file is not a ZIP' };
  }
  const found = readEntries(bytes);
  if ('what' in found) return found;
  const writer = new ContainerWriter();
  const different = compareEntries(bytes, found.entries, writer);
  return different ?? compareEnd(bytes, found, writer) ?? found.entries;
}

interface Found {
  readonly entries: readonly Entry[];
  /** Where they end. */
  readonly end: number;
}

/** The entries one after the other, as far as each says how long it is. */
function readEntries(bytes: Buffer): Found | Unread {
  const hasEnd =
    bytes.length >= endLength && bytes.readUInt32LE(bytes.length - endLength) === endSignature;
  const room = hasEnd ? bytes.length - endLength : bytes.length;
  const entries: Entry[] = [];
  const names = new Set<string>();
  let at = 0;
  const changed = (what: string, entry?: string): Unread => ({
    kind: 'changed',
    offset: at,
    ...(entry === undefined ? {} : { entry }),
    what,
  });
  /** An entry that the file has no room for. */
  const tooLong = (entry?: string): Unread => {
    if (hasEnd) return changed('the header declares more bytes than the file has', entry);
    const what = `the file is truncated in entry ${entries.length + 1}`;
    const cut = { kind: 'cut', offset: bytes.length, what } as const;
    return entry === undefined ? cut : { ...cut, entry };
  };
  while (at + 4 <= room && bytes.readUInt32LE(at) === localSignature) {
    if (at + localLength > room) return tooLong();
    const size = bytes.readUInt32LE(at + 18);
    const nameEnd = at + localLength + bytes.readUInt16LE(at + 26);
    if (nameEnd > room) return tooLong();
    const name = bytes.toString('latin1', at + localLength, nameEnd);
    if (!isName(name))
      return changed('not a valid name for an entry of a bundle', name.slice(0, longestName));
    if (nameEnd + size > room) return tooLong(name);
    if (names.has(name)) return changed('two entries have this name', name);
    names.add(name);
    entries.push({ name, bytes: bytes.subarray(nameEnd, nameEnd + size) });
    if (entries.length > mostEntries) return changed('the file has too many entries');
    at = nameEnd + size;
  }
  if (!hasEnd && bytes.length - at < 4) return cutAfter(bytes, entries);
  return { entries, end: at };
}

/** The offset where the header of an entry differs from these bytes. Copies none of the content. */
function compareEntries(
  bytes: Buffer,
  entries: readonly Entry[],
  writer: ContainerWriter,
): Unread | undefined {
  let at = 0;
  for (const entry of entries) {
    const [header, content] = writer.add(entry);
    const differs = differenceAt(bytes, at, header);
    if (differs !== undefined) {
      const where = { kind: 'changed', offset: at + differs, entry: entry.name } as const;
      if (bytes.readUInt16LE(at + 8) !== 0) {
        return { ...where, what: 'the entry is compressed; bundles store entries uncompressed' };
      }
      const isChecksum = differs >= 14 && differs < 18;
      const what = isChecksum
        ? 'the content does not match the checksum in the header'
        : 'the header was changed';
      return { ...where, what, entries };
    }
    at += header.length + content.length;
  }
  return undefined;
}

/** The offset where the bytes after the entries differ from their directory. */
function compareEnd(
  bytes: Buffer,
  { entries, end }: Found,
  writer: ContainerWriter,
): Unread | undefined {
  const expected = writer.end();
  const rest = bytes.length - end;
  const differs = differenceAt(bytes, end, expected);
  if (differs === undefined) {
    const more = rest - expected.length;
    if (more === 0) return undefined;
    const what =
      more === 1
        ? '1 byte was added after the end of the bundle'
        : `${more} bytes were added after the end of the bundle`;
    return { kind: 'changed', offset: end + expected.length, what, entries };
  }
  const offset = end + differs;
  if (differs === rest) return cutAfter(bytes, entries);
  return { kind: 'changed', offset, what: 'the ZIP directory was changed', entries };
}

const cutAfter = ({ length }: Buffer, { length: entries }: readonly Entry[]): Unread => ({
  kind: 'cut',
  offset: length,
  what: `the file is truncated after ${entries === 1 ? '1 entry' : `${entries} entries`}`,
});

/** The first byte of a part that is another in a file, or isn't there. @param from where the part should be */
function differenceAt(bytes: Buffer, from: number, part: Uint8Array): number | undefined {
  if (bytes.subarray(from, from + part.length).equals(part)) return undefined;
  return part.findIndex((byte, index) => bytes[from + index] !== byte);
}
