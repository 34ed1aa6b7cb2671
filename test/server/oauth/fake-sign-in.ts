import { scopesOfRoles } from '../../../src/server/users/service.ts';
import { users } from '../../../src/server/users/collection.ts';
import type { Deps } from '../../../src/server/deps.ts';
import type { Session, SignIn } from '../../../src/server/sign-in/service.ts';

const never = () => Promise.reject(new Error('not part of these tests'));

/** Everybody has the password `right`. */
export function fakeSignIn(deps: Deps): SignIn {
  const sessions = new Map<string, Session>();
  return {
    async tryPassword({ email, password }) {
      const user = (await deps.store.find(users, 'email', email))?.doc;
      if (!user || password !== 'right') return { kind: 'refused', message: 'wrong' };
      const token = `session-${sessions.size}`;
      const session: Session = {
        id: token,
        person: {
          id: user.id,
          email,
          roles: user.roles,
          scopes: await scopesOfRoles(deps.store, user.roles),
          second_factor: false,
          recovery_codes: 0,
        },
        authenticated_at: new Date(deps.clock.now()).toISOString(),
        expires_at: '2027-01-01T00:00:00Z',
      };
      sessions.set(token, session);
      return { kind: 'signed_in', session, token };
    },
    currentSession: (token) => Promise.resolve(sessions.get(token ?? '')),
    endSession: (token) => Promise.resolve(void sessions.delete(token)),
    sessionsOf: () => Promise.resolve([]),
    endSessionOf: () => Promise.resolve(false),
    trySecondFactor: never,
    findInvitation: () => Promise.resolve(undefined),
    acceptInvitation: never,
    changePassword: never,
    enrol: never,
    confirm: never,
    removeSecondFactor: never,
    renewRecoveryCodes: never,
    saveFailures: () => Promise.resolve(),
  };
}
