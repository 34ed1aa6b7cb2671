import { defined } from './defined.ts';

/**
 * The one catalogue of errors: what the service returns and what the CLI exits with. Anything that is not in
 * it becomes `internal_error`. `status` is null for errors that only a client can have; `code` is then null too.
 */
interface CatalogueEntry {
  readonly status: number | null;
  readonly code: string | null;
  readonly exit: ExitCode;
  readonly title: string;
}

/** Exit codes, the same for every command. */
export const exitCodes = {
  ok: 0,
  error: 1,
  verdict: 2,
  usage: 3,
  auth: 4,
  conflict: 5,
  guard: 6,
  partial: 7,
  pending: 8,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const entry = <const S extends number | null>(
  status: S,
  code: string | null,
  exit: ExitCode,
  title: string,
) => ({ status, code, exit, title });

export const errorCatalogue = {
  invalid_policy: entry(400, 'POL_001', 3, 'The policy is not valid'),
  policy_not_found: entry(404, 'POL_002', 1, 'No such policy'),
  policy_condition_invalid: entry(400, 'POL_003', 3, 'A condition does not compile'),
  policy_name_taken: entry(409, 'POL_004', 5, 'A policy with this name already exists'),

  invalid_resource: entry(400, 'RES_001', 3, 'The resource is not valid'),
  resource_not_found: entry(404, 'RES_002', 1, 'No such resource'),
  invalid_resolution: entry(400, 'VIO_001', 3, 'The resolution of the violation is not valid'),
  violation_not_found: entry(404, 'VIO_002', 1, 'No such violation'),
  prediction_not_found: entry(404, 'VIO_003', 1, 'No such prediction'),
  invalid_remediation: entry(400, 'REM_001', 3, 'The remediation is not valid'),
  remediation_not_found: entry(404, 'REM_002', 1, 'No such remediation'),
  remediation_state: entry(
    409,
    'REM_003',
    5,
    'The current state of the remediation does not allow this',
  ),
  remediation_guard: entry(409, 'REM_004', 6, 'A remediation guard refused the plan'),
  approval_refused: entry(403, 'REM_005', 4, 'The approval was refused'),
  remediator_not_configured: entry(409, 'REM_006', 3, 'No executor is configured for this policy'),
  invalid_scan: entry(400, 'SCN_001', 3, 'The scan is not valid'),
  scan_not_found: entry(404, 'SCN_002', 1, 'No such scan'),
  invalid_exemption: entry(400, 'EXM_001', 3, 'The exemption is not valid'),
  exemption_not_found: entry(404, 'EXM_002', 1, 'No such exemption'),
  framework_not_found: entry(404, 'CMP_001', 1, 'No such framework'),
  invalid_framework: entry(400, 'CMP_002', 3, 'The framework is not valid'),
  control_not_found: entry(404, 'CMP_003', 1, 'The framework has no such control'),
  framework_built_in: entry(409, 'CMP_004', 5, 'Built-in frameworks cannot be changed'),
  invalid_evidence: entry(400, 'EVD_001', 3, 'The evidence is not valid'),
  evidence_not_found: entry(404, 'EVD_002', 1, 'No such evidence'),
  evidence_not_ready: entry(409, 'EVD_003', 8, 'The evidence bundle is not completed yet'),
  invalid_budget: entry(400, 'BUD_001', 3, 'The budget is not valid'),
  budget_not_found: entry(404, 'BUD_002', 1, 'No such budget'),
  budget_name_taken: entry(409, 'BUD_003', 5, 'A budget with this name already exists'),
  invalid_metric: entry(400, 'MET_001', 3, 'The metrics are not valid'),
  rightsizing_not_found: entry(404, 'RSZ_001', 1, 'No such virtual machine'),
  rightsizing_withheld: entry(409, 'RSZ_002', 5, 'No smaller size is recommended'),
  invalid_cost_import: entry(400, 'CST_001', 3, 'The cost import is not valid'),
  cost_import_not_found: entry(404, 'CST_002', 1, 'No such cost import'),
  cost_import_state: entry(
    409,
    'CST_003',
    5,
    'The current state of the cost import does not allow this',
  ),
  anomaly_not_found: entry(404, 'ANM_001', 1, 'No such cost anomaly'),
  invalid_anomaly: entry(400, 'ANM_002', 3, 'The update of the cost anomaly is not valid'),
  api_key_not_found: entry(404, 'KEY_002', 1, 'No such API key'),
  address_not_allowed: entry(403, 'KEY_003', 4, 'The API key cannot be used from this address'),
  country_not_allowed: entry(403, 'KEY_004', 4, 'The API key cannot be used from this country'),
  oauth_client_not_found: entry(404, 'OCL_001', 1, 'No such OAuth client'),
  invalid_user: entry(400, 'USR_001', 3, 'The user is not valid'),
  user_not_found: entry(404, 'USR_002', 1, 'No such user'),
  user_email_taken: entry(409, 'USR_003', 5, 'A user with this email address already exists'),
  last_owner: entry(409, 'USR_004', 6, 'The last owner cannot be removed'),
  invalid_role: entry(400, 'ROL_001', 3, 'The role is not valid'),
  role_not_found: entry(404, 'ROL_002', 1, 'No such role'),
  role_name_taken: entry(409, 'ROL_003', 5, 'A role with this name already exists'),
  role_in_use: entry(409, 'ROL_004', 5, 'The role is still assigned to users'),
  invalid_trust: entry(400, 'TRU_001', 3, 'The trust rule is not valid'),
  trust_not_found: entry(404, 'TRU_002', 1, 'No such trust rule'),

  invalid_report_config: entry(400, 'RPT_001', 3, 'The report is not valid'),
  report_not_found: entry(404, 'RPT_002', 1, 'No such report'),
  report_not_ready: entry(409, 'RPT_003', 8, 'The report is not completed yet'),
  report_password_required: entry(403, 'RPT_004', 4, 'The report is protected by a password'),
  report_password_wrong: entry(403, 'RPT_004', 4, 'The report password is incorrect'),
  invalid_schedule: entry(400, 'SCH_001', 3, 'The schedule is not valid'),
  schedule_not_found: entry(404, 'SCH_002', 1, 'No such schedule'),

  invalid_webhook: entry(400, 'WHK_001', 3, 'The webhook is not valid'),
  webhook_not_found: entry(404, 'WHK_002', 1, 'No such webhook'),
  delivery_not_found: entry(404, 'WHK_003', 1, 'No such delivery'),
  delivery_not_ended: entry(409, 'WHK_004', 5, 'The delivery is still in progress'),
  event_not_found: entry(404, 'EVT_001', 1, 'No such event'),
  not_local: entry(403, 'LOC_001', 4, 'Only available on a local server'),
  fault_not_found: entry(404, 'LOC_002', 1, 'No such fault'),

  invalid_token: entry(401, 'AUTH_001', 4, 'The access token or API key is missing or not valid'),
  expired_token: entry(401, 'AUTH_002', 4, 'The access token has expired'),
  insufficient_scope: entry(403, 'AUTH_004', 4, 'The token lacks the required scope'),
  signature_required: entry(401, 'AUTH_005', 4, 'The API key requires signed requests'),
  signature_invalid: entry(401, 'AUTH_006', 4, 'The signature of the request is not valid'),

  malformed_request: entry(400, 'REQ_001', 3, 'The request is malformed'),
  not_found: entry(404, 'REQ_002', 1, 'Not found'),
  method_not_allowed: entry(405, 'REQ_003', 1, 'The path does not support this method'),
  precondition_failed: entry(412, 'REQ_004', 5, 'The object has changed since it was read'),
  idempotency_key_reused: entry(
    409,
    'REQ_005',
    5,
    'The idempotency key was used for a different request',
  ),
  body_too_large: entry(413, 'REQ_006', 3, 'The request body is too large'),
  unsupported_media_type: entry(415, 'REQ_007', 3, 'The request body is not JSON'),

  rate_limit_exceeded: entry(429, 'RATE_001', 1, 'Too many requests'),

  internal_error: entry(500, 'SRV_001', 1, 'An internal error occurred in the service'),
  unavailable: entry(503, 'SRV_002', 1, 'The service is temporarily unable to do this'),

  // Only a client has these.
  usage_error: entry(null, null, 3, 'Incorrect usage'),
  invalid_file: entry(null, null, 3, 'A file is not valid'),
  approval_required: entry(null, null, 3, 'The change requires approval'),
  plan_tampered: entry(null, null, 3, 'The plan file was modified after it was written'),
  not_logged_in: entry(null, null, 4, 'Not logged in'),
  plan_stale: entry(null, null, 5, 'The service has changed since the plan was created'),
  plan_expired: entry(null, null, 5, 'The plan has expired'),
  plan_foreign: entry(null, null, 5, 'The plan was created for another server or project'),
  ownership_conflict: entry(null, null, 5, 'Another owner has a policy with this name'),
  guard_refused: entry(null, null, 6, 'A safety guard refused the change'),
  partly_applied: entry(null, null, 7, 'Only part of the plan was applied'),
  timed_out: entry(null, null, 8, 'Timed out'),
  unreachable: entry(null, null, 1, 'The server cannot be reached'),
  bad_answer: entry(null, null, 1, 'The response is not from this API'),
  file_error: entry(null, null, 1, 'A file could not be read or written'),
  data_refused: entry(null, null, 1, 'The stored data cannot be used'),
  interrupted: entry(null, null, 130, 'Interrupted'),
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorName = keyof typeof errorCatalogue;

/** Names that travel on the wire. */
export type WireErrorName = {
  [N in ErrorName]: (typeof errorCatalogue)[N]['status'] extends number ? N : never;
}[ErrorName];

export interface ErrorDetail {
  readonly field: string;
  readonly message: string;
}

export interface GovctlErrorOptions {
  readonly details?: readonly ErrorDetail[];
  /** What to do next, in one sentence; sent in answers, and shown by the CLI under the message. */
  readonly hint?: string;
  /** Fields the contract adds to the body of this error (`retry_after`, `report_id`, ...). */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Headers the answer carries (`WWW-Authenticate`, `Allow`, `Retry-After`). */
  readonly headers?: Readonly<Record<string, string>>;
  readonly requestId?: string;
  /** HTTP status as received, where it isn't the catalogue's. */
  readonly status?: number;
  readonly cause?: unknown;
}

/** An error of the catalogue: thrown by services, answered by the app, mapped to an exit code by the CLI. */
export class GovctlError extends Error {
  override readonly name = 'GovctlError';
  readonly details: readonly ErrorDetail[];
  readonly hint: string | undefined;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestId: string | undefined;
  readonly status: number | null;

  constructor(
    readonly error: ErrorName,
    /** What went wrong, where and why: one sentence. */
    description: string,
    options: GovctlErrorOptions = {},
  ) {
    super(description, { cause: options.cause });
    this.details = options.details ?? [];
    this.hint = options.hint;
    this.extra = options.extra ?? {};
    this.headers = options.headers ?? {};
    this.requestId = options.requestId;
    this.status = options.status ?? errorCatalogue[error].status;
  }

  get code(): string | null {
    return errorCatalogue[this.error].code;
  }

  get exitCode(): ExitCode {
    return errorCatalogue[this.error].exit;
  }
}

/** The same error with another message or hint. All else that it says stays, such as the ID of the request. */
export function reword(
  error: GovctlError,
  {
    message = error.message,
    ...others
  }: Pick<GovctlErrorOptions, 'hint' | 'details'> & { readonly message?: string },
): GovctlError {
  const { hint, details, extra, headers, requestId, status } = error;
  return new GovctlError(error.error, message, {
    ...defined({ hint, details, extra, headers, requestId, status: status ?? undefined }),
    ...others,
    cause: error,
  });
}
