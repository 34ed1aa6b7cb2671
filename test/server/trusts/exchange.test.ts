import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BlockList } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSender } from '../../../src/server/outbound/send.ts';
import type { Got, TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';
import { userWith } from './bound-user.ts';
import { createFakeIssuer, github, gitlabClaims } from './fake-issuer.ts';
import type { FakeIssuer } from './fake-issuer.ts';

let service: TestService;
let issuer: FakeIssuer;
beforeEach(async () => {
  // The issuer has the clock of the service, which is made after it.
  issuer = await createFakeIssuer(() => service.deps.clock.now());
  service = await startTestService({ receive: (...sent) => issuer.send(...sent) });
});
afterEach(() => service.close());

const main = {
  name: 'Deploys',
  provider: 'github',
  repository: 'acme/policies',
  ref: 'refs/heads/main',
  scopes: ['governance:read', 'compliance:write'],
};
const trust = async (fields: object = {}, key = service.key): Promise<string> => {
  const got = await service.send('POST', '/v1/trusts', { body: { ...main, ...fields }, key });
  expect(got.status).toBe(201);
  return String(got.json.id);
};

const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange';
const idToken = 'urn:ietf:params:oauth:token-type:id_token';
const exchange = (token: string, more: object = {}): Promise<Got> =>
  service.send('POST', '/auth/token', {
    key: null,
    body: { grant_type, subject_token: token, subject_token_type: idToken, ...more },
  });
/** What the server says to a token with these claims: the status, or the refusal. */
const asked = async (claims: object = {}, more: object = {}): Promise<unknown> => {
  const { status, json } = await exchange(await issuer.sign({ ...claims }), more);
  return status === 200 ? 200 : [status, json.error, json.error_description];
};
const refused = (words: RegExp | string) => [400, 'invalid_grant', expect.stringMatching(words)];
const can = async (token: unknown, method = 'GET', path = '/v1/policies'): Promise<number> =>
  (await service.send(method, path, { key: String(token) })).status;

describe('the exchange of the token of a CI job', () => {
  it('gives an access token for 15 minutes, with the scopes of the rule', async () => {
    const id = await trust();
    const got = await exchange(await issuer.sign());
    expect([got.status, got.json]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^gat_/),
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: 900,
        scope: 'governance:read compliance:write',
      },
    ]);
    expect(got.headers.get('cache-control')).toBe('no-store');
    const token = got.json.access_token;
    expect(await can(token)).toBe(200);
    expect(await can(token, 'GET', '/v1/trusts')).toBe(403);
    service.advance(899_000);
    expect(await can(token)).toBe(200);
    service.advance(1_000);
    expect(await can(token)).toBe(401);
    const { audit_log: log } = (await service.send('GET', '/v1/audit-log?limit=1')).json;
    const { user_id } = (await service.send('GET', `/v1/trusts/${id}`)).json;
    expect(log).toMatchObject([{ action: 'token.issue', actor: user_id, via: id }]);
    expect(service.logged).toContainEqual(
      expect.objectContaining({
        message: 'a CI job logged in',
        fields: expect.objectContaining({
          trust: id,
          sub: 'repo:acme/policies:ref:refs/heads/main',
          run: '4711',
        }) as unknown,
      }),
    );
  });

  it('takes a form as RFC 8693 has it, a JWT, and the audience of this server', async () => {
    await trust();
    const form = new URLSearchParams({
      grant_type,
      subject_token: await issuer.sign(),
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      audience: 'https://govctl.test',
      scope: 'governance:read',
    });
    const got = await service.send('POST', '/auth/token', {
      key: null,
      text: form.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([got.status, got.json.scope]).toEqual([200, 'governance:read']);
  });

  it('refuses requests that ask for something else', async () => {
    await trust();
    const token = await issuer.sign();
    const said = async (more: object): Promise<unknown> => {
      const { status, json } = await exchange(token, more);
      return [status, json.error];
    };
    const invalid = [400, 'invalid_request'];
    expect(await said({ subject_token: undefined })).toEqual(invalid);
    expect(await said({ subject_token: [token] })).toEqual(invalid);
    expect(await said({ subject_token_type: undefined })).toEqual(invalid);
    expect(await said({ subject_token_type: 'urn:ietf:params:oauth:token-type:saml2' })).toEqual(invalid); // prettier-ignore
    expect(await said({ actor_token: token })).toEqual(invalid);
    expect(await said({ requested_token_type: idToken })).toEqual(invalid);
    expect(await said({ audience: 'https://elsewhere.test' })).toEqual([400, 'invalid_target']);
    expect(await said({ scope: 'cost:admin' })).toEqual([400, 'invalid_scope']);
    expect(await said({ scope: 'governance:read' })).toEqual([200, undefined]);
  });

  it('lets jobs of the repository in by ref, environment and event', async () => {
    await trust();
    expect(await asked()).toBe(200);
    expect(await asked({ ref: 'refs/heads/dev' })).toEqual(
      refused('ref is refs/heads/dev, not refs/heads/main'),
    );
    expect(await asked({ ref: 'refs/heads/main2' })).toEqual(refused('ref is'));
    expect(await asked({ event_name: 'pull_request' })).toEqual(
      refused('event_name is pull_request, not push or workflow_dispatch or schedule'),
    );
    await trust({ ref: 'refs/tags/v*', environment: 'production', events: ['release'] });
    const release = { ref: 'refs/tags/v1', environment: 'production', event_name: 'release' };
    expect(await asked(release)).toBe(200);
    expect(await asked({ ...release, environment: 'staging' })).toEqual(
      refused('environment is staging, not production'),
    );
    expect(await asked({ ...release, environment: undefined })).toEqual(
      refused('environment is absent, not production'),
    );
    expect(await asked({ ...release, ref: 'refs/heads/v1' })).toEqual(refused('ref is'));
  });

  it('lets jobs of an environment in from any ref, where the rule names none', async () => {
    await trust({ ref: undefined, environment: 'production' });
    expect(await asked({ environment: 'production', ref: 'refs/heads/x' })).toBe(200);
    expect(await asked({ ref: 'refs/heads/x' })).toEqual(refused('environment is absent'));
  });

  it('takes names of repositories whatever their case, and their IDs whatever their names', async () => {
    await trust({ repository: 'Acme/Policies' });
    expect(await asked()).toBe(200);
    await trust({ repository: 'acme/old-name', repository_id: '75' });
    expect(await asked({ repository: 'acme/renamed', repository_id: '75' })).toBe(200);
    const recreated = { repository: 'acme/old-name', repository_id: '76' };
    expect(await asked(recreated)).toEqual(refused('repository_id is 76, not 75'));
    expect(await asked({ ...recreated, repository_id: undefined })).toEqual(
      refused('repository_id is absent, not 75'),
    );
  });

  it('lets jobs of GitLab in by their own claims', async () => {
    issuer = await createFakeIssuer(() => service.deps.clock.now(), { url: 'https://gitlab.com' });
    await trust({ provider: 'gitlab', repository_id: '20', environment: 'prod' });
    const job = { ...gitlabClaims, environment: 'prod' };
    expect(await asked(job)).toBe(200);
    expect(await asked({ ...job, project_id: 20 })).toBe(200);
    expect(await asked({ ...job, ref_path: undefined })).toBe(200);
    expect(await asked({ ...job, ref_path: undefined, ref_type: 'tag' })).toEqual(
      refused('ref_path is refs/tags/main, not refs/heads/main'),
    );
    expect(await asked({ ...job, project_id: '21' })).toEqual(refused('project_id is 21, not 20'));
    expect(await asked({ ...job, pipeline_source: 'merge_request_event' })).toEqual(
      refused('pipeline_source is merge_request_event, not push or web or schedule'),
    );
  });

  it('takes the widest of several rules, or the first that has the scopes asked for', async () => {
    const reads = await trust({ scopes: ['governance:read'] });
    const writes = await trust();
    const viaOf = async (more: object): Promise<unknown> => {
      await exchange(await issuer.sign(), more);
      const { json } = await service.send('GET', '/v1/audit-log?limit=1');
      return (json.audit_log as { via: string }[])[0]?.via;
    };
    expect(await viaOf({})).toBe(writes);
    expect(await viaOf({ scope: 'governance:read' })).toBe(reads);
    expect(await viaOf({ scope: 'compliance:write' })).toBe(writes);
  });

  it('is shown as the last use of its rule, whose ETag stays', async () => {
    const id = await trust();
    const unused = await trust({ name: 'Never', ref: 'refs/heads/dev' });
    const read = () => service.send('GET', `/v1/trusts/${id}`);
    const before = await read();
    expect(before.json).not.toHaveProperty('last_used_at');
    service.advance(60_000);
    expect(await asked()).toBe(200);
    expect((await asked({ ref: 'refs/heads/other' })) as unknown[]).toContain('invalid_grant');
    const after = await read();
    expect(after.json).toEqual({ ...before.json, last_used_at: '2026-03-01T12:01:00.000Z' });
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
    for (const [order, ids] of [
      ['asc', [id, unused]],
      ['desc', [id, unused]],
    ] as const) {
      const list = await service.send('GET', `/v1/trusts?sort_by=last_used_at&order=${order}`);
      expect([order, (list.json.trusts as { id: string }[]).map((one) => one.id)]).toEqual([order, ids]); // prettier-ignore
    }
    const { json } = await service.send('GET', '/v1/trusts?sort_by=name&order=asc');
    expect(json.trusts).toMatchObject([{ last_used_at: '2026-03-01T12:01:00.000Z' }, { id: unused }]); // prettier-ignore
    const renamed = await service.send('PUT', `/v1/trusts/${id}`, {
      body: { ...after.json, name: 'Other' },
    });
    expect(renamed.json).toMatchObject({ last_used_at: '2026-03-01T12:01:00.000Z' });
    await service.send('DELETE', `/v1/trusts/${id}`);
    const left = await service.send('GET', '/v1/trusts?sort_by=last_used_at');
    expect(left.json.trusts).toMatchObject([{ id: unused }]);
  });

  it('counts against a limit of its rule', async () => {
    await service.close();
    service = await startTestService({
      receive: (...sent) => issuer.send(...sent),
      rateLimit: 'enforce',
    });
    await trust();
    const token = await issuer.sign();
    const got = await exchange(token);
    expect(got.headers.get('x-ratelimit-remaining')).toBe('199');
    await service.send('GET', '/v1/policies', { key: String(got.json.access_token) });
    expect((await exchange(token)).headers.get('x-ratelimit-remaining')).toBe('197');
  });
});

describe('a token of a CI job', () => {
  it('ends when its rule is deleted, or changes in more than its name', async () => {
    const id = await trust();
    const log = async () => (await exchange(await issuer.sign())).json.access_token;
    const first = await log();
    await service.send('PUT', `/v1/trusts/${id}`, { body: { name: 'Renamed' } });
    expect(await can(first)).toBe(200);
    await service.send('PUT', `/v1/trusts/${id}`, { body: { events: ['push'] } });
    expect(await can(first)).toBe(401);
    const second = await log();
    expect(await can(second)).toBe(200);
    await service.send('DELETE', `/v1/trusts/${id}`);
    expect(await can(second)).toBe(401);
    expect(await asked()).toEqual(refused('No trust rule matches the issuer'));
  });

  it('has at most what the maker of its rule has now', async () => {
    const ann = await userWith(service, 'ann', 'admin', 'governance:read', 'compliance:write');
    await trust({}, ann.key);
    const got = await exchange(await issuer.sign());
    const token = got.json.access_token;
    expect(await can(token, 'DELETE', '/v1/policies/none')).toBe(404);
    await service.send('PUT', '/v1/roles/ann', { body: { scopes: ['admin', 'governance:read'] } });
    expect(await can(token, 'DELETE', '/v1/policies/none')).toBe(403);
    expect((await exchange(await issuer.sign())).json.scope).toBe('governance:read');
    const more = { scope: 'compliance:write' };
    expect(await asked({}, more)).toEqual([400, 'invalid_scope', expect.any(String)]);
    await service.send('PUT', '/v1/roles/ann', { body: { scopes: ['admin'] } });
    expect(await asked()).toEqual(
      refused('the creator of the rule no longer has any of its scopes'),
    );
    await service.send('PUT', '/v1/roles/ann', { body: { scopes: ['governance:read'] } });
    await service.send('PUT', `/v1/users/${ann.id}`, { body: { disabled: true } });
    expect(await asked()).toEqual(refused('the creator of the rule no longer'));
    expect(await can(token)).toBe(401);
  });
});

describe('the keys of an issuer', () => {
  it('are found by its discovery document, kept for 10 minutes, and read again for a new one', async () => {
    await trust();
    expect([await asked(), await asked()]).toEqual([200, 200]);
    expect(issuer.asked).toEqual([
      `${github}/.well-known/openid-configuration`,
      `${github}/.well-known/jwks`,
    ]);
    service.advance(31_000);
    await issuer.rotate(true);
    expect([await asked(), issuer.asked.length]).toEqual([200, 4]);
    service.advance(10 * 60_000);
    expect([await asked(), issuer.asked.length]).toEqual([200, 6]);
  });

  it('are read every 30 seconds at most, whatever key a token names', async () => {
    await trust();
    await asked();
    for (let count = 0; count < 5; count += 1) {
      const { status } = await exchange(await issuer.sign({}, { kid: `unknown-${count}` }));
      expect(status).toBe(400);
    }
    expect(issuer.asked).toHaveLength(2);
    service.advance(30_000);
    const all = Array.from({ length: 5 }, () => issuer.sign({}, { kid: 'unknown' }).then((token) => exchange(token))); // prettier-ignore
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    expect(issuer.asked).toHaveLength(4);
  });

  it('that it has withdrawn sign nothing any more, 10 minutes later', async () => {
    await trust();
    const old = await issuer.sign();
    expect((await exchange(old)).status).toBe(200);
    await issuer.rotate();
    service.advance(10 * 60_000);
    const seconds = service.deps.clock.now() / 1_000;
    expect((await exchange(old)).status).toBe(400);
    expect(await asked({ exp: seconds + 300 })).toBe(200);
  });

  it('may be of ES256', async () => {
    issuer = await createFakeIssuer(() => service.deps.clock.now(), { alg: 'ES256' });
    await trust();
    expect(await asked()).toBe(200);
  });

  it('that cannot be read open nothing, and say why; the issuer is left alone for a moment', async () => {
    await trust();
    const down = { durationMs: 1, error: 'connection refused' };
    issuer.answer(github, down);
    const said = [503, 'server_error', `The keys of ${github} could not be read: connection refused; try again in a moment`]; // prettier-ignore
    expect(await asked()).toEqual(said);
    expect(await asked()).toEqual(said);
    expect(issuer.asked).toHaveLength(1);
    issuer.answer(github, undefined);
    service.advance(5_000);
    expect(await asked()).toBe(200);
    service.advance(10 * 60_000);
    issuer.answer(github, down);
    expect(await asked()).toEqual(said);
  });

  it.each<[string, object, object]>([
    ['of another issuer', { issuer: 'https://elsewhere.test' }, {}],
    ['at another origin', { jwks_uri: 'https://elsewhere.test/jwks' }, {}],
    ['at http', { jwks_uri: 'http://token.actions.githubusercontent.com/jwks' }, {}],
    ['at no address', { jwks_uri: '/jwks' }, {}],
    ['that are none', {}, { body: '{"keys":1}' }],
    ['in no JSON', {}, { body: '<html>' }],
    ['by a redirect', {}, { status: 302, headers: { location: 'https://elsewhere.test' } }],
    ['that do not end', {}, { truncated: true }],
  ])('are not taken where they are %s', async (_, discovery, jwks) => {
    await trust();
    const document = { issuer: github, jwks_uri: `${github}/.well-known/jwks`, ...discovery };
    const json = { durationMs: 1, status: 200 };
    issuer.answer(`${github}/.well-known/openid`, { ...json, body: JSON.stringify(document) });
    if (Object.keys(jwks).length > 0) {
      issuer.answer(`${github}/.well-known/jwks`, { ...json, body: '{"keys":[]}', ...jwks });
    }
    expect(await asked()).toEqual([503, 'server_error', expect.stringContaining(github)]);
    expect(issuer.asked.filter((url) => !url.startsWith(`${github}/`))).toEqual([]);
  });

  it('are read over the network, from this machine only while the server is local', async () => {
    const provider = createServer((request, response) => {
      const { address, port } = provider.address() as AddressInfo;
      const base = `http://${address}:${port}`;
      void createFakeAnswer(base, request.url ?? '').then((body) => response.end(body));
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    const { port } = provider.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const own = await createFakeIssuer(() => service.deps.clock.now(), { url });
    const createFakeAnswer = async (base: string, path: string): Promise<string> =>
      (await own.send({ url: base + path, headers: {}, body: '', timeoutMs: 1 }, AbortSignal.timeout(9e5))).body ?? ''; // prettier-ignore
    const rules = { local: true, allowed: new BlockList() };
    const sender = createSender(
      { rules, resolve: () => Promise.reject(new Error('none')) },
      service.deps.clock,
    );
    await service.close();
    service = await startTestService({ receive: sender.send });
    await trust({ issuer: url });
    expect((await exchange(await own.sign())).status).toBe(200);
    await sender.close();
    provider.close();
  });
});
