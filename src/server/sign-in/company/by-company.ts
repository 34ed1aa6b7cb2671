import { timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { defined } from '../../../contract/defined.ts';
import { GovctlError } from '../../../contract/errors.ts';
import { recordAudit } from '../../audit/service.ts';
import type { CompanyConfig } from '../../config/config.ts';
import { timestamp } from '../../deps.ts';
import { networkOf } from '../../http/address.ts';
import type { Tx } from '../../store/store.ts';
import { accountKey, amended, users } from '../../users/collection.ts';
import type { Account, StoredLink, StoredUser } from '../../users/collection.ts';
import { createManaged, findInvited, followRules, knownRoles } from '../../users/service.ts';
import { begin, enter, later, noInvitation, refused } from '../enter.ts';
import type { Parts } from '../enter.ts';
import { checkedFor, findSession } from '../sessions.ts';
import type { CompanySignIn, Entered, Linkable, NoSession, Refused, Visitor } from '../types.ts';
import { accountNameOf, isMultiFactor, isOfTenant, nameOf, rolesByRules, verifiedEmail } from './claims.ts'; // prettier-ignore
import type { Claims } from './claims.ts';
import { keep, kept } from './pending.ts';
import { Refusal, Unreachable } from './provider.ts';
import type { Provider, Vouched } from './provider.ts';

/** The path that the provider sends browsers back to. */
const callbackPath = '/auth/company/callback';

/** Sign-ins that wait for the provider at once. */
const mostAtOnce = 32;

const Pending = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
  invitation: z.string().optional(),
  link_for: z.string().optional(),
});
type Pending = z.infer<typeof Pending>;

/** An account that may be linked to the user of one session. */
const Proof = z.object({
  session: z.string(),
  issuer: z.string(),
  subject: z.string(),
  name: z.string(),
});

const noSession: NoSession = { kind: 'no_session' };
const expired = refused('This sign-in has expired or was started in another browser; start again');
const linkedElsewhere = refused('This account is already linked to another user');

export function createByCompany(
  parts: Parts,
  company: CompanyConfig,
  provider: Provider,
): CompanySignIn {
  const { deps, tries, belongings } = parts;
  let underWay = 0;

  const secret = (): string => Buffer.from(deps.random(32)).toString('base64url');
  const unreachable = {
    kind: 'unreachable',
    message: `${company.name} cannot be reached at the moment; try again later`,
  } as const;

  /** What the provider says, or what to say instead. */
  async function ask(query: string, pending: Pending, visitor: Visitor) {
    if (underWay >= mostAtOnce) return later(5);
    const tried = tries.begin([{ as: 'network', name: `company ${networkOf(visitor.address)}` }]);
    if (typeof tried === 'number') return later(tried);
    underWay += 1;
    try {
      const vouched = await provider.redeem(
        new URL(parts.baseUrl() + callbackPath + query),
        pending,
      );
      tried.succeeded();
      return { kind: 'vouched', ...vouched } as const;
    } catch (error) {
      if (error instanceof Refusal) return refused(error.message);
      if (!(error instanceof Unreachable)) throw error;
      tried.withdraw();
      deps.log.warn({ issuer: company.issuer, reason: error.message }, 'company sign-in cannot be reached'); // prettier-ignore
      return unreachable;
    } finally {
      underWay -= 1;
    }
  }

  /** Signs a user in whom the provider vouches for. */
  async function goOn(
    tx: Tx,
    user: StoredUser,
    link: Pick<StoredLink, 'managed' | 'linked_at'> & Account,
    { claims, refreshToken, visitor }: Vouched & { readonly visitor: Visitor },
  ): Promise<Entered> {
    const before = user.link;
    const { issuer, subject, managed, linked_at } = link;
    const doc = {
      ...user,
      link: {
        issuer,
        subject,
        name: accountNameOf(claims),
        linked_at,
        check_at: deps.clock.now() + checkedFor,
        ...defined({
          managed,
          // Google gives one at the first sign-in only.
          refresh:
            refreshToken === undefined
              ? before?.refresh
              : deps.secrets.seal(refreshToken, refreshOwner(user)),
        }),
      },
    };
    await tx.replace(users, doc);
    const isVouched = !company.require_second_factor || isMultiFactor(claims);
    if (!isVouched && doc.totp) return begin(deps, tx, doc, { awaits: 'second_factor', visitor });
    const secondFactor = isVouched ? 'company' : undefined;
    return enter(parts, tx, doc, { visitor, isLogin: true, secondFactor });
  }

  const rolesOf = (tx: Tx, claims: Claims): Promise<string[]> =>
    knownRoles(tx, rolesByRules(claims, company.roles));

  const noRole = refused(
    `No rule on this server gives your ${company.name} account a role; ask an administrator`,
  );

  /** Somebody whose account nobody has linked. */
  async function welcome(
    tx: Tx,
    account: Account,
    vouched: Vouched & { readonly visitor: Visitor },
  ): Promise<Entered | Refused> {
    const { claims, visitor } = vouched;
    const roles = await rolesOf(tx, claims);
    if (roles.length === 0) return noRole;
    const email = verifiedEmail(claims);
    if (email === undefined) {
      return refused(
        `${company.name} does not say that your email address is verified; ask an administrator to invite you`,
      );
    }
    if (await tx.find(users, 'email', email)) {
      return refused(
        `The user ${email} already exists, and is not linked to your ${company.name} account. Sign in as before and link it on your account page, or ask an administrator for a new invitation`,
      );
    }
    const linked_at = timestamp(deps.clock.now());
    const link = { ...account, managed: true, linked_at } as const;
    const given = { email, roles, link: { ...link, name: accountNameOf(claims) } };
    const user = await createManaged(
      deps,
      tx,
      { ...given, ...defined({ name: nameOf(claims) }) },
      visitor.requestId,
    );
    return goOn(tx, user, link, vouched);
  }

  async function accept(
    tx: Tx,
    invitation: string,
    account: Account,
    vouched: Vouched & { readonly visitor: Visitor },
  ): Promise<Entered | Refused> {
    const user = await findInvited(tx, invitation, deps.clock.now());
    if (!user) return noInvitation;
    if (await tx.find(users, 'account', accountKey(account))) return linkedElsewhere;
    const at = timestamp(deps.clock.now());
    const doc = amended(user, { invitation: undefined, activated_at: at });
    const actor = { userId: doc.id, via: 'company', requestId: vouched.visitor.requestId };
    await recordAudit(deps, tx, actor, 'user.accept', doc.id, ['link']);
    return goOn(tx, doc, { ...account, linked_at: at }, vouched);
  }

  async function linkable(
    tx: Tx,
    { link_for: id }: Pending,
    account: Account,
    { claims, token }: { readonly claims: Claims; readonly token: string },
  ): Promise<Linkable | Refused | NoSession> {
    const session = await findSession(tx, token, deps.clock.now());
    if (session?.stored.id !== id || session?.needs !== undefined) return noSession;
    const other = (await tx.find(users, 'account', accountKey(account)))?.doc;
    if (other && other.id !== session?.user.id) return linkedElsewhere;
    const name = accountNameOf(claims);
    const proof = keep(deps, 'company link', { ...account, name, session: id });
    return { kind: 'linkable', account: name, proof };
  }

  async function decide(
    tx: Tx,
    pending: Pending,
    vouched: Vouched & { readonly visitor: Visitor; readonly token: string },
  ): Promise<Entered | Linkable | Refused | NoSession> {
    const { claims, visitor } = vouched;
    const account = { issuer: claims.iss, subject: claims.sub };
    if (pending.link_for !== undefined) return linkable(tx, pending, account, vouched);
    if (pending.invitation !== undefined) return accept(tx, pending.invitation, account, vouched);
    const user = (await tx.find(users, 'account', accountKey(account)))?.doc;
    if (!user?.link) return welcome(tx, account, vouched);
    if (user.disabled_at !== undefined) {
      return refused('Your user is disabled; ask an administrator');
    }
    if (!user.link.managed) return goOn(tx, user, user.link, vouched);
    const names = await rolesOf(tx, claims);
    const given = { names, requestId: visitor.requestId, belongings };
    const doc = await followRules(deps, tx, user, given);
    return doc.roles.length === 0 ? noRole : goOn(tx, doc, user.link, vouched);
  }

  return {
    name: company.name,
    isOnly: !company.password,

    async begin({ next, invitation, linkFor, isAnew = false }) {
      const session = await findSession(deps.store, linkFor, deps.clock.now());
      const secrets = { state: secret(), nonce: secret(), verifier: secret() };
      // Without a session it is of no one's.
      const linking = linkFor === undefined ? {} : { link_for: session?.stored.id ?? '' };
      const purpose = { next, ...linking, ...defined({ invitation }) };
      try {
        const url = await provider.authorize(secrets, {
          redirectUri: parts.baseUrl() + callbackPath,
          isAnew,
        });
        return { kind: 'away', url, pending: keep(deps, 'company sign-in', { ...secrets, ...purpose }) }; // prettier-ignore
      } catch (error) {
        if (error instanceof Unreachable) return unreachable;
        throw error;
      }
    },

    async finish({ query, pending: sealed, token, visitor }) {
      const pending = kept(deps, 'company sign-in', Pending, sealed);
      if (!pending || !isSame(new URLSearchParams(query).get('state') ?? '', pending.state)) {
        return expired;
      }
      const { next } = pending;
      const asked = await ask(query, pending, visitor);
      if (asked.kind !== 'vouched') return { ...asked, next };
      if (!isOfTenant(asked.claims, company.tenant)) {
        deps.log.warn({ issuer: company.issuer }, 'company sign-in refused an account of another organization'); // prettier-ignore
        return {
          ...refused(
            `This ${company.name} account belongs to another organization; sign in with another account`,
          ),
          next,
        };
      }
      try {
        const given = { ...asked, visitor, token };
        return { ...(await deps.store.transact((tx) => decide(tx, pending, given))), next };
      } catch (error) {
        if (error instanceof GovctlError && error.error === 'invalid_user') {
          return { ...refused(error.message), next };
        }
        throw error;
      }
    },

    link: ({ token, proof, visitor }) =>
      deps.store.transact(async (tx) => {
        const session = await findSession(tx, token, deps.clock.now());
        if (!session || session.needs !== undefined) return noSession;
        const { user, stored } = session;
        const proven = kept(deps, 'company link', Proof, proof);
        if (proven?.session !== stored.id) return expired;
        const { issuer, subject, name } = proven;
        const account = { issuer, subject, name };
        if (user.link?.managed)
          return refused(
            'Company sign-in created your user, so its company account cannot be changed',
          );
        const other = (await tx.find(users, 'account', accountKey(account)))?.doc;
        if (other && other.id !== user.id) return linkedElsewhere;
        const link = { ...account, linked_at: timestamp(deps.clock.now()) };
        await tx.replace(users, { ...user, link });
        const actor = { userId: user.id, via: stored.id, requestId: visitor.requestId };
        await recordAudit(deps, tx, actor, 'user.link', user.id);
        return { kind: 'linked' };
      }),

    unlink: ({ token, visitor }) =>
      deps.store.transact(async (tx) => {
        const session = await findSession(tx, token, deps.clock.now());
        if (!session || session.needs !== undefined) return noSession;
        const { user, stored } = session;
        if (user.password === undefined) {
          return refused('You have no password, so this account is your only way to sign in');
        }
        await tx.replace(users, amended(user, { link: undefined }));
        const actor = { userId: user.id, via: stored.id, requestId: visitor.requestId };
        await recordAudit(deps, tx, actor, 'user.unlink', user.id);
        return { kind: 'unlinked' };
      }),
  };
}

/** What a user's refresh token is sealed for. */
export const refreshOwner = ({ id }: Pick<StoredUser, 'id'>): string => `company account of ${id}`;

const isSame = (a: string, b: string): boolean => {
  const [given, right] = [Buffer.from(a), Buffer.from(b)];
  return given.length === right.length && timingSafeEqual(given, right);
};
