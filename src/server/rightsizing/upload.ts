import { slotSeconds } from '../../cost/rightsizing/series.ts';
import type { PartPlace } from './collection.ts';
import { partSlots, shardOf } from './collection.ts';
import type { Series } from './part-file.ts';
import { readPart, writePart } from './part-file.ts';

/** Bytes of series that an upload keeps in memory; the others wait in blobs. */
const mostKept = 32 << 20;
/** Of a series, beside its codes. */
const bytesBeside = 200;

/** Where an upload puts what it has no room for. */
export interface Spill {
  write(bytes: Uint8Array): Promise<string>;
  read(blob: string): Promise<Uint8Array>;
}

interface Part {
  readonly place: PartPlace;
  readonly series: Map<string, Series>;
  readonly spilled: string[];
}

/** The points of one upload, by the parts that they are stored in. Of points on the same quarter of an hour the highest counts. */
export class Upload {
  points = 0;
  /** Slots since 1970-01-01: the first, and the one after the last. */
  from = Infinity;
  to = -Infinity;
  private readonly shards = new Map<string, number>();
  private readonly parts = new Map<string, Part>();
  private kept = 0;

  constructor(
    private readonly spill: Spill,
    private readonly most = mostKept,
  ) {}

  get resources(): number {
    return this.shards.size;
  }

  /** Whether `makeRoom` should be called. */
  get isFull(): boolean {
    return this.kept > this.most;
  }

  add(of: SeriesOf, code: number, [from, to]: readonly [from: number, to: number]): void {
    this.from = Math.min(this.from, from);
    this.to = Math.max(this.to, to);
    for (let start = from; start < to;) {
      const week = Math.floor(start / partSlots);
      const end = Math.min(to, (week + 1) * partSlots);
      const { codes } = this.seriesOf(week, of);
      for (let at = start - week * partSlots; at < end - week * partSlots; at++) {
        if ((codes[at] ?? 0) < code) codes[at] = code;
      }
      start = end;
    }
  }

  async makeRoom(): Promise<void> {
    for (const { series, spilled } of this.parts.values()) {
      if (series.size === 0) continue;
      spilled.push(await this.spill.write(writePart([...series.values()])));
      series.clear();
    }
    this.kept = 0;
  }

  get places(): readonly PartPlace[] {
    return [...this.parts.values()].map(({ place }) => place);
  }

  /** All series of a part. */
  async seriesIn(place: PartPlace): Promise<readonly Series[]> {
    const part = this.parts.get(keyOf(place));
    if (!part) return [];
    const all = new Map<string, Series>();
    for (const one of part.series.values()) raise(all, one);
    for (const blob of part.spilled) {
      for (const one of readPart(await this.spill.read(blob))) raise(all, one);
    }
    return [...all.values()];
  }

  private seriesOf(week: number, of: SeriesOf): Series {
    const place = { week, shard: this.shardFor(of.resource) };
    let part = this.parts.get(keyOf(place));
    if (!part) this.parts.set(keyOf(place), (part = { place, series: new Map(), spilled: [] }));
    const key = `${of.metric} ${of.resource}`;
    let series = part.series.get(key);
    if (!series) {
      part.series.set(key, (series = { ...of, codes: new Uint8Array(partSlots) }));
      this.kept += partSlots + bytesBeside;
    }
    return series;
  }

  private shardFor(resource: string): number {
    let shard = this.shards.get(resource);
    if (shard === undefined) this.shards.set(resource, (shard = shardOf(resource)));
    return shard;
  }
}

type SeriesOf = Omit<Series, 'codes'>;

const keyOf = ({ week, shard }: PartPlace): string => `${week} ${shard}`;

function raise(all: Map<string, Series>, one: Series): void {
  const key = `${one.metric} ${one.resource}`;
  const before = all.get(key);
  if (!before) {
    all.set(key, { ...one, codes: one.codes.slice() });
    return;
  }
  const { codes } = before;
  for (let at = 0; at < codes.length; at++) {
    codes[at] = Math.max(codes[at] ?? 0, one.codes[at] ?? 0);
  }
}

/**
 * What is stored, with what an upload says instead. A quarter of an hour that was measured of another size stays of that
 * size: percents of one are no percents of the other.
 * @returns the series, and how many quarters of an hour are otherwise than before
 */
export function overlay(
  stored: readonly Series[],
  uploaded: readonly Series[],
): { readonly series: readonly Series[]; readonly changed: number } {
  const of = ({ metric, resource }: Series): string => `${metric} ${resource}`;
  const byName = new Map<string, Series[]>();
  for (const one of stored) {
    const copy = { ...one, codes: one.codes.slice() };
    byName.set(of(one), [...(byName.get(of(one)) ?? []), copy]);
  }
  let changed = 0;
  for (const one of uploaded) {
    const its = byName.get(of(one)) ?? [];
    byName.set(of(one), its);
    let own = its.find(({ size }) => size === one.size);
    if (!own) its.push((own = { ...one, codes: new Uint8Array(partSlots) }));
    const others = its.filter((other) => other !== own);
    for (let at = 0; at < partSlots; at++) {
      const code = one.codes[at] ?? 0;
      if (code === 0) continue;
      const { codes } = others.find((other) => other.codes[at] !== 0) ?? own;
      if (codes[at] !== code) changed += 1;
      codes[at] = code;
    }
  }
  const series = [...byName.values()].flat();
  return { series: series.filter(({ codes }) => codes.some((code) => code !== 0)), changed };
}

export const slotTime = (slot: number): number => slot * slotSeconds * 1_000;
