import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bootstrapKeyWorks, ensureBootstrapKey } from '../../../src/server/auth/bootstrap.ts';
import type { SignIn } from '../../../src/server/sign-in/service.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';
import { appWith, entered, from, invite, join, password, signInOf } from './people.ts';

let service: TestService;
let signIn: SignIn;
beforeEach(async () => {
  service = await startTestService({ isLocal: false });
  signIn = signInOf(service.deps, { isLocal: false });
});
afterEach(() => service.close());

const visitor = from('192.0.2.1');
const works = async (key = service.key): Promise<boolean> =>
  (await service.send('GET', '/v1/policies', { key })).status === 200;
const actions = async (key: string): Promise<string[]> => {
  const { json } = await service.send('GET', '/v1/audit-log?order=asc&limit=100', { key });
  return (json.audit_log as { action: string }[]).map(({ action }) => action);
};

describe("the server's own key", () => {
  it('works until the first owner has signed in completely, and no longer; keys that it made stay', async () => {
    const made = await service.keyWith('admin', 'governance:read');
    await join(service, signIn, 'ann', 'admin');
    const { invitation } = await invite(service, 'olga', 'owner');
    expect(await works()).toBe(true);
    const { token } = entered(await signIn.acceptInvitation({ invitation, password, visitor }));
    // An owner who does not get the second factor to work is not locked out: there is the key.
    expect(await works()).toBe(true);
    const begun = await signIn.enrol({ token, visitor });
    if (begun.kind !== 'enrolling') throw new Error(begun.kind);
    const code = appWith(service, begun.secret)();
    entered(await signIn.confirm({ token, code, visitor }));
    const got = await service.send('GET', '/v1/policies');
    expect([got.status, got.json.error, got.text]).toEqual([
      401,
      'invalid_token',
      expect.stringContaining(
        "The server's own API key was disabled at 2026-03-01T12:00:00.000Z, because owners sign in",
      ),
    ]);
    expect(await works(made)).toBe(true);
    expect((await actions(made)).slice(-2)).toEqual(['user.login', 'api_key.disable']);
    const { text } = await service.send('GET', '/v1/api-keys', { key: made });
    expect(text).toContain('"disabled_at":"2026-03-01T12:00:00.000Z"');
  });

  it('is not made anew at a start without one', async () => {
    await join(service, signIn, 'olga', 'owner');
    expect(await bootstrapKeyWorks(service.deps)).toBe(false);
    expect(await ensureBootstrapKey(service.deps, undefined)).toBeUndefined();
    expect(await works()).toBe(false);
    expect(await bootstrapKeyWorks(service.deps)).toBe(false);
  });

  it.each(['the same', 'another-key-0123456789'])(
    'is brought back by a start that gives %s one, which the audit log shows, until a start without it',
    async (given) => {
      const { email, code } = await join(service, signIn, 'olga', 'owner');
      const key = given === 'the same' ? service.key : given;
      expect(await ensureBootstrapKey(service.deps, key)).toEqual({
        key,
        generated: false,
        breakGlass: true,
      });
      expect(await works(key)).toBe(true);
      expect((await actions(key)).at(-1)).toBe('break_glass');
      // Whoever has broken the glass is not thrown out by owners who sign in.
      service.advance(60_000);
      const { token } = entered(await signIn.tryPassword({ email, password, visitor }));
      entered(await signIn.trySecondFactor({ token, code: code(), visitor }));
      expect(await works(key)).toBe(true);
      const again = await ensureBootstrapKey(service.deps, key);
      expect(again?.breakGlass).toBe(true);
      expect((await actions(key)).filter((action) => action === 'break_glass')).toHaveLength(1);
      await ensureBootstrapKey(service.deps, undefined);
      expect(await works(key)).toBe(false);
    },
  );

  it('resets the last owner, who is invited again, once it is brought back', async () => {
    const { id } = await join(service, signIn, 'olga', 'owner');
    await ensureBootstrapKey(service.deps, service.key);
    const { json } = await service.send('POST', `/v1/users/${id}/reset`);
    const invitation = String(json.invitation_url).split('/').at(-1) ?? '';
    const next = entered(await signIn.acceptInvitation({ invitation, password, visitor }));
    expect(next.session.needs).toBe('enrolment');
  });

  it('works on while only this machine can reach the server', async () => {
    await join(service, signInOf(service.deps), 'olga', 'owner');
    expect(await works()).toBe(true);
  });
});
