import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoginService } from '../oauth/login-service.ts';
import { startLoginService } from '../oauth/login-service.ts';

let service: LoginService;
beforeEach(async () => void (service = await startLoginService()));
afterEach(() => service.close());

describe('GET /v1/me', () => {
  it('says whom an API key belongs to, whatever its scopes are', async () => {
    const expires_at = '2026-04-01T00:00:00.000Z';
    const body = { name: 'nightly', scopes: ['cost:read'], expires_at };
    const made = (await service.send('POST', '/v1/api-keys', { body })).json;
    const got = await service.send('GET', '/v1/me', { key: String(made.key) });
    expect([got.status, got.json]).toEqual([
      200,
      {
        user_id: made.user_id,
        kind: 'key',
        scopes: ['cost:read'],
        credential: { id: made.id, name: 'nightly', expires_at },
      },
    ]);
    expect((await service.send('GET', '/v1/me', { key: null })).status).toBe(401);
  });

  it('says who is signed in, with roles and the scopes of the token', async () => {
    const { tokens } = await service.login();
    const { json } = await service.ask(tokens.access_token, '/v1/me');
    expect(json).toMatchObject({
      user_id: service.userId,
      kind: 'person',
      scopes: ['governance:read', 'compliance:write'],
      credential: { expires_at: '2026-03-01T13:00:00.000Z' },
      user: { id: service.userId, email: 'ada@example.com', roles: ['editor'] },
    });
  });
});
