/** A stream of DEFLATE (RFC 1951), read bit by bit. */
interface Bits {
  readonly bytes: Uint8Array;
  /** Of the next bit. */
  position: number;
}

/** Number of codes of each length, and the symbols in the order of their codes. */
interface Codes {
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
}

/**
 * What is packed in the first member of a gzip file (RFC 1952), up to `most` bytes: the rest of a longer one is left out. Undefined where the bytes are
 * no such file, or are damaged. Checksums are not verified.
 */
export function gunzip(bytes: Uint8Array, most: number): Uint8Array | undefined {
  const start = endOfHeader(bytes);
  if (start === undefined) return undefined;
  try {
    return inflate({ bytes, position: start * 8 }, most);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const deflated = 8;
const flags = { headerChecksum: 2, extra: 4, name: 8, comment: 16 };

function endOfHeader(bytes: Uint8Array): number | undefined {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== deflated) return undefined;
  const given = bytes[3] ?? 0;
  let at = 10;
  if (given & flags.extra) at += 2 + (bytes[at] ?? 0) + (bytes[at + 1] ?? 0) * 256;
  for (const text of [flags.name, flags.comment]) {
    if (given & text) at = bytes.indexOf(0, at) + 1 || bytes.length;
  }
  return given & flags.headerChecksum ? at + 2 : at;
}

/** @throws RangeError where the stream is damaged */
function inflate(bits: Bits, most: number): Uint8Array {
  const out: number[] = [];
  for (let isLast = 0; !isLast && out.length < most;) {
    isLast = take(bits, 1);
    const kind = take(bits, 2);
    if (kind === 0) copyStored(bits, out, most);
    else if (kind === 1) inflateBlock(bits, out, fixedCodes, most);
    else if (kind === 2) inflateBlock(bits, out, readCodes(bits), most);
    else throw new RangeError('invalid block type');
  }
  return Uint8Array.from(out);
}

function take(bits: Bits, amount: number): number {
  let value = 0;
  for (let index = 0; index < amount; index++) {
    const byte = bits.bytes[bits.position >> 3];
    if (byte === undefined) throw new RangeError('the stream ends unexpectedly');
    value |= ((byte >> (bits.position & 7)) & 1) << index;
    bits.position++;
  }
  return value;
}

function copyStored(bits: Bits, out: number[], most: number): void {
  bits.position = (bits.position + 7) & ~7;
  const length = take(bits, 16);
  take(bits, 16);
  for (let index = 0; index < length && out.length < most; index++) out.push(take(bits, 8));
}

/** Without a sort: a small file can have very many blocks, each with codes of its own. */
function codesOf(lengths: readonly number[]): Codes {
  const counts = new Uint16Array(16);
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
  counts[0] = 0;
  const places = new Uint16Array(16);
  let total = 0;
  for (let length = 1; length < 16; length++) {
    places[length] = total;
    total += counts[length] ?? 0;
  }
  const symbols = new Uint16Array(total);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol] ?? 0;
    if (length === 0) continue;
    const place = places[length] ?? 0;
    symbols[place] = symbol;
    places[length] = place + 1;
  }
  return { counts, symbols };
}

function nextSymbol(bits: Bits, { counts, symbols }: Codes): number {
  let code = 0;
  let first = 0;
  let index = 0;
  for (let length = 1; length < 16; length++) {
    code |= take(bits, 1);
    const count = counts[length] ?? 0;
    if (code - count < first) {
      const symbol = symbols[index + code - first];
      if (symbol !== undefined) return symbol;
    }
    index += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  throw new RangeError('invalid code');
}

const repeat = (length: number, times: number): number[] => new Array<number>(times).fill(length);

const fixedCodes = {
  literals: codesOf([...repeat(8, 144), ...repeat(9, 112), ...repeat(7, 24), ...repeat(8, 8)]),
  distances: codesOf(repeat(5, 30)),
};

/** In which order a block tells how long the codes of lengths are. */
const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

function readCodes(bits: Bits): typeof fixedCodes {
  const literals = take(bits, 5) + 257;
  const distances = take(bits, 5) + 1;
  const told = take(bits, 4) + 4;
  const ofLengths = repeat(0, 19);
  for (const symbol of order.slice(0, told)) ofLengths[symbol] = take(bits, 3);
  const codes = codesOf(ofLengths);
  const lengths: number[] = [];
  while (lengths.length < literals + distances) {
    const symbol = nextSymbol(bits, codes);
    if (symbol < 16) lengths.push(symbol);
    else if (symbol === 16) lengths.push(...repeat(lengths.at(-1) ?? 0, 3 + take(bits, 2)));
    else if (symbol === 17) lengths.push(...repeat(0, 3 + take(bits, 3)));
    else lengths.push(...repeat(0, 11 + take(bits, 7)));
  }
  return {
    literals: codesOf(lengths.slice(0, literals)),
    distances: codesOf(lengths.slice(literals, literals + distances)),
  };
}

const endOfBlock = 256;

function inflateBlock(
  bits: Bits,
  out: number[],
  { literals, distances }: typeof fixedCodes,
  most: number,
): void {
  while (out.length < most) {
    const symbol = nextSymbol(bits, literals);
    if (symbol === endOfBlock) return;
    if (symbol < endOfBlock) {
      out.push(symbol);
      continue;
    }
    const length = lengthOf(bits, symbol - 257);
    const from = out.length - distanceOf(bits, nextSymbol(bits, distances));
    if (from < 0) throw new RangeError('a distance refers to data before the start of the output');
    for (let index = 0; index < length; index++) out.push(out[from + index] ?? 0);
  }
}

/** Codes 0 to 7 mean 3 to 10; from 8 on, each four codes have one more extra bit. The last one means 258. */
function lengthOf(bits: Bits, code: number): number {
  if (code < 8) return code + 3;
  if (code === 28) return 258;
  if (code > 28) throw new RangeError('invalid length');
  const extra = (code >> 2) - 1;
  return ((4 + (code & 3)) << extra) + take(bits, extra) + 3;
}

/** Codes 0 to 3 mean 1 to 4; from 4 on, each two codes have one more extra bit. */
function distanceOf(bits: Bits, code: number): number {
  if (code < 4) return code + 1;
  if (code > 29) throw new RangeError('invalid distance');
  const extra = (code >> 1) - 1;
  return ((2 + (code & 1)) << extra) + take(bits, extra) + 1;
}
