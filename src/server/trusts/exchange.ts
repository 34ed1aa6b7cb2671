import type { JWTVerifyGetKey } from 'jose';
import { tokenExchange } from '../../contract/auth.ts';
import type { TokenRequest } from '../../contract/auth.ts';
import { defined } from '../../contract/defined.ts';
import { within } from '../../contract/endpoint.ts';
import type { Scope } from '../../contract/endpoint.ts';
import { trimEnd } from '../../contract/trim-end.ts';
import type { CiProvider } from '../../contract/trusts.ts';
import { grantedScopes, issueAccessToken, namesOfScopes } from '../auth/service.ts';
import type { Exchange } from '../auth/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { RateLimiter } from '../http/limits.ts';
import { TokenFailure } from '../http/token-failure.ts';
import { toJson } from '../json.ts';
import { allRows, hasAny } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';
import { scopesOfUser } from '../users/service.ts';
import { repositoryKey, trustStates, trusts } from './collection.ts';
import type { StoredTrust } from './collection.ts';
import { issuerOf, refused, verifyIdToken } from './id-token.ts';
import { differenceOf, isOfSameRepository, jobOf } from './job.ts';
import type { Job } from './job.ts';

/** Seconds: a job that takes longer exchanges once more. */
const lifetime = 900;

export interface TrustExchangeParts {
  readonly limiter: RateLimiter;
  /** The base URL of the service, without a trailing slash. */
  readonly baseUrl: () => string;
  readonly keysOf: (issuer: string) => JWTVerifyGetKey;
}

/** A rule that lets a job in, with the scopes that it can give now. */
interface Match {
  readonly rule: StoredTrust;
  readonly revision: number;
  readonly scopes: readonly Scope[];
}

interface Search {
  readonly issuer: string;
  /** The job, as the claims of either provider have it. */
  readonly jobs: Readonly<Record<CiProvider, Job>>;
  /** The `scope` parameter. */
  readonly asked: string | undefined;
}

/** RFC 8693: CI jobs exchange the ID token of their provider for an access token. */
export function createTrustExchange(
  deps: Deps,
  { limiter, baseUrl, keysOf }: TrustExchangeParts,
): Readonly<Record<string, Exchange>> {
  const exchange: Exchange = async (body, call) => {
    const token = subjectOf(body, baseUrl());
    const issuer = await issuerOf(token);
    // Nobody but the issuers of rules is ever asked for keys.
    if (!(await hasAny(deps.store, trusts, { issuer: { any: [issuer] } }))) {
      throw refused(`No trust rule matches the issuer ${issuer.slice(0, 200)}`);
    }
    const rules = { issuer, audience: baseUrl(), keys: keysOf(issuer), clock: deps.clock };
    const claims = await verifyIdToken(token, rules);
    const log = (fields: object, message: string): void =>
      deps.log.info(
        { request_id: call.requestId, issuer, sub: String(claims.sub).slice(0, 300), ...fields },
        message,
      );
    const jobs = { github: jobOf('github', claims), gitlab: jobOf('gitlab', claims) };
    const match = await findMatch(deps.store, { issuer, jobs, asked: body.scope }).catch(
      (error: unknown) => {
        if (error instanceof TokenFailure) log({ reason: error.message }, 'a CI job was refused');
        throw error;
      },
    );
    const { rule, revision, scopes: has } = match;
    const rate = limiter.take(rule.id, call.isLocal);
    const scopes = grantedScopes(has, body.scope, `The trust rule ${rule.id}`);
    const answer = await call.transact(async (tx) => {
      // It may have been narrowed, or deleted, which ended the tokens that there were.
      if ((await tx.get(trusts, rule.id))?.revision !== revision) {
        throw refused('The trust rule has just changed; try again');
      }
      await tx.replace(trustStates, { id: rule.id, last_used_at: timestamp(deps.clock.now()) });
      const issued = await issueAccessToken(deps, tx, call, {
        kind: 'ci',
        client_id: rule.id,
        user_id: rule.user_id,
        made_by: rule.made_by,
        ...defined({ bound_to: rule.bound_to }),
        scopes,
        lifetime,
      });
      return {
        body: toJson({ ...issued, issued_token_type: tokenExchange.accessToken }),
        headers: { ...rate, Pragma: 'no-cache' },
      };
    }, rule.user_id);
    log({ trust: rule.id, run: jobs[rule.provider].run?.slice(0, 100) }, 'a CI job logged in');
    return { body: answer.body, headers: answer.headers ?? {} };
  };
  return { [tokenExchange.grant]: exchange };
}

/** @throws TokenFailure invalid_request, invalid_target */
function subjectOf(body: TokenRequest, baseUrl: string): string {
  const text = (name: string): string | undefined => {
    const value = body[name];
    if (value === undefined) return undefined;
    if (typeof value === 'string') return value;
    throw new TokenFailure('invalid_request', `${name} must be sent once, as a string`);
  };
  const token = text('subject_token');
  if (!token) {
    throw new TokenFailure('invalid_request', 'subject_token, the ID token of the job, is missing');
  }
  const type = text('subject_token_type');
  if (type !== tokenExchange.idToken && type !== tokenExchange.jwt) {
    const use = `use ${tokenExchange.idToken} or ${tokenExchange.jwt}`;
    throw new TokenFailure('invalid_request', `subject_token_type is not supported; ${use}`);
  }
  if (text('actor_token') !== undefined) {
    throw new TokenFailure('invalid_request', 'actor_token is not supported');
  }
  const wanted = text('requested_token_type');
  if (wanted !== undefined && wanted !== tokenExchange.accessToken) {
    const use = `use ${tokenExchange.accessToken}`;
    throw new TokenFailure('invalid_request', `requested_token_type is not supported; ${use}`);
  }
  for (const name of ['audience', 'resource']) {
    const target = text(name);
    if (target === undefined || trimEnd(target, '/') === baseUrl) continue;
    throw new TokenFailure('invalid_target', `${name} must be ${baseUrl} or omitted`);
  }
  return token;
}

/**
 * The rule for a job: of those that let it in the first one that has the scopes asked for; where none are, the one with the most.
 * Only who proves to be of a repository learns what its rules ask for.
 * @throws TokenFailure invalid_grant
 */
async function findMatch(reader: Reader, { issuer, jobs, asked }: Search): Promise<Match> {
  const wanted = namesOfScopes(asked);
  const differences: string[] = [];
  const matches: Match[] = [];
  const repositories = Object.values(jobs)
    .flatMap(({ repository, repositoryId }) => [repository, repositoryId])
    .filter((name) => name !== undefined);
  const any = [...new Set(repositories.map((name) => repositoryKey(issuer, name)))];
  for await (const { doc: rule, revision } of allRows(reader, trusts, { repository: { any } })) {
    const job = jobs[rule.provider];
    if (!isOfSameRepository(rule, job)) continue;
    const difference = differenceOf(rule, job);
    if (difference !== undefined) {
      differences.push(`${rule.id}: ${difference}`);
      continue;
    }
    const most =
      rule.bound_to === undefined ? undefined : await scopesOfUser(reader, rule.bound_to);
    const scopes = most ? within(rule.scopes, most) : rule.scopes;
    if (scopes.length > 0) matches.push({ rule, revision, scopes });
    else differences.push(`${rule.id}: the creator of the rule no longer has any of its scopes`);
  }
  const fitting = matches.find(({ scopes }) =>
    wanted.every((name) => scopes.some((scope) => scope === name)),
  );
  const widest = matches.reduce<Match | undefined>(
    (best, match) => (match.scopes.length > (best?.scopes.length ?? 0) ? match : best),
    undefined,
  );
  const match = wanted.length > 0 ? (fitting ?? widest) : widest;
  if (match) return match;
  throw refused(
    differences.length > 0
      ? `No trust rule matches this job: ${differences.slice(0, 5).join('; ')}`
      : 'No trust rule matches the repository of this job',
  );
}
