import type { Blobs } from '../store/store.ts';
import type { FileOf } from '../module.ts';
import { partSlots } from './collection.ts';

export type StoredMetric = 'cpu' | 'memory';

/** What is known of one metric of one resource in a week, while it had one size. */
export interface Series {
  readonly resource: string;
  readonly metric: StoredMetric;
  /** As the inventory had it when the utilisation came: percents are of that size. '' where it had none. */
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

export function readPart(bytes: Uint8Array): readonly Series[] {
  const end = bytes.indexOf(0x0a);
  const names = JSON.parse(Buffer.from(bytes.subarray(0, end)).toString()) as readonly [
    resource: string,
    metric: StoredMetric,
    size: string,
  ][]; // as `writePart` wrote it
  return names.map(([resource, metric, size], at) => {
    const from = end + 1 + at * partSlots;
    return { resource, metric, size, codes: bytes.subarray(from, from + partSlots) };
  });
}

export async function readBlob(blobs: Blobs, { blob }: FileOf): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of blobs.read(blob)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
