import { checkSameId } from '../http/invalid-body.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { ScheduleInput, ScheduleUpdate } from '../../contract/schedules.ts';
import { recordAudit } from '../audit/service.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Actor, Changer } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { timestamp, updatedAfter } from '../deps.ts';
import { dropDeliveries } from '../report-delivery/service.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader, Tx, Versioned } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import { runs, scheduleLanes, schedules } from './collection.ts';
import type { StoredRun, StoredSchedule } from './collection.ts';
import { relay, withNext } from './fire.ts';
import { startRun, withLast } from './run.ts';
import { storedChannels, storedSecurity, storedTemplate } from './stored-form.ts';
import type { HashedSecurity } from './stored-form.ts';

/** @throws GovctlError schedule_not_found */
export const readSchedule = (reader: Reader, id: string): Awaitable<Versioned<StoredSchedule>> =>
  whenKnown(reader.get(schedules, id), (found) => {
    if (found) return found;
    throw new GovctlError(
      'schedule_not_found',
      `There is no schedule ${id.slice(0, 100)}; it may have been deleted`,
    );
  });

interface NewSchedule {
  readonly id: string;
  readonly input: ScheduleInput;
  /** Of its template. */
  readonly security: HashedSecurity | undefined;
}

export async function createSchedule(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  { id, input: { delivery, report_template: template, ...input }, security }: NewSchedule,
): Promise<Versioned<StoredSchedule>> {
  const now = deps.clock.now();
  const at = timestamp(now);
  const schedule = withNext(
    arrange({
      id,
      ...input,
      report_template: storedTemplate(template, storedSecurity(deps, id, security)),
      channels: storedChannels(deps, id, delivery),
      enabled: input.enabled ?? true,
      created_at: at,
      updated_at: at,
      created_by: actor.userId,
    }),
    now,
  );
  const stored = await tx.insert(schedules, schedule);
  await relay(tx, schedule, now);
  await recordAudit(deps, tx, actor, 'schedule.create', id);
  return stored;
}

/**
 * Changes the fields given; null clears. What changes nothing writes nothing. Another time, and being enabled again,
 * count from now on.
 * @param security of the template given
 * @throws GovctlError schedule_not_found, invalid_schedule (another id, or a secret that is to stay and is not there), or what `checkMatch` throws
 */
export async function updateSchedule(
  deps: Deps,
  tx: Tx,
  call: Changer,
  {
    id,
    update,
    security,
  }: {
    readonly id: string;
    readonly update: ScheduleUpdate;
    readonly security: HashedSecurity | undefined;
  },
): Promise<Versioned<StoredSchedule>> {
  const before = await readSchedule(tx, id);
  call.checkMatch(before.revision);
  checkSameId('invalid_schedule', 'schedule', id, update.id);
  const merged = arrange({ ...before.doc, ...givenFields(deps, before.doc, update, security) });
  const changed = changedFields(before.doc, merged);
  if (changed.length === 0) return before;
  const now = deps.clock.now();
  const written = { ...merged, updated_at: updatedAfter(before.doc.updated_at, now) };
  const isRetimed = changed.some((field) => field === 'schedule' || field === 'enabled');
  const schedule = isRetimed ? withNext(written, now) : written;
  const stored = await tx.replace(schedules, schedule);
  if (isRetimed) await relay(tx, schedule, now);
  const names = changed.map((field) => (field === 'channels' ? 'delivery' : field));
  await recordAudit(deps, tx, call.actor, 'schedule.update', id, names);
  return stored;
}

/** Left out: stays. Null: its default, or gone. */
function givenFields(
  deps: Deps,
  before: StoredSchedule,
  { delivery, report_template: template, ...update }: ScheduleUpdate,
  security: HashedSecurity | undefined,
): Record<string, unknown> {
  const plain = Object.entries(update).filter(
    ([field, value]) => value !== undefined && Object.hasOwn(plainDefaults, field),
  );
  return {
    ...Object.fromEntries(
      plain.map(([field, value]) => [field, value ?? plainDefaults[field as PlainField]]), // filtered just now
    ),
    ...(template === undefined
      ? {}
      : {
          report_template: storedTemplate(
            template,
            storedSecurity(
              deps,
              before.id,
              security,
              before.report_template.format_options?.security,
            ),
          ),
        }),
    ...(delivery === undefined
      ? {}
      : { channels: storedChannels(deps, before.id, delivery ?? undefined, before.channels) }),
  };
}

/** Fields that are stored as they are given, with what null makes of them. */
const plainDefaults = {
  name: undefined,
  description: undefined,
  schedule: undefined,
  enabled: true,
  tags: undefined,
} as const;
type PlainField = keyof typeof plainDefaults;

const ownFields = [
  'name',
  'description',
  'schedule',
  'report_template',
  'channels',
  'enabled',
  'tags',
] as const;

/** Absent fields left out. */
const arrange = (fields: Record<string, unknown>): StoredSchedule =>
  // Put together from a parsed input or a stored schedule, and what the server assigns.
  withoutAbsent(fields) as unknown as StoredSchedule;

const changedFields = (before: StoredSchedule, after: StoredSchedule) =>
  ownFields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));

/**
 * Its runs and what waits to be delivered go with it; its reports stay.
 * @throws as `updateSchedule`
 */
export async function deleteSchedule(deps: Deps, tx: Tx, call: Changer, id: string): Promise<void> {
  const before = await readSchedule(tx, id);
  call.checkMatch(before.revision);
  await tx.remove(schedules, id);
  await tx.clear(scheduleLanes, id);
  await dropDeliveries(tx, id);
  const own: string[] = [];
  for await (const { doc } of allRows(tx, runs, { schedule_id: { any: [id] } })) own.push(doc.id);
  for (const run of own) await tx.remove(runs, run);
  await recordAudit(deps, tx, call.actor, 'schedule.delete', id);
}

/** Runs it now, beside its times, also while it is disabled. @throws GovctlError schedule_not_found */
export async function runSchedule(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  id: string,
): Promise<StoredRun> {
  const { doc } = await readSchedule(tx, id);
  const order = { at: deps.clock.now(), cause: 'manual', actor } as const;
  const { run, last } = await startRun(deps, tx, doc, order);
  await tx.replace(schedules, withLast(doc, last));
  await recordAudit(deps, tx, actor, 'schedule.run', id);
  return run;
}
