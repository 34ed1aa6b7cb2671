import type { BundleStatus, bundleSortFields, manualSortFields } from '../../contract/evidence.ts';
import { frameworkKey, labelKey } from '../../engine/labels.ts';
import type { Cut } from '../../report/evidence/facts.ts';
import type { CollectionSpec, LaneSpec, Scalar } from '../store/store.ts';

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

const bundleOrder: Record<
  (typeof bundleSortFields)[number],
  (bundle: StoredBundle) => Scalar | undefined
> = {
  created_at: ({ created_at: at }) => at,
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

const manualOrder: Record<
  (typeof manualSortFields)[number],
  (manual: StoredManual) => Scalar | undefined
> = {
  created_at: ({ created_at: at }) => at,
  id: ({ id }) => id,
  expires: ({ expires }) => expires,
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
