import { nameOfActor } from '../auth/service.ts';
import { invalidBody } from '../http/invalid-body.ts';
import type { ErrorDetail } from '../../contract/errors.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { FormatOptions, ReportInput, ReportType } from '../../contract/reports.ts';
import { recordAudit } from '../audit/service.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import { seesCost } from '../cost/service.ts';
import type { Actor, Call, Changer } from '../http/call.ts';
import { insufficientScope } from '../http/insufficient-scope.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { dropDeliveries } from '../report-delivery/service.ts';
import type { Reader, Tx, Versioned } from '../store/store.ts';
import type { Asker } from '../threads/threads.ts';
import { withoutAbsent } from '../without-absent.ts';
import { timeFaults } from './check-request.ts';
import { dueAtOf, reportLanes, reports } from './collection.ts';
import type { ReportScope } from '../../report/content/order.ts';
import type { StoredReport, StoredSecurity } from './collection.ts';
import { hashPassword } from './download/password.ts';
import { frameworkFault } from './framework.ts';
import { estimate } from './generation/estimate.ts';

export { frameworkFault };

/** @throws GovctlError report_not_found */
export const readReport = (reader: Reader, id: string): Awaitable<Versioned<StoredReport>> =>
  whenKnown(reader.get(reports, id), (found) => {
    if (found) return found;
    throw reportNotFound(id);
  });

/** @param causes what else may have led here */
export function reportNotFound(id: string, causes: readonly string[] = []): GovctlError {
  const shown = id.slice(0, 100);
  return new GovctlError('report_not_found', `There is no report ${shown}`, {
    extra: {
      report_id: shown,
      possible_causes: [
        'The report ID is not valid',
        'The report was deleted or has expired',
        ...causes,
      ],
    },
  });
}

/** @throws GovctlError insufficient_scope where a report says what was spent, and the caller may not see it */
export function checkSeesCost({ principal }: Pick<Call, 'principal'>): void {
  if (!seesCost({ principal })) throw insufficientScope(principal, 'cost:read', 'A report with costs'); // prettier-ignore
}

/** The types that can say what things cost. */
const withCost: ReadonlySet<ReportType> = new Set(['risk', 'trend']);

/** Why a report of a type can't be had with cost; undefined: it can, or is not asked for with it. */
export const costFault = (
  type: ReportType,
  format: Pick<FormatOptions, 'include_cost'> | undefined,
): string | undefined =>
  format?.include_cost === true && !withCost.has(type)
    ? `is for ${[...withCost].join(' and ')} reports; reports of the type ${type} contain no cost`
    : undefined;

/** What is asked for: by a request, or by a schedule that fires. */
export interface ReportOrder extends Omit<ReportInput, 'scope' | 'delivery' | 'format_options'> {
  readonly scope: ReportScope;
  readonly delivery?: ReportInput['delivery'];
  readonly format_options?: Omit<FormatOptions, 'security'> | undefined;
  readonly security?: ReadySecurity | undefined;
  readonly schedule_id?: string;
  readonly run_id?: string;
}

/** What protects a report's files, its password hashed. */
export type ReadySecurity = NonNullable<FormatOptions['security']> & {
  readonly password_hash?: string;
};

/** Hashes the password, which takes its time: before the transaction that asks for the report. */
export async function readySecurity(
  security: FormatOptions['security'],
  asker: Asker,
): Promise<ReadySecurity | undefined> {
  if (security?.password === undefined) return security;
  return { ...security, password_hash: await hashPassword(security.password, asker) };
}

/**
 * Asks for a report; the background makes it.
 * @throws GovctlError invalid_report_config
 */
export async function createReport(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  order: ReportOrder,
): Promise<Versioned<StoredReport>> {
  const now = deps.clock.now();
  await checkOrder(tx, order, now);
  const { format_options: format = {}, delivery = {}, security, ...fields } = order;
  const { immediate, scheduled_at: scheduledAt } = delivery;
  const due = scheduledAt === undefined ? undefined : Date.parse(scheduledAt);
  const id = deps.ids.next('rpt');
  const at = timestamp(now);
  const formats = format.formats ?? ['pdf'];
  const expected = await estimate(tx, { type: order.type, formats, security });
  const stored = await tx.insert(
    reports,
    // Only what is optional can be absent.
    withoutAbsent({
      ...fields,
      id,
      scope: normalScope(order.scope),
      formats,
      include_executive_summary: format.include_executive_summary ?? true,
      include_detailed_findings: format.include_detailed_findings ?? true,
      include_cost: format.include_cost === true ? true : undefined,
      prepared_for: format.prepared_for,
      prepared_by: await nameOfActor(tx, { actor: actor.userId, via: actor.via }),
      security: security && sealed(deps, id, security),
      scheduled_at: due === undefined ? undefined : timestamp(due),
      immediate: immediate === true ? true : undefined,
      notify: delivery.notifications?.email,
      status: 'pending',
      attempts: 0,
      created_at: at,
      created_by: actor.userId,
      updated_at: at,
      estimated_ms: Math.round(expected.ms),
    }) as StoredReport,
  );
  await tx.append(reportLanes, id, id);
  await tx.putOff(reportLanes, id, dueAtOf(stored.doc));
  await recordAudit(deps, tx, actor, 'report.create', id);
  return stored;
}

async function checkOrder(reader: Reader, order: ReportOrder, now: number): Promise<void> {
  const { framework } = order;
  const faults: ErrorDetail[] = [...timeFaults(order, now)];
  const unknown = framework === undefined ? undefined : await frameworkFault(reader, framework);
  if (unknown !== undefined) faults.push({ field: 'framework', message: unknown });
  const cost = costFault(order.type, order.format_options);
  if (cost !== undefined) faults.push({ field: 'format_options.include_cost', message: cost });
  if (faults.length > 0) throw invalidBody('invalid_report_config', faults);
}

/** Times as ours are, so that their texts compare. */
function normalScope({ date_range: range, ...scope }: ReportScope): ReportScope {
  if (!range) return withoutAbsent(scope);
  const normal = (at: string): string => timestamp(Date.parse(at));
  return {
    ...withoutAbsent(scope),
    date_range: { start: normal(range.start), end: normal(range.end) },
  };
}

const sealed = (
  { secrets }: Deps,
  id: string,
  { password, ...security }: ReadySecurity,
): StoredSecurity =>
  // Only what is optional can be absent.
  withoutAbsent({
    ...security,
    password: password === undefined ? undefined : secrets.seal(password, id),
  }) as StoredSecurity;

/**
 * It ends wherever it is. Its files, its links and its access log are the caller's to remove, once the transaction has lasted.
 * @throws GovctlError report_not_found, or what `checkMatch` throws
 */
export async function deleteReport(
  deps: Deps,
  tx: Tx,
  call: Changer,
  id: string,
): Promise<StoredReport> {
  const before = await readReport(tx, id);
  call.checkMatch(before.revision);
  await tx.remove(reports, id);
  await tx.clear(reportLanes, id);
  await dropDeliveries(tx, id);
  await recordAudit(deps, tx, call.actor, 'report.delete', id);
  return before.doc;
}
