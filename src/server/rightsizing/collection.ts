import { hash } from 'node:crypto';
import { slotSeconds, slotsPerDay } from '../../cost/rightsizing/series.ts';
import type { FileOf } from '../module.ts';
import { Count, File, Id, Moment, keyed, shape } from '../shape.ts';
import type { CollectionSpec } from '../store/store.ts';

/** Days that a part holds. */
const partDays = 7;
/** Slots of a series in a part. */
export const partSlots = partDays * slotsPerDay;
/** Parts of the same days: each holds some of the resources. */
const shards = 32;

/** The utilization of some resources in a week. Its series are in a blob, as `part-file.ts` has them. */
export interface StoredPart {
  /** As `partId`. */
  readonly id: string;
  /** Weeks since 1970-01-01. */
  readonly week: number;
  readonly shard: number;
  /** When the week ends, in milliseconds since the epoch. */
  readonly until: number;
  readonly series: number;
  readonly file: FileOf;
}

export type PartPlace = Pick<StoredPart, 'week' | 'shard'>;

export const partId = ({ week, shard }: PartPlace): string => `utl_${week}_${shard}`;

export const shardOf = (resourceId: string): number =>
  Number.parseInt(hash('sha256', resourceId, 'hex').slice(0, 8), 16) % shards;

export const weekEnd = (week: number): number => (week + 1) * partSlots * slotSeconds * 1_000;

export const utilization: CollectionSpec<StoredPart> = {
  name: 'utilization',
  order: { id: ({ id }) => id, until: ({ until }) => until },
};

export const partShape = keyed(
  shape<StoredPart>({
    id: Id,
    week: Count,
    shard: Count,
    until: Moment,
    series: Count,
    file: File,
  }),
  partId,
);
