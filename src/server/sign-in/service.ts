import { defined } from '../../contract/defined.ts';
import { recordAudit } from '../audit/service.ts';
import type { Deps } from '../deps.ts';
import { hashSecret } from '../keys/hashed-secrets.ts';
import type { Tx } from '../store/store.ts';
import { createByPassword } from './by-password.ts';
import { sessions } from './collection.ts';
import type { StoredSession } from './collection.ts';
import { createByCompany } from './company/by-company.ts';
import { createChecks } from './company/checks.ts';
import { createProvider } from './company/provider.ts';
import type { Parts } from './enter.ts';
import { createFailureLog } from './failures.ts';
import { createHashing } from './hashing.ts';
import { defaultCost } from './password.ts';
import type { Cost } from './password.ts';
import { createBySecondFactor } from './second-factor.ts';
import { findSession, sessionsOfUser, showSession, touchSession } from './sessions.ts';
import { createTries } from './tries.ts';
import type { SignIn, Visitor } from './types.ts';

export type * from './types.ts';
export { mustHaveSecondFactor } from './sessions.ts';

export { checkCompany } from './company/check-company.ts';

export interface SignInOptions extends Pick<
  Parts,
  'belongings' | 'baseUrl' | 'isLocal' | 'company'
> {
  /** Of hashing a password; default: as OWASP recommends. */
  readonly cost?: Cost;
}

/** Once for a server: failures are counted, and hashes made one at a time, over all who sign in. */
export function createSignIn(
  deps: Deps,
  { cost = defaultCost, ...options }: SignInOptions,
): SignIn {
  const failures = createFailureLog(deps);
  const parts: Parts = {
    ...options,
    deps,
    cost,
    failures,
    tries: createTries(deps.clock),
    hashing: createHashing(deps.clock),
  };
  const end = async (tx: Tx, { id, user_id: userId }: StoredSession, { requestId }: Visitor) => {
    await tx.remove(sessions, id);
    await recordAudit(deps, tx, { userId, via: 'sign-in', requestId }, 'user.logout', id);
  };
  const { company } = options;
  const provider = company && createProvider(deps, company.config, company.send);
  return {
    ...(company && provider ? { company: createByCompany(parts, company.config, provider) } : {}),
    ...createByPassword(parts),
    ...createBySecondFactor(parts),

    async currentSession(token) {
      const found = await findSession(deps.store, token, deps.clock.now());
      if (!found) return undefined;
      await touchSession(deps, found);
      return showSession(found);
    },

    async sessionsOf(userId) {
      const found = await sessionsOfUser(deps.store, userId, deps.clock.now());
      return found.map(({ id, created_at, last_seen, address }) => ({
        id,
        created_at,
        last_seen,
        ...defined({ address }),
      }));
    },

    endSession: (token, visitor) =>
      deps.store.transact(async (tx) => {
        const found = await tx.find(sessions, 'hash', hashSecret(token));
        if (found) await end(tx, found.doc, visitor);
      }),

    endSessionOf: (userId, id, visitor) =>
      deps.store.transact(async (tx) => {
        const found = await tx.get(sessions, id);
        if (found?.doc.user_id !== userId) return false;
        await end(tx, found.doc, visitor);
        return true;
      }),

    saveFailures: failures.save,
    checkAccounts: createChecks(parts, provider),
  };
}
