import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SignJWT, UnsecuredJWT, exportJWK, generateKeyPair } from 'jose';

type Claims = Readonly<Record<string, unknown>>;
type Part = 'discovery' | 'keys' | 'token';

export const clientId = 'govctl-client';
export const clientSecret = 'a secret of the client: %&+';

interface Code {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly nonce: string;
  readonly claims: Claims;
}

/** A company's OpenID provider on a port of this machine. Every test has what it says decided. */
export async function startProvider() {
  const keys = { RS256: await generateKeyPair('RS256', { extractable: true }), ES256: await generateKeyPair('ES256') }; // prettier-ignore
  const codes = new Map<string, Code>();
  const refreshTokens = new Map<string, Claims>();
  /** Every token, in order. */
  const given: string[] = [];
  const says = {
    down: new Set<Part>(),
    algorithm: 'RS256',
    /** Of the metadata. */
    metadata: {} as Record<string, unknown>,
    /** Of each ID token, over those of the account. */
    claims: {} as Record<string, unknown>,
    isOffline: false,
    tokenError: undefined as { status: number; error: string } | undefined,
    /** Of a refresh. */
    account: undefined as Claims | undefined,
    hasIdToken: true,
    /** Whom the page of the provider signs in, without a question. */
    signsIn: undefined as Claims | undefined,
  };
  const asked: { readonly path: string; readonly headers: IncomingMessage['headers'] }[] = [];

  async function idToken(claims: Claims): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const all = { iss: issuer, aud: clientId, iat: now, exp: now + 300, ...claims, ...says.claims };
    const kept = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const { algorithm: alg } = says;
    if (alg === 'none') return new UnsecuredJWT(kept).encode();
    if (alg === 'HS256') return new SignJWT(kept).setProtectedHeader({ alg, kid: 'k1' }).sign(Buffer.from(clientSecret)); // prettier-ignore
    if (alg === 'ES256') return new SignJWT(kept).setProtectedHeader({ alg, kid: 'k2' }).sign(keys.ES256.privateKey); // prettier-ignore
    const { privateKey } = alg === 'forged' ? await generateKeyPair('RS256') : keys.RS256;
    return new SignJWT(kept).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(privateKey);
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fields = new URLSearchParams(await text(request));
    const fail = (error: string, status = 400): void => json(response, { error }, status);
    if (says.tokenError) return fail(says.tokenError.error, says.tokenError.status);
    const isClient = fields.get('client_id') === clientId && fields.get('client_secret') === clientSecret; // prettier-ignore
    if (!isClient) return fail('invalid_client', 401);
    const about = fields.get('grant_type') === 'refresh_token' ? refreshed(fields) : redeemed(fields); // prettier-ignore
    if (!about) return fail('invalid_grant');
    const refresh = says.isOffline ? `refresh-${randomUUID()}` : undefined;
    if (refresh) refreshTokens.set(refresh, about);
    const tokens = {
      access_token: `access-${randomUUID()}`,
      ...(says.hasIdToken ? { id_token: await idToken(about) } : {}),
      ...(refresh ? { refresh_token: refresh } : {}),
    };
    given.push(...Object.values(tokens));
    json(response, { ...tokens, token_type: 'Bearer' });
  }

  function redeemed(fields: URLSearchParams): Claims | undefined {
    const code = codes.get(fields.get('code') ?? '');
    codes.delete(fields.get('code') ?? '');
    const challenge = createHash('sha256').update(fields.get('code_verifier') ?? '').digest('base64url'); // prettier-ignore
    if (code?.challenge !== challenge || code.redirectUri !== fields.get('redirect_uri')) return undefined; // prettier-ignore
    return { ...code.claims, nonce: code.nonce };
  }

  /** Each refresh token is good once. */
  function refreshed(fields: URLSearchParams): Claims | undefined {
    const given = refreshTokens.get(fields.get('refresh_token') ?? '');
    refreshTokens.delete(fields.get('refresh_token') ?? '');
    return given && { ...given, nonce: undefined, ...says.account };
  }

  /** Signs an account in, where a browser was sent to. @returns where the browser goes back to */
  function approve(url: URL, claims: Claims): URL {
    const of = (name: string): string => url.searchParams.get(name) ?? '';
    if (`${url.origin}${url.pathname}` !== `${issuer}/authorize`) throw new Error(`not here: ${url.href}`); // prettier-ignore
    const code = `code-${randomUUID()}`;
    codes.set(code, {
      challenge: of('code_challenge'),
      redirectUri: of('redirect_uri'),
      nonce: of('nonce'),
      claims,
    });
    const back = new URL(of('redirect_uri'));
    back.search = new URLSearchParams({ code, state: of('state'), iss: issuer }).toString();
    return back;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    asked.push({ path, headers: request.headers });
    const part: Part = path === '/token' ? 'token' : path === '/keys' ? 'keys' : 'discovery';
    if (says.down.has(part)) return json(response, {}, 503);
    if (part === 'token') return token(request, response);
    if (path.startsWith('/authorize?') && says.signsIn) {
      response.writeHead(302, { location: approve(new URL(path, issuer), says.signsIn).href });
      return void response.end();
    }
    if (part === 'discovery') {
      return json(response, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256', 'none'],
        token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
        authorization_response_iss_parameter_supported: true,
        ...says.metadata,
      });
    }
    return json(response, {
      keys: [
        { ...(await exportJWK(keys.RS256.publicKey)), kid: 'k1', use: 'sig' },
        { ...(await exportJWK(keys.ES256.publicKey)), kid: 'k2', use: 'sig' },
      ],
    });
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    issuer,
    says,
    asked,
    given,
    approve,
    /** Ends what it has given somebody. */
    revoke: (): void => refreshTokens.clear(),
    close: (): Promise<void> =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
