import { hash } from 'node:crypto';
import { defined } from '../../contract/defined.ts';
import type { TokenRequest } from '../../contract/auth.ts';
import type { Handlers, PublicCall } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';
import type { RateLimiter } from '../http/limits.ts';
import type { Exchange } from './service.ts';
import { TokenFailure } from '../http/token-failure.ts';
import { grantedScopes, issueAccessToken } from './access-token.ts';
import { grantsOf, oauthClients } from './collection.ts';
import type { PreviousSecret, StoredOauthClient } from './collection.ts';
import { matchesHash } from '../keys/hashed-secrets.ts';

/** Seconds an access token is good for. */
const lifetime = 3600;

interface TokenParts {
  readonly limiter: RateLimiter;
  /** By grant type. */
  readonly exchanges: Readonly<Record<string, Exchange>>;
}

/** RFC 6749 section 4.4: client credentials, in the body or as Basic; other grants by who knows them. */
export const issueToken =
  (deps: Deps, { limiter, exchanges }: TokenParts): Handlers['auth']['token'] =>
  async ({ body }, call) => {
    if (body.grant_type !== 'client_credentials') {
      const exchange = Object.hasOwn(exchanges, body.grant_type) && exchanges[body.grant_type];
      if (exchange) return exchange(body, call);
      const known = ['client_credentials', ...Object.keys(exchanges)].join(', ');
      throw new TokenFailure(
        'unsupported_grant_type',
        `The grant type ${body.grant_type.slice(0, 60)} is not supported; use one of ${known}`,
      );
    }
    const { client, secret: given } = await authenticateClient(deps, body, call);
    if (!grantsOf(client).includes('client_credentials')) {
      throw new TokenFailure(
        'unauthorized_client',
        'The client does not have the grant type client_credentials; only users can log in with this client',
      );
    }
    const rate = limiter.take(client.id, call.isLocal);
    const scopes = grantedScopes(client.scopes, body.scope, 'The client');
    return call.transact(async (tx) => {
      // It may have been deleted, or rotated, which ended the tokens that there were.
      const still = (await tx.get(oauthClients, client.id))?.doc;
      const { made_by, bound_to } = secretOf(still, given, deps.clock.now()) ?? refuse(deps, call, still); // prettier-ignore
      return {
        body: toJson(
          await issueAccessToken(deps, tx, call, {
            client_id: client.id,
            user_id: client.user_id,
            ...defined({ made_by, bound_to }),
            scopes,
            lifetime,
          }),
        ),
        headers: { ...rate, Pragma: 'no-cache' },
      };
    }, client.user_id);
  };

const challenge = { 'WWW-Authenticate': 'Basic realm="govctl"' };

const noSecret = hash('sha256', '', 'base64url');

interface Credentials {
  readonly id: string;
  readonly secret: string;
}

async function authenticateClient(
  deps: Deps,
  body: TokenRequest,
  call: PublicCall,
): Promise<{
  readonly client: StoredOauthClient;
  readonly secret: string;
}> {
  const header = call.header('authorization');
  if (header !== null && body.client_secret !== undefined) {
    throw new TokenFailure(
      'invalid_request',
      'Send the client ID and secret only once: in the body, or as HTTP Basic authentication',
    );
  }
  const basic = header === null ? undefined : readBasic(header);
  const { id, secret } = basic ?? inBody(body);
  const client = (await deps.store.get(oauthClients, id))?.doc;
  const isRight = secretOf(client, secret, deps.clock.now()) !== undefined;
  return client && isRight ? { client, secret } : refuse(deps, call, client);
}

function refuse(deps: Deps, call: PublicCall, client: StoredOauthClient | undefined): never {
  deps.log.warn(
    { request_id: call.requestId, client_known: client !== undefined },
    'client authentication failed',
  );
  throw new TokenFailure('invalid_client', 'The client ID or secret is incorrect', 401, challenge);
}

/** Which of the secrets that a client has now was given; undefined: none. */
function secretOf(
  client: StoredOauthClient | undefined,
  given: string,
  now: number,
): StoredOauthClient | PreviousSecret | undefined {
  // The same work for a client that doesn't exist: time must not tell which ids do.
  const isCurrent = matchesHash(given, client?.hash ?? noSecret) && client?.hash !== undefined;
  const wasRight = matchesHash(given, client?.previous?.hash ?? noSecret);
  if (isCurrent) return client;
  const { previous } = client ?? {};
  return previous && wasRight && Date.parse(previous.expires_at) > now ? previous : undefined;
}

function inBody({ client_id: id, client_secret: secret }: TokenRequest): Credentials {
  if (id !== undefined && secret !== undefined) return { id, secret };
  throw new TokenFailure(
    'invalid_client',
    'Send client_id and client_secret, in the body or as HTTP Basic authentication',
    401,
    challenge,
  );
}

/** RFC 6749 section 2.3.1: both parts are form-encoded before they are joined. */
function readBasic(header: string): Credentials {
  const encoded = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(header)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  try {
    if (colon > 0) {
      return { id: formDecode(text.slice(0, colon)), secret: formDecode(text.slice(colon + 1)) };
    }
  } catch {
    // A broken escape: as wrong as no Basic header at all.
  }
  throw new TokenFailure(
    'invalid_client',
    'The Authorization header is not valid Basic authentication',
    401,
    challenge,
  );
}

const formDecode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));
