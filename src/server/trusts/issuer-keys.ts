import type { JWTVerifyGetKey } from 'jose';
import { trimEnd } from '../../contract/trim-end.ts';
import type { Clock } from '../deps.ts';
import type { ReadJson } from '../outbound/read-json.ts';
import { ReadFailure } from '../outbound/read-json.ts';

/** Milliseconds that an issuer's keys are used: a key that it has withdrawn is refused from then on. */
const usedFor = 10 * 60_000;
/** Milliseconds between two readings because of a key that is not among those known: anybody can name any. */
const newKeyEvery = 30_000;
/** Milliseconds that an issuer whose keys could not be read is left alone. */
const failedFor = 5_000;
/** Issuers whose keys are kept. */
const most = 100;

interface Known {
  readonly at: number;
  readonly keys: JWTVerifyGetKey | { readonly failure: string };
}

/** The keys of an issuer could not be read; the message says why. */
export class IssuerFailure extends Error {
  override readonly name = 'IssuerFailure';
}

/**
 * Finds the keys of issuers by their discovery documents, and keeps them. Only for issuers that a rule names: it asks
 * whatever address it is given.
 * @returns from an issuer to the function by which `jwtVerify` finds the key of a token. That throws IssuerFailure
 */
export function createIssuerKeys(
  readJson: ReadJson,
  clock: Pick<Clock, 'now'>,
): (issuer: string) => JWTVerifyGetKey {
  const known = new Map<string, Known>();
  const underWay = new Map<string, Promise<Known>>();

  async function load(issuer: string): Promise<Known> {
    const [{ createLocalJWKSet, errors }, found] = await Promise.all([
      import('jose'),
      readKeys(readJson, issuer).catch((error: unknown) => {
        if (error instanceof ReadFailure) return { failure: error.message };
        throw error;
      }),
    ]);
    let keys: Known['keys'];
    try {
      keys = 'failure' in found ? found : createLocalJWKSet(found.jwks as never); // it checks them
    } catch (error) {
      if (!(error instanceof errors.JWKSInvalid)) throw error;
      keys = { failure: 'the key set is not valid' };
    }
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size >= most) known.delete(oldest);
    const loaded = { at: clock.now(), keys };
    known.set(issuer, loaded);
    return loaded;
  }

  /** @param maxAge in milliseconds */
  async function keysOf(issuer: string, maxAge: number) {
    const before = known.get(issuer);
    const kept = before && 'failure' in before.keys ? failedFor : maxAge;
    // A clock that was set back must not keep keys for ever.
    const isFresh = before !== undefined && Math.abs(clock.now() - before.at) < kept;
    const { at, keys } = isFresh ? before : await loadOnce(issuer);
    if ('failure' in keys) throw new IssuerFailure(keys.failure);
    return { at, keys };
  }

  /** For all who ask meanwhile. */
  function loadOnce(issuer: string): Promise<Known> {
    const loading = underWay.get(issuer) ?? load(issuer).finally(() => underWay.delete(issuer));
    underWay.set(issuer, loading);
    return loading;
  }

  return (issuer) => async (header, token) => {
    const { errors } = await import('jose');
    const first = await keysOf(issuer, usedFor);
    try {
      return await first.keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const newer = await keysOf(issuer, newKeyEvery);
      if (newer.at === first.at) throw error;
      return newer.keys(header, token);
    }
  };
}

/** OpenID Connect Discovery 1.0: the document says whose it is, and where its keys are. @throws ReadFailure */
async function readKeys(readJson: ReadJson, issuer: string): Promise<{ readonly jwks: unknown }> {
  const document = fieldsOf(await readJson(`${issuer}/.well-known/openid-configuration`));
  const { issuer: named, jwks_uri: address } = document;
  if (typeof named !== 'string' || trimEnd(named, '/') !== issuer) {
    throw new ReadFailure('the discovery document is for a different issuer');
  }
  if (typeof address !== 'string' || !URL.canParse(address)) {
    throw new ReadFailure('the discovery document has no valid jwks_uri');
  }
  if (new URL(address).origin !== new URL(issuer).origin) {
    throw new ReadFailure('the jwks_uri has a different origin');
  }
  return { jwks: await readJson(address) };
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
