import { defined } from '../../contract/defined.ts';
import type { CostImport, CostImportInput } from '../../contract/cost-imports.ts';
import { maxCostFiles } from '../../contract/cost-imports.ts';
import { GovctlError } from '../../contract/errors.ts';
import { inThrees } from '../../contract/in-threes.ts';
import { recordAudit } from '../audit/service.ts';
import type { Awaitable } from '../awaitable.ts';
import { whenKnown } from '../awaitable.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { Actor, Changer } from '../http/call.ts';
import { countRows } from '../store/all-rows.ts';
import type { Reader, Tx, Versioned } from '../store/store.ts';
import { costImportLanes, costImports } from './collection.ts';
import type { SentFile, StoredImport } from './collection.ts';
import type { ReadProgress } from './reading/job.ts';

/** Imports of one caller that have not ended: their files take space. */
const mostWaiting = 20;
/** Milliseconds after the last file. */
const openFor = 24 * 3_600_000;

/** An import as it is answered. @param progress how far it was read, where it runs */
export function showImport(
  { attempts: _attempts, expires, files, ...shown }: StoredImport,
  progress?: ReadProgress,
): CostImport {
  return {
    ...shown,
    files: files.map(({ blob: _blob, ...file }) => file),
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    ...(shown.status === 'open' && expires !== undefined ? { expires_at: timestamp(expires) } : {}),
    ...(shown.status === 'running' && progress ? { progress: { ...progress } } : {}),
  };
}

/** @throws GovctlError cost_import_not_found */
export const readImport = (reader: Reader, id: string): Awaitable<Versioned<StoredImport>> =>
  whenKnown(reader.get(costImports, id), (found) => {
    if (found) return found;
    throw new GovctlError('cost_import_not_found', `There is no cost import ${id.slice(0, 100)}`);
  });

/** @throws GovctlError unavailable */
export async function openImport(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  { name, date_format: dateFormat, ...options }: CostImportInput,
): Promise<Versioned<StoredImport>> {
  const waiting = await countRows(tx, costImports, { waiting_of: { any: [actor.userId] } });
  if (waiting >= mostWaiting) {
    throw new GovctlError('unavailable', `${waiting} of your cost imports have not finished`, {
      hint: 'Commit or delete one of them: GET /v1/cost/imports?status=open.',
      headers: { 'Retry-After': '30' },
    });
  }
  const now = deps.clock.now();
  const stored = await tx.insert(costImports, {
    id: deps.ids.next('imp'),
    ...defined({ name, date_format: dateFormat }),
    ...options,
    status: 'open',
    files: [],
    created_at: timestamp(now),
    created_by: actor.userId,
    attempts: 0,
    expires: now + openFor,
  });
  await recordAudit(deps, tx, actor, 'cost_import.create', stored.doc.id);
  return stored;
}

/** The number of a file in a path. @throws GovctlError invalid_cost_import */
export function fileNumber(text: string): number {
  const n = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (n >= 1 && n <= maxCostFiles) return n;
  const most = inThrees(maxCostFiles);
  throw new GovctlError('invalid_cost_import', `The number of a file must be from 1 to ${most}`);
}

/** @throws GovctlError cost_import_not_found, cost_import_state */
export async function readOpen(reader: Reader, id: string): Promise<StoredImport> {
  const { doc } = await readImport(reader, id);
  if (doc.status === 'open') return doc;
  throw new GovctlError(
    'cost_import_state',
    `The cost import ${id} was committed and accepts no more files`,
    { hint: 'Create another cost import with POST /v1/cost/imports.' },
  );
}

/**
 * Adds a file to an open import, in the place of one with the same number.
 * @returns the import, and the file that was replaced
 * @throws GovctlError cost_import_not_found, cost_import_state
 */
export async function addFile(
  deps: Deps,
  tx: Tx,
  id: string,
  file: SentFile,
): Promise<{ readonly doc: StoredImport; readonly replaced: string | undefined }> {
  const open = await readOpen(tx, id);
  const others = open.files.filter(({ n }) => n !== file.n);
  const replaced = open.files.find(({ n }) => n === file.n)?.blob;
  const doc = {
    ...open,
    files: [...others, file].sort((a, b) => a.n - b.n),
    expires: deps.clock.now() + openFor,
  };
  await tx.replace(costImports, doc);
  return { doc, replaced };
}

const lasting = ({ expires: _expires, ...rest }: StoredImport): StoredImport => rest;

/**
 * Has the background read the files and replace their periods. Again: answers the import as it is.
 * @throws GovctlError cost_import_not_found, cost_import_state
 */
export async function commitImport(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  id: string,
): Promise<Versioned<StoredImport>> {
  const found = await readImport(tx, id);
  if (found.doc.status !== 'open') return found;
  if (found.doc.files.length === 0) {
    throw new GovctlError('cost_import_state', `The cost import ${id} has no files yet`, {
      hint: `Send one with PUT /v1/cost/imports/${id}/files/1.`,
    });
  }
  const stored = await tx.replace(costImports, {
    ...lasting(found.doc),
    status: 'pending',
    committed_at: timestamp(deps.clock.now()),
  });
  await tx.append(costImportLanes, id, id);
  await recordAudit(deps, tx, actor, 'cost_import.commit', id);
  return stored;
}

/** @throws GovctlError cost_import_not_found, cost_import_state, precondition_failed */
export async function deleteImport(
  deps: Deps,
  tx: Tx,
  call: Changer,
  id: string,
): Promise<StoredImport> {
  const { doc, revision } = await readImport(tx, id);
  call.checkMatch(revision);
  await tx.remove(costImports, id);
  await tx.clear(costImportLanes, id);
  await recordAudit(deps, tx, call.actor, 'cost_import.delete', id);
  return doc;
}
