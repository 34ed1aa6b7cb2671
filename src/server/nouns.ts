import { auditLogHandlers } from './audit/handlers.ts';
import { auditLog } from './audit/service.ts';
import { accessTokens, apiKeys, oauthClients } from './auth/collections.ts';
import { apiKeyHandlers, oauthClientHandlers } from './auth/handlers.ts';
import { issueToken } from './auth/token.ts';
import type { Handlers } from './call.ts';
import type { Deps } from './deps.ts';
import { idempotencyKeys } from './idempotency/service.ts';
import type { RateLimiter } from './limits/service.ts';
import { policies } from './policies/collection.ts';
import { policyHandlers } from './policies/handlers.ts';
import type { SystemOptions } from './system/handlers.ts';
import { systemHandlers } from './system/handlers.ts';

/** Every collection of the service, for the store that is to hold them. */
export const collections = [
  policies,
  apiKeys,
  oauthClients,
  accessTokens,
  auditLog,
  idempotencyKeys,
] as const;

export const createHandlers = (
  deps: Deps,
  limiter: RateLimiter,
  system: SystemOptions,
): Handlers => ({
  policies: policyHandlers(deps),
  auth: { token: issueToken(deps, limiter) },
  apiKeys: apiKeyHandlers(deps),
  oauthClients: oauthClientHandlers(deps),
  auditLog: auditLogHandlers(deps),
  system: systemHandlers(deps, system),
});
