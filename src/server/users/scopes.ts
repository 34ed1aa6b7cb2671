import { scopes as allScopes } from '../../contract/endpoint.ts';
import type { Scope } from '../../contract/endpoint.ts';
import { builtInRoles, isBuiltInRole } from '../../contract/roles.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Reader } from '../store/store.ts';
import { roles, users } from './collection.ts';

const none: readonly Scope[] = [];

/** What a user may do now, by their roles: nothing where they are disabled, or gone. */
export const scopesOfUser = (reader: Reader, id: string): Awaitable<readonly Scope[]> =>
  whenKnown(reader.get(users, id), (found) =>
    found && found.doc.disabled_at === undefined ? scopesOfRoles(reader, found.doc.roles) : none,
  );

/** What roles permit together; a role that there is not permits nothing. */
export function scopesOfRoles(
  reader: Reader,
  names: readonly string[],
): Awaitable<readonly Scope[]> {
  const [only] = names;
  if (names.length === 1 && only !== undefined && isBuiltInRole(only)) return builtInRoles[only];
  return names.reduce<Awaitable<readonly Scope[]>>(
    (before, name) =>
      whenKnown(before, (some) =>
        whenKnown(scopesOfRole(reader, name), (more) =>
          allScopes.filter((scope) => some.includes(scope) || more.includes(scope)),
        ),
      ),
    none,
  );
}

const scopesOfRole = (reader: Reader, name: string): Awaitable<readonly Scope[]> =>
  isBuiltInRole(name)
    ? builtInRoles[name]
    : whenKnown(reader.get(roles, name), (found) => found?.doc.scopes ?? none);
