import * as z from 'zod';
import type { Blobs } from '../store/store.ts';
import type { FileOf } from '../module.ts';
import { partSlots } from './collection.ts';

export type StoredMetric = 'cpu' | 'memory';

/** What is known of one metric of one resource in a week, while it had one size. */
export interface Series {
  readonly resource: string;
  readonly metric: StoredMetric;
  /** As the inventory had it when the utilization came: percents are of that size. '' where it had none. */
  readonly size: string;
  /** One for each quarter of an hour, as `src/cost/rightsizing/series.ts` has them. */
  readonly codes: Uint8Array;
}

/** Equal for the same series, in whatever order they come: a line of JSON that names them, then the codes of each. */
export function writePart(series: readonly Series[]): Uint8Array {
  const sorted = series
    .map((one) => ({ key: JSON.stringify([one.resource, one.metric, one.size]), one }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const head = Buffer.from(`[${sorted.map(({ key }) => key).join(',')}]\n`);
  const bytes = new Uint8Array(head.length + sorted.length * partSlots);
  bytes.set(head);
  for (const [at, { one }] of sorted.entries()) bytes.set(one.codes, head.length + at * partSlots);
  return bytes;
}

const Names = z.array(z.tuple([z.string(), z.enum(['cpu', 'memory']), z.string()]));

/** A file that nothing here wrote, as of a snapshot that was edited, has no series. */
export function readPart(bytes: Uint8Array): readonly Series[] {
  const end = bytes.indexOf(0x0a);
  return namesIn(bytes.subarray(0, Math.max(0, end))).flatMap(([resource, metric, size], at) => {
    const from = end + 1 + at * partSlots;
    const codes = bytes.subarray(from, from + partSlots);
    return codes.length === partSlots ? [{ resource, metric, size, codes }] : [];
  });
}

function namesIn(head: Uint8Array): z.infer<typeof Names> {
  try {
    return Names.safeParse(JSON.parse(Buffer.from(head).toString())).data ?? [];
  } catch {
    return [];
  }
}

export async function readBlob(blobs: Blobs, { blob }: FileOf): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of blobs.read(blob)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
