import { defined } from '../../../contract/defined.ts';
import { scans } from '../../scans/collection.ts';
import type { StoredScan } from '../../scans/collection.ts';
import type { Reader } from '../../store/store.ts';
import type { ScanFact, ScanFacts } from '../../../report/content/facts.ts';
import { pagesOf } from './pages.ts';
import type { Pace } from '../../pace.ts';
import type { Scope } from '../../../report/content/scope.ts';

/** The scans of the scope's time, and the last whole one before its end. */
export async function gatherScans(reader: Reader, scope: Scope, pace: Pace): Promise<ScanFacts> {
  const within: ScanFact[] = [];
  let lastWhole: ScanFact | undefined;
  for await (const page of pagesOf(reader, scans, { orderBy: 'created_at' })) {
    await pace.spend(page.rows.length);
    for (const { doc } of page.rows) {
      const scan = factOf(doc, scope);
      if (scan.created_at >= scope.until) continue;
      const ended = scan.completed_at;
      if ((ended ?? Infinity) >= (scope.since ?? -Infinity)) within.push(scan);
      if (scan.status !== 'completed' || !scan.isWhole || ended === undefined) continue;
      if (ended >= (lastWhole?.completed_at ?? -Infinity)) lastWhole = scan;
    }
  }
  return { within, ...(lastWhole ? { lastWhole } : {}) };
}

function factOf(scan: StoredScan, { until }: Scope): ScanFact {
  const ended = scan.completed_at === undefined ? undefined : Date.parse(scan.completed_at);
  // At the end of the scope it was still to end.
  const isOver = ended !== undefined && ended < until;
  const { evaluated, fail, error, exempt } = scan.summary;
  return {
    id: scan.id,
    ...defined({ name: scan.name }),
    status: isOver || ended === undefined ? scan.status : 'running',
    created_at: Date.parse(scan.created_at),
    created_by: scan.created_by,
    ...(scan.started_at === undefined ? {} : { started_at: Date.parse(scan.started_at) }),
    ...(isOver ? { completed_at: ended } : {}),
    isWhole: scan.resource_types === undefined && scan.policy_ids === undefined,
    score: isOver ? scan.compliance_score : null,
    resources: scan.resources_scanned,
    evaluated,
    failed: fail,
    undecided: error,
    exempt,
  };
}
