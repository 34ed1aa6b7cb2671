import { isDeepStrictEqual } from 'node:util';
import { GovctlError } from '../../contract/errors.ts';
import type { KnownResource, ResourceInput, UpsertCounts } from '../../contract/resources.ts';
import { capturedAt, providerOf, typeKey } from '../../contract/resources.ts';
import { recordAudit } from '../audit/service.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Actor, Call } from '../http/call.ts';
import { timestamp } from '../deps.ts';
import { areKnown, enabledPolicies, record, resolveGone } from '../evaluation/judge.ts';
import type { Judge } from '../evaluation/judge.ts';
import { Outdated } from '../evaluation/retry.ts';
import type { StoredSubject, Verdicts } from '../evaluation/verdicts.ts';
import { forgetOutcomes, resourceStored } from '../posture/service.ts';
import { forgetResource, keepHistory } from '../prediction/service.ts';
import { resourceGone, resourceObserved, verifyUnchanged } from '../remediation/service.ts';
import { allRows } from '../store/all-rows.ts';
import { noteUnused } from '../unused/service.ts';
import type { Reader, Versioned } from '../store/store.ts';
import { violations } from '../violations/collection.ts';
import { announceResource } from './announce.ts';
import { resources } from './collection.ts';
import type { StoredResource } from './collection.ts';

/** @throws GovctlError resource_not_found */
export const readResource = (reader: Reader, id: string): Awaitable<Versioned<StoredResource>> =>
  whenKnown(reader.get(resources, id), (found) => {
    if (found) return found;
    throw new GovctlError(
      'resource_not_found',
      `There is no resource ${id.slice(0, 100)} in the inventory`,
    );
  });

/** As it is kept and evaluated: with its provider, and without what the service says about it in a list. */
export function completeResource(given: ResourceInput | KnownResource): KnownResource {
  const own = Object.entries(given).filter(([name]) => name !== '_meta');
  // Its schema has seen it: what is absent is not there at all.
  const resource = Object.fromEntries(own) as KnownResource;
  return { ...resource, provider: given.provider ?? providerOf(given.type) };
}

interface Found {
  readonly verdicts: Verdicts;
}

type Outcome = 'created' | 'updated' | 'unchanged';

interface Upserted {
  readonly outcome: Outcome;
  readonly row: Versioned<StoredResource>;
  readonly before?: StoredResource;
}

/** What is to be evaluated before resources are stored: those that change, by the policies of their types. */
export async function subjectsOf(
  reader: Reader,
  given: readonly KnownResource[],
): Promise<StoredSubject[]> {
  const byType = new Map<string, StoredSubject['policies']>();
  const subjects: StoredSubject[] = [];
  for (const resource of given) {
    const before = await reader.get(resources, resource.id);
    if (before && isDeepStrictEqual(before.doc.resource, resource)) continue;
    const key = typeKey(resource.type);
    const policies = byType.get(key) ?? (await enabledPolicies(reader, key));
    byType.set(key, policies);
    subjects.push({ resource, policies });
  }
  return subjects;
}

/**
 * Creates or replaces a resource and writes down what was found. What changes nothing writes nothing.
 * @throws Outdated where policies have changed since
 */
async function upsertResource(
  judge: Judge,
  { resource, verdicts }: Found & { readonly resource: KnownResource },
): Promise<Upserted> {
  const { deps, tx } = judge;
  const before = await tx.get(resources, resource.id);
  const observed = await resourceObserved(deps, tx, resource);
  if (before && isDeepStrictEqual(before.doc.resource, resource)) {
    await verifyUnchanged(deps, tx, observed);
    return { outcome: 'unchanged', row: before };
  }
  const at = timestamp(judge.now);
  const stored = { id: resource.id, resource, created_at: at, updated_at: at };
  const row = before
    ? await tx.replace(resources, { ...stored, created_at: before.doc.created_at })
    : await tx.insert(resources, stored);
  await resourceStored(tx, before?.doc.resource, resource);
  await noteUnused(deps, tx, resource.id, resource);
  await announceResource(deps, tx, before ? 'resource.changed' : 'resource.discovered', row.doc);
  const isOtherType = before && typeKey(before.doc.resource.type) !== typeKey(resource.type);
  if (isOtherType) await forgetResource(tx, resource.id);
  else if (before) await keepHistory(tx, judge.now, before.doc, resource);
  // What a full transaction leaves is evaluated whatever its verdict was.
  const its = judge.isFull() ? [] : await judge.policiesOf(resource.type);
  if (judge.isFull()) await judge.postponeAll(resource.type);
  for (const judged of its) {
    const verdict = verdicts.of(judged.policy, resource);
    if (!verdict && !verdicts.isSpent) throw new Outdated();
    if (verdict && !judge.isFull()) await record(judge, judged, resource, verdict);
    // The request had no budget left for it, or finds more than its transaction takes.
    else await judge.postpone(judged.policy.id);
  }
  if (!before) return { outcome: 'created', row };
  if (isOtherType) await resolveViolations(judge, resource);
  return { outcome: 'updated', row, before: before.doc };
}

/** Those of a resource that is gone, or of its former type; the outcomes, too. */
async function resolveViolations(
  judge: Judge,
  { id, type }: { readonly id: string; readonly type?: string },
): Promise<void> {
  const standing = { standing_of_resource: { any: [id] } };
  // A policy with a pattern can be about both types; where its verdict on the new one is still to come, it decides.
  const about = type === undefined ? [] : await judge.policiesOf(type);
  const ids = new Set(about.map(({ policy }) => policy.id));
  await forgetOutcomes(judge.tx, id, ids);
  for await (const { doc } of allRows(judge.tx, violations, standing)) {
    if (ids.has(doc.policy_id)) continue;
    const cause = type === undefined ? 'resource_deleted' : 'resource_changed_type';
    await resolveGone(judge, doc, cause);
  }
}

/** @throws GovctlError precondition_failed where If-Match does not hold; Outdated as `upsertResource` */
export async function putResource(
  judge: Judge,
  call: Pick<Call, 'actor' | 'checkMatch'> & { header(name: string): string | null },
  { resource, verdicts }: Found & { readonly resource: KnownResource },
): Promise<Upserted> {
  const { deps, tx } = judge;
  const { id } = resource;
  const before = await tx.get(resources, id);
  if (before) call.checkMatch(before.revision);
  else if (call.header('if-match') !== null) {
    throw new GovctlError(
      'precondition_failed',
      `If-Match cannot match: there is no resource ${id.slice(0, 100)}`,
    );
  }
  const upserted = await upsertResource(judge, { resource, verdicts });
  if (upserted.outcome === 'created')
    await recordAudit(deps, tx, call.actor, 'resource.create', id);
  if (upserted.outcome === 'updated') {
    const changed = changedAttributes(upserted.before?.resource ?? {}, upserted.row.doc.resource);
    await recordAudit(deps, tx, call.actor, 'resource.update', id, changed);
  }
  return upserted;
}

/** Names that one audit entry holds; a resource may have any number of attributes. */
const mostNames = 100;

const changedAttributes = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !isDeepStrictEqual(own(before, name), own(after, name)))
    .slice(0, mostNames);

const own = (of: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(of, name) ? of[name] : undefined;

interface Many {
  readonly given: readonly KnownResource[];
  /**
   * How many of them belong in this transaction. It takes more only as long as it can record their verdicts, so that none
   * is left to the background.
   */
  readonly atLeast: number;
  /** Whether a newer state that is stored stays. */
  readonly keepNewer?: boolean;
}

interface Counted {
  readonly counts: UpsertCounts;
  /** IDs of those that are not stored, as a newer state is. */
  readonly older: readonly string[];
}

/**
 * Creates or replaces many, in the order given.
 * @throws Outdated as `upsertResource`
 * @param actor of the audit entry where something changes; absent where there is one already
 */
export async function upsertResources(
  judge: Judge,
  actor: Actor | undefined,
  { given, verdicts, atLeast, keepNewer = false }: Found & Many,
): Promise<Counted> {
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const older: string[] = [];
  const isForLater = async (resource: KnownResource): Promise<boolean> =>
    judge.isHalfFull() ||
    (verdicts.isSpent && !areKnown(verdicts, await judge.policiesOf(resource.type), resource));
  for (const [at, resource] of given.entries()) {
    if (at >= atLeast && (await isForLater(resource))) break;
    if (
      keepNewer &&
      isOlder(resource, (await judge.tx.get(resources, resource.id))?.doc.resource)
    ) {
      older.push(resource.id);
      continue;
    }
    const { outcome } = await upsertResource(judge, { resource, verdicts });
    counts[outcome] += 1;
  }
  // One for all of them: an import of a hundred thousand would fill the log.
  if (actor && counts.created + counts.updated > 0) {
    await recordAudit(judge.deps, judge.tx, actor, 'resource.import', resources.name);
  }
  return { counts, older };
}

/** Whether a resource was captured before another state of it. */
export function isOlder(resource: KnownResource, than: KnownResource | undefined): boolean {
  const captured = capturedAt(resource);
  const other = than && capturedAt(than);
  return captured !== undefined && other !== undefined && captured < other;
}

/** @throws GovctlError resource_not_found, or what `checkMatch` throws */
export async function deleteResource(judge: Judge, call: Call, id: string): Promise<void> {
  const { deps, tx } = judge;
  const before = await readResource(tx, id);
  call.checkMatch(before.revision);
  await tx.remove(resources, id);
  await resourceStored(tx, before.doc.resource, undefined);
  await noteUnused(deps, tx, id, undefined);
  await resolveViolations(judge, { id });
  await forgetResource(tx, id);
  await resourceGone(deps, tx, id);
  await recordAudit(deps, tx, call.actor, 'resource.delete', id);
}
