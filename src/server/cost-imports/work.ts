import type { CostImport, CostImportResult, ImportedPeriod } from '../../contract/cost-imports.ts';
import { inThrees } from '../../contract/in-threes.ts';
import { AmountSum, readAmount, showAmount } from '../../cost/amount.ts';
import type { CurrencyTotals } from '../../cost/table/period.ts';
import { costPeriods, periodEnd, periodId } from '../cost/collection.ts';
import type { StoredPeriod } from '../cost/collection.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { CreateLaneRunner, LaneRunner } from '../lanes/runner.ts';
import { allRows } from '../store/all-rows.ts';
import { StoreUnavailable } from '../store/store.ts';
import type { BlobWriter, LaneWork, Tx } from '../store/store.ts';
import { costImportLanes, costImports, filesOf } from './collection.ts';
import type { SentFile, StoredImport } from './collection.ts';
import { FileFault } from './reading/job.ts';
import type { ReadCharges, ReadFiles, ReadPeriod, ReadProgress } from './reading/job.ts';

/** The files of imports, and reading them in the background. */
export interface CostImportWork extends LaneRunner {
  /** Stores a file as it is sent; until it is settled, it is taken for one that a document will name. */
  storeFile(id: string, bytes: AsyncIterable<Uint8Array>): Promise<Omit<SentFile, 'n' | 'name'>>;
  settle(blob: string, isKept: boolean): Promise<void>;
  /** Removes blobs that no document names any more. */
  forget(blobs: readonly string[]): Promise<void>;
  /** How far an import is that runs. */
  progressOf(id: string): ReadProgress | undefined;
  /** Whether a blob is being written: its document may name it yet. */
  isBeingWritten(blob: string): boolean;
}

export interface CostImportOptions {
  readonly createRunner: CreateLaneRunner;
  readonly readFiles: ReadFiles;
  /** Lower-case keys of the tags that charges are stored with. */
  readonly tags: readonly string[];
  /** Milliseconds after its end that a period is kept. */
  readonly keptMs: number;
  /** In the transaction that replaces periods: has the nouns that are made of charges look at them anew. */
  readonly imported: (tx: Tx, changed: readonly StoredPeriod[]) => Promise<void>;
}

/** Attempts to read an import before it counts as failed: one may be cut off by a restart. */
const mostAttempts = 5;
const worn = `The import was started ${mostAttempts} times but never completed; see the server's log. Import fewer files at a time`;
const noRoom =
  'The charges could not be written: the disk of the server is full or failing. Free disk space, then import the files again';
const mostShown = 100;
/** Milliseconds that the record of an import stays. */
const recordKept = 400 * 86_400_000;

/** The blobs of imports: `<import>.<job>.<what>`, so that no other has or had its ID. */
const blobForm = /^imp_\w+\.job_\w+\./;

export function createCostImportWork(
  deps: Deps,
  { createRunner, readFiles, tags, keptMs, imported }: CostImportOptions,
): CostImportWork {
  const { store, clock, ids, log } = deps;
  const { blobs } = store;
  const writing = new Set<string>();
  const running = new Map<string, ReadProgress>();

  const keptSince = (): number => clock.now() - keptMs;

  const removeBlob = async (blob: string): Promise<void> => {
    await blobs.remove(blob).catch((error: unknown) => {
      log.warn({ blob, err: error }, 'a file of a cost import could not be removed');
    });
  };
  const forget = async (gone: readonly string[]): Promise<void> => {
    for (const blob of gone) await removeBlob(blob);
  };

  /** What an earlier process left: blobs that no document names. */
  const cleanUp = async (): Promise<void> => {
    const found = new Set<string>();
    for await (const blob of blobs.list()) if (blobForm.test(blob)) found.add(blob);
    if (found.size === 0) return;
    for await (const { doc } of allRows(store, costPeriods, {})) found.delete(doc.charges.blob);
    for await (const { doc } of allRows(store, costImports, {})) {
      for (const { blob } of filesOf(doc)) found.delete(blob);
    }
    for (const blob of found) if (!writing.has(blob)) await removeBlob(blob);
  };
  let cleaning: Promise<void> | undefined;
  const ready = (): Promise<void> =>
    (cleaning ??= cleanUp().catch((error: unknown) => {
      cleaning = undefined;
      throw error;
    }));

  /** Blobs of one attempt, all of which are removed but those that are kept. */
  const scratch = () => {
    const made = new Map<string, BlobWriter>();
    return {
      read: blobs.read,
      async create(id: string): Promise<BlobWriter> {
        writing.add(id);
        const writer = await blobs.create(id);
        made.set(id, writer);
        return writer;
      },
      async end(kept: ReadonlySet<string>): Promise<void> {
        for (const [id, writer] of made) {
          if (!kept.has(id)) {
            await writer.abandon();
            await removeBlob(id);
          }
          writing.delete(id);
        }
      },
    };
  };

  const perform = async (claimed: LaneWork, signal: AbortSignal): Promise<void> => {
    await ready();
    const begun = await begin(claimed);
    if (!begun) return;
    if (begun.attempts > mostAttempts) return fail(claimed, { reason: worn });
    const own = scratch();
    let kept: ReadonlySet<string> = new Set();
    running.set(begun.id, { bytes: 0, rows: 0 });
    try {
      const charges = await readFiles(
        {
          files: filesOf(begun),
          tags,
          skipRejected: begun.skip_rejected,
          dryRun: begun.dry_run,
          lastPeriod: timestamp(clock.now() + 45 * 86_400_000).slice(0, 7),
          blobPrefix: `${begun.id}.${ids.next('job')}`,
          ...(begun.date_format ? { dateFormat: begun.date_format } : {}),
        },
        {
          blobs: own,
          tell: (progress) => running.set(begun.id, progress),
          signal,
        },
      );
      const refusal = refusalOf(charges, begun);
      if (refusal) await fail(claimed, { reason: refusal }, resultOf(charges, [], keptSince()));
      else {
        kept = new Set(charges.periods.flatMap(({ charges: file }) => (file ? [file.blob] : [])));
        kept = await complete(claimed, charges);
      }
    } catch (error) {
      const isStoreGone = error instanceof StoreUnavailable;
      // Else whether the periods name them is not known: the next start looks.
      if (!isStoreGone) kept = new Set();
      if (signal.aborted) throw error;
      if (error instanceof FileFault) await fail(claimed, error.fault);
      else if (isStoreGone && begun.attempts >= mostAttempts)
        await fail(claimed, { reason: noRoom });
      else throw error;
    } finally {
      running.delete(begun.id);
      await own.end(kept);
    }
  };

  /** Counts the attempt. Without an import that waits, the lane is done with. */
  const begin = (claimed: LaneWork): Promise<StoredImport | undefined> =>
    store.transact(async (tx) => {
      const found = (await tx.get(costImports, claimed.work))?.doc;
      if (found?.status !== 'pending' && found?.status !== 'running') {
        await tx.complete(costImportLanes, claimed);
        return undefined;
      }
      const doc = { ...found, status: 'running' as const, attempts: found.attempts + 1 };
      await tx.replace(costImports, doc);
      return doc;
    });

  /** Writes down how an import ended, unless it was deleted, and removes its files. @returns whether it did */
  const end = async (
    claimed: LaneWork,
    write: (tx: Tx, running: StoredImport) => Promise<StoredImport>,
  ): Promise<boolean> => {
    const files = await store.transact(async (tx) => {
      const found = (await tx.get(costImports, claimed.work))?.doc;
      if (found?.status !== 'running') return undefined;
      const ended = await write(tx, found);
      await tx.replace(costImports, {
        ...ended,
        completed_at: timestamp(clock.now()),
        expires: clock.now() + recordKept,
        files: ended.files.map(({ blob: _blob, ...file }) => file),
      });
      await tx.complete(costImportLanes, claimed);
      return filesOf(found);
    });
    if (!files) return false;
    await forget(files.map(({ blob }) => blob));
    return true;
  };

  const fail = async (
    claimed: LaneWork,
    failure: NonNullable<CostImport['failure']>,
    result?: CostImportResult,
  ): Promise<void> => {
    await end(claimed, async (_tx, found) => ({
      ...found,
      status: 'failed',
      failure,
      ...(result ? { result } : {}),
    }));
  };

  /** Replaces the periods. @returns the blobs that they name now */
  const complete = async (
    claimed: LaneWork,
    charges: ReadCharges,
  ): Promise<ReadonlySet<string>> => {
    let kept = new Set<string>();
    let replaced: string[] = [];
    const isEnded = await end(claimed, async (tx, found) => {
      kept = new Set();
      replaced = [];
      const changes: ImportedPeriod[] = [];
      const changed: StoredPeriod[] = [];
      for (const read of charges.periods) {
        const id = periodId(read);
        const known = (await tx.get(costPeriods, id))?.doc;
        const change = changeOf(read, known, tags);
        changes.push(change);
        if (change.change === 'unchanged' || !read.charges) continue;
        const { charges: file, ...period } = read;
        const doc: StoredPeriod = {
          id,
          ...period,
          import_id: found.id,
          imported_at: timestamp(clock.now()),
          tags,
          charges: file,
        };
        await (known ? tx.replace(costPeriods, doc) : tx.insert(costPeriods, doc));
        changed.push(doc);
        kept.add(file.blob);
        if (known) replaced.push(known.charges.blob);
      }
      if (changed.length > 0) await imported(tx, changed);
      return { ...found, status: 'completed', result: resultOf(charges, changes, keptSince()) };
    });
    if (!isEnded) return new Set();
    // Who is reading them begins again, with those that are there now.
    await forget(replaced);
    return kept;
  };

  ready().catch((error: unknown) =>
    log.error({ err: error }, 'cost imports could not be recovered'),
  );

  // One at a time: imports of the same periods come one after the other.
  const runner = createRunner(deps, { lanes: costImportLanes, most: 1, perform });
  return {
    ...runner,
    async storeFile(id, bytes) {
      const blob = `${id}.${ids.next('job')}.file`;
      writing.add(blob);
      let writer: BlobWriter | undefined;
      try {
        writer = await blobs.create(blob);
        for await (const chunk of bytes) await writer.write(chunk);
        const { size, sha256 } = await writer.finish();
        return { blob, size, sha256 };
      } catch (error) {
        await writer?.abandon();
        writing.delete(blob);
        throw error;
      }
    },
    async settle(blob, isKept) {
      if (!isKept) await removeBlob(blob);
      writing.delete(blob);
    },
    forget,
    progressOf: (id) => running.get(id),
    isBeingWritten: (blob) => writing.has(blob),
  };
}

/** Why nothing is imported though the files could be read. */
function refusalOf(
  { rejected, rows }: ReadCharges,
  { skip_rejected: skipsRejected }: StoredImport,
): string | undefined {
  if (rejected > 0 && !skipsRejected) {
    return `${rejected === 1 ? 'A row' : `${inThrees(rejected)} rows`} cannot be read; nothing was imported`;
  }
  return rows === 0 ? 'The files contain no rows that can be imported' : undefined;
}

/** What becomes of a period. */
function changeOf(
  { provider, billing_account, period, rows, skipped, totals, content }: ReadPeriod,
  known: StoredPeriod | undefined,
  tags: readonly string[],
): ImportedPeriod {
  const own = {
    provider,
    billing_account,
    period,
    rows,
    skipped,
    totals: totals.map((one) => ({ ...one })),
  };
  if (!known) return { ...own, change: 'added' };
  const isSame =
    known.content === content &&
    known.rows === rows &&
    known.skipped === skipped &&
    known.tags.join() === tags.join();
  return {
    ...own,
    change: isSame ? 'unchanged' : 'replaced',
    rows_before: known.rows,
    totals_before: known.totals.map((one) => ({ ...one })),
  };
}

/** @param keptSince periods that ended before are removed again, in milliseconds since the epoch */
function resultOf(
  { files, rows, rejected, rejected_rows, rounded, currencies }: ReadCharges,
  periods: readonly ImportedPeriod[],
  keptSince: number,
): CostImportResult {
  const count = (change: ImportedPeriod['change']): number =>
    periods.filter((one) => one.change === change).length;
  return {
    files: [...files],
    rows,
    rejected,
    rejected_rows: [...rejected_rows],
    rounded,
    currencies,
    changes: {
      added: count('added'),
      replaced: count('replaced'),
      unchanged: count('unchanged'),
    },
    expired: periods.filter((one) => periodEnd(one) <= keptSince).length,
    periods: periods.slice(0, mostShown),
    totals: totalsOf(periods),
  };
}

/** The sums of all periods, before and after, by currency. */
function totalsOf(periods: readonly ImportedPeriod[]): CostImportResult['totals'] {
  const before = new Totals();
  const after = new Totals();
  for (const { totals, totals_before: old = [] } of periods) {
    for (const one of old) before.add(one);
    for (const one of totals) after.add(one);
  }
  const currencies = [...new Set([...before.currencies, ...after.currencies])].sort();
  return currencies.map((currency) => ({
    currency,
    before: { ...before.of(currency) },
    after: { ...after.of(currency) },
  }));
}

const summed = ['billed', 'effective', 'list'] as const;

class Totals {
  private readonly sums = new Map<string, AmountSum>();
  readonly currencies = new Set<string>();

  add(totals: CurrencyTotals): void {
    this.currencies.add(totals.currency);
    for (const measure of summed) {
      this.sum(totals.currency, measure).add(readAmount(totals[measure]));
    }
  }

  of(currency: string): CurrencyTotals {
    const shown = (measure: (typeof summed)[number]): string =>
      showAmount(this.sum(currency, measure).total);
    return {
      currency,
      billed: shown('billed'),
      effective: shown('effective'),
      list: shown('list'),
    };
  }

  private sum(currency: string, measure: string): AmountSum {
    const key = `${measure} ${currency}`;
    let sum = this.sums.get(key);
    if (!sum) this.sums.set(key, (sum = new AmountSum()));
    return sum;
  }
}
