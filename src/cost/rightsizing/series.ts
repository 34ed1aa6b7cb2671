/**
 * Utilization over time, small: for each quarter of an hour one byte, the highest utilization that was seen in it, rounded
 * up to half a percent. So percentiles are never too low.
 */
export const slotSeconds = 900;
export const slotsPerDay = 86_400 / slotSeconds;
const slotsPerHour = 3_600 / slotSeconds;

/** 0: not measured. */
type Code = number;
const mostCode = 255;
/** Beyond it, it is kept as this: such a machine is too small anyway. */
const mostPercent = (mostCode - 1) / 2;

/** 0.3 × 100 is more than 30 in doubles; that rounds up to no other half. */
const noise = 1e-9;

export const codeOf = (percent: number): Code =>
  Math.min(mostCode, Math.max(0, Math.ceil(percent * 2 - noise)) + 1);

const percentOf = (code: Code): number => (code - 1) / 2;

/** Slots that a period touches: from, and up to without. */
export const slotsOf = (seconds: number, period: number): readonly [from: number, to: number] => [
  Math.floor(seconds / slotSeconds),
  Math.ceil((seconds + period) / slotSeconds),
];

/** What is known of one series in a time. */
export interface Measured {
  readonly hours: number;
  /** Slots since 1970-01-01: of the first measurement, and the one after the last. */
  readonly from: number;
  readonly to: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99_5: number;
  readonly max: number;
}

/** Adds up the slots of a series, in any order. */
export class Utilization {
  private readonly counts = new Uint32Array(mostCode + 1);
  private slots = 0;
  private from = Infinity;
  private to = -Infinity;

  /** @param start of the codes; those before `since` or from `until` on are left out */
  add(codes: Uint8Array, start: number, since: number, until: number): void {
    const end = Math.min(codes.length, until - start);
    for (let at = Math.max(0, since - start); at < end; at++) {
      const code = codes[at] ?? 0;
      if (code === 0) continue;
      this.counts[code] = (this.counts[code] ?? 0) + 1;
      this.slots += 1;
      if (start + at < this.from) this.from = start + at;
      if (start + at >= this.to) this.to = start + at + 1;
    }
  }

  measured(): Measured | undefined {
    if (this.slots === 0) return undefined;
    return {
      hours: this.slots / slotsPerHour,
      from: this.from,
      to: this.to,
      p50: this.percentile(0.5),
      p95: this.percentile(0.95),
      p99_5: this.percentile(0.995),
      max: this.percentile(1),
    };
  }

  /** The nearest rank: the smallest value that so great a share of all does not exceed. */
  private percentile(share: number): number {
    const rank = Math.ceil(share * this.slots - noise);
    let seen = 0;
    for (let code = 1; code <= mostCode; code++) {
      seen += this.counts[code] ?? 0;
      if (seen >= rank) return percentOf(code);
    }
    return mostPercent;
  }
}
