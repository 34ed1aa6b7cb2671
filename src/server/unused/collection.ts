import * as z from 'zod';
import { UnusedKind } from '../../contract/cost-unused.ts';
import { Timestamp } from '../../contract/lists.ts';
import type { CollectionSpec } from '../store/store.ts';
import { Id, Key, shape } from '../shape.ts';

/** A resource that a rule finds unused, from `due` on. Kept as resources change, so that nobody looks through the inventory. */
export interface StoredUnused {
  /** Of the resource. */
  readonly id: string;
  readonly kind: UnusedKind;
  readonly type: string;
  readonly name?: string;
  readonly provider: string;
  readonly account_id?: string;
  readonly region?: string;
  readonly environment?: string;
  readonly reason: string;
  readonly since?: string;
  /** Absent: at once. */
  readonly due?: string;
  readonly disks?: readonly string[];
  /** Made when it was stored: sorts after those of all that were stored before it. */
  readonly change: string;
}

export const unusedResources: CollectionSpec<StoredUnused> = {
  name: 'unused_resources',
  order: { id: ({ id }) => id.slice(0, 256), change: ({ change }) => change },
};

export const unusedShape = shape<StoredUnused>({
  id: Key,
  kind: UnusedKind,
  type: z.string(),
  name: z.string().optional(),
  provider: z.string(),
  account_id: z.string().optional(),
  region: z.string().optional(),
  environment: z.string().optional(),
  reason: z.string(),
  since: Timestamp.optional(),
  due: Timestamp.optional(),
  disks: z.array(z.string()).optional(),
  change: Id,
});
