import type { ReportFormat, ReportType } from '../../../contract/reports.ts';
import type { ChannelKind } from '../../../contract/report-channels.ts';
import type { ScheduleDelivery } from '../../../contract/schedules.ts';
import type { ServerConfig } from '../../config/config.ts';
import type { Targets } from '../../outbound/target.ts';
import type { ReportSummary } from '../../../report/model.ts';
import * as z from 'zod';
import { channelFields } from '../../../contract/report-channels.ts';
import { HttpUrl, shape, variants } from '../../shape.ts';

/** One channel as it is stored: the fields of the contract, but for a webhook's secret, which is sealed. */
export type StoredChannel = {
  readonly [K in ChannelKind]: { readonly kind: K } & (K extends 'webhook'
    ? { readonly url: string; readonly secret?: string; readonly secret_env?: string }
    : NonNullable<ScheduleDelivery[K]>);
}[ChannelKind];

/** What channels find on this server. */
export interface Surroundings {
  /** What those who use the API may have it send to. What its operator names in the configuration may be anywhere. */
  readonly targets: Targets;
  readonly config: ServerConfig;
}

/** What is told, and what is handed over. */
export interface ReportMessage {
  readonly deliveryId: string;
  /** The number of this try, from 1. */
  readonly attempt: number;
  readonly report: {
    readonly id: string;
    readonly name: string;
    readonly type: ReportType;
    readonly framework?: string;
    readonly status: 'completed' | 'failed';
    readonly generated_at?: string;
    readonly failure?: string;
    readonly summary?: ReportSummary;
    /** The time it is about, in words, and what has to be known to read the summary right. */
    readonly period?: string;
    readonly notices?: readonly string[];
  };
  readonly schedule?: { readonly id: string; readonly name: string };
  /** The day it was due, `2026-11-21`, in the schedule's zone. */
  readonly date: string;
  readonly files: readonly MessageFile[];
  /** Temporary addresses of the files, made when they are asked for. */
  links(): Promise<readonly MessageLink[]>;
  /** Recipients that nothing more is sent to. */
  readonly settled: readonly Settled[];
}

export interface MessageLink {
  readonly format: ReportFormat;
  readonly url: string;
  readonly expires_at: string;
}

/** A recipient who has it, or who will never get it. */
export interface Settled {
  readonly recipient: string;
  /** Why not. Absent: it was handed over. */
  readonly refused?: string;
}

export interface MessageFile {
  readonly format: ReportFormat;
  readonly filename: string;
  readonly media_type: string;
  readonly size: number;
  readonly sha256: string;
  read(): AsyncIterable<Uint8Array>;
}

/**
 * What came of a try. `error` is for the schedule's owner: what failed, where, why, what next; no secret, no address of
 * this network. A `permanent` failure is not tried again, and one with `triesAtMost` not more often than that in all.
 */
export type SendResult =
  | { readonly ok: true; readonly settled?: readonly Settled[] }
  | {
      readonly ok: false;
      readonly error: string;
      readonly permanent?: boolean;
      readonly triesAtMost?: number;
      readonly retryAfterMs?: number;
      /** All recipients of an e-mail that nothing more is sent to. */
      readonly settled?: readonly Settled[];
    };

export type ChannelOf<K extends ChannelKind> = Extract<StoredChannel, { readonly kind: K }>;

/** Sends to one kind of channel. Never throws, but where `signal` is aborted. */
export type SendReport<K extends ChannelKind> = (
  channel: ChannelOf<K>,
  message: ReportMessage,
  signal: AbortSignal,
) => Promise<SendResult>;

const { email, chat, team_chat, webhook, sftp, object_storage } = channelFields;

export const channelShape = variants<StoredChannel>('kind', [
  email.unwrap().safeExtend({ kind: z.literal('email') }),
  chat.unwrap().safeExtend({ kind: z.literal('chat') }),
  team_chat.unwrap().safeExtend({ kind: z.literal('team_chat'), webhook_url: HttpUrl.optional() }),
  shape<ChannelOf<'webhook'>>({
    ...webhook.unwrap().shape,
    kind: z.literal('webhook'),
    url: HttpUrl,
    secret: z.string().optional(),
  }),
  sftp.unwrap().safeExtend({ kind: z.literal('sftp') }),
  object_storage
    .unwrap()
    .safeExtend({ kind: z.literal('object_storage'), endpoint: HttpUrl.optional() }),
]);
