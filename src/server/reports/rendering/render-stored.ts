import type { Blobs } from '../../store/store.ts';
import { renderFile } from '../../../report/formats/render-file.ts';
import type { FileOptions } from '../../../report/formats/render-file.ts';
import type { Rendered } from '../../../report/formats/render.ts';
import { openModel } from './stored-model.ts';

/** One file to be made of a stored model. */
export interface RenderJob {
  readonly blobs: Pick<Blobs, 'read'>;
  /** The ids of the model's blobs. */
  readonly model: readonly string[];
  readonly options: FileOptions;
  /** Resolves when more can be taken. */
  readonly write: (chunk: Uint8Array) => Promise<void>;
  readonly signal: AbortSignal;
  /** Somebody waits for it and has their turn: it is to wait for nothing that is made in the background. */
  readonly isAwaited?: boolean;
}

export type RenderStored = (job: RenderJob) => Promise<Rendered>;

/** In this thread. */
export const renderHere: RenderStored = async ({ blobs, model, options, write, signal }) =>
  renderFile(await openModel(blobs, model), options, write, signal);
