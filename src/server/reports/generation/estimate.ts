import { availableParallelism } from 'node:os';
import { policies } from '../../policies/collection.ts';
import { resources } from '../../resources/collection.ts';
import { countRows } from '../../store/all-rows.ts';
import type { Reader, Store, Tx } from '../../store/store.ts';
import { dueAtOf, reportLanes, reports, reportTimings } from '../collection.ts';
import type { StoredReport } from '../collection.ts';

/** Reports that are generated at once: there is to be something left for requests. */
export const reportsAtOnce = Math.min(2, Math.max(1, availableParallelism() - 1));

/** Durations that are kept of each type, size and choice of formats; their median is expected. */
const mostDurations = 9;

/** Until one was measured, in milliseconds: in any case, and for each pair of a policy and a resource. */
const first = { base: 3_000, perPair: 0.02 } as const;

/** Waiting reports whose own estimates are added up; those beyond count as their mean. */
const mostAhead = 500;

export interface Estimate {
  /** Milliseconds. */
  readonly ms: number;
  /** The timing that tells of it. */
  readonly timing: string;
}

interface Estimated extends Pick<StoredReport, 'type' | 'formats'> {
  readonly security?: { readonly password?: string | undefined } | undefined;
}

/** How long a report of a type takes now, in these formats. */
export async function estimate(
  reader: Reader,
  { type, formats, security }: Estimated,
): Promise<Estimate> {
  const enabled = { enabled: { any: ['true'] } };
  const pairs = (await countRows(reader, resources)) * (await countRows(reader, policies, enabled));
  // A PDF takes many times what a CSV does, and what encrypts it takes its time as well.
  const kinds = [...new Set(formats)].toSorted().join('+');
  const isProtected = security?.password !== undefined;
  const timing = `${type}-${String(pairs).length}-${kinds}${isProtected ? '-protected' : ''}`;
  const measured = (await reader.get(reportTimings, timing))?.doc.durations ?? [];
  return { ms: median(measured) ?? first.base + pairs * first.perPair, timing };
}

function median(numbers: readonly number[]): number | undefined {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** Keeps what a report took for later estimates, in the transaction that completes it. */
export async function recordDuration(tx: Tx, timing: string, ms: number): Promise<void> {
  const before = (await tx.get(reportTimings, timing))?.doc.durations;
  const durations = [...(before ?? []), Math.round(ms)].slice(-mostDurations);
  await (before
    ? tx.replace(reportTimings, { id: timing, durations })
    : tx.insert(reportTimings, { id: timing, durations }));
}

export interface QueuePlace {
  /** 1 is next. */
  readonly position: number;
  /** When it will have ended, in milliseconds since the epoch. */
  readonly endsAt: number;
}

const generating = {
  where: { status: { any: ['generating'] } },
  orderBy: 'id',
  direction: 'asc',
  limit: 10,
} as const;

/** Where a pending report stands among those that wait, in the order in which they are begun. */
export async function placeInQueue(
  store: Store,
  report: StoredReport,
  now: number,
): Promise<QueuePlace> {
  const { id: lane, created_by: owner } = report;
  const dueAt = dueAtOf(report);
  const before = await store.ahead(reportLanes, { lane, owner, now, dueAt });
  const known: StoredReport[] = [];
  for (const id of before.slice(0, mostAhead)) {
    const found = await store.get(reports, id);
    if (found) known.push(found.doc);
  }
  const waits = sum(known.map(leftOf)) * (before.length / Math.max(1, known.length));
  const { rows: begun } = await store.page(reports, generating);
  const ends = waits + sum(begun.map(({ doc }) => leftOf(doc)));
  const starts = Math.max(now + ends / reportsAtOnce, dueAt);
  return { position: before.length + 1, endsAt: starts + leftOf(report) };
}

/** Milliseconds that a report still takes, once begun. */
export const leftOf = ({ estimated_ms: ms = first.base, progress = 0 }: StoredReport): number =>
  ms * (1 - progress / 100);

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
