import { Scan } from '../../contract/scans.ts';
import type { ScanListQuery, scanSortFields } from '../../contract/scans.ts';
import { anyOf } from '../http/paging.ts';
import type { Filters } from '../http/paging.ts';
import type { CollectionSpec, Scalar } from '../store/store.ts';
import { Id, shape } from '../shape.ts';

/** A scan as stored is a scan as answered. */
export type StoredScan = Scan;

type SortField = (typeof scanSortFields)[number];

const order: Record<SortField, (scan: StoredScan) => Scalar | undefined> = {
  created_at: (scan) => scan.created_at,
  started_at: (scan) => scan.started_at,
  completed_at: (scan) => scan.completed_at,
  id: (scan) => scan.id,
  name: (scan) => scan.name,
  status: (scan) => scan.status,
  progress: (scan) => scan.progress,
  resources_scanned: (scan) => scan.resources_scanned,
  violations_found: (scan) => scan.violations_found,
  compliance_score: (scan) => scan.compliance_score ?? undefined,
  created_by: (scan) => scan.created_by,
};

const isUnderway = ({ status }: StoredScan): boolean =>
  status === 'pending' || status === 'running';

export const scans: CollectionSpec<StoredScan> = {
  name: 'scans',
  index: {
    status: (scan) => scan.status,
    /** Who began those that have not ended. */
    waiting_of: (scan) => (isUnderway(scan) ? scan.created_by : undefined),
  },
  order,
};

export const scanFilters = (query: ScanListQuery): Filters => anyOf(query, ['status']);

export const scanShape = shape<StoredScan>({ ...Scan.shape, id: Id });
