import type { Fetch } from '../../../src/client/http.ts';

/** A service that knows one API key and one client, hands out tokens, and remembers what it was sent. */
export interface TokenService {
  readonly fetch: Fetch;
  /** `GET https://… Bearer …` of every request, in order. */
  readonly seen: string[];
  /** How many tokens were handed out. */
  readonly issued: () => number;
  /** From now on no token handed out so far is taken. */
  revokeTokens(): void;
  /** From now on the client gets no token, and none it has is taken. */
  revokeClient(): void;
}

export const apiKey = `gk_${'k'.repeat(43)}`;
export const clientSecret = 'the-secret-of-the-client';
export const baseUrl = 'https://governance.example.com';

export interface TokenServiceSettings {
  /** Seconds. */
  readonly expiresIn?: number;
  readonly scope?: string;
  readonly now?: () => number;
}

export function createTokenService(settings: TokenServiceSettings = {}): TokenService {
  const { expiresIn = 3600, now = Date.now } = settings;
  const seen: string[] = [];
  const tokens = new Map<string, number>();
  let issued = 0;
  let revoked = false;
  const json = (status: number, body: unknown): Response =>
    new Response(JSON.stringify(body), {
      status,
      headers: { 'content-type': 'application/json', 'x-request-id': 'req_1' },
    });
  const issue = (text: string | undefined): Response => {
    const { client_id: id, client_secret: secret } = JSON.parse(text ?? '{}') as Record<
      string,
      string
    >;
    if (revoked || id !== 'ci' || secret !== clientSecret) {
      return json(401, { error: 'invalid_client', error_description: 'unknown client or secret' });
    }
    const token = `token-${++issued}-${'t'.repeat(20)}`;
    tokens.set(token, now() + expiresIn * 1000);
    return json(200, {
      access_token: token,
      token_type: 'Bearer',
      expires_in: expiresIn,
      ...(settings.scope ? { scope: settings.scope } : {}),
    });
  };
  return {
    seen,
    issued: () => issued,
    revokeTokens: () => tokens.clear(),
    revokeClient: () => {
      revoked = true;
      tokens.clear();
    },
    fetch: async (url, { method, headers, body }) => {
      seen.push([method, url, headers.authorization].filter(Boolean).join(' '));
      if (new URL(url).pathname.endsWith('/auth/token')) return issue(body);
      const token = headers.authorization?.replace('Bearer ', '') ?? '';
      if (token !== apiKey && !((tokens.get(token) ?? 0) > now())) {
        return json(401, {
          error: 'invalid_token',
          error_code: 'AUTH_001',
          error_description: 'The token is not known',
        });
      }
      return json(200, {
        policies: [],
        // A login asks for one, and says how many there are.
        pagination: {
          total: new URL(url).searchParams.get('limit') === '1' ? 7 : 0,
          limit: 1,
          offset: 0,
          has_more: false,
        },
      });
    },
  };
}
