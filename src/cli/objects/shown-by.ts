import type { Client } from '../../client/client.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { isForPeople } from '../terminal/output.ts';
import { shownIn } from './noun.ts';
import type { Shown } from './noun.ts';

/** Fields that contain the ID of a user who created or applied an object. */
interface Made {
  readonly created_by?: unknown;
  readonly made_by?: unknown;
  readonly applied?: unknown;
}

/** What a view needs, with the names of the users who created or applied an object; JSON has their IDs only. */
export async function shownBy(
  context: Context,
  object: object,
  more: Pick<Shown, 'named' | 'headline'> = {},
): Promise<Shown> {
  return shownWithUsers(context, usersOf(object as Made), more);
}

/** What views and tables need, with the names of these users. What is no user's ID is its own name. */
export async function shownWithUsers(
  context: Context,
  users: readonly unknown[],
  more: Pick<Shown, 'named' | 'headline'> = {},
): Promise<Shown> {
  const ids = new Set(users.filter(isUserId));
  if (ids.size === 0 || !isForPeople(context.flags.output)) return shownIn(context, more);
  const names = await namesOf(await context.client(), ids);
  return { ...shownIn(context, more), userName: (id) => names.get(id) ?? id };
}

const isUserId = (id: unknown): id is string => typeof id === 'string' && id.startsWith('user_');

function usersOf({ created_by: creator, made_by: maker, applied }: Made): readonly unknown[] {
  const applier =
    typeof applied === 'object' && applied !== null && 'by' in applied ? applied.by : undefined;
  return [creator, maker, applier];
}

/** Users whose names are looked up: a request each. */
const mostLookedUp = 20;

/** As the audit log names actors: by email address, or by the name of the API key or client. */
async function namesOf(
  client: Client,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  try {
    // An answer may have no body.
    const { data: me }: Partial<Awaited<ReturnType<Client['me']['get']>>> = await client.me.get({});
    if (!me) return names;
    const { user_id: own, user, credential, scopes } = me;
    const name = user?.id === own ? user.email : credential.name;
    if (name !== undefined) names.set(own, name);
    if (!scopes.includes('audit:read')) return names;
    const others = [...ids].filter((id) => id !== own);
    for (const id of others.slice(0, mostLookedUp)) {
      const { data } = await client.auditLog.list({ query: { actor: id, limit: '1' } });
      for (const [actor, actorName] of Object.entries(data.actors ?? {}))
        names.set(actor, actorName);
    }
  } catch (error) {
    // The object must be shown, perhaps with a secret that is shown only once: an ID does, too.
    if (!(error instanceof GovctlError)) throw error;
  }
  return names;
}
