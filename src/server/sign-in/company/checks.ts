import { defined } from '../../../contract/defined.ts';
import { recordAudit } from '../../audit/service.ts';
import type { Tx } from '../../store/store.ts';
import { users } from '../../users/collection.ts';
import type { StoredLink, StoredUser } from '../../users/collection.ts';
import { followRules, knownRoles, removeBelongings } from '../../users/service.ts';
import type { Parts } from '../enter.ts';
import { checkedFor, isOverdue } from '../sessions.ts';
import { refreshOwner } from './by-company.ts';
import { isOfTenant, rolesByRules } from './claims.ts';
import { Refusal, Unreachable } from './provider.ts';
import type { Provider, Vouched } from './provider.ts';

/** People who are read at once, and asked about at once. */
const batch = 100;
const atOnce = 8;

type Linked = StoredUser & { readonly link: StoredLink };

/**
 * Asks the provider about everybody whose check is due: whom it does not vouch for any more has to sign in again. So has
 * whoever cannot be asked about, be it that the server has no provider now.
 * @returns a round of it
 */
export function createChecks(parts: Parts, provider: Provider | undefined): () => Promise<void> {
  const { deps, belongings } = parts;
  const { store, clock, secrets } = deps;
  const company = parts.company?.config;

  async function due(): Promise<readonly Linked[]> {
    const found: Linked[] = [];
    for (;;) {
      const page = { orderBy: 'check_at', direction: 'asc', offset: found.length } as const;
      // Usually nobody's is due.
      const limit = found.length === 0 ? 1 : batch;
      const { rows } = await store.page(users, { ...page, limit });
      const more = rows.flatMap(({ doc }) => (isDue(doc, clock.now()) ? [doc] : []));
      found.push(...more);
      if (more.length < limit) return found;
    }
  }

  /** Runs what changes a user, if they have not signed in meanwhile. */
  const change = (before: Linked, work: (tx: Tx, user: Linked) => Promise<void>): Promise<void> =>
    store.transact(async (tx) => {
      const user = (await tx.get(users, before.id))?.doc;
      const { check_at, refresh } = before.link;
      if (user?.link?.check_at !== check_at || user?.link?.refresh !== refresh) return;
      await work(tx, user as Linked); // its link was just looked at
    });

  async function signOut(tx: Tx, user: Linked, why: string): Promise<void> {
    const { issuer, subject, name, managed, linked_at } = user.link;
    const link = { issuer, subject, name, linked_at, ...defined({ managed }) };
    await tx.replace(users, { ...user, link });
    await removeBelongings(tx, belongings, user.id, 'sign-in');
    const actor = { userId: 'system', via: 'company', requestId: 'system' };
    await recordAudit(deps, tx, actor, 'user.sign_out', user.id, [why]);
  }

  async function follow(tx: Tx, user: Linked, { claims, refreshToken }: Vouched): Promise<void> {
    const { issuer, subject, managed } = user.link;
    if (claims.iss !== issuer || claims.sub !== subject || !isOfTenant(claims, company?.tenant)) {
      return signOut(tx, user, 'a different account');
    }
    const names = await knownRoles(tx, rolesByRules(claims, company?.roles ?? []));
    const given = { names, requestId: 'system', belongings };
    const doc = managed ? ((await followRules(deps, tx, user, given)) as Linked) : user; // it keeps its link
    if (doc.roles.length === 0) return signOut(tx, doc, 'no role');
    const refresh =
      refreshToken === undefined
        ? user.link.refresh
        : secrets.seal(refreshToken, refreshOwner(user));
    const link = { ...user.link, check_at: clock.now() + checkedFor, ...(refresh === undefined ? {} : { refresh }) }; // prettier-ignore
    await tx.replace(users, { ...doc, link });
  }

  /** @returns false where the provider gives no answer */
  async function ask(provider: Provider, user: Linked, refreshToken: string): Promise<boolean> {
    try {
      const vouched = await provider.refresh(refreshToken);
      await change(user, (tx, now) => follow(tx, now, vouched));
    } catch (error) {
      if (error instanceof Refusal) {
        await change(user, (tx, now) => signOut(tx, now, 'refused'));
        return true;
      }
      if (!(error instanceof Unreachable)) throw error;
      deps.log.warn({ user: user.id, reason: error.message }, 'a company account could not be checked; its sessions end one hour after the check was due'); // prettier-ignore
      return false;
    }
    return true;
  }

  /** Undefined: there is none, or it was sealed with a key that is gone. */
  function opened(user: Linked): string | undefined {
    try {
      const { refresh } = user.link;
      return refresh === undefined ? undefined : secrets.open(refresh, refreshOwner(user));
    } catch {
      return undefined;
    }
  }

  return async () => {
    const askable: (() => Promise<boolean>)[] = [];
    for (const user of await due()) {
      const refreshToken = opened(user);
      if (!provider || refreshToken === undefined || isOverdue(user, clock.now())) {
        await change(user, (tx, now) => signOut(tx, now, 'not checked'));
      } else {
        askable.push(() => ask(provider, user, refreshToken));
      }
    }
    while (askable.length > 0) {
      const answered = await Promise.all(askable.splice(0, atOnce).map((one) => one()));
      // The next round tries again.
      if (answered.includes(false)) return;
    }
  };
}

const isDue = (user: StoredUser, now: number): user is Linked =>
  user.link?.check_at !== undefined && user.link.check_at <= now;
