import { recordAudit } from '../audit/service.ts';
import { timestamp } from '../deps.ts';
import { amended, users } from '../users/collection.ts';
import type { StoredUser } from '../users/collection.ts';
import { findInvited, removeBelongings } from '../users/service.ts';
import { begin, countedUnder, deviceOf, enter, later, noInvitation, refused } from './enter.ts';
import type { Parts } from './enter.ts';
import { hashPassword, isOutdated, isTooLong, problemWith, verifyPassword } from './password.ts';
import { findSession } from './sessions.ts';
import type { SignIn, Visitor } from './types.ts';

/** The same for whatever is wrong: it must not tell which email addresses have users. */
const wrong = refused('The email address or the password is incorrect');
const onlyOwners = refused(
  'Sign in with your company account: only owners can sign in with a password here',
);

/** Where too many wait. */
const busy = later(5);

const longestEmail = 254;

type ByPassword = Pick<
  SignIn,
  'tryPassword' | 'findInvitation' | 'acceptInvitation' | 'changePassword'
>;

export function createByPassword(parts: Parts): ByPassword {
  const { deps, cost, tries, hashing, failures, belongings } = parts;

  const mayUsePassword = ({ roles }: StoredUser): boolean =>
    parts.company?.config.password !== false || roles.includes('owner');

  /** Paced, in a queue. @returns what to say instead where the password is not right */
  async function check(
    email: string,
    user: StoredUser | undefined,
    password: string,
    visitor: Visitor,
  ) {
    // Nothing is tried, so nothing is counted: without a hash, names could be made up faster than counts are kept.
    if (isTooLong(password)) return wrong;
    const device = deviceOf(user, visitor);
    const failed = (): void => {
      if (user) failures.add(user.id, visitor.address);
    };
    const tried = tries.begin(countedUnder('password', email, device, visitor));
    if (typeof tried === 'number') {
      failed();
      return later(tried);
    }
    const queue = device === undefined ? 'stranger' : 'known';
    const account = user?.id ?? email;
    const isRight = await hashing.run({ queue, account }, () =>
      verifyPassword(password, user?.password, cost),
    );
    if (isRight === undefined) {
      tried.withdraw();
      return busy;
    }
    if (!isRight || !user || user.disabled_at !== undefined) {
      failed();
      return wrong;
    }
    tried.succeeded();
    return undefined;
  }

  /** A hash made with today's parameters, where the stored one was made with others. */
  const renewed = (
    { id: account }: StoredUser,
    password: string,
    stored: string,
  ): Promise<string | undefined> =>
    isOutdated(stored, cost)
      ? hashing.run({ queue: 'known', account }, () => hashPassword(password, cost))
      : Promise.resolve(undefined);

  return {
    async tryPassword({ email: given, password, visitor }) {
      const email = given
        .trim()
        .toLowerCase()
        .slice(0, longestEmail + 1);
      const user = (await deps.store.find(users, 'email', email))?.doc;
      const refusal = await check(email, user, password, visitor);
      if (refusal) return refusal;
      const stored = user?.password;
      if (!user || stored === undefined) return wrong;
      if (!mayUsePassword(user)) return onlyOwners;
      const better = await renewed(user, password, stored);
      return deps.store.transact(async (tx) => {
        const now = (await tx.get(users, user.id))?.doc;
        // Meanwhile it may have been changed, or the user disabled.
        if (now?.password !== stored || now.disabled_at !== undefined) return wrong;
        const doc = better === undefined ? now : { ...now, password: better };
        if (better !== undefined) await tx.replace(users, doc);
        return doc.totp
          ? begin(deps, tx, doc, { awaits: 'second_factor', visitor })
          : enter(parts, tx, doc, { visitor, isLogin: true });
      });
    },

    async findInvitation(invitation) {
      const user = await findInvited(deps.store, invitation, deps.clock.now());
      if (!user) return undefined;
      const { email, name, invitation: its } = user;
      return { email, ...(name === undefined ? {} : { name }), expires_at: its.expires_at };
    },

    async acceptInvitation({ invitation, password, visitor }) {
      const user = await findInvited(deps.store, invitation, deps.clock.now());
      if (!user) return noInvitation;
      if (!mayUsePassword(user)) return onlyOwners;
      const problem = problemWith(password, user.email);
      if (problem !== undefined) return refused(problem);
      const asked = { queue: 'stranger', account: user.id } as const;
      const hash = await hashing.run(asked, () => hashPassword(password, cost));
      if (hash === undefined) return busy;
      return deps.store.transact(async (tx) => {
        const now = deps.clock.now();
        const still = await findInvited(tx, invitation, now);
        if (!still) return noInvitation;
        const doc = amended(still, {
          invitation: undefined,
          password: hash,
          activated_at: timestamp(now),
        });
        await tx.replace(users, doc);
        const actor = { userId: doc.id, via: 'sign-in', requestId: visitor.requestId };
        await recordAudit(deps, tx, actor, 'user.accept', doc.id);
        return enter(parts, tx, doc, { visitor, isLogin: true });
      });
    },

    async changePassword({ token, password, newPassword, visitor }) {
      const found = await findSession(deps.store, token, deps.clock.now());
      if (!found || found.needs !== undefined) return { kind: 'no_session' };
      const { user } = found;
      const problem = problemWith(newPassword, user.email);
      if (problem !== undefined) return refused(problem);
      const refusal = await check(user.email, user, password, visitor);
      if (refusal)
        return refusal === wrong ? refused('The current password is incorrect') : refusal;
      const asked = { queue: 'known', account: user.id } as const;
      const hash = await hashing.run(asked, () => hashPassword(newPassword, cost));
      if (hash === undefined) return busy;
      return deps.store.transact(async (tx) => {
        const still = await findSession(tx, token, deps.clock.now());
        if (!still || still.user.password !== user.password) return { kind: 'no_session' };
        const device = deviceOf(still.user, visitor);
        const doc = {
          ...still.user,
          password: hash,
          // Those of the other browsers must not be told apart from strangers' any more.
          devices: device === undefined ? [] : [device],
        };
        await tx.replace(users, doc);
        await removeBelongings(tx, belongings, doc.id, 'sign-in');
        const actor = { userId: doc.id, via: found.stored.id, requestId: visitor.requestId };
        await recordAudit(deps, tx, actor, 'user.password.change', doc.id);
        return enter(parts, tx, doc, { visitor, isLogin: false });
      });
    },
  };
}
