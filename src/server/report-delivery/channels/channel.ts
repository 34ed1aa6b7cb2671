import type { ReportFormat, ReportType } from '../../../contract/reports.ts';
import type { ChannelKind, ScheduleDelivery } from '../../../contract/schedules.ts';
import type { ReportSummary } from '../../render/model.ts';

/** One channel as it is stored: the fields of the contract, but for a webhook's secret, which is sealed. */
export type StoredChannel = {
  readonly [K in ChannelKind]: { readonly kind: K } & (K extends 'webhook'
    ? { readonly url: string; readonly secret?: string; readonly secret_env?: string }
    : NonNullable<ScheduleDelivery[K]>);
}[ChannelKind];

/** What is told, and what is handed over. */
export interface ReportMessage {
  readonly deliveryId: string;
  readonly report: {
    readonly id: string;
    readonly name: string;
    readonly type: ReportType;
    readonly framework?: string;
    readonly status: 'completed' | 'failed';
    readonly generated_at?: string;
    readonly failure?: string;
    readonly summary?: ReportSummary;
  };
  readonly schedule?: { readonly id: string; readonly name: string };
  /** The day it was due, `2026-11-21`, in the schedule's zone. */
  readonly date: string;
  readonly files: readonly MessageFile[];
  /** Temporary addresses of the files, for those channels that tell only. */
  readonly links: readonly {
    readonly format: ReportFormat;
    readonly url: string;
    readonly expires_at: string;
  }[];
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
 * What came of a try. `error` is for the schedule's owner: what failed, where, why; no secret, no address of this
 * network. A `permanent` failure is not tried again.
 */
export type SendResult =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly error: string;
      readonly permanent?: boolean;
      readonly retryAfterMs?: number;
    };

/** Sends to one kind of channel. Never throws, but where `signal` is aborted. */
export type SendReport<K extends ChannelKind> = (
  channel: Extract<StoredChannel, { readonly kind: K }>,
  message: ReportMessage,
  signal: AbortSignal,
) => Promise<SendResult>;
