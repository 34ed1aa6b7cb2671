import { apiKeys, auditLog, auth, oauthClients } from './auth.ts';
import type { Contract } from './endpoint.ts';
import { policies } from './policies.ts';
import { system } from './system.ts';

/** The whole API: noun → verb → endpoint. */
export const contract = {
  policies,
  auth,
  apiKeys,
  oauthClients,
  auditLog,
  system,
} as const satisfies Contract;
export type ServiceContract = typeof contract;
