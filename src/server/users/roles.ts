import type { Role, RoleInput, RoleUpdate } from '../../contract/roles.ts';
import { builtInRoles, isBuiltInRole } from '../../contract/roles.ts';
import type { Scope } from '../../contract/endpoint.ts';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { inThrees } from '../../contract/in-threes.ts';
import { recordAudit } from '../audit/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp, updatedAfter } from '../deps.ts';
import type { Call } from '../http/call.ts';
import { checkSameId, invalidField } from '../http/invalid-body.ts';
import { refuseWider } from '../http/insufficient-scope.ts';
import { allRows, countRows } from '../store/all-rows.ts';
import type { Reader, Tx } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import { announceRoles } from './announce.ts';
import { roles, users } from './collection.ts';
import type { StoredRole, StoredUser } from './collection.ts';
import { scopesOfRoles } from './scopes.ts';

const mostRoles = 250;

type Caller = Pick<Call, 'actor' | 'checkMatch' | 'principal'>;

/** A role, and its version for the ETag. */
export interface RoleFound {
  readonly role: Role;
  readonly revision: number;
}

const descriptions: Readonly<Record<keyof typeof builtInRoles, string>> = {
  viewer: 'Reads policies, resources, violations and reports',
  editor: 'Reads and changes policies, resources, violations and reports',
  'cost-viewer': 'Reads policies, resources and cost',
  auditor: 'Reads policies, resources and the audit log',
  admin:
    'Same as editor; also reads the audit log and manages users, roles and keys; no access to cost',
  owner: 'Full access; only owners can grant the owner role',
};

const showBuiltIn = (name: keyof typeof builtInRoles): Role => ({
  id: name,
  name,
  description: descriptions[name],
  scopes: [...builtInRoles[name]],
  built_in: true,
});

const showRole = ({ id, scopes, ...rest }: StoredRole): Role => ({
  id,
  name: id,
  ...rest,
  scopes: [...scopes],
  built_in: false,
});

export async function allRoles(reader: Reader): Promise<readonly Role[]> {
  const found = Object.keys(builtInRoles).filter(isBuiltInRole).map(showBuiltIn);
  for await (const { doc } of allRows(reader, roles, {})) found.push(showRole(doc));
  return found;
}

/** Of these names, those of roles that there are. */
export async function knownRoles(reader: Reader, names: readonly string[]): Promise<string[]> {
  const known = [];
  for (const name of names) {
    if (isBuiltInRole(name) || (await reader.get(roles, name))) known.push(name);
  }
  return known;
}

/** @throws GovctlError role_not_found */
export async function readRole(reader: Reader, name: string): Promise<RoleFound> {
  if (isBuiltInRole(name)) return { role: showBuiltIn(name), revision: 1 };
  const { doc, revision } = await readOwn(reader, name);
  return { role: showRole(doc), revision };
}

async function readOwn(reader: Reader, name: string) {
  const found = await reader.get(roles, name);
  if (found) return found;
  throw new GovctlError('role_not_found', `There is no role ${name.slice(0, 100)}`, {
    hint: 'To list roles, run `govctl role list`.',
  });
}

/** @throws GovctlError invalid_role, role_name_taken, insufficient_scope */
export async function createRole(
  deps: Deps,
  tx: Tx,
  { actor, principal }: Caller,
  { name, description, scopes }: RoleInput,
): Promise<RoleFound> {
  refuseWider(principal, scopes, 'A role');
  if (isBuiltInRole(name) || (await tx.get(roles, name))) {
    const message = `another role is named ${name}; names are unique`;
    throw new GovctlError('role_name_taken', `A${message.slice(1)}`, {
      details: [{ field: 'name', message }],
    });
  }
  if ((await countRows(tx, roles)) >= mostRoles) {
    const message = `The service has ${inThrees(mostRoles)} roles, which is the maximum`;
    throw new GovctlError('invalid_role', message, { hint: 'Delete roles that no user has.' });
  }
  const at = timestamp(deps.clock.now());
  const { doc, revision } = await tx.insert(roles, {
    id: name,
    ...defined({ description }),
    scopes: [...new Set(scopes)],
    created_at: at,
    updated_at: at,
    created_by: actor.userId,
  });
  await recordAudit(deps, tx, actor, 'role.create', name);
  return { role: showRole(doc), revision };
}

/**
 * The users who have the role get or lose scopes at once.
 * @throws GovctlError role_not_found, invalid_role, insufficient_scope, or what `checkMatch` throws
 */
export async function updateRole(
  deps: Deps,
  tx: Tx,
  call: Caller,
  name: string,
  update: RoleUpdate,
): Promise<RoleFound> {
  refuseBuiltIn(name, 'changed');
  const before = await readOwn(tx, name);
  call.checkMatch(before.revision);
  checkSameId('invalid_role', 'role', name, update.id);
  if (update.name !== undefined && update.name !== name) {
    const message = 'cannot be changed; omit the name, or create a role with the other name';
    throw invalidField('invalid_role', 'name', message);
  }
  const { description = before.doc.description, scopes: given = before.doc.scopes } = update;
  const scopes = [...new Set(given)];
  const changed = [
    ...((description ?? undefined) === before.doc.description ? [] : ['description']),
    ...(asSet(scopes) === asSet(before.doc.scopes) ? [] : ['scopes']),
  ];
  if (changed.length === 0) return { role: showRole(before.doc), revision: before.revision };
  refuseWider(call.principal, before.doc.scopes, 'Changing a role');
  refuseWider(call.principal, scopes, 'A role');
  const holders = changed.includes('scopes') ? await holdersOf(tx, name) : [];
  const updated = withoutAbsent({
    ...before.doc,
    description: description ?? undefined,
    scopes,
    updated_at: updatedAfter(before.doc.updated_at, deps.clock.now()),
  }) as StoredRole;
  const { doc, revision } = await tx.replace(roles, updated);
  await recordAudit(deps, tx, call.actor, 'role.update', name, changed);
  for (const { user, scopes: had } of holders) {
    const has = await scopesOfRoles(tx, user.roles);
    if (asSet(has) === asSet(had)) continue;
    await announceRoles(deps, tx, user, {
      before: { roles: user.roles, scopes: had },
      after: { roles: user.roles, scopes: has },
    });
  }
  return { role: showRole(doc), revision };
}

/** @throws GovctlError role_not_found, role_in_use, or what `checkMatch` throws */
export async function deleteRole(deps: Deps, tx: Tx, call: Caller, name: string): Promise<void> {
  refuseBuiltIn(name, 'deleted');
  const { revision } = await readOwn(tx, name);
  call.checkMatch(revision);
  const count = await countRows(tx, users, { role: { any: [name] } });
  if (count > 0) {
    const have = count === 1 ? '1 user has' : `${inThrees(count)} users have`;
    const hint = `Assign other roles to them first; list them with \`govctl user list --role ${name}\`.`;
    throw new GovctlError('role_in_use', `${have} the role ${name}`, { hint });
  }
  await tx.remove(roles, name);
  await recordAudit(deps, tx, call.actor, 'role.delete', name);
}

function refuseBuiltIn(name: string, past: string): void {
  if (!isBuiltInRole(name)) return;
  throw new GovctlError('role_in_use', `The role ${name} is built in and cannot be ${past}`, {
    hint: 'Create a custom role instead.',
  });
}

async function holdersOf(
  tx: Tx,
  name: string,
): Promise<readonly { readonly user: StoredUser; readonly scopes: readonly Scope[] }[]> {
  const found = [];
  for await (const { doc: user } of allRows(tx, users, { role: { any: [name] } })) {
    found.push({ user, scopes: await scopesOfRoles(tx, user.roles) });
  }
  return found;
}

const asSet = (scopes: readonly Scope[]): string => [...scopes].sort().join(' ');
