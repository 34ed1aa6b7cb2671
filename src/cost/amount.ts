/**
 * Decimals, exact to 18 digits after the point. An amount is three whole numbers ("lanes"): `units` + `nanos`·10⁻⁹ +
 * `attos`·10⁻¹⁸, with nanos and attos from 0 to 999,999,999, and so units rounded down. Doubles add lanes exactly for millions of
 * amounts, many times faster than big integers do.
 */
export interface Amount {
  readonly units: number;
  readonly nanos: number;
  readonly attos: number;
}

const laneDigits = 9;
const lane = 10 ** laneDigits;
/** Digits after the point. */
const scale = 2 * laneDigits;
/** Digits before the point: sums of millions of amounts stay exact. */
const mostUnitDigits = 12;
/** Of a quantity, such as Google's byte-seconds. */
export const mostQuantityDigits = 15;
/** No double has a larger exponent, and no export writes one. */
const mostExponent = 400;
const longest = 400;

export const zero: Amount = { units: 0, nanos: 0, attos: 0 };

/** What was read, and whether digits beyond the 18th were rounded, half to even. */
interface Parsed extends Amount {
  readonly isRounded: boolean;
}

/** @returns why it is no amount, in a few words, as a string */
export function parseAmount(text: string, mostDigits = mostUnitDigits): Parsed | string {
  const trimmed = text.trim();
  if (trimmed.length > longest) return `is longer than ${longest} characters`;
  const [, sign = '', whole = '', after = '', exponent = '0'] =
    /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/.exec(trimmed) ?? [];
  if (whole === '' && after === '') return 'is not a decimal number';
  const shift = Number(exponent);
  if (Math.abs(shift) > mostExponent) return 'is out of range';
  const { digits, isRounded } = scaled(whole + after, after.length - shift);
  const units = digits.slice(0, -scale).replace(/^0+/, '');
  if (units.length > mostDigits)
    return `has more than ${mostDigits} digits before the decimal point`;
  const positive = {
    units: Number(units),
    nanos: Number(digits.slice(-scale, -laneDigits)),
    attos: Number(digits.slice(-laneDigits)),
  };
  return { ...(sign === '-' ? negated(positive) : positive), isRounded };
}

const zeroDigit = 0x30;
const point = 0x2e;
const minus = 0x2d;
/** What the digits of a lane count where the last of them is the n-th. */
const weights = Array.from({ length: laneDigits + 1 }, (_, n) => 10 ** (laneDigits - n));

/**
 * Reads an amount in its plain form, `-12.5`, from ASCII into three lanes.
 * @returns false: it has another form, which `parseAmount` may read
 */
export function readPlainAmount(
  bytes: Uint8Array,
  start: number,
  end: number,
  lanes: Float64Array,
  into: number,
): boolean {
  const isNegative = bytes[start] === minus;
  let at = isNegative ? start + 1 : start;
  const first = at;
  let units = 0;
  for (; at < end; at++) {
    const digit = (bytes[at] ?? 0) - zeroDigit;
    if (digit < 0 || digit > 9) break;
    units = units * 10 + digit;
  }
  if (at === first || at - first > mostUnitDigits) return false;
  let nanos = 0;
  let attos = 0;
  if (at < end) {
    if (bytes[at] !== point || end - at - 1 > scale) return false;
    const begun = ++at;
    for (; at < end; at++) {
      const digit = (bytes[at] ?? 0) - zeroDigit;
      if (digit < 0 || digit > 9) return false;
      if (at - begun < laneDigits) nanos = nanos * 10 + digit;
      else attos = attos * 10 + digit;
    }
    const places = at - begun;
    nanos *= weights[Math.min(places, laneDigits)] ?? 1;
    attos *= weights[Math.max(0, places - laneDigits)] ?? 1;
  }
  if (isNegative) putLanes(lanes, into, carried(-units, -nanos, -attos));
  else {
    lanes[into] = units;
    lanes[into + 1] = nanos;
    lanes[into + 2] = attos;
  }
  return true;
}

/** Writes an amount into three lanes. */
export function putLanes(lanes: Float64Array, into: number, { units, nanos, attos }: Amount): void {
  lanes[into] = units;
  lanes[into + 1] = nanos;
  lanes[into + 2] = attos;
}

/** Digits with `places` of them after the point, as digits with 18 after it, and at least one before. */
function scaled(
  digits: string,
  places: number,
): { readonly digits: string; readonly isRounded: boolean } {
  const surplus = places - scale;
  if (surplus <= 0) {
    return { digits: (digits + '0'.repeat(-surplus)).padStart(scale + 1, '0'), isRounded: false };
  }
  const all = digits.padStart(surplus + scale + 1, '0');
  const kept = all.slice(0, -surplus);
  const rest = all.slice(-surplus);
  if (/^0*$/.test(rest)) return { digits: kept, isRounded: false };
  const half = `5${'0'.repeat(surplus - 1)}`;
  const isUp = rest > half || (rest === half && Number(kept.at(-1)) % 2 === 1);
  const rounded = isUp ? String(BigInt(kept) + 1n).padStart(scale + 1, '0') : kept;
  return { digits: rounded, isRounded: true };
}

const negated = ({ units, nanos, attos }: Amount): Amount => carried(-units, -nanos, -attos);

/** Lanes of any size and sign as those of an amount. */
export function carried(units: number, nanos: number, attos: number): Amount {
  const fromAttos = Math.floor(attos / lane);
  const summed = nanos + fromAttos;
  const fromNanos = Math.floor(summed / lane);
  // -0 is no amount of its own.
  return {
    units: units + fromNanos + 0,
    nanos: summed - fromNanos * lane + 0,
    attos: attos - fromAttos * lane + 0,
  };
}

/** Adds many amounts. */
export class AmountSum implements Amount {
  units = 0;
  nanos = 0;
  attos = 0;
  private count = 0;

  add({ units, nanos, attos }: Amount): void {
    this.units += units;
    this.nanos += nanos;
    this.attos += attos;
    // Up to 2²² lanes of less than 2³⁰ are exact in a double.
    if ((this.count += 1) === 1 << 22) this.carry();
  }

  /** The sum so far. */
  get total(): Amount {
    return carried(this.units, this.nanos, this.attos);
  }

  private carry(): void {
    const { units, nanos, attos } = this.total;
    this.units = units;
    this.nanos = nanos;
    this.attos = attos;
    this.count = 0;
  }
}

export const add = (a: Amount, b: Amount): Amount =>
  carried(a.units + b.units, a.nanos + b.nanos, a.attos + b.attos);

export const subtract = (a: Amount, b: Amount): Amount =>
  carried(a.units - b.units, a.nanos - b.nanos, a.attos - b.attos);

/** Negative, 0 or positive, as a comparison for sorting. */
export const compare = (a: Amount, b: Amount): number =>
  a.units - b.units || a.nanos - b.nanos || a.attos - b.attos;

/** All digits, none too many: `-12.5`, `0.00001605990` is `0.0000160599`. */
export function showAmount(amount: Amount): string {
  const isNegative = amount.units < 0;
  const { units, nanos, attos } = isNegative ? negated(amount) : amount;
  const digits = (value: number): string => String(value).padStart(laneDigits, '0');
  const after = `${digits(nanos)}${digits(attos)}`.replace(/0+$/, '');
  return `${isNegative ? '-' : ''}${units}${after === '' ? '' : `.${after}`}`;
}

/** The amount that `showAmount` shows so; of any size. */
export function readAmount(text: string): Amount {
  const [, sign, units = '', after = ''] = /^(-?)(\d+)(?:\.(\d{1,18}))?$/.exec(text) ?? [];
  if (sign === undefined) throw new Error(`${JSON.stringify(text)} is not an amount`);
  const digits = after.padEnd(scale, '0');
  const positive = {
    units: Number(units),
    nanos: Number(digits.slice(0, laneDigits)),
    attos: Number(digits.slice(laneDigits)),
  };
  return sign === '-' ? negated(positive) : positive;
}

const bigLane = BigInt(lane);

/** As a whole number of 10⁻¹⁸. */
export const attosIn = ({ units, nanos, attos }: Amount): bigint =>
  (BigInt(units) * bigLane + BigInt(nanos)) * bigLane + BigInt(attos);

/** @param whole number of 10⁻¹⁸ */
export function amountOf(whole: bigint): Amount {
  const floor = (value: bigint): bigint => ((value % bigLane) + bigLane) % bigLane;
  const last = floor(whole);
  const rest = (whole - last) / bigLane;
  const middle = floor(rest);
  return { units: Number((rest - middle) / bigLane), nanos: Number(middle), attos: Number(last) };
}

/** A percentage, with up to two digits after the point, of a positive amount; digits beyond the 18th are cut off. */
export const percentOf = (whole: Amount, percent: number): Amount =>
  amountOf((attosIn(whole) * BigInt(Math.round(percent * 100))) / 10_000n);

/** How many percent of a positive amount another one is, with one digit after the point, never rounded up: 79.99 is not 80. */
export const percentIn = (part: Amount, whole: Amount): number =>
  Number((attosIn(part) * 1_000n) / attosIn(whole)) / 10;

/** The nearest double, nearly: for charts, forecasts and shares. */
export const toNumber = ({ units, nanos, attos }: Amount): number =>
  units + (nanos + attos / lane) / lane;

/** An estimate as a decimal of at most 6 digits after the point: the others mean nothing. */
export const showEstimate = (value: number): string =>
  value
    .toFixed(6)
    .replace(/\.?0+$/, '')
    .replace(/^-0$/, '0');
