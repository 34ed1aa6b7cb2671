import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import {
  ById,
  Pagination,
  Timestamp,
  commaListOf,
  digits,
  listEndpoint,
  listQuery,
} from './lists.ts';
import { MediaType, notBlank, oneLine } from './text.ts';

const path = '/v1/compliance/evidence';

export const evidenceSources = [
  'policies',
  'tallies',
  'samples',
  'violations',
  'exemptions',
  'changes',
  'manual',
] as const;
const EvidenceSource = z.enum(evidenceSources);
export type EvidenceSource = z.infer<typeof EvidenceSource>;

/** What one source says of a control now. */
const EvidenceItem = z.looseObject({
  /** The same for the same control and source. */
  id: z.string(),
  framework: z.string(),
  control_id: z.string(),
  control_title: z.string().optional(),
  source: EvidenceSource,
  collected_at: Timestamp,
  /** Of `data` as canonical JSON, in lower-case hex: it changes only with what it says. */
  sha256: z.string(),
  /** In one line. */
  summary: z.string(),
  data: z.record(z.string(), z.unknown()),
});
export type EvidenceItem = z.infer<typeof EvidenceItem>;

const EvidenceListQuery = z.strictObject({
  /** An ID or a name, such as soc2. */
  framework: z.string().min(1).max(256).optional(),
  /** Of the framework; or with it: `SOC2:CC6.1`. */
  control: z.string().min(1).max(512).optional(),
  /** Changes, and what people attached, since then; default: the last 90 days. */
  since: Timestamp.optional(),
  source: commaListOf(EvidenceSource).optional(),
  limit: digits(z.int().min(1).max(100)).prefault(20),
  offset: digits(z.int().min(0)).optional(),
});
export type EvidenceListQuery = z.infer<typeof EvidenceListQuery>;

const BundleInput = z.strictObject({
  framework: notBlank(256),
  /** Only these; default: all of the framework. */
  controls: z.array(notBlank(256)).min(1).max(1_000).optional(),
  /** Changes and resolved violations since then; default: the last 90 days. */
  since: Timestamp.optional(),
  name: oneLine(256).optional(),
});
export type BundleInput = z.infer<typeof BundleInput>;

const bundleStatuses = ['building', 'completed', 'failed'] as const;
export const BundleStatus = z.enum(bundleStatuses);
export type BundleStatus = z.infer<typeof BundleStatus>;

/** The evidence of one moment, and the file that it is in. */
const Bundle = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  framework: z.string(),
  /** Absent: all of the framework. */
  controls: z.array(z.string()).optional(),
  since: Timestamp,
  status: BundleStatus,
  /** The moment: the newest scan of the whole inventory, and where the audit log ended. */
  cut: z.looseObject({
    at: Timestamp,
    scan_id: z.string(),
    scan_completed_at: Timestamp,
    audit_sequence: z.int(),
    audit_hash: z.string(),
  }),
  created_at: Timestamp,
  created_by: z.string(),
  completed_at: Timestamp.optional(),
  /** Of `completed` ones. */
  bundle: z.looseObject({ size: z.int(), sha256: z.string(), key_id: z.string() }).optional(),
  /** Of `failed` ones. */
  failure: z.looseObject({ reason: z.string() }).optional(),
});

export const bundleSortFields = ['created_at', 'id', 'framework', 'status'] as const;
const BundleListQuery = listQuery(bundleSortFields, {
  framework: z.string().min(1).max(256).optional(),
  status: commaListOf(BundleStatus).optional(),
});
export type BundleListQuery = z.infer<typeof BundleListQuery>;

/** Bytes of a file that is attached. */
export const maxAttachedBytes = 10 * 1024 * 1024;
const base64Length = 4 * Math.ceil(maxAttachedBytes / 3);
const tooLarge = 'is larger than 10 MiB';
/**
 * Searches for the first invalid character. A pattern that matches the whole text would overflow the stack at 10 MiB once
 * V8 no longer optimizes patterns, as in a process that has compiled many.
 */
function isBase64(text: string): boolean {
  const end = text.search(/[^A-Za-z0-9+/]/);
  return text.length % 4 === 0 && (end < 0 || /^={1,2}$/.test(text.slice(end)));
}
/** Bytes that base64 is of. */
const bytesIn = (base64: string): number =>
  (base64.length / 4) * 3 - (/=*$/.exec(base64.slice(-2))?.[0].length ?? 0);
/** With everything else of its request. */
const maxManualBytes = 15 * 1024 * 1024;

const AttachedFile = z.strictObject({
  name: oneLine(256),
  media_type: MediaType.default('application/octet-stream'),
  /** Base64. */
  content: z
    .string()
    .min(1, { error: 'must not be empty', abort: true })
    .max(base64Length, { error: tooLarge, abort: true })
    .refine(isBase64, { error: 'must be base64', abort: true })
    .refine((text) => bytesIn(text) <= maxAttachedBytes, { error: tooLarge }),
});

const ManualInput = z
  .strictObject({
    /** A framework and one of its controls: `SOC2:CC1.1`. */
    control: notBlank(512).regex(
      /^[^:]+:.+$/,
      'must be a framework and a control, such as SOC2:CC1.1',
    ),
    text: notBlank(65_536).optional(),
    file: AttachedFile.optional(),
    /** The last day it counts, UTC; at most three years from now. */
    expires: z.iso.date('must be a date such as 2026-12-31'),
  })
  .refine(({ text, file }) => text !== undefined || file !== undefined, {
    error: 'is missing: send text, a file, or both',
    path: ['text'],
  });
export type ManualInput = z.infer<typeof ManualInput>;

/** Evidence that a person attached to a control. */
const Manual = z.looseObject({
  id: z.string(),
  framework: z.string(),
  control_id: z.string(),
  text: z.string().optional(),
  file: z
    .looseObject({
      name: z.string(),
      media_type: z.string(),
      size: z.int(),
      sha256: z.string(),
    })
    .optional(),
  expires: z.string(),
  created_at: Timestamp,
  created_by: z.string(),
});

export const manualSortFields = ['created_at', 'id', 'expires', 'framework', 'control_id'] as const;
const ManualListQuery = listQuery(manualSortFields, {
  framework: z.string().min(1).max(256).optional(),
  /** With its framework: `SOC2:CC1.1`. */
  control: z.string().min(1).max(512).optional(),
});
export type ManualListQuery = z.infer<typeof ManualListQuery>;

const read = { method: 'GET', scope: 'governance:read' } as const;
const one = { params: ById, versioned: true } as const;

export const evidence = {
  list: endpoint({
    ...read,
    path,
    summary: 'List the current evidence for the controls of a framework, with its SHA-256',
    query: EvidenceListQuery,
    response: {
      status: 200,
      body: z.looseObject({ evidence: z.array(EvidenceItem), pagination: Pagination }),
    },
    errors: ['invalid_evidence', 'framework_not_found', 'control_not_found'],
  }),
  collect: endpoint({
    method: 'POST',
    path,
    summary: 'Collect the current evidence into a signed bundle, in the background',
    scope: 'compliance:write',
    body: BundleInput,
    versioned: true,
    response: { status: 202, body: Bundle },
    errors: ['invalid_evidence', 'framework_not_found', 'control_not_found'],
  }),
  bundles: listEndpoint({
    path: `${path}/bundles`,
    summary: 'List evidence bundles',
    ext: true,
    query: BundleListQuery,
    rows: { bundles: z.array(Bundle) },
    errors: ['framework_not_found'],
  }),
  key: endpoint({
    ...read,
    path: `${path}/key`,
    summary: 'Get the public key that verifies bundles',
    ext: true,
    response: {
      status: 200,
      body: z.looseObject({ key: z.looseObject({ id: z.string(), public_key: z.string() }) }),
    },
    errors: [],
  }),
  listManual: listEndpoint({
    path: `${path}/manual`,
    summary: 'List attached evidence',
    ext: true,
    query: ManualListQuery,
    rows: { manual: z.array(Manual) },
    errors: ['framework_not_found', 'control_not_found', 'invalid_evidence'],
  }),
  attach: endpoint({
    method: 'POST',
    path: `${path}/manual`,
    summary: 'Attach text or a file (maximum 10 MiB) to a control',
    scope: 'compliance:write',
    ext: true,
    body: ManualInput,
    maxBodyBytes: maxManualBytes,
    objectBytes: maxManualBytes,
    versioned: true,
    response: { status: 201, body: Manual },
    errors: ['invalid_evidence', 'framework_not_found', 'control_not_found'],
  }),
  getManual: endpoint({
    ...read,
    ...one,
    path: `${path}/manual/:id`,
    summary: 'Get attached evidence',
    ext: true,
    response: { status: 200, body: Manual },
    errors: ['evidence_not_found'],
  }),
  manualFile: endpoint({
    ...read,
    path: `${path}/manual/:id/file`,
    summary: 'Download the file of attached evidence; supports Range',
    ext: true,
    params: ById,
    response: { status: 200, type: 'application/octet-stream', binary: true },
    errors: ['evidence_not_found'],
  }),
  deleteManual: endpoint({
    ...one,
    method: 'DELETE',
    path: `${path}/manual/:id`,
    summary: 'Delete attached evidence; bundles that include it do not change',
    scope: 'compliance:write',
    ext: true,
    response: { status: 204 },
    errors: ['evidence_not_found', 'precondition_failed'],
  }),
  get: endpoint({
    ...read,
    ...one,
    path: `${path}/:id`,
    summary: 'Get an evidence bundle: its status, and the time it describes',
    ext: true,
    response: { status: 200, body: Bundle },
    errors: ['evidence_not_found'],
  }),
  delete: endpoint({
    ...one,
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Delete an evidence bundle and its file; attached evidence is not deleted',
    scope: 'compliance:write',
    ext: true,
    response: { status: 204 },
    errors: ['evidence_not_found', 'precondition_failed'],
  }),
  bundle: endpoint({
    ...read,
    path: `${path}/:id/bundle`,
    summary: 'Download the file of a bundle (ZIP); its bytes never change; supports Range',
    ext: true,
    params: ById,
    response: { status: 200, type: 'application/zip', binary: true },
    errors: ['evidence_not_found', 'evidence_not_ready'],
  }),
};
