import { apiKeys, auditLog, auth, oauthClients } from './auth.ts';
import type { Contract } from './endpoint.ts';
import { validatePolicies } from './evaluation.ts';
import { events } from './events.ts';
import { exemptions } from './exemptions.ts';
import { local } from './local.ts';
import { policies } from './policies.ts';
import { reports } from './reports.ts';
import { resources } from './resources.ts';
import { scans } from './scans.ts';
import { schedules } from './schedules.ts';
import { system } from './system.ts';
import { violations } from './violations.ts';
import { webhooks } from './webhooks.ts';

/** The whole API: noun → verb → endpoint. */
export const contract = {
  policies: { ...policies, validate: validatePolicies },
  resources,
  scans,
  violations,
  exemptions,
  // Before reports: /v1/reports/schedules is no report.
  schedules,
  reports,
  events,
  webhooks,
  auth,
  apiKeys,
  oauthClients,
  auditLog,
  local,
  system,
} as const satisfies Contract;
export type ServiceContract = typeof contract;
