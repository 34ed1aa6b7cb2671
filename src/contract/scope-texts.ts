import type { Scope } from './endpoint.ts';

/** What each scope permits, for people. */
export const scopeTexts: Record<Scope, string> = {
  'governance:read': 'Read everything except cost and administration',
  'compliance:write': 'Change policies and everything that belongs to them',
  'cost:read': 'Read all cost data',
  'cost:admin': 'Read and change all cost data',
  'audit:read': 'Read the audit log and the uses of credentials',
  admin: 'Manage users, roles, API keys, OAuth clients and trust rules; read the audit log',
};
