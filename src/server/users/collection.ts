import type { Scope } from '../../contract/endpoint.ts';
import type { RoleSortField } from '../../contract/roles.ts';
import type { CollectionSpec } from '../store/store.ts';

/** A person who can sign in. Secrets are hashes, or sealed. */
export interface StoredUser {
  /** `user_…`: what they do is recorded under it. */
  readonly id: string;
  /** Lower-case; what they sign in with. No mail is needed to have one. */
  readonly email: string;
  readonly name?: string;
  /** Names of roles. */
  readonly roles: readonly string[];
  readonly disabled_at?: string;
  /** Grows with each change but a sign-in, for the ETag. Absent: 1. */
  readonly version?: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
}

export const users: CollectionSpec<StoredUser> = {
  name: 'users',
  unique: { email: ({ email }) => email },
  order: { email: ({ email }) => email },
};

/** A role that is not built in. */
export interface StoredRole {
  /** Its name. */
  readonly id: string;
  readonly description?: string;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
}

const roleOrder: Record<RoleSortField, (role: StoredRole) => string> = {
  name: ({ id }) => id,
  id: ({ id }) => id,
  created_at: ({ created_at: at }) => at,
  updated_at: ({ updated_at: at }) => at,
  created_by: ({ created_by: by }) => by,
};

export const roles: CollectionSpec<StoredRole> = { name: 'roles', order: roleOrder };
