import { auditLog } from '../../audit/collection.ts';
import type { StoredAuditEntry } from '../../audit/collection.ts';
import { timestamp } from '../../deps.ts';
import type { Reader } from '../../store/store.ts';
import type { AuditFacts, AuditRow } from '../../../report/content/facts.ts';
import { createGroups } from '../../../report/content/counters.ts';
import { createNames } from './names.ts';
import { pagesOf } from './pages.ts';
import type { Pace } from '../../pace.ts';
import type { Scope } from '../../../report/content/scope.ts';

/** What whoever reads reports may know of: changes of access and cost, and of what is not listed, take other scopes. */
const nouns: ReadonlySet<string> = new Set([
  'policy',
  'exemption',
  'framework',
  'evidence',
  'resource',
  'scan',
  'violation',
  'remediation',
  'report',
  'schedule',
  'webhook',
  'delivery',
  'event',
]);

const isOfGovernance = ({ action }: StoredAuditEntry): boolean =>
  nouns.has(action.slice(0, action.indexOf('.')));

/** What the audit log says of the scope's time; its rows are read from the store when they are asked for. */
export async function gatherAudit(reader: Reader, scope: Scope, pace: Pace): Promise<AuditFacts> {
  const actions = createGroups(() => ({ count: 0 }));
  const actors = createGroups(() => ({ count: 0 }));
  let count = 0;
  for await (const all of entriesWithin(reader, scope)) {
    await pace.spend(all.length);
    const entries = all.filter(isOfGovernance);
    count += entries.length;
    for (const { action, actor } of entries) {
      actions.of(action).count += 1;
      actors.of(actor).count += 1;
    }
  }
  const read = async function* () {
    // Not those that came within the last millisecond since.
    let left = count;
    const nameOf = createNames(reader);
    for await (const all of entriesWithin(reader, scope)) {
      const entries = all.filter(isOfGovernance).slice(0, left);
      const rows: AuditRow[] = [];
      for (const entry of entries) rows.push(await rowOf(entry, nameOf));
      if (rows.length > 0) yield rows;
      left -= entries.length;
      if (left <= 0) return;
    }
  };
  return { actions, actors, entries: { count, read } };
}

async function* entriesWithin(
  reader: Reader,
  { since, until }: Scope,
): AsyncGenerator<readonly StoredAuditEntry[]> {
  const after = since === undefined ? {} : { after: { value: timestamp(since), id: '' } };
  const end = timestamp(until);
  for await (const { rows } of pagesOf(reader, auditLog, { orderBy: 'at', ...after })) {
    const entries = rows.flatMap(({ doc }) => (doc.at < end ? [doc] : []));
    yield entries;
    if (entries.length < rows.length) return;
  }
}

const rowOf = async (
  entry: StoredAuditEntry,
  nameOf: (id: string) => Promise<string>,
): Promise<AuditRow> => ({
  at: entry.at,
  actor: entry.actor,
  via: entry.via,
  via_name: await nameOf(entry.via),
  action: entry.action,
  subject: entry.subject,
  subject_name: await nameOf(entry.subject),
  changes: (entry.changes ?? []).join(', '),
  request_id: entry.request_id,
});
