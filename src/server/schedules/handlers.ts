import { isDeepStrictEqual } from 'node:util';
import type { Handlers, PublicCall } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { askerOf } from '../evaluation/thread/threads.ts';
import { toJson } from '../json.ts';
import { listLookedUp, listPage } from '../http/paging.ts';
import { targetsFor } from '../outbound/target.ts';
import type { Surroundings } from '../report-delivery/service.ts';
import type { Versioned } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import { checkSchedule } from './check.ts';
import { checkSeesCost } from '../reports/service.ts';
import { runs, scheduleFilters, schedules } from './collection.ts';
import type { StoredSchedule } from './collection.ts';
import {
  createSchedule,
  deleteSchedule,
  readSchedule,
  runSchedule,
  updateSchedule,
} from './service.ts';
import { showRun, showSchedule } from './show.ts';
import { channelsOf, hashedSecurity } from './stored-form.ts';

export const scheduleHandlers = (deps: Deps, surroundings: Surroundings): Handlers['schedules'] => {
  const show = (doc: StoredSchedule) => toJson(showSchedule(deps, surroundings.config, doc));
  const answerOne = ({ doc, revision }: Versioned<StoredSchedule>) => ({
    body: show(doc),
    revision,
  });
  const surroundingsFor = (call: PublicCall): Surroundings => ({
    ...surroundings,
    targets: targetsFor(surroundings.targets, call),
  });
  return {
    list: ({ query }) =>
      listPage(deps.store, schedules, {
        query,
        filters: scheduleFilters(query),
        plural: 'schedules',
        show: ({ doc }) => show(doc),
      }),

    get: async ({ params }) => answerOne(await readSchedule(deps.store, params.id)),

    create: async ({ body }, call) => {
      const { framework, format_options: format } = body.report_template;
      if (format?.include_cost === true) checkSeesCost(call);
      if (!(await call.isRepeated())) {
        await checkSchedule(deps.store, surroundingsFor(call), {
          framework,
          channels: channelsOf(body.delivery),
          template: body.report_template,
        });
      }
      const id = deps.ids.next('sch');
      const security = await hashedSecurity(format?.security, askerOf(call));
      return call.transact(async (tx) => {
        const created = await createSchedule(deps, tx, call.actor, { id, input: body, security });
        return { ...answerOne(created), headers: { Location: `/v1/reports/schedules/${id}` } };
      });
    },

    update: async ({ params, body }, call) => {
      const { doc } = await readSchedule(deps.store, params.id);
      const { report_template: template, delivery } = body;
      const framework = template?.framework;
      // Sent back as it was read, it stays what it is.
      await checkSchedule(deps.store, surroundingsFor(call), {
        framework: framework === doc.report_template.framework ? undefined : framework,
        channels: channelsOf(delivery ?? undefined).filter((one) => !isKept(doc, one)),
        template,
      });
      const security = await hashedSecurity(template?.format_options?.security, askerOf(call));
      return call.transact(async (tx) => {
        const { doc: before } = await readSchedule(tx, params.id);
        const updated = await updateSchedule(deps, tx, call, { id: params.id, update: body, security }); // prettier-ignore
        // Costs would go to others, or to those who decide nothing about them. Not even once they are left out: a report
        // with them may be under way.
        if (withCost(before, updated.doc) && isOther(before, updated.doc)) checkSeesCost(call);
        return answerOne(updated);
      });
    },

    delete: async ({ params }, call) =>
      call.transact(async (tx) => {
        await deleteSchedule(deps, tx, call, params.id);
        return { body: undefined };
      }),

    run: async ({ params }, call) =>
      call.transact(async (tx) => {
        const run = await runSchedule(deps, tx, call.actor, params.id);
        return { body: toJson(await showRun(tx, run)) };
      }),

    runs: async ({ params, query }) => {
      await readSchedule(deps.store, params.id);
      const own = { schedule_id: { any: [params.id] } };
      return listLookedUp(deps.store, runs, {
        query,
        filters: own,
        plural: 'runs',
        show: async ({ doc }) => toJson(await showRun(deps.store, doc)),
      });
    },
  };
};

const withCost = (...both: readonly StoredSchedule[]): boolean =>
  both.some(({ report_template: { format_options: format } }) => format?.include_cost === true);

/** Whether a schedule makes other reports than before, or sends them elsewhere. */
const isOther = (before: StoredSchedule, after: StoredSchedule): boolean =>
  !isDeepStrictEqual(
    [before.report_template, before.channels],
    [after.report_template, after.channels],
  );

/** But for its secret, which leads nowhere; unless another one is given. */
function isKept(
  { channels }: StoredSchedule,
  given: ReturnType<typeof channelsOf>[number],
): boolean {
  if ('secret' in given) return false;
  const stored = channels.find(({ kind }) => kind === given.kind);
  const plain = (fields: object): object =>
    withoutAbsent({ ...fields, secret: undefined, secret_hint: undefined });
  return stored !== undefined && isDeepStrictEqual(plain(stored), plain(given));
}
