import type { Scope } from '../../contract/endpoint.ts';
import { defined } from '../../contract/defined.ts';
import type { Deps } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { Tx } from '../store/store.ts';
import type { StoredUser } from './collection.ts';

/** What a user may do: what their roles permit. */
interface Granted {
  readonly roles: readonly string[];
  readonly scopes: readonly Scope[];
}

export async function announceRoles(
  deps: Deps,
  tx: Tx,
  { id, email, name }: StoredUser,
  { before, after }: { readonly before: Granted; readonly after: Granted },
): Promise<void> {
  await emit(deps, tx, 'user.role.changed', {
    user: {
      id,
      email,
      ...defined({ name }),
      roles: after.roles,
      scopes: after.scopes,
      previous_roles: before.roles,
      previous_scopes: before.scopes,
    },
  });
}
