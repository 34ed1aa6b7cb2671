import { BundleStatus } from '../../contract/evidence.ts';
import type { bundleSortFields, manualSortFields } from '../../contract/evidence.ts';
import { frameworkKey, labelKey } from '../../engine/labels.ts';
import type { Cut } from '../../report/evidence/facts.ts';
import type { CollectionSpec, LaneSpec, Scalar } from '../store/store.ts';
import * as z from 'zod';
import { Timestamp } from '../../contract/lists.ts';
import { MediaType, oneLine } from '../../contract/text.ts';
import { Count, Id, Key, Sha256, shape } from '../shape.ts';

/** A file of a document. */
export interface StoredFile {
  readonly blob: string;
  readonly size: number;
  readonly sha256: string;
}

/** A bundle: the moment that was fixed, and what became of it. */
export interface StoredBundle {
  readonly id: string;
  readonly name?: string;
  /** The ID of its framework. */
  readonly framework: string;
  readonly controls?: string[];
  readonly since: string;
  readonly status: BundleStatus;
  readonly cut: Omit<Cut, 'id'>;
  readonly created_at: string;
  readonly created_by: string;
  readonly completed_at?: string;
  readonly failure?: { readonly reason: string };
  readonly base_url: string;
  readonly local: boolean;
  /** Times that its building was begun. */
  readonly attempts: number;
  /** What it is built from, from when it is collected until it is built: so a restart builds the same bytes. */
  readonly facts?: StoredFile;
  readonly bundle?: StoredFile & { readonly key_id: string };
}

export const filesOf = ({ facts, bundle }: StoredBundle): readonly StoredFile[] =>
  [facts ?? [], bundle ?? []].flat();

const bundleOrder: Record<
  (typeof bundleSortFields)[number] | 'ended_at',
  (bundle: StoredBundle) => Scalar | undefined
> = {
  created_at: ({ created_at: at }) => at,
  ended_at: ({ status, completed_at, created_at }) =>
    status === 'building' ? undefined : (completed_at ?? created_at),
  id: ({ id }) => id,
  framework: ({ framework }) => framework,
  status: ({ status }) => status,
};

export const bundles: CollectionSpec<StoredBundle> = {
  name: 'evidence_bundles',
  index: {
    framework: ({ framework }) => frameworkKey(framework),
    status: ({ status }) => status,
    /** Who asked for those that are not built yet. */
    waiting_of: ({ status, created_by: by }) => (status === 'building' ? by : undefined),
  },
  order: bundleOrder,
};

/** A lane for each bundle that is to be built, under its ID. */
export const bundleLanes: LaneSpec = { name: 'evidence_bundles' };

/** Evidence that a person attached. */
export interface StoredManual {
  readonly id: string;
  /** The ID of its framework. */
  readonly framework: string;
  readonly control_id: string;
  readonly text?: string;
  /** The last day it counts. */
  readonly expires: string;
  readonly created_at: string;
  readonly created_by: string;
  readonly file?: StoredFile & { readonly name: string; readonly media_type: string };
}

/** The end of the last day that it counts. */
export const expiryOf = ({ expires }: Pick<StoredManual, 'expires'>): string =>
  `${expires}T23:59:59.999Z`;

const manualOrder: Record<
  (typeof manualSortFields)[number] | 'ended_at',
  (manual: StoredManual) => Scalar | undefined
> = {
  created_at: ({ created_at: at }) => at,
  id: ({ id }) => id,
  expires: ({ expires }) => expires,
  ended_at: (manual) => Date.parse(expiryOf(manual)),
  framework: ({ framework }) => framework,
  control_id: ({ control_id: control }) => control,
};

/** What all spellings of a control have in common. */
export const keyOfControl = (framework: string, control: string): string =>
  labelKey(`${framework}:${control}`);

export const manualEvidence: CollectionSpec<StoredManual> = {
  name: 'manual_evidence',
  index: {
    framework: ({ framework }) => frameworkKey(framework),
    control: ({ framework, control_id: control }) => keyOfControl(framework, control),
  },
  order: manualOrder,
};

const file = { blob: z.string(), size: Count, sha256: Sha256 };

export const bundleShape = shape<StoredBundle>({
  id: Id,
  name: z.string().optional(),
  framework: z.string().min(1),
  controls: z.array(z.string()).optional(),
  since: Timestamp,
  status: BundleStatus,
  cut: shape<StoredBundle['cut']>({
    at: Timestamp,
    scan_id: Id,
    scan_completed_at: Timestamp,
    audit_sequence: Count,
    audit_hash: z.string(),
  }),
  created_at: Timestamp,
  created_by: Key,
  completed_at: Timestamp.optional(),
  failure: z.looseObject({ reason: z.string() }).optional(),
  base_url: z.string(),
  local: z.boolean(),
  attempts: Count,
  facts: shape<StoredFile>(file).optional(),
  bundle: shape<NonNullable<StoredBundle['bundle']>>({ ...file, key_id: z.string() }).optional(),
});

export const manualShape = shape<StoredManual>({
  id: Id,
  framework: z.string().min(1),
  control_id: z.string().min(1),
  text: z.string().optional(),
  expires: z.iso.date('must be a date such as 2026-12-31'),
  created_at: Timestamp,
  created_by: Key,
  file: shape<NonNullable<StoredManual['file']>>({
    ...file,
    name: oneLine(256),
    media_type: MediaType,
  }).optional(),
});
