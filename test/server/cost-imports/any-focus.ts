// Charges of any content, and the ways in which exports write them as FOCUS.
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';

/** Digits after the point of amounts, as whole numbers. */
const scale = 18;

export interface Charge {
  /** As it is written, and as it is stored. */
  readonly provider: readonly [written: string, stored: string];
  readonly BillingAccountId: string;
  readonly SubAccountId: string;
  readonly ServiceName: string;
  readonly ServiceCategory: string;
  readonly ChargeCategory: string;
  readonly RegionId: string;
  readonly RegionName: string;
  readonly ResourceId: string;
  readonly BillingCurrency: string;
  /** Milliseconds, UTC. */
  readonly at: number;
  /** From 1. */
  readonly month: number;
  /** Attos. */
  readonly BilledCost: bigint;
  readonly EffectiveCost: bigint | undefined;
  readonly ListCost: bigint | undefined;
  readonly ConsumedQuantity: bigint | undefined;
  readonly tags: Readonly<Record<string, string>>;
  /** Any number: the variants in which its cells are written. */
  readonly variant: number;
}

const name = fc.oneof(
  fc.constantFrom('', 'NULL', 'null', 'S3', 'a,b;c\td', 'x\r\ny', '"q"', 'é😀', '{"a":1}', '__proto__', 'BilledCost'),
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
); // prettier-ignore
const text = name.map((one) => one.replaceAll('\0', '').trim());
const attos = fc.oneof(
  fc.bigInt({ min: -(10n ** 30n) + 1n, max: 10n ** 30n - 1n }),
  fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }).map((n) => n * 10n ** 7n), // eleven decimals
  fc.bigInt({ min: -(10n ** 4n), max: 10n ** 4n }).map((n) => n * 10n ** 16n),
);
const maybe = (amount: typeof attos) => fc.option(amount, { nil: undefined });

const someCharge: fc.Arbitrary<Charge> = fc.record({
  provider: fc.constantFrom(
    ['AWS', 'aws'] as const,
    ['Amazon Web Services', 'aws'] as const,
    ['Microsoft', 'azure'] as const,
    ['Azure', 'azure'] as const,
    ['Google Cloud', 'gcp'] as const,
    ['Oracle', 'oci'] as const,
    ['Snowflake', 'snowflake'] as const,
    ['', ''] as const,
  ),
  BillingAccountId: fc.constantFrom('1', '2', 'a "b",c'),
  SubAccountId: text,
  ServiceName: text,
  ServiceCategory: text,
  ChargeCategory: fc.constantFrom('Usage', 'Credit', 'Tax', 'Purchase', 'Adjustment', 'constructor'),
  RegionId: text,
  RegionName: text,
  ResourceId: text,
  BillingCurrency: fc.constantFrom('USD', 'EUR', 'usd', 'Eur'),
  at: fc.integer({ min: Date.UTC(2025, 11, 30), max: Date.UTC(2026, 3, 2) }),
  month: fc.constantFrom(1, 2, 3),
  BilledCost: attos,
  EffectiveCost: maybe(attos),
  ListCost: maybe(attos),
  ConsumedQuantity: maybe(attos),
  tags: fc.dictionary(fc.constantFrom('owner', 'Team', 'other', 'ENVIRONMENT'), text, {
    maxKeys: 3,
    noNullPrototype: true,
  }),
  variant: fc.nat(),
}); // prettier-ignore

/** Charges, with a correction of each of some of them. */
export const someCharges: fc.Arbitrary<readonly Charge[]> = fc
  .tuple(fc.array(someCharge, { minLength: 1, maxLength: 25 }), fc.nat(3))
  .map(([charges, corrected]) => [
    ...charges,
    ...charges.slice(0, corrected).map((one) => ({ ...one, BilledCost: -one.BilledCost })),
  ]);

const dateForms = ['day', 'noZone', 'zulu', 'offset', 'slashes', 'slashesTime'] as const;
type DateForm = (typeof dateForms)[number];

/** How a file is written. */
export interface Form {
  readonly kind: 'csv' | 'ndjson';
  readonly delimiter: ',' | ';' | '\t';
  readonly gzip: boolean;
  readonly mark: boolean;
  readonly lineEnd: '\n' | '\r\n';
  readonly endsLast: boolean;
  readonly blankLines: boolean;
  readonly quotesAll: boolean;
  readonly spelled: 'as is' | 'lower' | 'upper';
  readonly providerColumn: 'ProviderName' | 'ServiceProviderName' | 'both';
  /** Where each column goes. */
  readonly order: readonly number[];
  readonly more: readonly string[];
  readonly chargeStart: DateForm;
  readonly periodStart: DateForm;
}

const someForm: fc.Arbitrary<Form> = fc.record({
  kind: fc.constantFrom('csv', 'csv', 'ndjson'),
  delimiter: fc.constantFrom(',', ';', '\t'),
  gzip: fc.boolean(),
  mark: fc.boolean(),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  endsLast: fc.boolean(),
  blankLines: fc.boolean(),
  quotesAll: fc.boolean(),
  spelled: fc.constantFrom('as is', 'lower', 'upper'),
  providerColumn: fc.constantFrom('ProviderName', 'ServiceProviderName', 'both'),
  order: fc.array(fc.nat(1_000), { minLength: 24, maxLength: 24 }),
  more: fc.uniqueArray(fc.constantFrom('x_Any', 'Notes, "long"', 'a (b)', 'Übrige'), {
    maxLength: 3,
  }),
  chargeStart: fc.constantFrom(...dateForms),
  periodStart: fc.constantFrom(...dateForms),
});

export interface Delivery {
  /** The files that each charge goes to, by its number. */
  readonly forms: readonly Form[];
  readonly shares: readonly number[];
  readonly dayFirst: boolean;
}
export const someDelivery: fc.Arbitrary<Delivery> = fc.record({
  forms: fc.array(someForm, { minLength: 1, maxLength: 3 }),
  shares: fc.array(fc.nat(2), { minLength: 1, maxLength: 30 }),
  dayFirst: fc.boolean(),
});

const two = (n: number): string => String(n).padStart(2, '0');

function dateText(ms: number, form: DateForm, variant: number, dayFirst: boolean): string {
  const iso = new Date(ms).toISOString();
  const [, year, month, day, time] = /^(\d+)-(\d+)-(\d+)T([\d:]+)/.exec(iso) ?? [];
  const slashed = `${dayFirst ? `${day}/${month}` : `${month}/${day}`}/${year}`;
  switch (form) {
    case 'day':
      return `${year}-${month}-${day}`;
    case 'noZone':
      return `${year}-${month}-${day}${variant % 2 ? 'T' : ' '}${time}`;
    case 'zulu':
      return variant % 2 ? iso : `${year}-${month}-${day} ${time} UTC`;
    case 'offset': {
      const minutes = ((variant % 49) - 24) * 30;
      const local = new Date(ms + minutes * 60_000).toISOString().slice(0, 19);
      const size = Math.abs(minutes);
      const colon = variant % 2 ? ':' : '';
      return `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}${colon}${two(size % 60)}`;
    }
    case 'slashes':
      return slashed;
    case 'slashesTime':
      return `${slashed} ${time}`;
  }
}

export function plainAmount(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const after = digits.slice(-scale).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}${after === '' ? '' : `.${after}`}`;
}

function amountText(value: bigint, variant: number): string {
  const plain = plainAmount(value);
  switch (variant % 5) {
    case 0:
      return plain.includes('.') ? `${plain}000` : `${plain}.0`;
    case 1:
      return `${value}E-${scale}`;
    case 2:
      return value < 0n ? plain : `+${plain}`;
    case 3:
      return plain.replace(/^(-?)0\./, '$1.');
    default:
      return plain;
  }
}

function tagsText(tags: Readonly<Record<string, string>>, variant: number): string {
  const pairs = Object.entries(tags);
  if (pairs.length === 0) return ['', '{}', '[]', 'null'][variant % 4] ?? '';
  const json = JSON.stringify(tags, null, variant % 2);
  switch (variant % 5) {
    case 0:
      return json.slice(1, -1);
    case 1:
      return JSON.stringify(pairs.map(([key, value]) => ({ key: `user:${key}`, value })));
    case 2:
      return JSON.stringify(pairs);
    default:
      return json;
  }
}

/** A cell; undefined: there is no value. */
type Cell = string | undefined;

const orNone = (value: string): Cell => (value === '' ? undefined : value);
const amountOrNone = (value: bigint | undefined, variant: number): Cell =>
  value === undefined ? undefined : amountText(value, variant);

/** What is wrong with a row: a column, and what stands there. */
export interface Broken {
  readonly row: number;
  readonly column: string;
  readonly text: string;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Written {
  readonly bytes: Uint8Array;
  /** Whether all dates with slashes fit both orders. */
  readonly isAmbiguous: boolean;
  /** Where the broken cell is. */
  readonly place: Place | undefined;
}

/** Where text is added, with the place of each part. */
class Pen {
  private readonly parts: string[] = [];
  private line = 1;
  private column = 1;

  get place(): Place {
    return { line: this.line, column: this.column };
  }
  write(part: string): void {
    this.parts.push(part);
    const lines = part.split('\n');
    this.line += lines.length - 1;
    this.column = (lines.length === 1 ? this.column : 1) + (lines.at(-1) ?? '').length;
  }
  get text(): string {
    return this.parts.join('');
  }
}

/** The columns of a charge. */
export function cellsOf(
  charge: Charge,
  form: Pick<Form, 'providerColumn' | 'more' | 'chargeStart' | 'periodStart'>,
  dayFirst: boolean,
): Record<string, Cell> {
  const { variant, provider, tags, month, at } = charge;
  const [written] = provider;
  const midnight = Date.UTC(2026, month - 1, 1);
  return {
    ...(form.providerColumn === 'ProviderName' ? {} : { ServiceProviderName: orNone(written) }),
    ...(form.providerColumn === 'ServiceProviderName'
      ? {}
      : { ProviderName: orNone(form.providerColumn === 'both' && written ? 'Reseller' : written) }),
    BillingAccountId: charge.BillingAccountId,
    SubAccountId: orNone(charge.SubAccountId),
    ServiceName: orNone(charge.ServiceName),
    ServiceCategory: orNone(charge.ServiceCategory),
    ChargeCategory: charge.ChargeCategory,
    RegionId: orNone(charge.RegionId),
    RegionName: orNone(charge.RegionName),
    ResourceId: orNone(charge.ResourceId),
    BillingCurrency: charge.BillingCurrency,
    ChargePeriodStart: dateText(at, form.chargeStart, variant, dayFirst),
    BillingPeriodStart: dateText(midnight, form.periodStart, variant >> 1, dayFirst),
    BilledCost: amountText(charge.BilledCost, variant),
    EffectiveCost: amountOrNone(charge.EffectiveCost, variant >> 1),
    ListCost: amountOrNone(charge.ListCost, variant >> 2),
    ConsumedQuantity: amountOrNone(charge.ConsumedQuantity, variant >> 3),
    Tags: tagsText(tags, variant >> 1),
    ...Object.fromEntries(
      form.more.map((column, n) => [column, orNone(n % 2 ? charge.ResourceId : `"${variant}"`)]),
    ),
  };
}

const spell = (column: string, { spelled }: Form): string =>
  spelled === 'as is' ? column : spelled === 'lower' ? column.toLowerCase() : column.toUpperCase();

/** A file of charges. @param broken its row is a number of these charges */
export function write(
  charges: readonly Charge[],
  form: Form,
  dayFirst: boolean,
  broken?: Broken,
): Written {
  const rows = charges.map((charge) => cellsOf(charge, form, dayFirst));
  const names = Object.keys(rows[0] ?? {})
    .map((name, n) => ({ name, at: form.order[n] ?? 0 }))
    .sort((a, b) => a.at - b.at)
    .map((one) => one.name);
  const pen = new Pen();
  let place: Place | undefined;
  const isBroken = (row: number, column: string): boolean =>
    broken?.row === row && broken.column === column;
  const csvCell = (value: Cell, variant: number): string => {
    if (value === undefined) return ['', 'NULL', '""', ' NULL '][variant % 4] ?? '';
    return form.quotesAll || value === 'NULL' || /[",;\t\n\r]|^\s|\s$/.test(value)
      ? `"${value.replaceAll('"', '""')}"`
      : value;
  };
  const csvRow = (cells: readonly (readonly [name: string, cell: string])[], row: number): void => {
    for (const [n, [name, cell]] of cells.entries()) {
      if (n > 0) pen.write(form.delimiter);
      if (isBroken(row, name)) place = pen.place;
      pen.write(isBroken(row, name) ? (broken?.text ?? '') : cell);
    }
  };
  const last = rows.length - 1;
  if (form.kind === 'csv') {
    csvRow(names.map((name) => [name, csvCell(spell(name, form), 0)]), -1); // prettier-ignore
    pen.write(form.lineEnd);
  }
  for (const [n, row] of rows.entries()) {
    const variant = charges[n]?.variant ?? 0;
    if (form.kind === 'csv') {
      csvRow(
        names.map((name, at) => [name, csvCell(row[name], variant >> (at % 7))]),
        n,
      );
    } else {
      for (const [at, name] of names.entries()) {
        pen.write(at === 0 ? '{' : variant % 3 ? ',' : ' , ');
        if (isBroken(n, name)) place = pen.place;
        const value = isBroken(n, name) ? broken?.text : row[name];
        pen.write(`${JSON.stringify(spell(name, form))}${variant % 4 ? ':' : ' : '}`);
        pen.write(jsonText(name, value, variant >> (at % 7)));
      }
      pen.write('}');
    }
    if (n < last || form.endsLast) pen.write(form.lineEnd);
    if (form.blankLines && n < last && variant % 3 === 0) pen.write(form.lineEnd);
  }
  const slashed = rows.flatMap((row, n) =>
    [
      form.chargeStart.startsWith('slashes') && !isBroken(n, 'ChargePeriodStart')
        ? row.ChargePeriodStart
        : undefined,
      form.periodStart.startsWith('slashes') && !isBroken(n, 'BillingPeriodStart')
        ? row.BillingPeriodStart
        : undefined,
    ].flatMap((one) => (one === undefined ? [] : [one])),
  );
  const bytes = Buffer.from(`${form.mark ? '\ufeff' : ''}${pen.text}`);
  return {
    bytes: form.gzip ? gzipSync(bytes) : bytes,
    isAmbiguous:
      slashed.length > 0 &&
      slashed.every((one) => Number(one.slice(0, 2)) <= 12 && Number(one.slice(3, 5)) <= 12),
    place,
  };
}

/** Also tags as objects, and amounts as numbers. */
function jsonText(column: string, value: Cell, variant: number): string {
  if (value === undefined) return 'null';
  const isOwn =
    column === 'Tags'
      ? /^[[{]/.test(value)
      : /(?:Cost|Quantity)$/.test(column) && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:E-?\d+)?$/.test(value);
  return isOwn && variant % 2 ? value.replaceAll('\n', ' ') : JSON.stringify(value);
}

const day = ({ at }: Charge): string => new Date(at).toISOString().slice(0, 10);
const tag =
  (key: string) =>
  ({ tags }: Charge): string =>
    Object.entries(tags).find(([name]) => name.toLowerCase() === key)?.[1] ?? '';

/** What each field of a charge is. */
export const fields: Readonly<Record<string, (charge: Charge) => string>> = {
  provider: ({ provider }) => provider[1],
  billing_account: (one) => one.BillingAccountId,
  sub_account: (one) => one.SubAccountId,
  service: (one) => one.ServiceName,
  service_category: (one) => one.ServiceCategory,
  category: (one) => one.ChargeCategory,
  region: (one) => orNone(one.RegionId) ?? one.RegionName,
  resource: (one) => one.ResourceId,
  currency: (one) => one.BillingCurrency.toUpperCase(),
  day,
  'tag:owner': tag('owner'),
  'tag:team': tag('team'),
  'tag:environment': tag('environment'),
};

export const measures: Readonly<Record<string, (charge: Charge) => bigint>> = {
  billed: (one) => one.BilledCost,
  effective: (one) => one.EffectiveCost ?? one.BilledCost,
  list: (one) => one.ListCost ?? one.EffectiveCost ?? one.BilledCost,
  quantity: (one) => one.ConsumedQuantity ?? 0n,
};
