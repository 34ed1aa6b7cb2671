import { describeIssues } from '../../contract/describe-issues.ts';
import { GovctlError } from '../../contract/errors.ts';
import { MetricPoint, peakOf } from '../../contract/metrics.ts';
import type { MetricsAnswer } from '../../contract/metrics.ts';
import { defaultRetention } from '../config/retention.ts';
import { parseToFirstIssue } from '../../contract/parse-to-first-issue.ts';
import { codeOf, slotsOf } from '../../cost/rightsizing/series.ts';
import { recordAudit } from '../audit/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { Actor } from '../http/call.ts';
import { readLines, uncut } from '../lines.ts';
import type { Line } from '../lines.ts';
import { nextTurn } from '../next-turn.ts';
import { allRows } from '../store/all-rows.ts';
import { StoreUnavailable } from '../store/store.ts';
import type { Tx } from '../store/store.ts';
import { partId, utilization, weekEnd } from './collection.ts';
import type { PartPlace, StoredPart } from './collection.ts';
import { MachinesByName } from './machines.ts';
import { readBlob, readPart, writePart } from './part-file.ts';
import { Upload, overlay, slotTime } from './upload.ts';

const longestLine = 1 << 20;
/** Bytes that are read between two turns of others: some milliseconds. */
const bytesPerTurn = 32_768;
const bytesOfAnyLine = 128;
/** Milliseconds by which clocks may differ. */
const mostAhead = 3_600_000;
/** An upload that changes the same parts may come first. */
const mostTries = 5;

interface ImportOptions {
  readonly actor: Actor;
  readonly signal: AbortSignal;
  readonly body: AsyncIterable<Uint8Array>;
  readonly skipsUnknown: boolean;
}

/** What is to be written, outside of any transaction: blobs that no row names yet. */
interface Prepared {
  readonly answer: MetricsAnswer;
  /** With the row as it was when its blob was read. */
  readonly parts: readonly {
    readonly before: StoredPart | undefined;
    readonly after: StoredPart;
  }[];
}

export interface Utilization {
  /**
   * Reads points as they come, one a line, and stores all of them or none.
   * @param commit runs a transaction and gives its answer
   * @throws GovctlError invalid_metric with line and field, malformed_request, body_too_large
   */
  import<R>(
    options: ImportOptions,
    commit: (work: (tx: Tx) => Promise<MetricsAnswer>) => Promise<R>,
  ): Promise<R>;
  isBeingWritten(blob: string): boolean;
}

/** Raised in a transaction where another upload has replaced a part meanwhile. */
class Overtaken extends Error {}

/** @param keptMs milliseconds that utilization is kept: what is older is left out */
export function createUtilization(deps: Deps, keptMs = defaultRetention.metrics): Utilization {
  const { store, clock, ids, log } = deps;
  const writing = new Set<string>();

  const write = async (bytes: Uint8Array) => {
    const blob = ids.next('utl');
    writing.add(blob);
    const writer = await store.blobs.create(blob);
    try {
      await writer.write(bytes);
      return { blob, ...(await writer.finish()) };
    } catch (error) {
      await writer.abandon();
      throw error;
    }
  };

  const remove = async (blobs: Iterable<string>): Promise<void> => {
    for (const blob of blobs) {
      await store.blobs.remove(blob).catch((error: unknown) => {
        log.warn({ blob, err: error }, 'a file of utilization could not be removed');
      });
      writing.delete(blob);
    }
  };

  /** What an earlier process left: blobs that no row names. */
  const cleanUp = async (): Promise<void> => {
    const left = new Set<string>();
    for await (const blob of store.blobs.list()) {
      if (/^utl_\w+$/.test(blob) && !writing.has(blob)) left.add(blob);
    }
    for await (const { doc } of allRows(store, utilization, {})) left.delete(doc.file.blob);
    await remove(left);
  };
  let cleaning: Promise<void> | undefined;
  const ready = (): Promise<void> =>
    (cleaning ??= cleanUp().catch((error: unknown) => {
      cleaning = undefined;
      throw error;
    }));

  const prepare = async (
    upload: Upload,
    leftOut: MetricsAnswer['left_out'],
    made: Set<string>,
  ): Promise<Prepared> => {
    const parts: Prepared['parts'][number][] = [];
    let changed = 0;
    for (const place of upload.places) {
      const before = (await store.get(utilization, partId(place)))?.doc;
      const stored = before ? readPart(await readBlob(store.blobs, before.file)) : [];
      const next = overlay(stored, await upload.seriesIn(place));
      await nextTurn();
      if (next.changed === 0) continue;
      changed += next.changed;
      const file = await write(writePart(next.series));
      made.add(file.blob);
      parts.push({ before, after: rowOf(place, next.series.length, file) });
    }
    const times =
      upload.from < upload.to
        ? { from: timestamp(slotTime(upload.from)), until: timestamp(slotTime(upload.to)) }
        : {};
    const { points, resources } = upload;
    const answer = { points, resources, ...times, changed, left_out: leftOut };
    return { answer, parts };
  };

  ready().catch((error: unknown) =>
    log.error({ err: error }, 'old files of utilization could not be removed'),
  );
  return {
    isBeingWritten: (blob) => writing.has(blob),

    async import({ actor, signal, body, skipsUnknown }, commit) {
      await ready();
      const spilled = new Set<string>();
      const upload = new Upload({
        async write(bytes) {
          const { blob } = await write(bytes);
          spilled.add(blob);
          return blob;
        },
        read: (blob) => readBlob(store.blobs, { blob }),
      });
      try {
        const machines = await MachinesByName.of(store);
        const now = clock.now();
        const oldest = now - keptMs;
        const reading = { upload, machines, skipsUnknown, now, oldest, signal };
        const leftOut = await readPoints(body, reading);
        for (let tries = 1; ; tries++) {
          const made = new Set<string>();
          try {
            const { answer, parts } = await prepare(upload, leftOut, made);
            const result = await commit(async (tx) => {
              for (const { before, after } of parts) {
                const current = (await tx.get(utilization, after.id))?.doc;
                if (current?.file.blob !== before?.file.blob) throw new Overtaken();
                await (current ? tx.replace(utilization, after) : tx.insert(utilization, after));
              }
              if (parts.length > 0) {
                await recordAudit(deps, tx, actor, 'metrics.import', utilization.name);
              }
              return answer;
            });
            for (const blob of made) writing.delete(blob);
            await remove(parts.flatMap(({ before }) => (before ? [before.file.blob] : [])));
            return result;
          } catch (error) {
            // Whether rows name them is not known where the store failed: the next start looks.
            if (error instanceof StoreUnavailable) for (const blob of made) writing.delete(blob);
            else await remove(made);
            if (!(error instanceof Overtaken)) throw error;
            if (tries === mostTries) throw tooBusy();
          }
        }
      } finally {
        await remove(spilled);
      }
    },
  };
}

const tooBusy = (): GovctlError =>
  new GovctlError('unavailable', 'Other uploads keep changing the same hours', {
    hint: 'Send one upload at a time.',
    headers: { 'Retry-After': '10' },
  });

const rowOf = (place: PartPlace, series: number, file: StoredPart['file']): StoredPart => ({
  id: partId(place),
  ...place,
  until: weekEnd(place.week),
  series,
  file,
});

interface Reading {
  readonly upload: Upload;
  readonly machines: MachinesByName;
  readonly skipsUnknown: boolean;
  readonly now: number;
  /** In milliseconds since the epoch: what is older is left out. */
  readonly oldest: number;
  readonly signal: AbortSignal;
}

/** @returns how many points were left out, and why */
async function readPoints(
  body: AsyncIterable<Uint8Array>,
  { upload, machines, skipsUnknown, now, oldest, signal }: Reading,
): Promise<MetricsAnswer['left_out']> {
  const leftOut = { unknown_resource: 0, too_old: 0, unknown_size: 0 };
  let spent = 0;
  for await (const line of readLines(uncut(body), longestLine)) {
    spent += bytesOfAnyLine + line.bytes;
    if (spent >= bytesPerTurn) {
      signal.throwIfAborted();
      if (upload.isFull) await upload.makeRoom();
      await nextTurn();
      spent = 0;
    }
    if (line.text?.trim() === '') continue;
    const point = pointOf(line);
    const at = Date.parse(point.at);
    if (at > now + mostAhead) throw refused(line, 'at', 'is in the future');
    upload.points += 1;
    const machine = machines.find(point.resource_id);
    if (!machine && !skipsUnknown) throw unknownResource(line, point.resource_id);
    if (!machine) leftOut.unknown_resource += 1;
    else if (at < oldest) leftOut.too_old += 1;
    else {
      const percent = percentOf(point, machine.memoryBytes);
      if (percent === undefined) leftOut.unknown_size += 1;
      else {
        const metric = point.metric === 'cpu' ? 'cpu' : 'memory';
        const of = { resource: machine.id, metric, size: machine.size } as const;
        upload.add(of, codeOf(percent), slotsOf(at / 1_000, point.period_seconds));
      }
    }
  }
  return leftOut;
}

/** Percent in use; undefined where bytes are of a memory that is not known. */
function percentOf(point: MetricPoint, memoryBytes: number | undefined): number | undefined {
  const peak = peakOf(point) ?? 0;
  const isFree = point.metric === 'memory_available';
  if (point.unit === 'percent') return isFree ? 100 - peak : peak;
  if (memoryBytes === undefined) return undefined;
  const used = isFree ? Math.max(0, memoryBytes - peak) : peak;
  return (used / memoryBytes) * 100;
}

/** @throws GovctlError invalid_metric */
function pointOf(line: Line): MetricPoint {
  if (line.text === undefined) throw refused(line, '', line.problem ?? 'cannot be read');
  let given: unknown;
  try {
    given = JSON.parse(line.text);
  } catch {
    throw refused(line, '', 'is not JSON');
  }
  const parsed = parseToFirstIssue(MetricPoint, given);
  if (parsed.success) return parsed.data;
  const [first] = describeIssues(MetricPoint, given, parsed.error.issues);
  throw refused(line, first?.field ?? '', first?.message ?? 'is not valid');
}

const refused = ({ number }: Line, field: string, message: string, hint?: string): GovctlError => {
  const what = field === '' ? message : `${field} ${message}`;
  return new GovctlError('invalid_metric', `Line ${number}: ${what}. Nothing was stored`, {
    details: [{ field: field === '' ? `line ${number}` : `line ${number}: ${field}`, message }],
    ...(hint === undefined ? {} : { hint }),
  });
};

const unknownResource = (line: Line, id: string): GovctlError =>
  refused(
    line,
    'resource_id',
    `is not a virtual machine of the inventory: ${JSON.stringify(id.slice(0, 200))}`,
    'Import the inventory first (`govctl resource import`), or skip unknown machines with unknown=skip (`--skip-unknown`).',
  );
