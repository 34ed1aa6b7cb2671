import { createHash } from 'node:crypto';
import type { BundleInput, ManualInput } from '../../contract/evidence.ts';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { controlKey, splitLabel } from '../../engine/labels.ts';
import { auditHead, recordAudit } from '../audit/service.ts';
import { chooseControls } from '../compliance/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { Actor, Changer } from '../http/call.ts';
import { lastWholeScan } from '../scans/service.ts';
import { countRows } from '../store/all-rows.ts';
import type { Blobs, Reader, Tx, Versioned } from '../store/store.ts';
import { bundleLanes, bundles, expiryOf, manualEvidence } from './collection.ts';
import type { StoredBundle, StoredManual } from './collection.ts';
import { manualOf, sinceOf } from './sources.ts';

/** Bundles of one caller that are not built yet. */
const mostWaiting = 5;
/** Pieces of evidence that people attached. */
const mostManual = 1_000;
const longestMs = 3 * 366 * 86_400_000;

/** Where the server can be reached, and by whom. */
export interface Place {
  readonly base_url: string;
  readonly local: boolean;
}

/**
 * Fixes the moment that a bundle is about; the background builds it.
 * @throws GovctlError framework_not_found, control_not_found, invalid_evidence, unavailable
 */
export async function createBundle(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  place: Place,
  { framework: name, controls, since, name: title }: BundleInput,
): Promise<Versioned<StoredBundle>> {
  const framework = await chooseControls(tx, name, controls);
  const now = deps.clock.now();
  const from = sinceOf(since, now);
  if (from > timestamp(now)) throw invalid('since', 'must not be in the future');
  const waiting = await countRows(tx, bundles, { waiting_of: { any: [actor.userId] } });
  if (waiting >= mostWaiting) {
    throw new GovctlError('unavailable', `${waiting} of your bundles are still being built`, {
      hint: 'Wait for one of them, or use the newest one: GET /v1/compliance/evidence/bundles.',
      headers: { 'Retry-After': '10' },
    });
  }
  const scan = await lastWholeScan(tx);
  if (!scan) {
    throw new GovctlError(
      'invalid_evidence',
      'No scan of the whole inventory has been completed yet, so there is nothing to collect',
      {
        hint: 'Run `govctl scan run` (POST /v1/scans), and collect once the scan is completed.',
      },
    );
  }
  const id = deps.ids.next('evd');
  await recordAudit(deps, tx, actor, 'evidence.collect', id);
  const { sequence, hash } = await auditHead(tx);
  const stored = await tx.insert(bundles, {
    id,
    ...defined({ name: title }),
    framework: framework.id,
    ...(controls ? { controls: framework.controls.map((control) => control.id) } : {}),
    since: from,
    status: 'building',
    cut: {
      at: timestamp(now),
      scan_id: scan.id,
      scan_completed_at: scan.completed_at ?? scan.created_at,
      audit_sequence: sequence,
      audit_hash: hash,
    },
    ...place,
    attempts: 0,
    created_at: timestamp(now),
    created_by: actor.userId,
  });
  await tx.append(bundleLanes, id, id);
  return stored;
}

/** @throws GovctlError evidence_not_found */
export async function readBundle(reader: Reader, id: string): Promise<Versioned<StoredBundle>> {
  const found = await reader.get(bundles, id);
  if (found) return found;
  throw new GovctlError('evidence_not_found', `There is no evidence bundle ${id.slice(0, 100)}`);
}

/** @throws GovctlError evidence_not_found */
export async function readManual(reader: Reader, id: string): Promise<Versioned<StoredManual>> {
  const found = await reader.get(manualEvidence, id);
  if (found) return found;
  throw new GovctlError('evidence_not_found', `There is no attached evidence ${id.slice(0, 100)}`);
}

/** Which control evidence is for, and until when. @throws GovctlError framework_not_found, control_not_found, invalid_evidence */
export async function checkManual(
  { clock, store }: Pick<Deps, 'clock' | 'store'>,
  { control: label, expires }: ManualInput,
): Promise<Pick<StoredManual, 'framework' | 'control_id' | 'expires'>> {
  const { framework: name, control } = splitLabel(label);
  const { id, controls } = await chooseControls(store, name, [control]);
  const [found] = controls;
  if (!found) throw new Error('the label matches no control');
  const end = Date.parse(expiryOf({ expires }));
  if (end < clock.now()) throw invalid('expires', 'must not be in the past');
  if (end > clock.now() + longestMs) throw invalid('expires', 'must be within three years');
  return { framework: id, control_id: found.id, expires };
}

/** @throws GovctlError invalid_evidence */
export async function attachEvidence(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  evidence: Omit<StoredManual, 'created_at' | 'created_by'>,
): Promise<Versioned<StoredManual>> {
  if ((await countRows(tx, manualEvidence)) >= mostManual) {
    throw new GovctlError(
      'invalid_evidence',
      `The service stores ${mostManual} evidence attachments, which is the maximum`,
      { hint: 'Delete expired attachments: GET /v1/compliance/evidence/manual?sort_by=expires.' },
    );
  }
  const stored = await tx.insert(manualEvidence, {
    ...evidence,
    created_at: timestamp(deps.clock.now()),
    created_by: actor.userId,
  });
  await recordAudit(deps, tx, actor, 'evidence.attach', evidence.id);
  return stored;
}

/** @throws GovctlError evidence_not_found, precondition_failed */
export async function deleteManual(
  deps: Deps,
  tx: Tx,
  call: Changer,
  id: string,
): Promise<StoredManual> {
  const { doc, revision } = await readManual(tx, id);
  call.checkMatch(revision);
  await tx.remove(manualEvidence, id);
  await recordAudit(deps, tx, call.actor, 'evidence.delete', id);
  return doc;
}

/** @throws GovctlError evidence_not_found, precondition_failed */
export async function deleteBundle(
  deps: Deps,
  tx: Tx,
  call: Changer,
  id: string,
): Promise<StoredBundle> {
  const { doc, revision } = await readBundle(tx, id);
  call.checkMatch(revision);
  await tx.remove(bundles, id);
  await recordAudit(deps, tx, call.actor, 'evidence.delete', id);
  return doc;
}

/** Bytes that are written in one go. */
const chunkSize = 1 << 20;

/** Stores the bytes of a file. @returns what a document says of it; nothing is left where it fails */
export async function storeFile(blobs: Blobs, blob: string, bytes: Buffer) {
  const writer = await blobs.create(blob);
  try {
    for (let at = 0; at < bytes.length; at += chunkSize) {
      await writer.write(bytes.subarray(at, at + chunkSize));
    }
    const { size, sha256 } = await writer.finish();
    return { blob, size, sha256 };
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

/** What is attached to the controls of a framework and counts at a time: of several pieces, the one that counts longest. */
export async function attachedEvidence(
  reader: Reader,
  framework: string,
  now: number,
): Promise<ReadonlyMap<string, { readonly evidence_id: string; readonly expires: string }>> {
  const found = new Map<string, { readonly evidence_id: string; readonly expires: string }>();
  for (const { id, control_id: control, expires } of await manualOf(reader, { framework }, now)) {
    const key = controlKey(framework, control);
    if ((found.get(key)?.expires ?? '') < expires) found.set(key, { evidence_id: id, expires });
  }
  return found;
}

export const invalid = (field: string, message: string): GovctlError =>
  new GovctlError('invalid_evidence', `The evidence is not valid: ${field} ${message}`, {
    details: [{ field, message }],
  });

/** The ID of what a source says of a control: the same each time. */
export const itemId = (...names: readonly string[]): string =>
  `evi_${createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 26)}`;
