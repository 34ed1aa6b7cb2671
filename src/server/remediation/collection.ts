import * as z from 'zod';
import { Timestamp } from '../../contract/lists.ts';
import { Action, Remediation } from '../../contract/remediations.ts';
import type { RemediationListQuery, remediationSortFields } from '../../contract/remediations.ts';
import { mostDays } from '../../contract/remediation-action.ts';
import type { KnownResource } from '../../contract/resources.ts';
import type { Changed, Patch } from '../../engine/remediation/patch.ts';
import type { Filters } from '../http/paging.ts';
import { anyOf } from '../http/paging.ts';
import type { CollectionSpec, LaneSpec, Scalar } from '../store/store.ts';
import { unfitForJson } from '../../contract/resources.ts';
import { KnownResourceShape } from '../resources/collection.ts';
import { Count, Id, Key, Moment, keyed, shape } from '../shape.ts';
import type { Named } from '../shape.ts';
import { hasWork } from './transitions.ts';

/** A remediation as stored is a remediation as answered, without its actions. */
export type StoredRemediation = Remediation;

const order: Record<
  (typeof remediationSortFields)[number] | 'ended_at',
  (remediation: StoredRemediation) => Scalar | undefined
> = {
  /** Of a cancelled one, when its last action was verified. */
  ended_at: (remediation) =>
    isOpen(remediation) || hasWork(remediation.counts) ? undefined : remediation.updated_at,
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
  expires_at: ({ expires_at }) => expires_at,
  id: ({ id }) => id,
  status: ({ status }) => status,
};

export const openStatuses = ['planned', 'approved', 'running'] as const;
const open: ReadonlySet<string> = new Set(openStatuses);
/** Whether it has not ended. */
export const isOpen = ({ status }: Pick<StoredRemediation, 'status'>): boolean => open.has(status);

export const remediations: CollectionSpec<StoredRemediation> = {
  name: 'remediations',
  index: {
    status: ({ status }) => status,
    /** Who asked for those that have not ended. */
    open_of: (remediation) => (isOpen(remediation) ? remediation.requested_by : undefined),
    automatic: ({ automatic }) => String(automatic === true),
    /** The recommendation of those that have not ended. */
    open_rightsizing: (remediation) => (isOpen(remediation) ? remediation.rightsizing : undefined),
  },
  order,
};

export const remediationFilters = (query: RemediationListQuery): Filters =>
  anyOf({ status: query.status, automatic: query.automatic?.toString() }, ['status', 'automatic']);

/** One action of a remediation. */
export interface StoredAction extends Omit<Named<Action>, 'before_image' | 'changes'> {
  readonly changes: readonly Changed[];
  /** `rem_…:0001` */
  readonly id: string;
  readonly remediation_id: string;
  readonly planned_at: string;
  /** What the policy said when it was planned, see `fingerprintOf`. */
  readonly fingerprint: string;
  /** Merge patch of the resource. */
  readonly patch?: Patch;
}

export const actionId = (remediation: string, n: number): string =>
  `${remediation}:${String(n).padStart(4, '0')}`;

const isWaiting = ({ status }: StoredAction): boolean =>
  status === 'attempting' || status === 'unverified';

export const actions: CollectionSpec<StoredAction> = {
  name: 'remediation_actions',
  unique: {
    /** The one that was attempted for a violation and is not verified yet. */
    waiting: (action) => (isWaiting(action) ? action.violation_id : undefined),
  },
  index: {
    remediation: ({ remediation_id }) => remediation_id,
    /** `rem_… planned` */
    state: ({ remediation_id, status }) => `${remediation_id} ${status}`,
    /** `rem_… id` */
    planned_for: ({ remediation_id, resource_id, status }) =>
      status === 'planned' ? `${remediation_id} ${resource_id}` : undefined,
    planned_of_resource: ({ resource_id, status }) =>
      status === 'planned' ? resource_id : undefined,
    /** Not while it is attempted: an evaluation at that time may predate the change. */
    waiting_of_resource: ({ status, resource_id }) =>
      status === 'unverified' ? resource_id : undefined,
  },
  order: { id: ({ id }) => id, planned_at: ({ planned_at }) => planned_at },
};

/** A resource as it was before an action was attempted; its ID is the action's. */
export interface StoredImage {
  readonly id: string;
  readonly at: string;
  readonly revision: number;
  readonly resource: KnownResource;
}

export function remediationOfImage({ id }: StoredImage): string {
  return id.slice(0, id.indexOf(':'));
}

export const images: CollectionSpec<StoredImage> = {
  name: 'remediation_images',
  index: { remediation: remediationOfImage },
  order: { id: ({ id }) => id, at: ({ at }) => at },
};

/** The automatic remediation of one policy; its ID is the policy's. Every policy that asks for it has one. */
export interface StoredAutomation {
  readonly id: string;
  /** Days from the detection of a violation to its remediation. */
  readonly after_days: number;
  /** The current hour in milliseconds since the epoch, and the actions that were planned in it. */
  readonly hour?: { readonly since: number; readonly planned: number };
  /** Actions that failed in a row. */
  readonly failures: number;
  /** Nothing is planned before, in milliseconds since the epoch. */
  readonly resumes_at?: number;
  /** Open violations are still to be queued: those after the one with this ID. */
  readonly queued_to?: string;
}

export const automations: CollectionSpec<StoredAutomation> = {
  name: 'remediation_automations',
  order: { id: ({ id }) => id },
};

/** A violation to be remediated automatically; its ID is the violation's. */
export interface QueuedViolation {
  readonly id: string;
  readonly policy_id: string;
  /** Milliseconds since the epoch. */
  readonly due_at: number;
  /** From 1. */
  readonly attempt: number;
}

export const queue: CollectionSpec<QueuedViolation> = {
  name: 'remediation_queue',
  index: { policy: ({ policy_id }) => policy_id },
  order: { id: ({ id }) => id, due_at: ({ due_at }) => due_at },
};

/** One lane per automation with something to do; its only work is the policy's ID. */
export const automationLanes: LaneSpec = { name: 'remediation_automations' };

/** One lane per remediation that has not ended; its only work is the remediation's ID. */
export const remediationLanes: LaneSpec = {
  name: 'remediations',
  turns: {
    collection: remediations,
    ownerOf: ({ requested_by }: StoredRemediation) => requested_by,
    servedAt: ({ started_at }: StoredRemediation) => started_at,
  },
};

export const remediationShape = shape<StoredRemediation>({ ...Remediation.shape, id: Id });

const fitForJson = (value: unknown, context: z.core.$RefinementCtx): void => {
  const message = unfitForJson(value);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
};

export const actionShape = keyed(
  shape<StoredAction>({
    ...Action.omit({ before_image: true }).shape,
    id: Key,
    violation_id: Id,
    policy_id: Id,
    resource_id: Key,
    changes: z
      .array(
        shape<Changed>({
          path: z.string(),
          before: z.unknown().optional(),
          after: z.unknown().optional(),
        }),
      )
      .superRefine(fitForJson),
    remediation_id: Id,
    planned_at: Timestamp,
    fingerprint: z.string(),
    patch: z.record(z.string(), z.unknown()).superRefine(fitForJson).optional(),
  }),
  ({ remediation_id, n }) => actionId(remediation_id, n),
);

export const imageShape = shape<StoredImage>({
  id: Key,
  at: Timestamp,
  revision: Count,
  resource: KnownResourceShape,
});

export const automationShape = shape<StoredAutomation>({
  id: Id,
  after_days: z.int().min(0).max(mostDays),
  hour: z.object({ since: Moment, planned: Count }).optional(),
  failures: Count,
  resumes_at: Moment.optional(),
  queued_to: z.string().max(64).optional(),
});

export const queuedShape = shape<QueuedViolation>({
  id: Id,
  policy_id: Id,
  due_at: Moment,
  attempt: z.int().min(1),
});
