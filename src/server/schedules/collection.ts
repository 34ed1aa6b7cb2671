import type { ScheduleInput, runCauses, runStatuses } from '../../contract/schedules.ts';
import type { StoredChannel } from '../report-delivery/channels/channel.ts';
import type { CollectionSpec } from '../store/store.ts';

/** A schedule as stored: what is answered, with a webhook's secret and a report's password sealed. */
export interface StoredSchedule extends Omit<ScheduleInput, 'delivery' | 'enabled'> {
  readonly id: string;
  readonly enabled: boolean;
  readonly channels: readonly StoredChannel[];
  /** Absent while it is disabled. */
  readonly next_run_at?: string;
  readonly last_run_at?: string;
  readonly last_report_id?: string;
  readonly last_status?: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
}

export const schedules: CollectionSpec<StoredSchedule> = {
  name: 'schedules',
  index: {
    enabled: ({ enabled }) => String(enabled),
    type: ({ report_template: { type } }) => type,
    tags: ({ tags }) => tags,
  },
  order: {
    created_at: ({ created_at: at }) => at,
    updated_at: ({ updated_at: at }) => at,
    id: ({ id }) => id,
    name: ({ name }) => name,
    enabled: ({ enabled }) => enabled,
    next_run_at: ({ next_run_at: at }) => at,
    last_run_at: ({ last_run_at: at }) => at,
  },
};

export interface StoredRun {
  readonly id: string;
  readonly schedule_id: string;
  /** The time it was due at; unique in its schedule, so that one fire makes one report. */
  readonly fire_at: string;
  readonly started_at: string;
  readonly completed_at?: string;
  readonly cause: (typeof runCauses)[number];
  readonly status: (typeof runStatuses)[number];
  readonly report_id?: string;
  readonly error?: string;
}

export const runs: CollectionSpec<StoredRun> = {
  name: 'schedule_runs',
  unique: {
    fire: ({ schedule_id: id, fire_at: at, cause }) =>
      cause === 'manual' ? undefined : `${id} ${at}`,
  },
  index: {
    schedule_id: ({ schedule_id: id }) => id,
    status: ({ status }) => status,
  },
  order: { fire_at: ({ fire_at: at }) => at, id: ({ id }) => id },
};
