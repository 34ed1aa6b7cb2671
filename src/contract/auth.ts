import * as z from 'zod';
import { endpoint } from './endpoint.ts';

/**
 * RFC 6749: client credentials, authorization codes and refresh tokens; RFC 8628: device codes; RFC 8693: tokens of CI jobs. The
 * fields depend on the grant. Errors of this endpoint are RFC 6749's, not the catalogue's.
 */
export const TokenRequest = z.looseObject({
  grant_type: z.string(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  scope: z.string().optional(),
});
export type TokenRequest = z.infer<typeof TokenRequest>;

/** The client that people log in with on the command line: a public one, which proves itself by PKCE alone. */
export const cliClientId = 'govctl-cli';

/** Names of RFC 8693: a CI job exchanges the ID token of its provider for an access token. */
export const tokenExchange = {
  grant: 'urn:ietf:params:oauth:grant-type:token-exchange',
  accessToken: 'urn:ietf:params:oauth:token-type:access_token',
  idToken: 'urn:ietf:params:oauth:token-type:id_token',
  jwt: 'urn:ietf:params:oauth:token-type:jwt',
} as const;

/** `expires_in` in seconds; `issued_token_type` in the answer of a token exchange. */
export const TokenResponse = z.looseObject({
  access_token: z.string(),
  issued_token_type: z.string().optional(),
  token_type: z.string(),
  expires_in: z.number().optional(),
  scope: z.string().optional(),
  refresh_token: z.string().optional(),
  id_token: z.string().optional(),
});
export type TokenResponse = z.infer<typeof TokenResponse>;

const tokenErrors = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
  'authorization_pending',
  'slow_down',
  'access_denied',
  'expired_token',
  'server_error',
] as const;
export const TokenError = z.looseObject({
  error: z.enum(tokenErrors),
  error_description: z.string().optional(),
});
export type TokenError = z.infer<typeof TokenError>;

export const auth = {
  token: endpoint({
    method: 'POST',
    path: '/auth/token',
    summary:
      'Exchange client credentials, an authorization code, or a refresh token for an access token',
    scope: null,
    body: TokenRequest,
    bodyTypes: ['application/json', 'application/x-www-form-urlencoded'],
    maxBodyBytes: 64 * 1024,
    secret: true,
    response: { status: 200, body: TokenResponse },
    errors: ['rate_limit_exceeded'],
  }),
};
