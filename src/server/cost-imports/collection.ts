import * as z from 'zod';
import { CostImport } from '../../contract/cost-imports.ts';
import type { CostImportListQuery, costImportSortFields } from '../../contract/cost-imports.ts';
import { anyOf } from '../http/paging.ts';
import type { Filters } from '../http/paging.ts';
import type { FileOf } from '../module.ts';
import { Count, Id, Sha256, shape } from '../shape.ts';
import type { Named } from '../shape.ts';
import type { CollectionSpec, LaneSpec, Scalar } from '../store/store.ts';

/** A file that was sent. */
export interface SentFile extends FileOf {
  /** From 1. */
  readonly n: number;
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

/** An import as answered, with the blobs of its files until it has ended. */
export interface StoredImport extends Omit<Named<CostImport>, 'files' | 'bytes' | 'progress'> {
  readonly files: readonly (Omit<SentFile, 'blob'> & { readonly blob?: string })[];
  /** Times that it was begun. */
  readonly attempts: number;
  /** Milliseconds since the epoch: when it is forgotten. Of one that is open: if nothing more is sent. */
  readonly expires?: number;
}

const order: Record<
  (typeof costImportSortFields)[number],
  (one: StoredImport) => Scalar | undefined
> = {
  created_at: ({ created_at: at }) => at,
  id: ({ id }) => id,
  status: ({ status }) => status,
};

export const costImports: CollectionSpec<StoredImport> = {
  name: 'cost_imports',
  index: {
    status: ({ status }) => status,
    /** Who opened those that have not ended. */
    waiting_of: ({ status, created_by: by }) =>
      status === 'completed' || status === 'failed' ? undefined : by,
  },
  order: { ...order, expires: ({ expires }) => expires },
};

/** A lane for each import that was committed, under its ID. */
export const costImportLanes: LaneSpec = { name: 'cost_imports' };

export const importFilters = (query: CostImportListQuery): Filters => anyOf(query, ['status']);

/** The files of an import that are stored. */
export const filesOf = ({ files }: StoredImport): readonly SentFile[] =>
  files.flatMap(({ blob, ...file }) => (blob === undefined ? [] : [{ ...file, blob }]));

export const importShape = shape<StoredImport>({
  ...CostImport.omit({ bytes: true, progress: true }).shape,
  id: Id,
  files: z.array(
    shape<StoredImport['files'][number]>({
      n: Count,
      name: z.string(),
      size: Count,
      sha256: Sha256,
      blob: z.string().min(1).max(200).optional(),
    }),
  ),
  attempts: Count,
  expires: z.number().optional(),
});
