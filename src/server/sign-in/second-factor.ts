import { recordAudit } from '../audit/service.ts';
import type { Deps } from '../deps.ts';
import type { Tx } from '../store/store.ts';
import { amended, users } from '../users/collection.ts';
import type { StoredUser } from '../users/collection.ts';
import { removeBelongings } from '../users/service.ts';
import { sessions } from './collection.ts';
import { countedUnder, deviceOf, enter, later, refused } from './enter.ts';
import type { Parts } from './enter.ts';
import { newRecoveryCodes, useRecoveryCode } from './recovery-codes.ts';
import { findSession, mustHaveSecondFactor } from './sessions.ts';
import type { Found } from './sessions.ts';
import { base32, stepOf, totpUri } from './totp.ts';
import type { Later, NoSession, Refused, SignIn, Visitor } from './types.ts';

/** Bytes; what RFC 4226 recommends. */
const secretLength = 20;

const wrongCode = refused(
  'The code is incorrect or was already used; enter the code that the app shows now',
);
const noSession: NoSession = { kind: 'no_session' };

type BySecondFactor = Pick<
  SignIn,
  'trySecondFactor' | 'enrol' | 'confirm' | 'removeSecondFactor' | 'renewRecoveryCodes'
>;

interface Given {
  readonly token: string;
  readonly visitor: Visitor;
}

export function createBySecondFactor(parts: Parts): BySecondFactor {
  const { deps, tries, failures, belongings } = parts;

  /**
   * Runs what takes a code, paced.
   * @param isFit whether the session is one for it
   * @param work changes nothing where the code is wrong, and says `wrongCode`
   */
  async function withCode<T extends { readonly kind: string }>(
    { token, visitor }: Given,
    isFit: (found: Found) => boolean,
    work: (tx: Tx, found: Found) => Promise<T | Refused>,
  ): Promise<T | Refused | Later | NoSession> {
    const now = deps.clock.now();
    const found = await findSession(deps.store, token, now);
    if (!found || !isFit(found)) return noSession;
    const { user } = found;
    const tried = tries.begin(countedUnder('code', user.id, deviceOf(user, visitor), visitor));
    if (typeof tried === 'number') {
      failures.add(user.id, visitor.address);
      return later(tried);
    }
    const outcome = await deps.store.transact(async (tx) => {
      const still = await findSession(tx, token, now);
      return still && isFit(still) ? work(tx, still) : noSession;
    });
    if (outcome === wrongCode) failures.add(user.id, visitor.address);
    else if (outcome.kind === 'refused' || outcome === noSession) tried.withdraw();
    else tried.succeeded();
    return outcome;
  }

  const record = (tx: Tx, { stored, user }: Found, visitor: Visitor, action: string) => {
    const actor = { userId: user.id, via: stored.id, requestId: visitor.requestId };
    return recordAudit(deps, tx, actor, action, user.id);
  };

  /** The session goes on under another token. */
  async function goOn(
    tx: Tx,
    { stored }: Found,
    user: StoredUser,
    visitor: Visitor,
  ): ReturnType<typeof enter> {
    if (await tx.get(sessions, stored.id)) await tx.remove(sessions, stored.id);
    return enter(parts, tx, user, { visitor, isLogin: stored.awaits !== undefined });
  }

  /** Whoever got in with less, or with what is replaced, signs in anew; so does whoever is halfway in, and would set up another. */
  const endLogins = (tx: Tx, { user }: Found) =>
    removeBelongings(tx, belongings, user.id, 'sign-in');

  const isSignedIn = ({ needs }: Found): boolean => needs === undefined;
  const mayEnrol = ({ needs }: Found): boolean => needs !== 'second_factor';

  return {
    trySecondFactor: ({ code, ...given }) =>
      withCode(
        given,
        ({ needs }) => needs === 'second_factor',
        async (tx, found) => {
          const isRecovery = !isOfApp(code);
          const user = used(deps, found.user, code);
          if (!user) return wrongCode;
          if (isRecovery) await record(tx, found, given.visitor, 'user.recovery_code.use');
          return goOn(tx, found, user, given.visitor);
        },
      ),

    async enrol({ code, ...given }) {
      const begin = async (tx: Tx, { stored, user }: Found) => {
        const secret = deps.random(secretLength);
        const sealed = deps.secrets.seal(Buffer.from(secret).toString('base64url'), ownerOf(user));
        await tx.replace(sessions, { ...stored, enrolling: sealed });
        const issuer = `govctl ${new URL(parts.baseUrl()).host}`;
        const uri = totpUri(secret, issuer, user.email);
        return { kind: 'enrolling', secret: base32(secret), uri } as const;
      };
      const now = deps.clock.now();
      const found = await findSession(deps.store, given.token, now);
      if (!found || !mayEnrol(found)) return noSession;
      if (found.user.totp) {
        if (!code) return refused('Enter a code from your current second factor first');
        return withCode(given, isSignedIn, async (tx, still) => {
          const user = used(deps, still.user, code);
          if (!user) return wrongCode;
          await tx.replace(users, user);
          return begin(tx, still);
        });
      }
      return deps.store.transact(async (tx) => {
        const still = await findSession(tx, given.token, now);
        return still && mayEnrol(still) && !still.user.totp ? begin(tx, still) : noSession;
      });
    },

    confirm: ({ code, ...given }) =>
      withCode(given, mayEnrol, async (tx, found) => {
        const { stored, user } = found;
        if (stored.enrolling === undefined)
          return refused(
            'Setup was finished or replaced in another tab; start again from your account page',
          );
        const secret = open(deps, user, stored.enrolling);
        const step = stepOf(secret, trimmed(code), { now: deps.clock.now(), used: -1 });
        if (step === undefined) return wrongCode;
        const { codes, hashes } = newRecoveryCodes(deps.random);
        const totp = { secret: stored.enrolling, used: step };
        const doc = { ...user, totp, recovery_codes: hashes };
        await tx.replace(users, doc);
        await endLogins(tx, found);
        await record(tx, found, given.visitor, 'user.second_factor.enrol');
        return { ...(await goOn(tx, found, doc, given.visitor)), recovery_codes: codes };
      }),

    removeSecondFactor: ({ code, ...given }) =>
      withCode(given, isSignedIn, async (tx, found) => {
        if (mustHaveSecondFactor(found.scopes)) {
          return refused(
            'Owners and admins must have a second factor; set up another authenticator app instead',
          );
        }
        if (!used(deps, found.user, code)) return wrongCode;
        const user = amended(found.user, { totp: undefined, recovery_codes: undefined });
        await tx.replace(users, user);
        await endLogins(tx, found);
        await record(tx, found, given.visitor, 'user.second_factor.remove');
        return goOn(tx, found, user, given.visitor);
      }),

    renewRecoveryCodes: ({ code, ...given }) =>
      withCode(given, isSignedIn, async (tx, found) => {
        const user = isOfApp(code) ? used(deps, found.user, code) : undefined;
        if (!user) return wrongCode;
        const { codes, hashes } = newRecoveryCodes(deps.random);
        await tx.replace(users, { ...user, recovery_codes: hashes });
        await endLogins(tx, found);
        await tx.insert(sessions, found.stored);
        await record(tx, found, given.visitor, 'user.recovery_codes.renew');
        return { kind: 'renewed', recovery_codes: codes } as const;
      }),
  };
}

const trimmed = (code: string): string => code.replace(/\s/g, '');
const isOfApp = (code: string): boolean => /^\d{6}$/.test(trimmed(code));

const ownerOf = ({ id }: StoredUser): string => `second factor of ${id}`;

const open = (deps: Deps, user: StoredUser, sealed: string): Uint8Array =>
  Buffer.from(deps.secrets.open(sealed, ownerOf(user)), 'base64url');

/** The user once a code is used: each is good once. Undefined: it is wrong. */
function used(deps: Deps, user: StoredUser, code: string): StoredUser | undefined {
  const { totp, recovery_codes: hashes = [] } = user;
  if (!totp) return undefined;
  if (!isOfApp(code)) {
    const left = useRecoveryCode(hashes, code);
    return left && { ...user, recovery_codes: left };
  }
  const secret = open(deps, user, totp.secret);
  const step = stepOf(secret, trimmed(code), { now: deps.clock.now(), used: totp.used });
  return step === undefined ? undefined : { ...user, totp: { ...totp, used: step } };
}
