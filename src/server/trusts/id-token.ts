import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { Clock } from '../deps.ts';
import { TokenFailure } from '../http/token-failure.ts';
import { IssuerFailure } from './issuer-keys.ts';

/** Seconds that clocks may differ. */
const skew = 60;
/** Seconds. */
const oldest = 3_600;
const algorithms = ['RS256', 'ES256'];

export const refused = (why: string): TokenFailure => new TokenFailure('invalid_grant', why);

const shown = (value: unknown): string => String(value).slice(0, 200);

/** Who says to have signed a token: nothing of it is proven yet. @throws TokenFailure invalid_grant */
export async function issuerOf(token: string): Promise<string> {
  const { decodeJwt, errors } = await import('jose');
  try {
    const { iss } = decodeJwt(token);
    if (typeof iss === 'string') return iss;
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    throw refused('The subject token is not a JWT');
  }
  throw refused('The subject token has no issuer');
}

export interface IdTokenRules {
  readonly issuer: string;
  /** Of this server, without a trailing slash. */
  readonly audience: string;
  readonly keys: JWTVerifyGetKey;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Verifies a token that was issued for this server, and lately. Keys that the token itself brings, or names an address of,
 * are ignored.
 * @returns its claims. @throws TokenFailure invalid_grant, or server_error where the issuer's keys can't be read
 */
export async function verifyIdToken(
  token: string,
  { issuer, audience, keys, clock }: IdTokenRules,
): Promise<JWTPayload> {
  const { jwtVerify, errors } = await import('jose');
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms,
      issuer,
      requiredClaims: ['exp'],
      maxTokenAge: oldest,
      clockTolerance: skew,
      currentDate: new Date(clock.now()),
    });
    checkAudience(payload, audience);
    return payload;
  } catch (error) {
    if (error instanceof IssuerFailure) {
      throw new TokenFailure(
        'server_error',
        `The keys of ${issuer} could not be read: ${error.message}; try again in a moment`,
        503,
        { 'Retry-After': '5' },
      );
    }
    if (!(error instanceof errors.JOSEError)) throw error;
    if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) {
      throw refused(timeFault(error.claim, error.payload) ?? `The ID token is not valid: ${error.message}`); // prettier-ignore
    }
    if (error instanceof errors.JOSEAlgNotAllowed) {
      throw refused(`The ID token must be signed with ${algorithms.join(' or ')}`);
    }
    if (error instanceof errors.JWKSNoMatchingKey) {
      throw refused(`${issuer} has no key for the signature of the ID token`);
    }
    throw refused('The signature of the ID token is not valid');
  }
}

/** For this server and nobody else, who could hand the token on. */
function checkAudience({ aud }: JWTPayload, audience: string): void {
  const all = Array.isArray(aud) ? aud : [aud];
  const isOurs = (one: unknown): boolean => one === audience || one === `${audience}/`;
  if (all.length > 0 && all.every(isOurs)) return;
  throw refused(
    `The ID token is for the audience ${all.map(shown).join(' ').slice(0, 500)}; this server accepts only ${audience}`,
  );
}

function timeFault(claim: string, payload: JWTPayload): string | undefined {
  const value = payload[claim];
  if (typeof value !== 'number') return undefined;
  const at = new Date(value * 1_000);
  const time = Number.isNaN(at.getTime()) ? String(value) : at.toISOString();
  switch (claim) {
    case 'exp':
      return `The ID token expired at ${time}`;
    case 'nbf':
      return `The ID token is not valid before ${time}; check the clocks of the issuer and this server`;
    case 'iat':
      return `The ID token was issued at ${time}: more than an hour ago, or in the future`;
    default:
      return undefined;
  }
}
