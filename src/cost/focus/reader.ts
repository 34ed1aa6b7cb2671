import { parseAmount, zero } from '../amount.ts';
import type { Amount } from '../amount.ts';
import type { Cells } from '../read/cells.ts';
import type { Place } from '../read/place.ts';
import { ReadError } from '../read/place.ts';
import { DateColumn, isDay } from './dates.ts';
import type { Dialect, Source } from './dialects.ts';
import { dialectOf, dialects } from './dialects.ts';
import type { CostRecord, Dimension, Measure } from './record.ts';
import { dimensions } from './record.ts';
import { readTags } from './tags.ts';

/** Why a row can't be read. */
export interface Rejected {
  readonly column: string;
  readonly message: string;
  readonly place: Place;
}

/** How the columns of a file were recognized. */
export interface Understood {
  readonly dialect: string;
  /** Of the file, by what they are read as. */
  readonly used: Readonly<Partial<Record<Source, readonly string[]>>>;
  /** Columns that nothing is read from. */
  readonly unmapped: readonly string[];
}

const required: readonly Source[] = [
  'billed',
  'currency',
  'charge_start',
  'period_start',
  'billing_account',
];
const longestText = 2_048;

/** The names of providers as the inventory has them. */
const providers: readonly (readonly [RegExp, string])[] = [
  [/^(?:aws|amazon)/, 'aws'],
  [/^(?:microsoft|azure)/, 'azure'],
  [/^(?:gcp|google)/, 'gcp'],
  [/^oracle|^oci$/, 'oci'],
];

/** Reads the rows of one file as records. Texts that repeat are made once. */
export class RecordReader {
  readonly understood: Understood;
  /** Amounts with more than 18 digits after the point. */
  rounded = 0;
  private readonly dialect: Dialect;
  private readonly names: readonly string[];
  private readonly fields: Readonly<Record<Source, readonly number[]>>;
  private readonly tagFields: readonly (readonly [name: string, field: number])[];
  private readonly chargeDates = new DateColumn();
  private readonly periodDates = new DateColumn();
  /** What the fields were read as in the row before. */
  private readonly known: (string | undefined)[] = [];
  private readonly knownDays = new Map<string, string>();
  /** Of the row before; undefined: they can't be read. */
  private tags: ReadonlyMap<string, string> | undefined = new Map();

  /**
   * @param chosenTags lower-case keys
   * @throws ReadError the columns are those of no known export, or one is missing or there twice
   */
  constructor(
    header: Cells,
    private readonly chosenTags: ReadonlySet<string>,
  ) {
    this.names = Array.from({ length: header.length }, (_, at) => (header.text(at) ?? '').trim());
    const columns = this.names.map((name) => name.toLowerCase());
    const dialect = dialectOf(columns);
    if (!dialect) throw new ReadError(unknownColumns(this.names), header.place(0));
    const twice = columns.findIndex((name, at) => name !== '' && columns.indexOf(name) < at);
    if (twice >= 0) {
      throw new ReadError(`the column ${this.names[twice]} appears twice`, header.place(twice));
    }
    this.dialect = dialect;
    const fieldsOf = (source: Source): readonly number[] =>
      (dialect.columns[source] ?? [])
        .map((name) => columns.indexOf(name.toLowerCase()))
        .filter((at) => at >= 0);
    this.fields = Object.fromEntries(
      [...dimensions, ...moreSources].map((source) => [source, fieldsOf(source)]),
    ) as Record<Source, readonly number[]>;
    const missing = required.filter((source) => this.fields[source].length === 0);
    if (missing.length > 0) {
      const named = missing.map((source) => dialect.columns[source]?.[0] ?? source);
      throw new ReadError(`the columns ${named.join(', ')} are missing`, header.place(0));
    }
    const prefix = dialect.tagPrefix?.toLowerCase();
    this.tagFields = columns.flatMap((name, at): [string, number][] =>
      prefix !== undefined && name.startsWith(prefix)
        ? [[name.slice(prefix.length).replace(/^user:/, ''), at]]
        : [],
    );
    this.understood = this.describe(columns);
  }

  /** One row as a record, or why it can't be read. */
  read(row: Cells): CostRecord | Rejected {
    const changed = row.length !== this.names.length;
    if (changed) {
      return this.rejected(
        row,
        Math.min(row.length, this.names.length) - 1,
        `the row has ${row.length} fields, the header ${this.names.length}`,
      );
    }
    for (const source of required) {
      if (this.textOf(row, source) === '') {
        return this.rejected(row, this.fields[source][0] ?? 0, 'is empty');
      }
    }
    const day = this.dayOf(row, 'charge_start', this.chargeDates);
    if (!isDay(day)) return this.rejected(row, this.fields.charge_start[0] ?? 0, day);
    const periodStart = this.dayOf(row, 'period_start', this.periodDates);
    if (!isDay(periodStart)) {
      return this.rejected(row, this.fields.period_start[0] ?? 0, periodStart);
    }
    const amounts = this.amountsOf(row);
    if ('message' in amounts) return amounts;
    const tags = this.tagsOf(row);
    if (!tags) {
      return this.rejected(row, this.fields.tags[0] ?? 0, 'is not a JSON object of tags');
    }
    const texts = Object.fromEntries(
      dimensions.map((name) => [name, this.dimensionOf(row, name)]),
    ) as Record<Dimension, string>;
    const long = dimensions.find((name) => texts[name].length > longestText);
    if (long) {
      const at = this.fields[long][0] ?? 0;
      return this.rejected(row, at, `is longer than ${longestText} characters`);
    }
    return { ...texts, day, period: periodStart.slice(0, 7), tags, amounts };
  }

  private dimensionOf(row: Cells, name: Dimension): string {
    const fixed = this.dialect.fixed?.[name];
    if (fixed !== undefined) return fixed;
    const text = this.textOf(row, name);
    if (name === 'provider') return providerOf(text);
    if (name === 'category') return this.dialect.categories?.[text.toLowerCase()] ?? text;
    return name === 'currency' ? text.toUpperCase() : text;
  }

  /** The first of the columns of a source that has a value. */
  private textOf(row: Cells, source: Source): string {
    for (const field of this.fields[source]) {
      const text = this.cell(row, field);
      if (text !== '') return text;
    }
    return '';
  }

  private cell(row: Cells, field: number): string {
    const before = this.known[field];
    if (before !== undefined && row.isSame(field)) return before;
    const text = (row.text(field) ?? '').trim();
    const read = text === 'NULL' && !row.isQuoted(field) ? '' : text;
    this.known[field] = read;
    return read;
  }

  private dayOf(row: Cells, source: 'charge_start' | 'period_start', dates: DateColumn): string {
    const text = this.textOf(row, source);
    const key = `${source} ${text}`;
    const known = this.knownDays.get(key);
    if (known !== undefined) return known;
    const day = dates.day(text);
    // More hours than a month has: exports rarely have more distinct times.
    if (this.knownDays.size >= 2_000) this.knownDays.clear();
    if (isDay(day)) this.knownDays.set(key, day);
    return day;
  }

  private amountsOf(row: Cells): Record<Measure, Amount> | Rejected {
    const read = (source: Measure, otherwise: Amount): Amount | Rejected => {
      for (const field of this.fields[source]) {
        const text = this.cell(row, field);
        if (text === '') continue;
        const amount = parseAmount(text);
        if (typeof amount === 'string') return this.rejected(row, field, amount);
        if (amount.isRounded) this.rounded += 1;
        return amount;
      }
      return otherwise;
    };
    const billed = read('billed', zero);
    if ('message' in billed) return billed;
    const effective = read('effective', billed);
    if ('message' in effective) return effective;
    const list = read('list', effective);
    if ('message' in list) return list;
    const quantity = read('quantity', zero);
    if ('message' in quantity) return quantity;
    return { billed, effective, list, quantity };
  }

  private tagsOf(row: Cells): ReadonlyMap<string, string> | undefined {
    if (this.tagFields.length > 0) {
      const found = new Map<string, string>();
      for (const [name, field] of this.tagFields) {
        const value = this.chosenTags.has(name) ? this.cell(row, field) : '';
        if (value !== '') found.set(name, value.slice(0, 256));
      }
      return found;
    }
    const [field] = this.fields.tags;
    if (field === undefined) return this.tags;
    if (this.known[field] !== undefined && row.isSame(field)) return this.tags;
    this.tags = readTags(this.cell(row, field), this.chosenTags);
    return this.tags;
  }

  private rejected(row: Cells, field: number, message: string): Rejected {
    return { column: this.names[field] ?? '', message, place: row.place(Math.max(0, field)) };
  }

  private describe(columns: readonly string[]): Understood {
    const used: Partial<Record<Source, readonly string[]>> = {};
    const seen = new Set<number>(this.tagFields.map(([, field]) => field));
    for (const source of [...dimensions, ...moreSources]) {
      const fields = this.fields[source];
      for (const field of fields) seen.add(field);
      if (fields.length > 0) used[source] = fields.map((field) => this.names[field] ?? '');
    }
    const unmapped = columns.flatMap((_, at) => (seen.has(at) ? [] : [this.names[at] ?? '']));
    return { dialect: this.dialect.name, used, unmapped };
  }
}

const moreSources = [
  'charge_start',
  'period_start',
  'tags',
  'billed',
  'effective',
  'list',
  'quantity',
] as const;

function providerOf(text: string): string {
  const lower = text.toLowerCase();
  return providers.find(([pattern]) => pattern.test(lower))?.[1] ?? lower;
}

function unknownColumns(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ').slice(0, 100);
  const known = dialects.map(({ name }) => name).join(', ');
  return `the columns (${shown}, …) are not those of ${known}`;
}
