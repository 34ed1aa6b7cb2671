import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trustStates } from '../../../src/server/trusts/collection.ts';
import { trustsModule } from '../../../src/server/trusts/module.ts';
import type { Got, TestService } from '../test-service.ts';
import { fieldsOf, startTestService } from '../test-service.ts';
import { userWith } from './bound-user.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

const rule = {
  name: 'Deploys',
  provider: 'github',
  repository: 'acme/policies',
  ref: 'refs/heads/main',
  scopes: ['compliance:write', 'governance:read'],
};
const send = (method: string, path: string, body?: object, key?: string): Promise<Got> =>
  service.send(method, path, {
    ...(body === undefined ? {} : { body }),
    ...(key === undefined ? {} : { key }),
  });
const create = (fields: object = {}, key?: string): Promise<Got> =>
  send('POST', '/v1/trusts', { ...rule, ...fields }, key);
const faults = async (fields: object): Promise<unknown[]> => {
  const got = await create(fields);
  return [got.status, got.json.error, ...fieldsOf(got)];
};

describe('trust rules', () => {
  it('are created with the issuer and the events of their provider, read, updated and deleted', async () => {
    const created = await create();
    const shown = {
      ...rule,
      id: expect.stringMatching(/^trust_/),
      issuer: 'https://token.actions.githubusercontent.com',
      events: ['push', 'workflow_dispatch', 'schedule'],
      allow_pull_request_target: false,
      scopes: ['governance:read', 'compliance:write'],
      user_id: expect.stringMatching(/^user_/),
      made_by: expect.stringMatching(/^user_/),
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:00:00.000Z',
    };
    expect([created.status, created.json]).toEqual([201, shown]);
    const path = created.headers.get('location') ?? '';
    expect(path).toBe(`/v1/trusts/${String(created.json.id)}`);
    expect((await send('GET', path)).json).toEqual(shown);
    const same = await send('PUT', path, created.json);
    expect(same.headers.get('etag')).toBe(created.headers.get('etag'));
    const body = { ref: null, environment: 'production', repository_id: '74', events: ['push'] };
    expect((await send('PUT', path, body)).json).toEqual({
      ...shown,
      ref: undefined,
      environment: 'production',
      repository_id: '74',
      events: ['push'],
      updated_at: '2026-03-01T12:00:00.001Z',
    });
    expect((await send('GET', '/v1/audit-log?limit=2')).json.audit_log).toMatchObject([
      {
        action: 'trust.update',
        changes: ['repository_id', 'ref', 'environment', 'events'],
      },
      { action: 'trust.create' },
    ]);
    expect((await send('DELETE', path)).status).toBe(204);
    const gone = await send('GET', path);
    expect([gone.status, gone.json.error]).toEqual([404, 'trust_not_found']);
  });

  it('have the issuer of gitlab.com, or of an own GitLab or GitHub', async () => {
    const gitlab = { provider: 'gitlab', repository: 'acme/platform/policies' };
    expect((await create(gitlab)).json).toMatchObject({
      issuer: 'https://gitlab.com',
      events: ['push', 'web', 'schedule'],
    });
    const own = { ...gitlab, issuer: 'https://gitlab.example.com/' };
    expect((await create(own)).json.issuer).toBe('https://gitlab.example.com');
    const enterprise = { issuer: 'https://github.example.com/_services/token' };
    expect((await create(enterprise)).json.issuer).toBe(enterprise.issuer);
  });

  it('pin a ref or an environment of a repository', async () => {
    const refused = (...fields: string[]) => [400, 'invalid_trust', ...fields];
    expect(await faults({ ref: undefined })).toEqual(refused('ref'));
    for (const ref of ['main', 'refs/heads/', 'refs/*', '*', 'refs/heads/*/x', 'refs/heads/a b']) {
      expect([ref, await faults({ ref })]).toEqual([ref, refused('ref')]);
    }
    for (const ref of ['refs/heads/*', 'refs/heads/release/*', 'refs/tags/v1', 'refs/pull/*']) {
      expect([ref, (await create({ ref })).status]).toEqual([ref, 201]);
    }
    for (const repository of ['policies', 'acme/', '/x', 'acme/*', 'a/b c', 'acme/sub/policies']) {
      expect([repository, await faults({ repository })]).toEqual([
        repository,
        refused('repository'),
      ]);
    }
    expect(await faults({ repository_id: 'x' })).toEqual(refused('repository_id'));
    expect(await faults({ events: [] })).toEqual(refused('events'));
    expect(await faults({ provider: 'jenkins' })).toEqual(refused('provider'));
  });

  it('never give admin', async () => {
    expect(await faults({ scopes: ['admin'] })).toEqual([400, 'invalid_trust', 'scopes']);
    const { json } = await create();
    const got = await send('PUT', `/v1/trusts/${String(json.id)}`, { scopes: ['admin'] });
    expect([got.status, fieldsOf(got)]).toEqual([400, ['scopes']]);
  });

  it('let jobs that may run the code of forks in only where that is said', async () => {
    const gitlab = { provider: 'gitlab', events: ['merge_request_event'] };
    const events = ['push', 'pull_request_target'];
    expect(await faults({ events })).toEqual([400, 'invalid_trust', 'events']);
    expect(await faults(gitlab)).toEqual([400, 'invalid_trust', 'events']);
    expect((await create({ ...gitlab, allow_pull_request_target: true })).status).toBe(201);
    const { json } = await create({ events, allow_pull_request_target: true });
    const got = await send('PUT', `/v1/trusts/${String(json.id)}`, {
      allow_pull_request_target: false,
    });
    expect([got.status, fieldsOf(got)]).toEqual([400, ['events']]);
  });

  it('refuse events that resemble one of the provider and are none, but not ones that may be new', async () => {
    const got = await create({ events: ['push', 'pull_requst'] });
    expect([got.status, got.text]).toEqual([400, expect.stringContaining('did you mean pull_request?')]); // prettier-ignore
    expect((await create({ events: ['quantum_leap'] })).status).toBe(201);
  });

  it('refuse issuers that the server must not ask', async () => {
    const inside = { resolve: async () => [{ address: '10.0.0.1', family: 4 }] };
    const open = await startTestService({ isLocal: false, ...inside });
    const fault = async (issuer: string): Promise<unknown> => {
      const got = await open.send('POST', '/v1/trusts', { body: { ...rule, issuer } });
      return [got.status, fieldsOf(got)];
    };
    for (const issuer of [
      'http://gitlab.example.com',
      'http://127.0.0.1:1',
      'https://127.0.0.1',
      'https://169.254.169.254',
      'https://localhost',
      'https://inside.example.com',
      'https://ann:secret@gitlab.com',
      'https://gitlab.com/#x',
      'https://gitlab.com/?x=1',
      'file:///etc/passwd',
      'gitlab.com',
    ]) {
      expect([issuer, await fault(issuer)]).toEqual([issuer, [400, ['issuer']]]);
    }
    await open.close();
    expect((await create({ issuer: 'http://127.0.0.1:9/x' })).status).toBe(201);
  });

  it('cannot change their provider or issuer', async () => {
    const { json } = await create();
    for (const [field, value] of [
      ['provider', 'gitlab'],
      ['issuer', 'https://gitlab.example.com'],
      ['id', 'trust_x'],
    ] as const) {
      const got = await send('PUT', `/v1/trusts/${String(json.id)}`, { [field]: value });
      expect([got.status, fieldsOf(got)]).toEqual([400, [field]]);
    }
  });

  it('give no more than their maker has, and belong to them', async () => {
    const ann = await userWith(service, 'ann', 'admin', 'governance:read');
    const refused = await create({}, ann.key);
    expect([refused.status, refused.json.error]).toEqual([403, 'insufficient_scope']);
    const { json, status } = await create({ scopes: ['governance:read'] }, ann.key);
    expect([status, json.made_by]).toEqual([201, ann.id]);
    const { json: revoked } = await send('POST', `/v1/users/${ann.id}/revoke`);
    expect(revoked).toMatchObject({ revoked: { trusts: 1 } });
    expect((await send('GET', `/v1/trusts/${String(json.id)}`)).status).toBe(404);
  });

  it('that an earlier version made are sorted by their last use, too', async () => {
    const { id } = (await create()).json;
    await service.deps.store.transact((tx) => tx.remove(trustStates, String(id)));
    const list = async () => (await send('GET', '/v1/trusts?sort_by=last_used_at')).json.trusts;
    expect(await list()).toEqual([]);
    await service.deps.store.transact((tx) => trustsModule.derive(tx));
    expect(await list()).toMatchObject([{ id }]);
  });

  it('leave nothing where they go with their maker', async () => {
    const maker = await userWith(service, 'maker', 'governance:read', 'compliance:write', 'admin');
    expect((await create({}, maker.key)).status).toBe(201);
    await send('POST', `/v1/users/${maker.id}/revoke`);
    expect((await send('GET', '/v1/trusts?sort_by=last_used_at')).json.trusts).toEqual([]);
  });

  it('are changed only by who has what they give, and are bound to them from then on', async () => {
    const ann = await userWith(service, 'ann', 'admin', 'governance:read');
    const bob = await userWith(service, 'bob', 'admin', 'governance:read', 'compliance:write');
    const path = `/v1/trusts/${String((await create()).json.id)}`;
    const theirs = { repository: 'ann/own' };
    const got = await send('PUT', path, theirs, ann.key);
    expect([got.status, got.json.error]).toEqual([403, 'insufficient_scope']);
    const less = await send('PUT', path, { ...theirs, scopes: ['governance:read'] }, ann.key);
    expect(less.status).toBe(403);
    expect((await send('PUT', path, { name: 'New' }, ann.key)).json).toMatchObject({ name: 'New' });
    expect((await send('PUT', path, theirs, bob.key)).json).toMatchObject({ made_by: bob.id });
    await send('DELETE', `/v1/users/${bob.id}`);
    expect((await send('GET', path)).status).toBe(404);
    const another = `/v1/trusts/${String((await create()).json.id)}`;
    expect((await send('DELETE', another, undefined, ann.key)).status).toBe(204);
  });

  it('need the scope admin', async () => {
    const key = await service.keyWith('governance:read', 'compliance:write', 'cost:admin');
    expect((await create({}, key)).status).toBe(403);
    expect((await send('GET', '/v1/trusts', undefined, key)).status).toBe(403);
  });
});
