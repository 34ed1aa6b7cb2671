import type { Risk, WithheldReason } from '../../contract/rightsizing.ts';
import { findSize } from './catalog.ts';
import type { Size } from './catalog.ts';
import { slotsPerDay } from './series.ts';
import type { Measured } from './series.ts';

/** The share of CPU and memory that stays free. */
export const headroom = 0.2;
/** From the first measurement to the last. */
const leastDays = 14;
/** Measured, in whatever places of that time. */
const leastHours = 30;

/** A machine and what is known of it. */
export interface Machine {
  readonly provider: string;
  /** `m5.xlarge`; absent: the inventory does not say. */
  readonly size: string | undefined;
  readonly cpu: Measured | undefined;
  readonly memory: Measured | undefined;
  /** Percent of memory in use that is taken for granted where it was never measured. */
  readonly assumedMemory?: number | undefined;
}

/** How much of a size would be in use, as shares of 1. */
interface Load {
  readonly cpu: number;
  readonly memory: number;
}

export interface Fitting {
  readonly size: Size;
  readonly load: Load;
}

export type Assessment =
  | { readonly kind: 'withheld'; readonly reason: WithheldReason; readonly current?: Size }
  /** No smaller size of the family fits. */
  | { readonly kind: 'fits'; readonly current: Size }
  | {
      readonly kind: 'recommended';
      readonly current: Size;
      readonly best: Fitting;
      /** Other smaller sizes that fit, the cheapest first. */
      readonly others: readonly Fitting[];
      readonly risk: Risk;
      /** Memory was not measured: it is the assumed one. */
      readonly isAssumed: boolean;
    };

/** A smaller size of the same family that fits the 99.5th percentile of CPU and the peak of memory, with headroom. */
export function assess(machine: Machine): Assessment {
  const { provider, size: name, cpu, memory, assumedMemory } = machine;
  if (name === undefined) return { kind: 'withheld', reason: 'size_unknown' };
  const found = findSize(provider, name);
  if (!found) return { kind: 'withheld', reason: 'size_not_in_catalog' };
  const [current, family] = found;
  const withheld = (reason: WithheldReason): Assessment => ({ kind: 'withheld', reason, current });
  if (!cpu) return withheld(memory ? 'cpu_not_measured' : 'not_measured');
  if (!memory && assumedMemory === undefined) return withheld('memory_not_measured');
  for (const one of memory ? [cpu, memory] : [cpu]) {
    if (one.to - one.from < leastDays * slotsPerDay) return withheld('too_few_days');
    if (one.hours < leastHours) return withheld('too_few_hours');
  }
  const need = {
    cpu: (cpu.p99_5 / 100) * current.vcpus,
    memory: ((memory?.max ?? assumedMemory ?? 100) / 100) * current.memory_gib,
  };
  const fitting = family
    .filter(({ price }) => price < current.price)
    .map((size) => ({ size, load: loadOf(size, need) }))
    .filter(({ load }) => largest(load) <= 1 - headroom + noise)
    .sort((a, b) => a.size.price - b.size.price);
  const [best, ...others] = fitting;
  if (!best) return { kind: 'fits', current };
  const isAssumed = memory === undefined;
  return { kind: 'recommended', current, best, others, risk: riskOf(best, isAssumed, cpu), isAssumed }; // prettier-ignore
}

/** 0.8 in doubles. */
const noise = 1e-12;

const loadOf = (size: Size, need: { readonly cpu: number; readonly memory: number }): Load => ({
  // Credits may run out: only what a burstable size gives always counts.
  cpu: need.cpu / (size.vcpus * size.baseline),
  memory: need.memory / size.memory_gib,
});

const largest = ({ cpu, memory }: Load): number => Math.max(cpu, memory);

/** Up to these shares in use of what is scarcer, the risk is low, and medium. */
const lowUpTo = 0.5;
const mediumUpTo = 0.65;

function riskOf({ size, load }: Fitting, isAssumed: boolean, cpu: Measured): Risk {
  if (isAssumed || largest(load) > mediumUpTo + noise) return 'high';
  const isThin = cpu.hours * 2 < ((cpu.to - cpu.from) / slotsPerDay) * 24;
  return largest(load) > lowUpTo + noise || isThin || size.baseline < 1 ? 'medium' : 'low';
}
