import { defined } from '../../contract/defined.ts';
import type { AnsweredSchedule, ScheduleRun } from '../../contract/schedules.ts';
import type { ServerConfig } from '../config/config.ts';
import type { Deps } from '../deps.ts';
import { channelProblem, deliveriesOfRun, showDelivery } from '../report-delivery/service.ts';
import type { StoredChannel } from '../report-delivery/service.ts';
import { reports } from '../reports/collection.ts';
import type { StoredSecurity } from '../reports/collection.ts';
import type { Reader } from '../store/store.ts';
import type { StoredRun, StoredSchedule, StoredTemplate } from './collection.ts';
import { shownHint, openFor } from './stored-form.ts';

/** A schedule as answered: what is stored, but for its secrets, and what its channels lack on this server. */
export function showSchedule(
  deps: Pick<Deps, 'secrets'>,
  config: ServerConfig,
  { channels, created_at, updated_at, created_by, ...doc }: StoredSchedule,
): AnsweredSchedule {
  const delivery = Object.fromEntries(channels.map((one) => showChannel(deps, doc.id, one)));
  const problems = channels.flatMap((one) => {
    const problem = channelProblem(one, config);
    return problem ? [{ ...problem }] : [];
  });
  const {
    id,
    name,
    description,
    schedule,
    report_template: template,
    enabled,
    tags,
    ...runs
  } = doc;
  return {
    id,
    name,
    ...defined({ description }),
    schedule,
    report_template: showTemplate(template),
    ...(channels.length > 0 ? { delivery } : {}),
    enabled,
    ...defined({ tags }),
    ...runs,
    ...(problems.length > 0 ? { problems } : {}),
    created_at,
    updated_at,
    created_by,
  };
}

function showChannel(
  deps: Pick<Deps, 'secrets'>,
  scheduleId: string,
  { kind, ...fields }: StoredChannel,
): readonly [string, object] {
  if (!('secret' in fields)) return [kind, fields];
  const { secret: sealed, ...plain } = fields;
  if (sealed === undefined) return [kind, plain];
  return [kind, { ...plain, secret_hint: shownHint(openFor(deps, scheduleId, sealed)) }];
}

function showTemplate({ format_options: format, ...template }: StoredTemplate) {
  if (!format?.security) return { ...template, ...(format ? { format_options: format } : {}) };
  return { ...template, format_options: { ...format, security: showSecurity(format.security) } };
}

const showSecurity = ({ password, password_hash: _, ...security }: StoredSecurity) => ({
  ...security,
  ...(password === undefined ? {} : { protected: true }),
});

/** A run as answered, with what became of its report and of each delivery. */
export async function showRun(reader: Reader, run: StoredRun): Promise<ScheduleRun> {
  const { report_id: reportId, error, ...doc } = run;
  const report = reportId === undefined ? undefined : (await reader.get(reports, reportId))?.doc;
  const deliveries = await deliveriesOfRun(reader, run.id);
  return {
    ...doc,
    ...defined({ report_id: reportId }),
    ...(report ? { report_status: report.status } : {}),
    ...defined({ error }),
    deliveries: deliveries.map(showDelivery),
  };
}
