/** One number of an export, as a line of `POST /v1/metrics`; whether it is fit is found out where it is sent. */
export interface ExportedPoint {
  readonly point: Readonly<Record<string, unknown>>;
  /** Where it stands: `Datapoints[3]`. */
  readonly place: string;
}

/** What an export lacks, as the user says it. */
export interface ExportOptions {
  readonly resource?: string | undefined;
  /** Seconds. */
  readonly period?: number | undefined;
  /** What its numbers are. */
  readonly statistic?: Statistic | undefined;
}

export const statistics = ['average', 'maximum', 'minimum'] as const;
export type Statistic = (typeof statistics)[number];

export interface ReadExport {
  readonly points: readonly ExportedPoint[];
  /** Numbers of metrics that rightsizing does not use, by their names. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/** What can't be read, and where it stands in the file. */
export class ExportError extends Error {
  constructor(
    readonly place: string,
    message: string,
  ) {
    super(message);
  }
}

/** What a provider's metric is here. */
export interface KnownMetric {
  readonly metric: 'cpu' | 'memory' | 'memory_available';
  readonly unit: 'percent' | 'bytes';
  /** Of shares of 1: 100. */
  readonly times?: number;
}

type Values = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value under keys of its own. */
export const at = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>(
    (of, key) => (isObject(of) && Object.hasOwn(of, key) ? of[key] : undefined),
    value,
  );

export const textAt = (value: unknown, ...keys: readonly string[]): string | undefined => {
  const found = at(value, ...keys);
  return typeof found === 'string' && found !== '' ? found : undefined;
};

/** @throws ExportError */
export function listAt(value: unknown, key: string, place: string): readonly unknown[] {
  const found = at(value, key);
  if (Array.isArray(found)) return found as readonly unknown[];
  throw new ExportError(place, `${key} must be a list`);
}

/** Python's recorded times, such as those of botocore, have their parts. */
function timeOfParts(value: unknown): number {
  if (!isObject(value)) return NaN;
  const part = (key: string): number => Number(value[key] ?? 0);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')); // prettier-ignore
}

/** With a zone, as `2026-01-31T09:30:00Z`; without one it is UTC. */
const timeForm = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?$/;

/** Milliseconds since the epoch. @throws ExportError */
export function timeOf(value: unknown, place: string): number {
  const [, time, zone = 'Z'] = (typeof value === 'string' && timeForm.exec(value.trim())) || [];
  const ms = time === undefined ? timeOfParts(value) : Date.parse(time + zone.replace(/(\d\d)(\d\d)$/, '$1:$2')); // prettier-ignore
  if (Number.isFinite(ms)) return ms;
  const shown = (JSON.stringify(value) ?? 'nothing').slice(0, 60);
  throw new ExportError(place, `must be a time such as 2026-01-31T09:30:00Z, not ${shown}`);
}

/** Seconds between the closest of some times: what each of them stands for. @throws ExportError */
export function periodOf(
  times: readonly number[],
  { period }: ExportOptions,
  place: string,
): number {
  if (period !== undefined) return period;
  const sorted = times.toSorted((a, b) => a - b);
  const gaps = sorted.flatMap((time, index) => {
    const gap = time - (sorted[index - 1] ?? time);
    return gap > 0 ? [gap] : [];
  });
  const closest = gaps.reduce((least, gap) => Math.min(least, gap), Infinity);
  if (closest !== Infinity) return Math.round(closest / 1_000);
  throw new ExportError(
    place,
    'does not include the period of its data points: pass --period, in seconds',
  );
}

/** @throws ExportError */
export function resourceOf(
  found: string | undefined,
  { resource }: ExportOptions,
  place: string,
): string {
  const id = found ?? resource;
  if (id !== undefined) return id;
  throw new ExportError(
    place,
    'does not include the ID of a virtual machine: pass it as --resource',
  );
}

const names: Readonly<Record<Statistic, string>> = {
  average: 'average',
  maximum: 'max',
  minimum: 'min',
};

/** A number as a statistic of a point. */
export const named = (statistic: Statistic, value: unknown, { times = 1 }: KnownMetric) => ({
  [names[statistic]]: typeof value === 'number' ? value * times : value,
});

export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Counts what is left out. */
export function leaveOut(leftOut: Map<string, number>, name: string, numbers: number): void {
  const shown = name.slice(0, 200);
  leftOut.set(shown, (leftOut.get(shown) ?? 0) + numbers);
}
