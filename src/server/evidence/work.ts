import { buildBundle } from '../../report/evidence/build.ts';
import { ContainerFull } from '../../report/evidence/container.ts';
import type { ManualFacts } from '../../report/evidence/facts.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { FindStatementKey } from '../keys/statement-key.ts';
import type { CreateLaneRunner, LaneRunner } from '../lanes/runner.ts';
import { nextTurn } from '../next-turn.ts';
import type { Blobs, LaneWork, Tx } from '../store/store.ts';
import { StoreUnavailable } from '../store/store.ts';
import { TooMuch, collectFacts } from './collect.ts';
import { bundleLanes, bundles, manualEvidence } from './collection.ts';
import type { StoredBundle, StoredFile } from './collection.ts';
import { readFacts, writeFacts } from './facts-file.ts';
import { storeFile } from './service.ts';

/** The building of bundles, in the background. */
export interface EvidenceWork extends LaneRunner {
  /** Stores a file that is attached; where its document is not stored after all, `forget` it. */
  storeAttached(id: string, bytes: Buffer): Promise<StoredFile>;
  /** What is stored with it is named by a document now, or is removed. */
  settle(file: StoredFile, isKept: boolean): Promise<void>;
  /** Whether a blob is being written: its document may name it yet. */
  isBeingWritten(blob: string): boolean;
}

export interface EvidenceWorkOptions {
  readonly createRunner: CreateLaneRunner;
  readonly statementKey: FindStatementKey;
}

/** Attempts to build a bundle before it counts as failed. */
const mostAttempts = 5;

/** The blobs of evidence: `<document>.<job>.<what>`, so that no other has or had its ID. */
const blobForm = /^(?:evd|evm)_\w+\.job_\w+\./;

export function createEvidenceWork(
  deps: Deps,
  { createRunner, statementKey }: EvidenceWorkOptions,
): EvidenceWork {
  const { store, clock, ids, log } = deps;
  const writing = new Set<string>();

  /** Writes a blob that no document names yet. */
  const keep = async (
    owner: string,
    what: string,
    write: (blob: string) => Promise<StoredFile>,
  ): Promise<StoredFile> => {
    const blob = `${owner}.${ids.next('job')}.${what}`;
    writing.add(blob);
    try {
      return await write(blob);
    } catch (error) {
      writing.delete(blob);
      throw error;
    }
  };

  const settle = async ({ blob }: StoredFile, isKept: boolean): Promise<void> => {
    if (!isKept) await removeBlob(blob);
    writing.delete(blob);
  };

  const removeBlob = async (blob: string): Promise<void> => {
    await store.blobs.remove(blob).catch((error: unknown) => {
      log.warn({ blob, err: error }, 'an evidence file could not be removed');
    });
  };

  /** What an earlier process left: blobs that no document names. */
  const cleanUp = async (): Promise<void> => {
    const found: string[] = [];
    for await (const blob of store.blobs.list()) {
      if (blobForm.test(blob) && !writing.has(blob)) found.push(blob);
    }
    for (const blob of found) {
      const [id = ''] = blob.split('.');
      const bundle = (await store.get(bundles, id))?.doc;
      const manual = (await store.get(manualEvidence, id))?.doc;
      const files = [bundle?.facts, bundle?.bundle, manual?.file];
      if (!writing.has(blob) && !files.some((file) => file?.blob === blob)) await removeBlob(blob);
    }
  };
  let cleaning: Promise<void> | undefined;
  const ready = (): Promise<void> =>
    (cleaning ??= cleanUp().catch((error: unknown) => {
      cleaning = undefined;
      throw error;
    }));

  /** Writes down what became of a bundle, unless it is gone. @returns whether it did */
  const conclude = (
    id: string,
    write: (tx: Tx, bundle: StoredBundle) => Promise<void>,
  ): Promise<boolean> =>
    store.transact(async (tx) => {
      const bundle = (await tx.get(bundles, id))?.doc;
      if (bundle?.status !== 'building') return false;
      await write(tx, bundle);
      return true;
    });

  /** Keeps a file in the document that it belongs to; where that is not known to last, the next start looks. */
  const keepIn = async (
    file: StoredFile,
    id: string,
    write: (tx: Tx, bundle: StoredBundle) => Promise<void>,
  ): Promise<void> => {
    let isKept = false;
    try {
      isKept = await conclude(id, write);
    } catch (error) {
      isKept = error instanceof StoreUnavailable;
      throw error;
    } finally {
      await settle(file, isKept);
    }
  };

  const collect = async (bundle: StoredBundle, signal: AbortSignal): Promise<StoredFile> => {
    const facts = await collectFacts(deps, bundle, signal);
    const file = await keep(bundle.id, 'facts', (blob) =>
      writeBlob(store.blobs, blob, writeFacts(facts), signal),
    );
    await keepIn(file, bundle.id, async (tx, current) => {
      await tx.replace(bundles, { ...current, facts: file });
    });
    return file;
  };

  const attachment = async ({ id, file }: ManualFacts): Promise<Uint8Array> => {
    const stored = (await store.get(manualEvidence, id))?.doc.file;
    if (!stored || stored.sha256 !== file?.sha256) throw gone(id);
    const chunks: Uint8Array[] = [];
    for await (const chunk of store.blobs.read(stored.blob)) {
      chunks.push(Uint8Array.from(chunk));
      await nextTurn();
    }
    return Buffer.concat(chunks);
  };

  const build = async (claimed: LaneWork, facts: StoredFile, signal: AbortSignal) => {
    const signer = await statementKey();
    const content = await readFacts(store.blobs, facts.blob);
    const parts = buildBundle(content, { signer, attachment, turn: nextTurn });
    const file = await keep(claimed.work, 'zip', (blob) =>
      writeBlob(store.blobs, blob, parts, signal),
    );
    await keepIn(file, claimed.work, async (tx, { facts: _built, ...current }) => {
      await tx.replace(bundles, {
        ...current,
        status: 'completed',
        completed_at: timestamp(clock.now()),
        bundle: { ...file, key_id: signer.id },
      });
      await tx.complete(bundleLanes, claimed);
    });
    await removeBlob(facts.blob);
  };

  const fail = async (claimed: LaneWork, reason: string): Promise<void> => {
    let facts: StoredFile | undefined;
    await conclude(claimed.work, async (tx, { facts: left, ...current }) => {
      facts = left;
      await tx.replace(bundles, { ...current, status: 'failed', failure: { reason } });
      await tx.complete(bundleLanes, claimed);
    });
    if (facts) await removeBlob(facts.blob);
  };

  const perform = async (claimed: LaneWork, signal: AbortSignal): Promise<void> => {
    await ready();
    const bundle = await begin(claimed);
    if (!bundle) return;
    try {
      if (bundle.attempts > mostAttempts) throw new TooMuch(worn);
      await build(claimed, bundle.facts ?? (await collect(bundle, signal)), signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof ContainerFull) await fail(claimed, tooLarge);
      else if (error instanceof TooMuch) await fail(claimed, error.message);
      else throw error;
    }
  };

  /** Counts the attempt. Without a bundle that waits, the lane is done with. */
  const begin = (claimed: LaneWork): Promise<StoredBundle | undefined> =>
    store.transact(async (tx) => {
      const found = (await tx.get(bundles, claimed.work))?.doc;
      if (found?.status !== 'building') {
        await tx.complete(bundleLanes, claimed);
        return undefined;
      }
      const bundle = { ...found, attempts: found.attempts + 1 };
      await tx.replace(bundles, bundle);
      return bundle;
    });

  ready().catch((error: unknown) => log.error({ err: error }, 'evidence could not be recovered'));

  const runner = createRunner(deps, { lanes: bundleLanes, most: 1, perform });
  return {
    ...runner,
    storeAttached: (id, bytes) => keep(id, 'file', (blob) => storeFile(store.blobs, blob, bytes)),
    settle,
    isBeingWritten: (blob) => writing.has(blob),
  };
}

const tooLarge =
  'The bundle would exceed the maximum size of a ZIP; collect evidence for fewer controls at a time';
const worn = `The bundle was started ${mostAttempts} times but never completed; see the server's log. Collect evidence for fewer controls`;

const gone = (id: string): TooMuch =>
  new TooMuch(`The file of ${id} was deleted while the bundle was built; collect again`);

async function writeBlob(
  blobs: Blobs,
  blob: string,
  parts: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<StoredFile> {
  const writer = await blobs.create(blob);
  try {
    for await (const part of parts) {
      signal.throwIfAborted();
      await writer.write(part);
    }
    const { size, sha256 } = await writer.finish();
    return { blob, size, sha256 };
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}
