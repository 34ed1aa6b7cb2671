import type { Deps } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { Tx } from '../store/store.ts';
import type { StoredReport } from './collection.ts';
import { showListed } from './show.ts';

/** Tells of a report that can be downloaded. */
export async function announceReport(deps: Deps, tx: Tx, report: StoredReport): Promise<void> {
  await emit(deps, tx, 'compliance.report.generated', { report: showListed(report) });
}

/** Tells that an audit has begun: of audit reports, once. */
export async function announceAudit(deps: Deps, tx: Tx, report: StoredReport): Promise<void> {
  await emit(deps, tx, 'compliance.audit.started', { audit: showListed(report) });
}
