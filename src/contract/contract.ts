import { apiKeys, auditLog, auth, oauthClients } from './auth.ts';
import type { Contract } from './endpoint.ts';
import { validatePolicies } from './evaluation.ts';
import { exemptions } from './exemptions.ts';
import { policies } from './policies.ts';
import { resources } from './resources.ts';
import { scans } from './scans.ts';
import { system } from './system.ts';
import { violations } from './violations.ts';

/** The whole API: noun → verb → endpoint. */
export const contract = {
  policies: { ...policies, validate: validatePolicies },
  resources,
  scans,
  violations,
  exemptions,
  auth,
  apiKeys,
  oauthClients,
  auditLog,
  system,
} as const satisfies Contract;
export type ServiceContract = typeof contract;
