import { inThrees } from '../../contract/in-threes.ts';
import { firstOf } from '../read/cells.ts';
import type { Cells, Rejected } from '../read/cells.ts';
import { ReadError } from '../read/place.ts';
import { dayNumber } from '../table/days.ts';
import type { Dictionary } from '../table/dictionary.ts';
import { AmountReader } from './amounts.ts';
import type { Fault } from './amounts.ts';
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
import { Memo, remembered } from './memo.ts';
import type { CostRecord, Dimension } from './record.ts';
import { dimensions } from './record.ts';
import { readTags } from './tags.ts';

/** How the columns of a file were recognized. */
export interface Understood {
  readonly dialect: string;
  /** Of the file, by what they are read as. */
  readonly used: Readonly<Partial<Record<Source, readonly string[]>>>;
  /** Columns that nothing is read from. */
  readonly unmapped: readonly string[];
}

const longestText = 2_048;
/** What the text of a dimension is instead of a code. */
const [tooLong, isNoCurrency] = [-1, -2];
const currencyCode = /^[A-Z]{3}$/;

/** The names of providers as the inventory has them. */
const providers: readonly (readonly [RegExp, string])[] = [
  [/^(?:aws|amazon)/, 'aws'],
  [/^(?:microsoft|azure)/, 'azure'],
  [/^(?:gcp|google)/, 'gcp'],
  [/^oracle|^oci$/, 'oci'],
];

/** What a period is of. */
export interface PeriodOf {
  readonly provider: string;
  readonly billing_account: string;
  readonly period: string;
}

export interface RecordReaderOptions {
  /** Lower-case keys of the tags that are read. */
  readonly tags: readonly string[];
  /** Of each dimension, then of each tag: they give texts their codes. */
  readonly dictionaries: readonly Pick<Dictionary, 'code' | 'texts'>[];
  /** Of dates with slashes; without it they are a SlashedDates. */
  readonly dateFormat?: SlashedFormat | undefined;
  /** The last billing period that can be, `2026-09`; default: any. */
  readonly lastPeriod?: string;
}

/** Reads the rows of one file as records. Texts that repeat are made once. */
export class RecordReader {
  readonly understood: Understood;
  private readonly dialect: Dialect;
  private readonly names: readonly string[];
  private readonly fields: Readonly<Record<Source, readonly number[]>>;
  private readonly tagFields: readonly (readonly [name: string, field: number])[];
  /** Of the chosen tags that have a column each: the place of the code. */
  private readonly tagParts: readonly (readonly [column: number, field: number, Memo<number>])[];
  private readonly days: Readonly<Record<'charge_start' | 'period_start', Memo<Day | string>>>;
  private readonly chosenTags: ReadonlySet<string>;
  private readonly lastPeriod: string;
  private readonly tags: Memo<readonly number[] | 'unreadable'>;
  /** In the order of the dimensions. */
  private readonly parts: readonly Part[];
  private readonly dictionaries: RecordReaderOptions['dictionaries'];
  private readonly amounts: AmountReader;
  private readonly record: { -readonly [Name in keyof CostRecord]: CostRecord[Name] };

  /** @throws ReadError the columns are those of no known export, or one is missing or there twice */
  constructor(
    header: Cells,
    { tags, dictionaries, dateFormat, lastPeriod = '9999-12' }: RecordReaderOptions,
  ) {
    this.chosenTags = new Set(tags);
    this.dictionaries = dictionaries;
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
    const codeOf = (column: number, text: string): number => dictionaries[column]?.code(text) ?? 0;
    const tagsStart = dimensions.length;
    this.tagParts = this.tagFields.flatMap(([name, field]) => {
      const column = tagsStart + tags.indexOf(name);
      if (column < tagsStart) return [];
      return [[column, field, new Memo((text) => codeOf(column, text.slice(0, 256)))] as const];
    });
    this.tags = new Memo(
      remembered((text) => {
        const found = readTags(text, this.chosenTags);
        return found
          ? tags.map((tag, at) => codeOf(tagsStart + at, found.get(tag) ?? ''))
          : 'unreadable';
      }),
    );
    const derived: Partial<Record<Dimension, (text: string) => string>> = {
      provider: providerOf,
      category: (text) => dialect.categories?.get(text.toLowerCase()) ?? text,
      currency: (text) => text.toUpperCase(),
    };
    this.parts = dimensions.map((name, column): Part => {
      const own = derived[name] ?? ((text: string): string => text);
      const read = (text: string): number => {
        const made = own(text);
        if (name === 'currency' && made !== '' && !currencyCode.test(made)) return isNoCurrency;
        return made.length > longestText ? tooLong : codeOf(column, made);
      };
      const fixed = dialect.fixed?.[name];
      return {
        fields: fixed === undefined ? this.fields[name] : [],
        otherwise: fixed === undefined ? read('') : codeOf(column, fixed),
        codes: new Memo(derived[name] ? remembered(read) : read),
      };
    });
    this.amounts = new AmountReader({
      fields: this.fields,
      effectiveBy: effectiveRules(dialect, columns),
    });
    this.record = {
      day: 0,
      period: '',
      codes: new Uint32Array(dimensions.length + tags.length),
      lanes: this.amounts.lanes,
    };
    this.understood = this.describe(columns);
  }

  /** Amounts with more than 18 digits after the point. */
  get rounded(): number {
    return this.amounts.rounded;
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
      const field = fields.find((one) => !row.value(one).isEmpty);
      return field === undefined ? [] : [[row.value(field).text, field] as const];
    });
  }

  /** The period of a row that can't be read; undefined: it can't be told either. */
  periodOf(row: Cells): PeriodOf | undefined {
    if (row.length !== this.names.length) return undefined;
    const start = this.dayOf(row, 'period_start');
    if ('message' in start) return undefined;
    const account = this.textOf(row, 'billing_account');
    const provider = this.textOf(row, 'provider');
    if (account === undefined || account === '' || provider === undefined) return undefined;
    return { provider, billing_account: account, period: start.month };
  }

  /** One row as a record, or why it can't be read. @throws SlashedDates */
  read(row: Cells): CostRecord | Rejected {
    if (row.rejected) return row.rejected;
    if (row.length !== this.names.length) {
      return this.rejected(
        row,
        Math.min(row.length, this.names.length) - 1,
        `the row has ${row.length} fields, but the header has ${this.names.length}`,
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
    const { record, parts } = this;
    const { codes } = record;
    const fault = this.amounts.read(row) ?? this.readTags(row);
    if (fault) return this.rejected(row, fault.field, fault.message);
    let longest = -1;
    for (let column = 0; column < parts.length; column++) {
      const code = this.code(row, parts[column]);
      if (code === tooLong && longest < 0) longest = column;
      else if (code === isNoCurrency) {
        return this.rejected(
          row,
          this.fields.currency[0] ?? 0,
          'is not a currency code such as USD',
        );
      }
      codes[column] = code;
    }
    if (codes[currencyColumn] === 0) return this.empty(row, 'currency');
    if (codes[accountColumn] === 0) return this.empty(row, 'billing_account');
    if (longest >= 0) {
      return this.rejected(
        row,
        this.fields[dimensions[longest] ?? 'resource'][0] ?? 0,
        `is longer than ${inThrees(longestText)} characters`,
      );
    }
    record.day = day.number;
    record.period = start.month;
    return record;
  }

  /** The code of a dimension, or what is wrong with it. */
  private code(row: Cells, part: Part | undefined): number {
    if (!part) return 0;
    const value = firstOf(row, part.fields);
    return value.isEmpty ? part.otherwise : part.codes.of(value);
  }

  /** The text of a dimension; undefined: it can't be read. */
  private textOf(row: Cells, name: Dimension): string | undefined {
    const column = dimensions.indexOf(name);
    return this.dictionaries[column]?.texts[this.code(row, this.parts[column])];
  }

  private dayOf(row: Cells, source: 'charge_start' | 'period_start'): Day | Rejected {
    const value = firstOf(row, this.fields[source]);
    if (value.isEmpty) return this.empty(row, source);
    const day = this.days[source].of(value);
    return typeof day === 'string' ? this.rejected(row, this.fields[source][0] ?? 0, day) : day;
  }

  /** Reads the codes of the tags of a row into the record. @returns what can't be read */
  private readTags(row: Cells): Fault | undefined {
    const { codes } = this.record;
    const [field] = this.fields.tags;
    if (this.tagFields.length > 0) {
      codes.fill(0, dimensions.length);
      for (const [column, own, memo] of this.tagParts) {
        const code = memo.of(row.value(own));
        if (code > 0) codes[column] = code;
      }
    } else if (field !== undefined) {
      const tags = this.tags.of(row.value(field));
      if (tags === 'unreadable') return { field, message: 'is not a JSON object of tags' };
      for (let at = 0; at < tags.length; at++) codes[dimensions.length + at] = tags[at] ?? 0;
    }
    return undefined;
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

const accountColumn = dimensions.indexOf('billing_account');
const currencyColumn = dimensions.indexOf('currency');
/** How a dimension is read. */
interface Part {
  readonly fields: readonly number[];
  /** The code of rows without a value. */
  readonly otherwise: number;
  readonly codes: Memo<number>;
}

/** A day since 1970-01-01, and the month that it is in. */
interface Day {
  readonly number: number;
  readonly month: string;
}

/** Reads the dates of one column; a text says why it is none. */
function daysOf(dateFormat: SlashedFormat | undefined): Memo<Day | string> {
  const dates = new DateColumn(dateFormat);
  return new Memo(
    remembered((text) => {
      const day = dates.day(text);
      return isDay(day) ? { number: dayNumber(day), month: day.slice(0, 7) } : day;
    }),
  );
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
