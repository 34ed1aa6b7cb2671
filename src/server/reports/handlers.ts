import { labelKey } from '../../engine/labels.ts';
import type { ReportListQuery } from '../../contract/reports.ts';
import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { askerOf } from '../evaluation/thread/threads.ts';
import { toJson } from '../json.ts';
import { anyOf, listPage } from '../http/paging.ts';
import type { Filters } from '../http/paging.ts';
import type { Tx } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import { reports } from './collection.ts';
import type { StoredReport } from './collection.ts';
import type { ReportScope } from '../../report/content/order.ts';
import { linksOf, removeAccess } from './download/links.ts';
import type { ReportWork } from './generation/report-work.ts';
import { checkSeesCost, createReport, deleteReport, readReport, readySecurity } from './service.ts';
import { showCreated, showListed, showReport } from './show.ts';
import type { BaseUrl } from './show.ts';

type ReportHandlers = Pick<Handlers['reports'], 'list' | 'create' | 'get' | 'delete'>;

export interface ReportHandlerOptions {
  readonly work: Pick<ReportWork, 'forget'>;
  readonly baseUrl: BaseUrl;
  /** What happens beside, in the transaction in which a report is deleted. */
  readonly deleted: (tx: Tx, report: StoredReport) => Promise<void>;
}

export const reportHandlers = (
  deps: Deps,
  { work, baseUrl, deleted }: ReportHandlerOptions,
): ReportHandlers => ({
  list: ({ query }) =>
    listPage(deps.store, reports, {
      query,
      filters: reportFilters(query),
      plural: 'reports',
      show: ({ doc }) => toJson(showListed(doc)),
    }),

  create: async ({ body: { format_options: format, ...body } }, call) => {
    const { security, ...options } = format ?? {};
    if (options.include_cost === true) checkSeesCost(call);
    const ready = await readySecurity(security, askerOf(call));
    return call.transact(async (tx) => {
      const scope = withoutAbsent(body.scope) as ReportScope; // only what is optional can be absent
      const order = { ...body, scope, format_options: options, security: ready };
      const { doc } = await createReport(deps, tx, call.actor, order);
      const shown = await showCreated(deps.store, doc, deps.clock.now(), baseUrl);
      return { body: toJson(shown), headers: { Location: `/v1/reports/${doc.id}` } };
    });
  },

  get: async ({ params }) => {
    const { doc, revision } = await readReport(deps.store, params.report_id);
    const now = deps.clock.now();
    const links = await linksOf(deps.store, doc.id, now);
    const options = { now, baseUrl, links };
    // Its place in the queue and its estimates depend on others, and on the time.
    const isMoving = doc.status === 'pending' || doc.status === 'generating';
    return { body: toJson(await showReport(deps.store, doc, options)), revision, isMoving };
  },

  delete: async ({ params }, call) => {
    const id = params.report_id;
    const gone = await deps.store.transact(async (tx) => {
      const report = await deleteReport(deps, tx, call, id);
      await deleted(tx, report);
      return report;
    }, call.principal.countedAs);
    await work.forget(gone);
    await removeAccess(deps.store, id);
    return { body: undefined };
  },
});

const reportFilters = (query: ReportListQuery): Filters => ({
  ...anyOf(query, ['type', 'status', 'schedule_id']),
  ...(query.framework ? { framework: { any: query.framework.map(labelKey) } } : {}),
});
