import type { BlobReply, BlobRequest } from '../../../threads/remote-blobs.ts';
import type { FileOptions } from '../../../../report/formats/render-file.ts';
import type { Rendered } from '../../../../report/formats/render.ts';

/** What a thread is told. One file at a time; bytes answer the `read` and `next` of their number. */
export type ToThread =
  | {
      readonly kind: 'render';
      /** The ids of the stored model's blobs. */
      readonly model: readonly string[];
      readonly options: Omit<FileOptions, 'random'>;
    }
  | BlobReply
  /** The chunk was taken: the next may come. */
  | { readonly kind: 'taken' };

/** And what it says. */
export type FromThread =
  | BlobRequest
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array }
  | { readonly kind: 'rendered'; readonly rendered: Rendered }
  /** `fault`: for a reason that may be read; else something unexpected. */
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly fault: boolean;
      readonly stack?: string;
    };
