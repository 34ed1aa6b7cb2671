import { inThrees } from '../../contract/in-threes.ts';
import { add, mostQuantityDigits, parseAmount, subtract, zero } from '../amount.ts';
import type { Amount } from '../amount.ts';
import type { Cells } from '../read/cells.ts';
import type { Place } from '../read/place.ts';
import { ReadError } from '../read/place.ts';
import { DateColumn, isDay } from './dates.ts';
import type { SlashedFormat } from './dates.ts';
import type { Dialect, Source } from './dialects.ts';
import {
  closestDialect,
  columnOf,
  dialectOf,
  missingColumns,
  required,
  unknownColumns,
} from './dialects.ts';
import { effectiveRules } from './effective-cost.ts';
import type { EffectiveRule } from './effective-cost.ts';
import { Memo } from './memo.ts';
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

const longestText = 2_048;
const currencyCode = /^[A-Z]{3}$/;

/** The names of providers as the inventory has them. */
const providers: readonly (readonly [RegExp, string])[] = [
  [/^(?:aws|amazon)/, 'aws'],
  [/^(?:microsoft|azure)/, 'azure'],
  [/^(?:gcp|google)/, 'gcp'],
  [/^oracle|^oci$/, 'oci'],
];

/** What a period is of. */
export type PeriodOf = Pick<CostRecord, 'provider' | 'billing_account' | 'period'>;

export interface RecordReaderOptions {
  /** Lower-case keys of the tags that are read. */
  readonly tags: ReadonlySet<string>;
  /** Of dates with slashes; without it they are a SlashedDates. */
  readonly dateFormat?: SlashedFormat | undefined;
  /** The last billing period that can be, `2026-09`; default: any. */
  readonly lastPeriod?: string;
}

/** Reads the rows of one file as records. Texts that repeat are made once. */
export class RecordReader {
  readonly understood: Understood;
  /** Amounts with more than 18 digits after the point. */
  rounded = 0;
  private readonly dialect: Dialect;
  private readonly names: readonly string[];
  private readonly fields: Readonly<Record<Source, readonly number[]>>;
  private readonly tagFields: readonly (readonly [name: string, field: number])[];
  private readonly days: Readonly<Record<'charge_start' | 'period_start', Memo<Day | string>>>;
  private readonly chosenTags: ReadonlySet<string>;
  private readonly lastPeriod: string;
  /** Of a row before: it was checked. */
  private lastCurrency = '';
  private readonly tags: Memo<ReadonlyMap<string, string> | 'unreadable'>;
  private readonly parts: Readonly<Record<Dimension, Part>>;
  private readonly effectiveBy: ReadonlyMap<string, EffectiveRule> | undefined;

  /** @throws ReadError the columns are those of no known export, or one is missing or there twice */
  constructor(header: Cells, { tags, dateFormat, lastPeriod = '9999-12' }: RecordReaderOptions) {
    this.chosenTags = tags;
    this.lastPeriod = lastPeriod;
    this.names = Array.from({ length: header.length }, (_, at) => (header.text(at) ?? '').trim());
    const columns = this.names.map(columnOf);
    const dialect = dialectOf(columns) ?? closestDialect(columns);
    if (!dialect) throw new ReadError(unknownColumns(columns, this.names), header.place(0));
    const order = dateFormat ?? dialect.dateFormat;
    this.days = { charge_start: daysOf(order), period_start: daysOf(order) };
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
      throw new ReadError(missingColumns(dialect, missing), header.place(0));
    }
    const prefix = dialect.tagPrefix?.toLowerCase();
    this.tagFields = columns.flatMap((name, at): [string, number][] =>
      prefix !== undefined && name.startsWith(prefix)
        ? [[name.slice(prefix.length).replace(/^user:/, ''), at]]
        : [],
    );
    this.tags = new Memo((text) => readTags(text, tags) ?? 'unreadable');
    const derived: Partial<Record<Dimension, Memo<string>>> = {
      provider: new Memo(providerOf),
      category: new Memo((text) => dialect.categories?.get(text.toLowerCase()) ?? text),
      currency: new Memo((text) => text.toUpperCase()),
    };
    this.parts = Object.fromEntries(
      dimensions.map((name): [Dimension, Part] => [
        name,
        { fixed: dialect.fixed?.[name], fields: this.fields[name], derived: derived[name] },
      ]),
    ) as Record<Dimension, Part>;
    this.effectiveBy = effectiveRules(dialect, columns);
    this.understood = this.describe(columns);
  }

  /** The fields that anything is read from. */
  get fieldsRead(): readonly number[] {
    const tags = this.tagFields.flatMap(([name, field]) =>
      this.chosenTags.has(name) ? [field] : [],
    );
    return [...new Set([...Object.values(this.fields).flat(), ...tags])].sort((a, b) => a - b);
  }

  /** The texts of a row's dates, with their fields. */
  datesOf(row: Cells): readonly (readonly [text: string, field: number])[] {
    return [this.fields.charge_start, this.fields.period_start].flatMap((fields) => {
      const field = fields.find((one) => this.cell(row, one) !== '');
      return field === undefined ? [] : [[this.cell(row, field), field] as const];
    });
  }

  /** The period of a row that can't be read; undefined: it can't be told either. */
  periodOf(row: Cells): PeriodOf | undefined {
    if (row.length !== this.names.length) return undefined;
    const start = this.dayOf(row, 'period_start');
    const account = this.part(row, this.parts.billing_account);
    if (account === '' || 'message' in start) return undefined;
    return {
      provider: this.part(row, this.parts.provider),
      billing_account: account,
      period: start.month,
    };
  }

  /** One row as a record, or why it can't be read. @throws SlashedDates */
  read(row: Cells): CostRecord | Rejected {
    if (row.length !== this.names.length) {
      return this.rejected(
        row,
        Math.min(row.length, this.names.length) - 1,
        `the row has ${row.length} fields, the header ${this.names.length}`,
      );
    }
    const day = this.dayOf(row, 'charge_start');
    if ('message' in day) return day;
    const start = this.dayOf(row, 'period_start');
    if ('message' in start) return start;
    if (start.month > this.lastPeriod) {
      return this.rejected(row, this.fields.period_start[0] ?? 0, 'is in the future');
    }
    if (day.month > this.lastPeriod) {
      return this.rejected(row, this.fields.charge_start[0] ?? 0, 'is in the future');
    }
    const amounts = this.amountsOf(row);
    if ('message' in amounts) return amounts;
    const tags = this.tagsOf(row);
    if (tags === 'unreadable') {
      return this.rejected(row, this.fields.tags[0] ?? 0, 'is not a JSON object of tags');
    }
    const { parts } = this;
    const record: CostRecord = {
      provider: this.part(row, parts.provider),
      billing_account: this.part(row, parts.billing_account),
      sub_account: this.part(row, parts.sub_account),
      service: this.part(row, parts.service),
      service_category: this.part(row, parts.service_category),
      category: this.part(row, parts.category),
      region: this.part(row, parts.region),
      resource: this.part(row, parts.resource),
      currency: this.part(row, parts.currency),
      day: day.day,
      period: start.month,
      tags,
      amounts,
    };
    if (record.currency === '') return this.empty(row, 'currency');
    if (record.currency !== this.lastCurrency) {
      if (!currencyCode.test(record.currency)) {
        return this.rejected(
          row,
          this.fields.currency[0] ?? 0,
          'is not a currency code such as USD',
        );
      }
      this.lastCurrency = record.currency;
    }
    if (record.billing_account === '') return this.empty(row, 'billing_account');
    for (const name of dimensions) {
      if (record[name].length <= longestText) continue;
      return this.rejected(
        row,
        this.fields[name][0] ?? 0,
        `is longer than ${inThrees(longestText)} characters`,
      );
    }
    return record;
  }

  private part(row: Cells, { fixed, fields, derived }: Part): string {
    if (fixed !== undefined) return fixed;
    const text = this.first(row, fields);
    return derived ? derived.of(text) : text;
  }

  /** The first of the columns of a source that has a value. */
  private first(row: Cells, fields: readonly number[]): string {
    for (const field of fields) {
      const text = this.cell(row, field);
      if (text !== '') return text;
    }
    return '';
  }

  private cell(row: Cells, field: number): string {
    const text = (row.text(field) ?? '').trim();
    return text === 'NULL' && !row.isQuoted(field) ? '' : text;
  }

  private dayOf(row: Cells, source: 'charge_start' | 'period_start'): Day | Rejected {
    const text = this.first(row, this.fields[source]);
    if (text === '') return this.empty(row, source);
    const day = this.days[source].of(text);
    return typeof day === 'string' ? this.rejected(row, this.fields[source][0] ?? 0, day) : day;
  }

  private amountsOf(row: Cells): Record<Measure, Amount> | Rejected {
    const billed = this.amountOf(row, 'billed', undefined);
    if (billed === undefined) return this.empty(row, 'billed');
    if ('message' in billed) return billed;
    const effective = this.effectiveOf(row, billed);
    if ('message' in effective) return effective;
    const list = this.amountOf(row, 'list', effective);
    if ('message' in list) return list;
    const quantity = this.amountOf(row, 'quantity', zero);
    if ('message' in quantity) return quantity;
    return { billed, effective, list, quantity };
  }

  private effectiveOf(row: Cells, billed: Amount): Amount | Rejected {
    const { effectiveBy } = this;
    if (!effectiveBy) return this.amountOf(row, 'effective', billed);
    const rule = effectiveBy.get(this.first(row, this.fields.category).toLowerCase());
    if (!rule || (rule.where && this.first(row, rule.where) === '')) return billed;
    let sum = zero;
    for (const field of rule.add) {
      const amount = this.amountIn(row, [field], zero);
      if ('message' in amount) return amount;
      sum = add(sum, amount);
    }
    for (const field of rule.subtract) {
      const amount = this.amountIn(row, [field], zero);
      if ('message' in amount) return amount;
      sum = subtract(sum, amount);
    }
    return sum;
  }

  private amountOf<T>(row: Cells, source: Measure, otherwise: T): Amount | Rejected | T {
    const most = source === 'quantity' ? mostQuantityDigits : undefined;
    return this.amountIn(row, this.fields[source], otherwise, most);
  }

  /** The amount of the first of some fields that has one. */
  private amountIn<T>(
    row: Cells,
    fields: readonly number[],
    otherwise: T,
    mostDigits?: number,
  ): Amount | Rejected | T {
    for (const field of fields) {
      const plain = row.amount?.(field);
      if (plain) return plain;
      const text = this.cell(row, field);
      if (text === '') continue;
      const amount = parseAmount(text, mostDigits);
      if (typeof amount === 'string') return this.rejected(row, field, amount);
      if (amount.isRounded) this.rounded += 1;
      return amount;
    }
    return otherwise;
  }

  private tagsOf(row: Cells): ReadonlyMap<string, string> | 'unreadable' {
    if (this.tagFields.length > 0) {
      const found = new Map<string, string>();
      for (const [name, field] of this.tagFields) {
        const value = this.chosenTags.has(name) ? this.cell(row, field) : '';
        if (value !== '') found.set(name, value.slice(0, 256));
      }
      return found;
    }
    const [field] = this.fields.tags;
    return field === undefined ? none : this.tags.of(this.cell(row, field));
  }

  private empty(row: Cells, source: Source): Rejected {
    return this.rejected(row, this.fields[source][0] ?? 0, 'is empty');
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

const none: ReadonlyMap<string, string> = new Map();

/** How a dimension is read. */
interface Part {
  /** What every row has. */
  readonly fixed: string | undefined;
  readonly fields: readonly number[];
  readonly derived: Memo<string> | undefined;
}

/** A day, and the month that it is in. */
interface Day {
  readonly day: string;
  readonly month: string;
}

/** Reads the dates of one column; a text says why it is none. */
function daysOf(dateFormat: SlashedFormat | undefined): Memo<Day | string> {
  const dates = new DateColumn(dateFormat);
  return new Memo((text) => {
    const day = dates.day(text);
    return isDay(day) ? { day, month: day.slice(0, 7) } : day;
  });
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
