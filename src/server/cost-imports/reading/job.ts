import type { CostImportResult, ReadFile, RejectedRow } from '../../../contract/cost-imports.ts';
import type { SlashedFormat } from '../../../cost/focus/dates.ts';
import type { CurrencyTotals } from '../../../cost/table/period.ts';
import type { FileOf } from '../../module.ts';
import type { Blobs } from '../../store/store.ts';

/** What to read, as it is sent to a thread. */
export interface ReadJob {
  readonly files: readonly {
    readonly name: string;
    readonly blob: string;
    readonly size: number;
  }[];
  /** Lower-case keys of the tags that charges are stored with. */
  readonly tags: readonly string[];
  readonly skipRejected: boolean;
  /** Writes no tables. */
  readonly dryRun: boolean;
  readonly dateFormat?: SlashedFormat;
  /** The last billing period that can be, `2026-09`. */
  readonly lastPeriod: string;
  /** The IDs of the blobs that it writes begin with it. */
  readonly blobPrefix: string;
}

/** The charges of a period, as they were read. */
export interface ReadPeriod {
  readonly provider: string;
  readonly billing_account: string;
  readonly period: string;
  readonly rows: number;
  readonly skipped: number;
  readonly first_day: string;
  readonly last_day: string;
  readonly totals: readonly CurrencyTotals[];
  /** SHA-256 over its table, in hex. */
  readonly content: string;
  /** Absent in a dry run. */
  readonly charges?: FileOf;
}

/** What all files say. */
export interface ReadCharges extends Pick<
  CostImportResult,
  'rows' | 'rejected' | 'rounded' | 'currencies'
> {
  readonly files: readonly ReadFile[];
  readonly rejected_rows: readonly RejectedRow[];
  /** None where rows were rejected that are not to be skipped. */
  readonly periods: readonly ReadPeriod[];
}

/** Bytes of the files, and rows, that were read so far. */
export interface ReadProgress {
  readonly bytes: number;
  readonly rows: number;
}

export interface ReadingOptions {
  readonly blobs: Pick<Blobs, 'read' | 'create'>;
  readonly tell: (progress: ReadProgress) => void;
  /** Ends it, with its reason. */
  readonly signal: AbortSignal;
}

export type ReadFiles = (job: ReadJob, options: ReadingOptions) => Promise<ReadCharges>;

/** A file that can't be imported. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
  constructor(
    /** The message as it is shown, and where that is. */
    readonly fault: {
      readonly reason: string;
      readonly file?: string;
      readonly line?: number;
      readonly column?: number;
    },
  ) {
    super(fault.reason);
  }
}
