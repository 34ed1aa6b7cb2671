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
    if (!isName(name)) throw new Error(`no name of an entry: ${JSON.stringify(name)}`);
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

/** It has no room for what is to go into it. */
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
export type Unread = {
  readonly kind: 'cut' | 'changed';
  readonly offset: number;
  readonly what: string;
};

/**
 * Reads the entries of a container, and nothing that another program could see in it and this one does not: it is
 * written again and compared byte by byte.
 */
export function readContainer(bytes: Buffer): readonly Entry[] | Unread {
  if (bytes.length < 4 || bytes.readUInt32LE(0) !== localSignature) {
    return { kind: 'cut', offset: 0, what: 'the file does not begin as a ZIP does' };
  }
  const endAt = bytes.length - endLength;
  if (endAt < 0 || bytes.readUInt32LE(endAt) !== endSignature) {
    const what = 'the file does not end as a bundle does: it was cut off, or something was added';
    return { kind: 'cut', offset: Math.max(0, bytes.length), what };
  }
  const entries: Entry[] = [];
  const names = new Set<string>();
  const changed = (offset: number, what: string): Unread => ({ kind: 'changed', offset, what });
  let at = 0;
  while (at + 4 <= endAt && bytes.readUInt32LE(at) === localSignature) {
    if (at + localLength > endAt) return changed(at, 'the header of an entry is cut');
    const size = bytes.readUInt32LE(at + 18);
    const nameEnd = at + localLength + bytes.readUInt16LE(at + 26);
    if (nameEnd + size > endAt) return changed(at, 'an entry is longer than the file');
    const name = bytes.toString('latin1', at + localLength, nameEnd);
    if (!isName(name)) return changed(at, 'an entry has a name that a bundle never has');
    if (names.has(name)) return changed(at, `there are two entries ${name}`);
    names.add(name);
    entries.push({ name, bytes: bytes.subarray(nameEnd, nameEnd + size) });
    if (entries.length > mostEntries) return changed(at, 'there are too many entries');
    at = nameEnd + size;
  }
  const differs = firstDifference(bytes, entries);
  return differs === undefined
    ? entries
    : changed(differs.offset, `${differs.where} is not as a bundle has it`);
}

/** Where the container of these entries is another than these bytes. It copies none of the content. */
function firstDifference(
  bytes: Buffer,
  entries: readonly Entry[],
): { readonly offset: number; readonly where: string } | undefined {
  const writer = new ContainerWriter();
  let at = 0;
  const differsAt = (part: Uint8Array): number | undefined => {
    const there = bytes.subarray(at, at + part.length);
    if (there.equals(part)) {
      at += part.length;
      return undefined;
    }
    const index = part.findIndex((byte, position) => there[position] !== byte);
    return at + index;
  };
  for (const entry of entries) {
    const [header, content] = writer.add(entry);
    const offset = differsAt(header);
    if (offset !== undefined) return { offset, where: `the header of ${entry.name}` };
    at += content.length;
  }
  const offset = differsAt(writer.end());
  if (offset !== undefined) return { offset, where: 'the directory' };
  return at === bytes.length ? undefined : { offset: at, where: 'what comes after the directory' };
}
