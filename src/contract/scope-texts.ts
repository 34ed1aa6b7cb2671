import type { Scope } from './endpoint.ts';

/** What each scope permits, for people. */
export const scopeTexts: Record<Scope, string> = {
  'governance:read': 'Read everything outside cost and administration',
  'compliance:write': 'Change policies and what belongs to them',
  'cost:read': 'Read everything of cost',
  'cost:admin': 'Read and change everything of cost',
  'audit:read': 'Read the audit log and who used what',
  admin: 'Users, roles, API keys, OAuth clients, trust rules, audit log',
};
