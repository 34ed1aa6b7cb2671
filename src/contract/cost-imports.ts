import * as z from 'zod';
import { Money } from './money.ts';
import { endpoint } from './endpoint.ts';
import { ById, Timestamp, commaListOf, listQuery } from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { notBlank, oneLine } from './text.ts';

const path = '/v1/cost/imports';

export const costImportStatuses = ['open', 'pending', 'running', 'completed', 'failed'] as const;
const CostImportStatus = z.enum(costImportStatuses);

export const dateFormats = ['MM/DD/YYYY', 'DD/MM/YYYY'] as const;

/** Files of one import. */
export const maxCostFiles = 1_000;

const CostImportInput = z.strictObject({
  name: notBlank(256).optional(),
  /** Reads and compares, but stores nothing. */
  dry_run: z.boolean().default(false),
  /** Imports the rows that can be read; their periods are marked as incomplete. */
  skip_rejected: z.boolean().default(false),
  /** Order of month and day in dates with slashes; default: the only one that fits all of them. */
  date_format: z.enum(dateFormats).optional(),
});
export type CostImportInput = z.infer<typeof CostImportInput>;

/** Sums in one currency, as decimals with all digits. */
const CurrencyTotals = z.looseObject({
  currency: z.string(),
  billed: Money,
  effective: Money,
  list: Money,
});

/** A row that cannot be read. */
const RejectedRow = z.looseObject({
  file: z.string(),
  /** From 1; the row in a Parquet file. */
  line: z.int().optional(),
  /** In characters, from 1. */
  column: z.int().optional(),
  /** The column's name. */
  field: z.string().optional(),
  reason: z.string(),
});
export type RejectedRow = z.infer<typeof RejectedRow>;

const ReadFile = z.looseObject({
  file: z.string(),
  format: z.enum(['csv', 'ndjson', 'parquet']),
  compressed: z.boolean(),
  /** Such as FOCUS or CUR 2.0. */
  dialect: z.string(),
  rows: z.int(),
  /** The columns of the file that each value is read from. */
  columns: z.record(z.string(), z.array(z.string())),
  /** Columns that are not used. */
  unmapped: z.array(z.string()),
});
export type ReadFile = z.infer<typeof ReadFile>;

const ImportedPeriod = z.looseObject({
  provider: z.string(),
  billing_account: z.string(),
  /** `2026-09` */
  period: z.string(),
  change: z.enum(['added', 'replaced', 'unchanged']),
  rows: z.int(),
  rows_before: z.int().optional(),
  /** Rows that could not be read: the period is incomplete. */
  skipped: z.int(),
  totals: z.array(CurrencyTotals),
  totals_before: z.array(CurrencyTotals).optional(),
});
export type ImportedPeriod = z.infer<typeof ImportedPeriod>;

const CostImportResult = z.looseObject({
  files: z.array(ReadFile),
  rows: z.int(),
  /** Rows that could not be read, and the first 100 of them. */
  rejected: z.int(),
  rejected_rows: z.array(RejectedRow),
  /** Amounts that were rounded to 18 digits after the point. */
  rounded: z.int(),
  currencies: z.array(z.string()),
  /** How many billing periods there are of each change, and the first 100 of them. */
  changes: z.looseObject({ added: z.int(), replaced: z.int(), unchanged: z.int() }),
  periods: z.array(ImportedPeriod),
  /** How many of them are older than the server keeps charges: it removes them within minutes. */
  expired: z.int().optional(),
  /** Of all these periods. */
  totals: z.array(
    z.looseObject({ currency: z.string(), before: CurrencyTotals, after: CurrencyTotals }),
  ),
});
export type CostImportResult = z.infer<typeof CostImportResult>;

export const CostImport = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  status: CostImportStatus,
  dry_run: z.boolean(),
  skip_rejected: z.boolean(),
  date_format: z.enum(dateFormats).optional(),
  files: z.array(
    z.looseObject({ n: z.int(), name: z.string(), size: z.int(), sha256: z.string() }),
  ),
  /** Of all files, as they were sent. */
  bytes: z.int(),
  /** Progress of reading. */
  progress: z.looseObject({ bytes: z.int(), rows: z.int() }).optional(),
  created_at: Timestamp,
  created_by: z.string(),
  /** Of `open` ones: 24 hours after the last file. */
  expires_at: Timestamp.optional(),
  committed_at: Timestamp.optional(),
  completed_at: Timestamp.optional(),
  result: CostImportResult.optional(),
  /** `failed` only: nothing was imported. */
  failure: z
    .looseObject({
      reason: z.string(),
      file: z.string().optional(),
      line: z.int().optional(),
      column: z.int().optional(),
    })
    .optional(),
});
export type CostImport = z.infer<typeof CostImport>;

export const costImportSortFields = ['created_at', 'id', 'status'] as const;
const CostImportListQuery = listQuery(costImportSortFields, {
  status: commaListOf(CostImportStatus).optional(),
});
export type CostImportListQuery = z.infer<typeof CostImportListQuery>;

const reading = nounEndpoints({
  path,
  ext: true,
  scope: 'cost:read',
  answer: CostImport,
  missing: 'cost_import_not_found',
});
const changing = nounEndpoints({
  path,
  ext: true,
  scope: 'cost:admin',
  answer: CostImport,
  missing: 'cost_import_not_found',
});

export const costImports = {
  list: reading.list({
    summary: 'List cost imports',
    query: CostImportListQuery,
    rows: { imports: z.array(CostImport) },
  }),
  create: changing.create({
    summary: 'Create a cost import; then upload its files and commit it',
    body: CostImportInput,
    errors: ['invalid_cost_import', 'unavailable'],
  }),
  get: reading.get({ summary: 'Get a cost import with its progress or result' }),
  put: endpoint({
    method: 'PUT',
    path: `${path}/:id/files/:n`,
    summary:
      'Upload a file to an open cost import: CSV, NDJSON (both optionally gzipped) or Parquet; uploading a file with the same number replaces it',
    scope: 'cost:admin',
    ext: true,
    params: z.strictObject({ id: z.string(), n: z.string() }),
    query: z.strictObject({ name: oneLine(256).optional() }),
    streamed: 'application/octet-stream',
    response: { status: 200, body: CostImport },
    errors: ['cost_import_not_found', 'cost_import_state', 'invalid_cost_import', 'body_too_large'],
  }),
  commit: endpoint({
    method: 'POST',
    path: `${path}/:id/commit`,
    summary:
      'Commit a cost import: replace the billing periods of all its files in the background, all or nothing',
    scope: 'cost:admin',
    ext: true,
    params: ById,
    versioned: true,
    response: { status: 202, body: CostImport },
    errors: ['cost_import_not_found', 'cost_import_state'],
  }),
  delete: changing.delete({
    summary: 'Delete a cost import and its files; imported charges are kept',
  }),
};
