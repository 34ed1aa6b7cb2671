import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SignIn } from '../../../src/server/sign-in/service.ts';
import { sessions } from '../../../src/server/sign-in/collection.ts';
import { users } from '../../../src/server/users/collection.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';
import { appWith, entered, from, invite, join, password, signInOf } from './people.ts';

let service: TestService;
let signIn: SignIn;
beforeEach(async () => {
  service = await startTestService();
  signIn = signInOf(service.deps);
});
afterEach(() => service.close());

const visitor = from('192.0.2.1');
const hour = 3_600_000;
const tryPassword = (email: string, given = password, as = visitor) =>
  signIn.tryPassword({ email, password: given, visitor: as });
const actionsOf = async (subject: string): Promise<string[]> => {
  const { json } = await service.send('GET', `/v1/audit-log?subject=${subject}&order=asc`);
  return (json.audit_log as { action: string }[]).map(({ action }) => action);
};
const logins = async (): Promise<unknown[]> => {
  const { json } = await service.send('GET', '/v1/events?type=user.login');
  return (json.events as { data: unknown }[]).map(({ data }) => data);
};
const put = (id: string, body: object) => service.send('PUT', `/v1/users/${id}`, { body });

describe('an invitation', () => {
  it('lets a person choose their password, once, and signs them in', async () => {
    const { id, email, invitation } = await invite(service, 'ann', 'editor');
    expect(await signIn.findInvitation(invitation)).toEqual({
      email,
      expires_at: '2026-03-08T12:00:00.000Z',
    });
    const accept = () => signIn.acceptInvitation({ invitation, password, visitor });
    const both = await Promise.all([accept(), accept()]);
    expect(both.map(({ kind }) => kind).sort()).toEqual(['refused', 'signed_in']);
    expect(await signIn.findInvitation(invitation)).toBeUndefined();
    expect((await service.send('GET', `/v1/users/${id}`)).json).toMatchObject({
      status: 'active',
      last_login_at: '2026-03-01T12:00:00.000Z',
    });
    expect(await actionsOf(id)).toEqual(['user.create', 'user.accept', 'user.login']);
    expect(await logins()).toEqual([
      {
        user: {
          id,
          email,
          roles: ['editor'],
          scopes: ['governance:read', 'compliance:write'],
        },
      },
    ]);
    expect((await tryPassword(email)).kind).toBe('signed_in');
  });

  it('expires after 7 days, and is no longer good after a reset', async () => {
    const { id, invitation } = await invite(service, 'ann', 'editor');
    service.advance(7 * 24 * hour - 1);
    expect(await signIn.findInvitation(invitation)).toBeDefined();
    service.advance(1);
    expect(await signIn.findInvitation(invitation)).toBeUndefined();
    const { json } = await service.send('POST', `/v1/users/${id}/reset`);
    const again = String(json.invitation_url).split('/').at(-1) ?? '';
    expect(await signIn.findInvitation(again)).toBeDefined();
    await put(id, { disabled: true });
    for (const link of [invitation, again, 'gin_x', '']) {
      expect(await signIn.acceptInvitation({ invitation: link, password, visitor })).toMatchObject({
        kind: 'refused',
        message: expect.stringContaining('ask an administrator for a new one'),
      });
    }
  });

  it('gives whoever made it no more than it gave: it ends when the user gets more', async () => {
    const scopes = (await service.send('GET', '/v1/roles/owner')).json.scopes;
    const role = { name: 'everything', scopes };
    await service.send('POST', '/v1/roles', { body: role });
    await service.send('POST', '/v1/roles', { body: { name: 'own', scopes: ['governance:read'] } });
    const more: Record<string, (id: string) => Promise<unknown>> = {
      editor: (id) => put(id, { roles: ['admin'] }),
      everything: (id) => put(id, { roles: ['everything', 'owner'] }),
      own: () => service.send('PUT', '/v1/roles/own', { body: { scopes: ['admin'] } }),
    };
    for (const [name, raise] of Object.entries(more)) {
      const { id, invitation } = await invite(service, name, name);
      await put(id, { name: 'Same' });
      expect([name, (await signIn.findInvitation(invitation)) !== undefined]).toEqual([name, true]);
      await raise(id);
      expect([name, await signIn.findInvitation(invitation)]).toEqual([name, undefined]);
      const got = await signIn.acceptInvitation({ invitation, password, visitor });
      expect([name, got.kind]).toEqual([name, 'refused']);
    }
    const { id, invitation } = await invite(service, 'less', 'admin');
    await put(id, { roles: ['editor'] });
    expect((await signIn.acceptInvitation({ invitation, password, visitor })).kind).toBe('signed_in'); // prettier-ignore
  });

  it.each([
    ['eleven char', 'at least 12 characters'],
    ['ANN.ann@example.com', 'not your email address'],
    ['é'.repeat(129), 'at most 256 bytes'],
    ['🐎'.repeat(11), 'at least 12 characters'],
  ])('takes no password such as %j', async (given, said) => {
    const { invitation } = await invite(service, 'ann.ann', 'editor');
    const got = await signIn.acceptInvitation({ invitation, password: given, visitor });
    expect(got).toEqual({ kind: 'refused', message: expect.stringContaining(said) });
    expect(await signIn.findInvitation(invitation)).toBeDefined();
  });
});

describe('a sign-in', () => {
  it('says the same for an unknown user, a wrong password, and one who is invited or disabled', async () => {
    const { email, id } = await join(service, signIn, 'ann', 'editor');
    const { email: invited } = await invite(service, 'bob', 'editor');
    const refused = [await tryPassword('nobody@example.com'), await tryPassword(email, 'x')];
    refused.push(await tryPassword(invited), await tryPassword('__proto__'));
    refused.push(await tryPassword(email, 'x'.repeat(100_000)));
    await put(id, { disabled: true });
    refused.push(await tryPassword(email));
    for (const one of refused) {
      expect(one).toEqual({
        kind: 'refused',
        message: 'The email address or the password is incorrect',
      });
    }
  });

  it('takes the email address and the password as they may be typed', async () => {
    const { email, invitation } = await invite(service, 'ann', 'editor');
    const composed = 'Ångström café';
    await signIn.acceptInvitation({ invitation, password: composed, visitor });
    const got = await tryPassword(` ${email.toUpperCase()} `, composed.normalize('NFD'));
    expect(got.kind).toBe('signed_in');
    expect((await tryPassword(email, composed.toLowerCase())).kind).toBe('refused');
  });

  it('stores no password, token or code that could be read', async () => {
    const { id, token, device, recovery } = await join(service, signIn, 'olga', 'owner');
    const stored = JSON.stringify([
      await service.deps.store.get(users, id),
      await service.deps.store.page(sessions, { orderBy: 'id', direction: 'asc', limit: 100 }),
    ]);
    for (const secret of [password, token, device ?? 'none', ...recovery]) {
      expect(secret.length).toBeGreaterThan(11);
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(secret.replaceAll('-', ''));
    }
    expect(stored).toContain('"secret":"v1:');
    const shown = await service.send('GET', `/v1/users/${id}`);
    for (const part of ['scrypt', 'v1:', 'devices', 'recovery', 'invitation']) {
      expect(shown.text).not.toContain(part);
    }
  });

  it('makes a hash anew that was made with other parameters', async () => {
    const { id, email } = await join(service, signIn, 'ann', 'editor');
    const hashOf = async () => (await service.deps.store.get(users, id))?.doc.password ?? '';
    expect(await hashOf()).toMatch(/^scrypt\$4\$1\$1\$/);
    const dearer = signInOf(service.deps, { cost: { logN: 5, r: 2, p: 1 } });
    await dearer.tryPassword({ email, password, visitor });
    expect(await hashOf()).toMatch(/^scrypt\$5\$2\$1\$/);
    expect((await tryPassword(email)).kind).toBe('signed_in');
  });

  it('hashes as OWASP recommends unless told otherwise', async () => {
    const { defaultCost } = await import('../../../src/server/sign-in/password.ts');
    expect(defaultCost).toEqual({ logN: 16, r: 8, p: 2 });
  });
});

describe('a second factor', () => {
  it('must be set up by owners and admins before anything else', async () => {
    for (const role of ['owner', 'admin']) {
      const { id, email, invitation } = await invite(service, role, role);
      const { session, token, device } = entered(
        await signIn.acceptInvitation({ invitation, password, visitor }),
      );
      expect([session.needs, device]).toEqual(['enrolment', undefined]);
      const { session: again } = entered(await tryPassword(email));
      expect(again.needs).toBe('enrolment');
      expect(await actionsOf(id)).not.toContain('user.login');
      const begun = await signIn.enrol({ token, visitor });
      if (begun.kind !== 'enrolling') throw new Error(begun.kind);
      expect(begun.uri).toContain(`govctl%20govctl.test:${role}%40example.com?secret=`);
      const code = appWith(service, begun.secret);
      const wrong = await signIn.confirm({ token, code: '000000', visitor });
      expect(wrong.kind).toBe('refused');
      const done = entered(await signIn.confirm({ token, code: code(), visitor }));
      expect([done.session.needs, done.recovery_codes.length]).toEqual([undefined, 10]);
      expect(done.device).toMatch(/^gdv_/);
      expect(await signIn.currentSession(token)).toBeUndefined();
      expect((await signIn.currentSession(done.token))?.person.second_factor).toBe(true);
      expect((await actionsOf(id)).slice(-2)).toEqual(['user.second_factor.enrol', 'user.login']);
    }
  });

  it('is asked for after the password; a code is good once, over all sessions', async () => {
    const { email, code, id } = await join(service, signIn, 'olga', 'owner');
    service.advance(60_000);
    const before = (await logins()).length;
    const one = entered(await tryPassword(email));
    const two = entered(await tryPassword(email));
    expect([one.session.needs, one.device]).toEqual(['second_factor', undefined]);
    expect((await logins()).length).toBe(before);
    const given = code();
    const both = await Promise.all(
      [one, two].map(({ token }) => signIn.trySecondFactor({ token, code: given, visitor })),
    );
    expect(both.map(({ kind }) => kind).sort()).toEqual(['refused', 'signed_in']);
    expect((await logins()).length).toBe(before + 1);
    expect((await signIn.currentSession(two.token))?.needs).toBe('second_factor');
    service.advance(10 * 60_000);
    const late = await signIn.trySecondFactor({ token: two.token, code: code(), visitor });
    expect(late.kind).toBe('no_session');
    expect(await actionsOf(id)).toContain('user.login');
  });

  it('has ten recovery codes, each good once, which a person may renew with a code of the app', async () => {
    const { email, code, recovery, id } = await join(service, signIn, 'olga', 'owner');
    const [first = '', second = ''] = recovery;
    expect(recovery.every((one) => /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/.test(one))).toBe(true);
    const use = async (given: string) => {
      const { token } = entered(await tryPassword(email));
      return signIn.trySecondFactor({ token, code: given, visitor });
    };
    const { session, token } = entered(await use(` ${first.toUpperCase().replaceAll('-', ' ')} `));
    expect(session.person.recovery_codes).toBe(9);
    expect((await use(first)).kind).toBe('refused');
    expect(await actionsOf(id)).toContain('user.recovery_code.use');
    service.advance(60_000);
    const renewed = await signIn.renewRecoveryCodes({ token, code: code(), visitor });
    if (renewed.kind !== 'renewed') throw new Error(renewed.kind);
    expect((await use(second)).kind).toBe('refused');
    expect((await use(renewed.recovery_codes[0] ?? '')).kind).toBe('signed_in');
    expect((await signIn.renewRecoveryCodes({ token, code: second, visitor })).kind).toBe('refused'); // prettier-ignore
  });

  it('is replaced only with a code of it, and works until the new one is confirmed', async () => {
    const { token, code, recovery } = await join(service, signIn, 'olga', 'owner');
    service.advance(60_000);
    expect((await signIn.enrol({ token, visitor })).kind).toBe('refused');
    const begun = await signIn.enrol({ token, code: code(), visitor });
    if (begun.kind !== 'enrolling') throw new Error(begun.kind);
    service.advance(60_000);
    expect((await signIn.renewRecoveryCodes({ token, code: code(), visitor })).kind).toBe('renewed'); // prettier-ignore
    const newer = appWith(service, begun.secret);
    const done = entered(await signIn.confirm({ token, code: newer(), visitor }));
    service.advance(60_000);
    const given = { token: done.token, visitor };
    expect((await signIn.renewRecoveryCodes({ ...given, code: code() })).kind).toBe('refused');
    expect((await signIn.renewRecoveryCodes({ ...given, code: newer() })).kind).toBe('renewed');
    expect(done.recovery_codes).not.toEqual(recovery);
  });

  it('may be set up and removed by others, but not removed by owners and admins', async () => {
    const owner = await join(service, signIn, 'olga', 'owner');
    service.advance(60_000);
    const { token, code } = owner;
    expect(await signIn.removeSecondFactor({ token, code: code(), visitor })).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('must have a second factor'),
    });
    const ann = await join(service, signIn, 'ann', 'editor');
    const begun = await signIn.enrol({ token: ann.token, visitor });
    if (begun.kind !== 'enrolling') throw new Error(begun.kind);
    const app = appWith(service, begun.secret);
    const on = entered(await signIn.confirm({ token: ann.token, code: app(), visitor }));
    expect(entered(await tryPassword(ann.email)).session.needs).toBe('second_factor');
    service.advance(60_000);
    const remove = (given: string) =>
      signIn.removeSecondFactor({ token: on.token, code: given, visitor });
    expect((await remove('000000')).kind).toBe('refused');
    const off = entered(await remove(app()));
    expect(off.session.person).toMatchObject({ second_factor: false, recovery_codes: 0 });
    expect(entered(await tryPassword(ann.email)).session.needs).toBeUndefined();
  });

  it('is needed at once by whoever becomes an admin', async () => {
    const { id, email } = await join(service, signIn, 'ann', 'editor');
    const { token } = entered(await tryPassword(email));
    await service.send('POST', '/v1/roles', {
      body: { name: 'boss', scopes: ['governance:read'] },
    });
    await put(id, { roles: ['boss'] });
    expect(await signIn.currentSession(token)).toBeUndefined();
    const { token: next } = entered(await tryPassword(email));
    await service.send('PUT', '/v1/roles/boss', { body: { scopes: ['governance:read', 'admin'] } });
    expect((await signIn.currentSession(next))?.needs).toBe('enrolment');
  });
});

describe('a password', () => {
  it('is changed with the old one; other sessions end', async () => {
    const { email, token, id } = await join(service, signIn, 'ann', 'editor');
    const { token: other } = entered(await tryPassword(email));
    const changed = (old: string, newPassword: string) =>
      signIn.changePassword({ token, password: old, newPassword, visitor });
    const next = 'another good password';
    expect(await changed('wrong wrong wrong', next)).toMatchObject({
      message: 'The current password is incorrect',
    });
    expect(await changed(password, 'short')).toMatchObject({ kind: 'refused' });
    const { token: mine } = entered(await changed(password, next));
    expect(await signIn.currentSession(mine)).toBeDefined();
    for (const gone of [token, other]) expect(await signIn.currentSession(gone)).toBeUndefined();
    expect((await tryPassword(email)).kind).toBe('refused');
    expect((await tryPassword(email, next)).kind).toBe('signed_in');
    expect(await actionsOf(id)).toContain('user.password.change');
  });
});

describe('a session', () => {
  it('ends 12 hours after its last use, and 7 days after the sign-in', async () => {
    const { token } = await join(service, signIn, 'ann', 'editor');
    service.advance(12 * hour - 1);
    expect(await signIn.currentSession(token)).toBeDefined();
    for (let at = 0; at < 13; at++) {
      service.advance(12 * hour - 1);
      expect([at, (await signIn.currentSession(token)) !== undefined]).toEqual([at, true]);
    }
    service.advance(14);
    expect(await signIn.currentSession(token)).toBeUndefined();
    await service.maintain();
    const page = { orderBy: 'id', direction: 'asc', limit: 1 } as const;
    expect((await service.deps.store.page(sessions, page)).total).toBe(0);
  });

  it('is written at most every five minutes, however often it is used', async () => {
    const { token, id } = await join(service, signIn, 'ann', 'editor');
    const seen = async () => (await signIn.sessionsOf(id))[0]?.last_seen;
    service.advance(299_999);
    await signIn.currentSession(token);
    expect(await seen()).toBe('2026-03-01T12:00:00.000Z');
    service.advance(1);
    await signIn.currentSession(token);
    expect(await seen()).toBe('2026-03-01T12:05:00.000Z');
  });

  it('ends when its user signs out, is disabled, reset, deleted or gets other roles', async () => {
    const ends = {
      'sign out': (_: string, token: string) => signIn.endSession(token, visitor),
      disable: (id: string) => put(id, { disabled: true }),
      roles: (id: string) => put(id, { roles: ['viewer'] }),
      reset: (id: string) => service.send('POST', `/v1/users/${id}/reset`),
      revoke: (id: string) => service.send('POST', `/v1/users/${id}/revoke`),
      delete: (id: string) => service.send('DELETE', `/v1/users/${id}`),
    };
    for (const [name, end] of Object.entries(ends)) {
      const { id, token } = await join(service, signIn, name.replace(' ', ''), 'editor');
      expect([name, (await signIn.currentSession(token))?.person.id]).toEqual([name, id]);
      await end(id, token);
      expect([name, await signIn.currentSession(token)]).toEqual([name, undefined]);
    }
    const bob = await join(service, signIn, 'bob', 'editor');
    const { json } = await service.send('POST', `/v1/users/${bob.id}/revoke`);
    expect(json.revoked).toMatchObject({ sessions: 1 });
  });

  it('is one of 20 at most, is listed, and may be ended by its own user only', async () => {
    const { id, email, token } = await join(service, signIn, 'ann', 'editor');
    const bob = await join(service, signIn, 'bob', 'editor');
    for (let at = 0; at < 20; at++) {
      service.advance(1_000);
      await tryPassword(email, password, from(`192.0.2.${at}`));
    }
    const listed = await signIn.sessionsOf(id);
    expect(listed).toHaveLength(20);
    expect(listed[0]).toMatchObject({ address: '192.0.2.19' });
    expect(JSON.stringify(listed)).not.toContain('hash');
    expect(await signIn.currentSession(token)).toBeUndefined();
    const [one = { id: '' }] = listed;
    expect(await signIn.endSessionOf(bob.id, one.id, visitor)).toBe(false);
    expect(await signIn.endSessionOf(id, one.id, visitor)).toBe(true);
    expect(await actionsOf(one.id)).toEqual(['user.logout']);
    expect(await signIn.sessionsOf(id)).toHaveLength(19);
  });

  it('that is complete is not ended by sign-ins that are not', async () => {
    const { email, token, id, code } = await join(service, signIn, 'olga', 'owner');
    service.advance(60_000);
    for (let at = 0; at < 30; at++) entered(await tryPassword(email));
    expect(await signIn.currentSession(token)).toBeDefined();
    const all = { where: { user_id: { any: [id] } }, orderBy: 'id', direction: 'asc' } as const;
    const { total } = await service.deps.store.page(sessions, { ...all, limit: 1 });
    expect(total).toBe(20);
    const { token: last } = entered(await tryPassword(email));
    const given = { token: last, code: code(), visitor };
    expect((await signIn.trySecondFactor(given)).kind).toBe('signed_in');
  });

  it('is none without a token, with a wrong one, or with an API key', async () => {
    for (const token of [undefined, '', 'gse_x', service.key, '__proto__']) {
      expect(await signIn.currentSession(token)).toBeUndefined();
    }
  });
});
