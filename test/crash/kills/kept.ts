import type { Json } from './history.ts';

/** What is listed, and by what its clients know it. */
export interface Kept {
  readonly path: string;
  readonly plural: string;
  readonly label: (row: Json) => string;
  /** Fields that the server itself changes. */
  readonly moving: ReadonlySet<string>;
}

const by =
  (field: string) =>
  (row: Json): string =>
    String(row[field] ?? '');

const keep = (path: string, plural: string, field: string, ...moving: string[]): Kept => ({
  path,
  plural,
  label: by(field),
  moving: new Set(moving),
});

/** Whatever clients create and later find in a list. */
export const kept: Readonly<Record<string, Kept>> = {
  policies: keep('/v1/policies', 'policies', 'name', 'quarantined', 'remediation_problem'),
  resources: keep('/v1/resources', 'resources', 'id', '_meta', 'versioning'),
  exemptions: keep('/v1/exemptions', 'exemptions', 'reason', 'status'),
  scans: keep(
    '/v1/scans',
    'scans',
    'name',
    ...['status', 'progress', 'summary', 'undecided', 'resources_scanned', 'violations_found'],
    ...['compliance_score', 'started_at', 'completed_at', 'duration'],
  ),
  frameworks: keep('/v1/compliance/framework-definitions', 'frameworks', 'id'),
  manual: keep('/v1/compliance/evidence/manual', 'manual', 'text'),
  bundles: keep(
    '/v1/compliance/evidence/bundles',
    'bundles',
    'name',
    ...['status', 'completed_at', 'bundle', 'cut', 'failure'],
  ),
  costImports: keep(
    '/v1/cost/imports',
    'imports',
    'name',
    ...['status', 'files', 'bytes', 'progress', 'expires_at', 'committed_at', 'completed_at'],
    ...['result', 'failure'],
  ),
  remediations: keep(
    '/v1/compliance/remediate',
    'remediations',
    'note',
    ...['status', 'counts', 'actions', 'updated_at', 'started_at', 'ended_at', 'approved_at'],
    ...['approved_by', 'cancelled_by', 'reason'],
  ),
  budgets: keep('/v1/budgets', 'budgets', 'name', 'status'),
  schedules: keep(
    '/v1/reports/schedules',
    'schedules',
    'name',
    ...['next_run_at', 'last_run_at', 'last_report_id', 'last_status'],
  ),
  reports: keep('/v1/reports', 'reports', 'name', 'status', 'generated_at', 'size', 'summary'),
  webhooks: keep(
    '/v1/webhooks',
    'webhooks',
    'name',
    ...['last_delivery', 'waiting', 'failing_since', 'status', 'disabled_at', 'disabled_reason'],
    ...['secret_hint', 'previous_secret_expires_at'],
  ),
  users: keep('/v1/users', 'users', 'email'),
  roles: keep('/v1/roles', 'roles', 'name'),
  apiKeys: keep('/v1/api-keys', 'api_keys', 'name', 'last_used_at', 'last_used_ip'),
  oauthClients: keep('/v1/oauth-clients', 'oauth_clients', 'name', 'last_used_at'),
  trusts: keep('/v1/trusts', 'trusts', 'name', 'last_used_at'),
};
