import { apiKeys } from './api-keys.ts';
import { archive } from './archive.ts';
import { auditLog } from './audit-log.ts';
import { auth } from './auth.ts';
import { budgets } from './budgets.ts';
import { costAnomalies } from './cost-anomalies.ts';
import { costForecast } from './cost-forecast.ts';
import { costResources } from './cost-resources.ts';
import { costImports } from './cost-imports.ts';
import { cost } from './cost.ts';
import { costUnused } from './cost-unused.ts';
import type { Contract } from './endpoint.ts';
import { validatePolicies } from './evaluation.ts';
import { events } from './events.ts';
import { evidence } from './evidence.ts';
import { exemptions } from './exemptions.ts';
import { frameworkDefinitions, frameworks } from './frameworks.ts';
import { evaluations, governance } from './governance.ts';
import { idTokenKeys } from './id-token-keys.ts';
import { local } from './local.ts';
import { me } from './me.ts';
import { metrics } from './metrics.ts';
import { oauthClients } from './oauth-clients.ts';
import { policies } from './policies.ts';
import { downloads } from './report-downloads.ts';
import { predictions } from './predictions.ts';
import { remediations } from './remediations.ts';
import { reports } from './reports.ts';
import { resources } from './resources.ts';
import { rightsizing } from './rightsizing.ts';
import { roles } from './roles.ts';
import { scans } from './scans.ts';
import { schedules } from './schedules.ts';
import { system } from './system.ts';
import { trusts } from './trusts.ts';
import { users } from './users.ts';
import { uses } from './uses.ts';
import { violations } from './violations.ts';
import { deliveries } from './webhook-deliveries.ts';
import { webhooks } from './webhooks.ts';

/** The whole API: noun → verb → endpoint. */
export const contract = {
  policies: { ...policies, validate: validatePolicies },
  resources,
  scans,
  // Before violations: /v1/violations/predictive is no violation.
  predictions,
  violations,
  evaluations,
  governance,
  frameworks,
  frameworkDefinitions,
  evidence,
  costImports,
  exemptions,
  remediations,
  budgets,
  costForecast,
  costAnomalies,
  costResources,
  metrics,
  rightsizing,
  cost,
  costUnused,
  // Before reports: /v1/reports/schedules is no report.
  schedules,
  reports: { ...reports, ...downloads },
  events,
  webhooks: { ...webhooks, ...deliveries },
  auth,
  me,
  users,
  roles,
  apiKeys,
  oauthClients,
  idTokenKeys,
  trusts,
  auditLog,
  uses,
  archive,
  local,
  system,
} as const satisfies Contract;
export type ServiceContract = typeof contract;
