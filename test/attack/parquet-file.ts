/** A little writer of Parquet, which writes what no other would. */

/** A value of Thrift's compact protocol. */
interface Value {
  readonly type: number;
  readonly bytes: Uint8Array;
}

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) + 0x80);
  return Buffer.from([...bytes, left]);
}
const i32 = (value: number): Value => ({ type: 5, bytes: varint(value * 2) });
const i64 = (value: number): Value => ({ type: 6, bytes: varint(value * 2) });
const text = (value: string): Value => ({
  type: 8,
  bytes: Buffer.concat([varint(Buffer.byteLength(value)), Buffer.from(value)]),
});
const list = (values: readonly Value[]): Value => ({
  type: 9,
  bytes: Buffer.concat([
    Buffer.from([0xf0 + (values[0]?.type ?? 0)]),
    varint(values.length),
    ...values.map(({ bytes }) => bytes),
  ]),
});
const struct = (fields: Readonly<Record<number, Value>>): Value => {
  const parts: Uint8Array[] = [];
  let last = 0;
  for (const [key, { type, bytes }] of Object.entries(fields)) {
    parts.push(Buffer.from([(Number(key) - last) * 16 + type]), bytes);
    last = Number(key);
  }
  return { type: 12, bytes: Buffer.concat([...parts, Buffer.from([0])]) };
};

export const sized = (bytes: Uint8Array): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  return Buffer.concat([size, bytes]);
};

export const encodings = { plain: 0, deltas: 5, deltaBytes: 7, dictionary: 8 };

interface PageClaims {
  readonly values: number;
  readonly encoding?: number;
  readonly unpacked?: number;
}

export const page = (
  data: Uint8Array,
  { values, encoding = encodings.plain, unpacked = data.length }: PageClaims,
): Buffer => {
  const own = struct({ 1: i32(values), 2: i32(encoding), 3: i32(3), 4: i32(3) });
  const header = struct({ 1: i32(0), 2: i32(unpacked), 3: i32(data.length), 5: own });
  return Buffer.concat([header.bytes, data]);
};

const dictionary = (value: string): Buffer => {
  const data = sized(Buffer.from(value));
  const own = struct({ 1: i32(1), 2: i32(0) });
  const header = struct({ 1: i32(2), 2: i32(data.length), 3: i32(data.length), 7: own });
  return Buffer.concat([header.bytes, data]);
};

export interface Column {
  readonly pages: readonly Uint8Array[];
  readonly dictionary?: string;
  /** As numbers: BYTE_ARRAY; UNCOMPRESSED. */
  readonly type?: number;
  readonly codec?: number;
  readonly isOptional?: boolean;
}

/** A page of which all values are the first of the dictionary. @param run how often it says so */
export const repeated = (values: number, run = values): Buffer =>
  page(Buffer.concat([Buffer.from([1]), varint(run * 2), Buffer.from([0])]), {
    values,
    encoding: encodings.dictionary,
  });

/** The same charge in each row. @param columns some of its columns, or others */
export function chargesFile(rows: number, columns: Readonly<Record<string, Column>> = {}): Buffer {
  const same = {
    ProviderName: 'AWS',
    BillingAccountId: '1',
    BillingCurrency: 'USD',
    BilledCost: '1',
    ChargePeriodStart: '2026-01-05',
    BillingPeriodStart: '2026-01-01',
  };
  const all: Record<string, Column> = {};
  for (const [name, value] of Object.entries(same)) {
    all[name] = { dictionary: value, pages: [repeated(Math.min(rows, 1_000))] };
  }
  Object.assign(all, columns);
  const parts: Uint8Array[] = [Buffer.from('PAR1')];
  let end = 4;
  const chunks: Value[] = [];
  const schema = [struct({ 4: text('root'), 5: i32(Object.keys(all).length) })];
  for (const [
    name,
    { pages, dictionary: value, type = 6, codec = 0, isOptional },
  ] of Object.entries(all)) {
    const first = value === undefined ? Buffer.alloc(0) : dictionary(value);
    const bytes = Buffer.concat([first, ...pages]);
    const where = { 9: i64(end + first.length), ...(value === undefined ? {} : { 11: i64(end) }) };
    const size = i64(bytes.length);
    const meta = { 1: i32(type), 2: list([i32(0)]), 3: list([text(name)]), 4: i32(codec) };
    chunks.push(
      struct({ 2: i64(end), 3: struct({ ...meta, 5: i64(rows), 6: size, 7: size, ...where }) }),
    );
    schema.push(struct({ 1: i32(type), 3: i32(isOptional ? 1 : 0), 4: text(name) }));
    parts.push(bytes);
    end += bytes.length;
  }
  const group = struct({ 1: list(chunks), 2: i64(end), 3: i64(rows) });
  const footer = struct({ 1: i32(1), 2: list(schema), 3: i64(rows), 4: list([group]) }).bytes;
  return Buffer.concat([...parts, footer, sized(footer).subarray(0, 4), Buffer.from('PAR1')]);
}
