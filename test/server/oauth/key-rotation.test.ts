import * as jose from 'jose';
import * as client from 'openid-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOauth, maintainSigningKeys } from '../../../src/server/oauth/service.ts';
import type { LoginService } from './login-service.ts';
import { base, startLoginService } from './login-service.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

let service: LoginService;
beforeEach(async () => void (service = await startLoginService()));
afterEach(() => service.close());

async function publishedKeys(): Promise<jose.JSONWebKeySet> {
  const got = await service.send('GET', '/.well-known/jwks.json', { key: null });
  expect([got.status, got.headers.get('cache-control')]).toEqual([200, 'max-age=300']);
  return got.json as unknown as jose.JSONWebKeySet;
}
const kidsPublished = async () => (await publishedKeys()).keys.map(({ kid }) => kid);
const kidOf = (tokens: client.TokenEndpointResponse) =>
  jose.decodeProtectedHeader(tokens.id_token ?? '').kid;
const rotate = async (body: object = {}) =>
  (await service.send('POST', '/v1/id-token-keys/rotate', { body })).json as Record<string, string>;
const pass = async (ms: number): Promise<void> => {
  service.advance(ms);
  await service.maintain();
};

/** A program that keeps the published keys for as long as it may, and asks for none that it does not know. */
function createVerifier(keptFor = 300_000) {
  let kept = { at: -Infinity, keys: { keys: [] } as jose.JSONWebKeySet };
  return async (tokens: client.TokenEndpointResponse): Promise<void> => {
    const now = service.deps.clock.now();
    if (now - kept.at > keptFor) kept = { at: now, keys: await publishedKeys() };
    const keys = jose.createLocalJWKSet(kept.keys);
    await jose.jwtVerify(tokens.id_token ?? '', keys, { issuer: base, audience: 'govctl-cli' });
  };
}

interface Program {
  readonly config: client.Configuration;
  readonly verify: ReturnType<typeof createVerifier>;
  refresh: string;
  last: { readonly at: number; readonly tokens: client.TokenEndpointResponse };
}

describe('the key of ID tokens', () => {
  it('is replaced after 90 days: published for a day before it signs, and for two hours after', async () => {
    const { config, tokens } = await service.login();
    const first = kidOf(tokens);
    await pass(89 * day);
    expect(await kidsPublished()).toEqual([first]);
    await pass(day + minute);
    const [signer, second] = await kidsPublished();
    expect(signer).toBe(first);
    let refresh = tokens.refresh_token ?? '';
    const refreshed = async () => {
      const next = await client.refreshTokenGrant(config, refresh);
      refresh = next.refresh_token ?? '';
      return kidOf(next);
    };
    await pass(day - minute);
    expect(await refreshed()).toBe(first);
    await pass(minute);
    expect(await refreshed()).toBe(second);
    await pass(2 * hour - minute);
    expect(await kidsPublished()).toEqual([second, first]);
    await pass(minute);
    expect(await kidsPublished()).toEqual([second]);
    expect(service.logged.map(({ message }) => message)).toContain(
      'a new key for ID tokens was published',
    );
  });

  it('is replaced where an administrator says so, once at a time', async () => {
    const { tokens } = await service.login();
    const [first] = [kidOf(tokens)];
    const next = await rotate();
    expect(Date.parse(next.signs_from ?? '') - service.deps.clock.now()).toBe(day);
    expect((await rotate()).id).toBe(next.id);
    expect(await kidsPublished()).toEqual([first, next.id]);
    const key = await service.keyWith('compliance:write');
    const refused = await service.send('POST', '/v1/id-token-keys/rotate', { body: {}, key });
    expect(refused.status).toBe(403);
    const log = await service.send('GET', '/v1/audit-log?action=id_token_key.rotate');
    expect(log.json.pagination).toMatchObject({ total: 2 });
  });

  it('is dropped at once where it was stolen: what it signed fails, and the next one signs', async () => {
    const { config, tokens } = await service.login();
    await rotate();
    const { id } = await rotate({ drop_old: true });
    const keys = jose.createLocalJWKSet(await publishedKeys());
    expect(await kidsPublished()).toEqual([id]);
    await expect(jose.jwtVerify(tokens.id_token ?? '', keys)).rejects.toThrow('no applicable key');
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect((await jose.jwtVerify(next.id_token ?? '', keys)).payload.sub).toBe(service.userId);
  });

  it('is replaced by one of several servers on the same data, and by all of them used', async () => {
    const { tokens } = await service.login();
    const other = createOauth(service.deps, {
      issuer: () => base,
      hasDevices: true,
      findAccount: () => Promise.resolve(undefined),
      signedIn: () => Promise.resolve(undefined),
      pageHeaders: {},
      errorPage: () => Promise.resolve(''),
    });
    const kidsThere = async () => {
      const got = await other.answer(new Request(`${base}/.well-known/jwks.json`), {}, () => undefined); // prettier-ignore
      return ((await got?.json()) as jose.JSONWebKeySet).keys.map(({ kid }) => kid);
    };
    expect(await kidsThere()).toEqual([kidOf(tokens)]);
    service.advance(90 * day);
    const { deps } = service;
    await Promise.all(Array.from({ length: 3 }, () => maintainSigningKeys(deps)));
    const here = await kidsPublished();
    expect(here).toHaveLength(2);
    expect(await kidsThere()).toEqual(here);
  });

  it('is sealed, and its private part is nowhere to be read', async () => {
    await rotate();
    for (const key of (await publishedKeys()).keys) expect(key).not.toHaveProperty('d');
  });

  it('changes three times while 64 programs log in, refresh, verify and call, and no request fails', async () => {
    const clients: Program[] = [];
    while (clients.length < 64) {
      // Passwords are checked one at a time.
      const { config, tokens } = await service.login();
      const last = { at: service.deps.clock.now(), tokens: tokens };
      const verify = createVerifier(clients.length % 2 === 0 ? 300_000 : 120_000);
      clients.push({ config, refresh: tokens.refresh_token ?? '', verify, last });
    }
    const seen = new Set<string | undefined>();
    let calls = 0;
    const use = async (tokens: client.TokenEndpointResponse): Promise<void> => {
      seen.add(kidOf(tokens));
      expect((await service.ask(tokens.access_token)).status).toBe(200);
      calls += 1;
    };
    const call = async (one: (typeof clients)[number]): Promise<void> => {
      const tokens = await client.refreshTokenGrant(one.config, one.refresh);
      one.refresh = tokens.refresh_token ?? '';
      await one.verify(tokens);
      // What was signed some minutes ago is still good.
      const now = service.deps.clock.now();
      if (now - one.last.at < hour) await one.verify(one.last.tokens);
      one.last = { at: now, tokens };
      await use(tokens);
    };
    const remote = jose.createRemoteJWKSet(new URL('/.well-known/jwks.json', base), {
      cooldownDuration: 0,
      [jose.customFetch]: (url, init) => service.fetch(new Request(url, init)),
    });
    const signIn = async (): Promise<void> => {
      const { tokens } = await service.login();
      await jose.jwtVerify(tokens.id_token ?? '', remote, { issuer: base, audience: 'govctl-cli' });
      await use(tokens);
    };
    /** All of them call, and meanwhile time passes. */
    const step = async (during: () => Promise<unknown>): Promise<void> => {
      await Promise.all([...clients.map(call), signIn(), during()]);
    };
    for (let round = 0; round < 3; round++) {
      // The first by its age, with nobody under way: 90 days are longer than a token is good for.
      if (round === 0) service.advance(90 * day);
      await step(round === 0 ? () => service.maintain() : () => rotate());
      for (let n = 0; n < 2; n++) await step(() => pass(4 * minute));
      // It signs after a day, the old one stays for two hours: most of both is left out.
      service.advance(day - 16 * minute);
      for (let n = 0; n < 4; n++) await step(() => pass(4 * minute));
      service.advance(2 * hour - 16 * minute);
      for (let n = 0; n < 4; n++) await step(() => pass(4 * minute));
    }
    expect(calls).toBe(3 * 11 * 65);
    expect(seen.size).toBe(4);
    expect(await kidsPublished()).toHaveLength(1);
  }, 240_000);
});
