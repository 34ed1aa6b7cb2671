const iso =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?: ?(Z|UTC|[+-](?:0\d|1[0-4]):?[0-5]\d))?)?$/;
const slashed = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: (\d{1,2}):(\d\d)(?::(\d\d))?)?$/;

/** The two orders of dates with slashes, which look the same on many days. */
export type SlashedFormat = 'MM/DD/YYYY' | 'DD/MM/YYYY';
type DateFormat = 'YYYY-MM-DD' | SlashedFormat;

const firstYear = 2000;
const lastYear = 2199;

/** A date with slashes came, and in which order they are is not known: all of the file's dates together say it. */
export class SlashedDates extends Error {
  override readonly name = 'SlashedDates';
}

/** Finds the order of dates with slashes. */
export class DateOrder {
  private monthFirst = true;
  private dayFirst = true;

  /** @returns whether it is a date with slashes */
  see(text: string): boolean {
    const [, first, second] = slashed.exec(text.trim()) ?? [];
    if (Number(first) > 12) this.monthFirst = false;
    if (Number(second) > 12) this.dayFirst = false;
    return first !== undefined;
  }

  /** The only order that fits all that were seen, or the usual one where none does. Undefined: both fit. */
  get format(): SlashedFormat | undefined {
    if (this.monthFirst && this.dayFirst) return undefined;
    return this.dayFirst ? 'DD/MM/YYYY' : 'MM/DD/YYYY';
  }
}

/**
 * Reads the dates and times of one column. The first decides the format; another format later in the column is an error.
 * Times without a zone are UTC.
 */
export class DateColumn {
  private format: DateFormat | undefined;

  /** @param slashedFormat of dates with slashes, if it is known */
  constructor(private readonly slashedFormat?: SlashedFormat) {}

  /**
   * @returns the day in UTC, `2026-09-30`, or why there is none, in words with a space
   * @throws SlashedDates
   */
  day(text: string): string {
    const parts = partsOf(text.trim(), this.slashedFormat);
    if (!parts) return 'is not a date such as 2026-09-30';
    this.format ??= parts.format;
    if (parts.format !== this.format)
      return `is not in the format ${this.format} of the previous rows`;
    if (parts.year < firstYear || parts.year > lastYear) {
      return `is not between ${firstYear} and ${lastYear}`;
    }
    const { year, month, date, ms } = parts;
    const midnight = Date.UTC(year, month - 1, date);
    const read = new Date(midnight);
    // 30 February would be in March.
    if (read.getUTCMonth() !== month - 1 || read.getUTCDate() !== date) {
      return `is not a date (${this.format})`;
    }
    return new Date(midnight + ms).toISOString().slice(0, 10);
  }
}

interface Parts {
  readonly format: DateFormat;
  readonly year: number;
  readonly month: number;
  readonly date: number;
  /** Milliseconds from midnight, UTC. */
  readonly ms: number;
}

function partsOf(text: string, slashedFormat: SlashedFormat | undefined): Parts | undefined {
  const [, year, month, date, hour = '0', minute = '0', second = '0', zone = 'Z'] =
    iso.exec(text) ?? [];
  if (year !== undefined) {
    const ms = timeOf(hour, minute, second);
    return ms === undefined
      ? undefined
      : {
          format: 'YYYY-MM-DD',
          year: Number(year),
          month: Number(month),
          date: Number(date),
          ms: ms - offsetOf(zone),
        };
  }
  const [, former, latter, yyyy, h = '0', m = '0', s = '0'] = slashed.exec(text) ?? [];
  if (yyyy === undefined) return undefined;
  if (slashedFormat === undefined) throw new SlashedDates();
  const ms = timeOf(h, m, s);
  if (ms === undefined) return undefined;
  const [mm, dd] = slashedFormat === 'MM/DD/YYYY' ? [former, latter] : [latter, former];
  return { format: slashedFormat, year: Number(yyyy), month: Number(mm), date: Number(dd), ms };
}

function timeOf(hour: string, minute: string, second: string): number | undefined {
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  return h > 23 || m > 59 || s > 59 ? undefined : ((h * 60 + m) * 60 + s) * 1_000;
}

/** Milliseconds that a zone is ahead of UTC. */
function offsetOf(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Whether `day` read a day. */
export const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text);
