import { auditLog } from '../audit/collection.ts';
import type { StoredAuditEntry } from '../audit/collection.ts';
import { expiryOf, keyOfControl, manualEvidence } from './collection.ts';
import type { StoredManual } from './collection.ts';
import { controlKey, frameworkKey } from '../../engine/labels.ts';
import { timestamp } from '../deps.ts';
import { allPages } from '../store/all-rows.ts';
import type { CollectionSpec, Document, Reader, Where } from '../store/store.ts';

const day = 86_400_000;
/** Days of which changes and resolved violations are told where nothing else is asked for. */
const sinceDays = 90;

/** @param asked ISO 8601 */
export const sinceOf = (asked: string | undefined, now: number): string =>
  timestamp(asked === undefined ? Math.max(0, now - sinceDays * day) : Date.parse(asked));

/** What is a change of policies or of exemptions in the audit log. */
const actions = [
  'policy.create',
  'policy.update',
  'policy.delete',
  'exemption.create',
  'exemption.update',
  'exemption.delete',
  'evidence.attach',
  'evidence.delete',
];

export interface ChangesQuery {
  readonly since: string;
  /** The last entry; absent: the newest. */
  readonly upTo?: number;
  /** Only these subjects. */
  readonly subjects?: readonly string[];
  readonly most: number;
}

/** The newest changes, the oldest of them first. */
export async function changesOf(
  reader: Reader,
  { since, upTo, subjects, most }: ChangesQuery,
): Promise<{ readonly changes: readonly StoredAuditEntry[]; readonly hasMore: boolean }> {
  const where = {
    action: { any: actions },
    ...(subjects ? { subject: { any: subjects } } : {}),
  };
  const changes: StoredAuditEntry[] = [];
  const after = upTo === undefined ? {} : { after: { value: upTo, id: '~' } };
  const query = { where, orderBy: 'sequence', direction: 'desc', ...after } as const;
  for await (const doc of rowsOf(reader, auditLog, query)) {
    if (doc.at < since) break;
    if (changes.length >= most) return { changes: changes.toReversed(), hasMore: true };
    changes.push(doc);
  }
  return { changes: changes.toReversed(), hasMore: false };
}

/** What is attached to the controls of a framework and counts at a time, or to one of its controls. */
export async function manualOf(
  reader: Reader,
  { framework, control }: { readonly framework: string; readonly control?: string },
  now: number,
): Promise<readonly StoredManual[]> {
  const where: Record<string, Where> =
    control === undefined
      ? { framework: { any: [frameworkKey(framework)] } }
      : { control: { any: [keyOfControl(framework, control)] } };
  const found: StoredManual[] = [];
  const at = timestamp(now);
  const query = { where, orderBy: 'created_at', direction: 'asc' } as const;
  for await (const doc of rowsOf(reader, manualEvidence, query)) {
    if (expiryOf(doc) >= at) found.push(doc);
  }
  return found;
}

/** What is attached, by the key of its control. */
export function byControl(
  attached: readonly StoredManual[],
): ReadonlyMap<string, readonly StoredManual[]> {
  const found = new Map<string, StoredManual[]>();
  for (const one of attached) {
    const key = controlKey(one.framework, one.control_id);
    const own = found.get(key);
    if (own) own.push(one);
    else found.set(key, [one]);
  }
  return found;
}

/** Rows in any order, as long as they are wanted; others have their turn in between. */
export async function* rowsOf<T extends Document>(
  reader: Reader,
  collection: CollectionSpec<T>,
  query: Parameters<typeof allPages>[2],
): AsyncGenerator<T> {
  for await (const rows of allPages(reader, collection, query)) {
    for (const { doc } of rows) yield doc;
  }
}
