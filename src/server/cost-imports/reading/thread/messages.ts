import type { BlobReply, BlobRequest } from '../../../threads/remote-blobs.ts';
import type { FileFault, ReadCharges, ReadJob, ReadProgress } from '../job.ts';

/** What a thread is told. One import at a time. */
export type ToThread = { readonly kind: 'import'; readonly job: ReadJob } | BlobReply;

/** And what it says. */
export type FromThread =
  | BlobRequest
  | ({ readonly kind: 'progress' } & ReadProgress)
  | { readonly kind: 'done'; readonly charges: ReadCharges }
  /** `fault`: a file can't be imported; else something unexpected. */
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly stack?: string;
      readonly fault?: FileFault['fault'];
    };
