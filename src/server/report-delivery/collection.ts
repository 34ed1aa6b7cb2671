import { channelKinds } from '../../contract/report-channels.ts';
import type { ChannelKind } from '../../contract/report-channels.ts';
import { channelStatuses } from '../../contract/schedules.ts';
import { channelShape } from './channels/channel.ts';
import type { Settled, StoredChannel } from './channels/channel.ts';
import type { CollectionSpec, LaneSpec } from '../store/store.ts';
import * as z from 'zod';
import { Timestamp } from '../../contract/lists.ts';
import { Count, Id, Key, shape } from '../shape.ts';

/** The sending of one report to one channel: by a schedule, or as a notification that a report asked for. */
export interface StoredReportDelivery {
  readonly id: string;
  readonly report_id: string;
  readonly schedule_id?: string;
  readonly run_id?: string;
  readonly kind: ChannelKind;
  readonly channel: StoredChannel;
  /** As it is shown; no secret. */
  readonly target: string;
  readonly status: (typeof channelStatuses)[number];
  readonly attempts: number;
  readonly created_at: string;
  /** When the first try was: the 24 hours of its tries count from there. */
  readonly first_attempt_at?: string;
  readonly last_attempt_at?: string;
  readonly next_attempt_at?: string;
  readonly delivered_at?: string;
  /** Of the last try. */
  readonly error?: string;
  /** The temporary addresses that it tells, sealed. */
  readonly links?: string;
  /** Recipients of an e-mail that nothing more is sent to. */
  readonly settled?: readonly Settled[];
}

export const reportDeliveries: CollectionSpec<StoredReportDelivery> = {
  name: 'report_deliveries',
  index: {
    report_id: ({ report_id: id }) => id,
    run_id: ({ run_id: id }) => id,
    schedule_id: ({ schedule_id: id }) => id,
    status: ({ status }) => status,
  },
  order: { id: ({ id }) => id },
};

/** A lane for each channel of a schedule (`sch_…/email`), or of a report that is none's; the work is a delivery's id. */
export const reportDeliveryLanes: LaneSpec = {
  name: 'report_deliveries',
  // An hour, see outbound/retry.ts, and a minute more, as clocks are put right by a little all the time.
  longestPause: 61 * 60_000,
};

/** The key of an SFTP server as it was seen first. */
interface KnownHost {
  /** `host:port`. */
  readonly id: string;
  /** SHA-256, as `ssh-keygen -l` prints it. */
  readonly key: string;
  readonly seen_at: string;
}

export const knownHosts: CollectionSpec<KnownHost> = {
  name: 'known_hosts',
  order: { id: ({ id }) => id },
};

export const reportDeliveryShape = shape<StoredReportDelivery>({
  id: Id,
  report_id: Id,
  schedule_id: Id.optional(),
  run_id: Id.optional(),
  kind: z.enum(channelKinds),
  channel: channelShape,
  target: z.string(),
  status: z.enum(channelStatuses),
  attempts: Count,
  created_at: Timestamp,
  first_attempt_at: Timestamp.optional(),
  last_attempt_at: Timestamp.optional(),
  next_attempt_at: Timestamp.optional(),
  delivered_at: Timestamp.optional(),
  error: z.string().optional(),
  links: z.string().optional(),
  settled: z
    .array(shape<Settled>({ recipient: z.string(), refused: z.string().optional() }))
    .optional(),
});

export const knownHostShape = shape<KnownHost>({
  id: Key,
  key: z.string().min(1),
  seen_at: Timestamp,
});
