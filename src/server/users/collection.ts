import type { Scope } from '../../contract/endpoint.ts';
import type { UserSortField, UserStatus } from '../../contract/users.ts';
import type { CollectionSpec, Scalar } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';

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
  /** When they accepted their invitation, or first came with a company account. Absent: they are invited. */
  readonly activated_at?: string;
  /** Parameters, salt and hash. */
  readonly password?: string;
  /** The second factor. */
  readonly totp?: StoredTotp;
  /** Hashes of those that are left. */
  readonly recovery_codes?: readonly string[];
  readonly invitation?: StoredInvitation;
  /** Hashes of what the browsers have that they signed in with, the last one last. */
  readonly devices?: readonly string[];
  readonly last_login_at?: string;
  /** The company account that they may sign in with. */
  readonly link?: StoredLink;
  /** Grows with each change but those of signing in, for the ETag. Absent: 1. */
  readonly version?: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
}

/** A link by which a user chooses their password. */
interface StoredInvitation {
  readonly hash: string;
  readonly expires_at: string;
  /** What the user had when the link was made: whoever made it, and may still have it, gets no more by it. */
  readonly roles: readonly string[];
  readonly scopes: readonly Scope[];
}

/** @param changes undefined removes a field */
export const amended = (
  user: StoredUser,
  changes: { readonly [F in keyof StoredUser]?: StoredUser[F] | undefined },
): StoredUser => withoutAbsent({ ...user, ...changes }) as StoredUser; // only optional fields are removed

interface StoredTotp {
  /** Sealed. */
  readonly secret: string;
  /** The step of the last code that was used: each is good once. */
  readonly used: number;
}

export interface StoredLink extends Account {
  /** What the person knows it by. */
  readonly name: string;
  /** Company sign-in created the user: their roles are those of the rules, and change with them. */
  readonly managed?: true;
  readonly linked_at: string;
  /** When the provider is to be asked about them again, in milliseconds since the epoch. Absent: nobody is signed in by it. */
  readonly check_at?: number;
  /** The provider's refresh token, sealed. */
  readonly refresh?: string;
}

/** Whom the provider means: never told by an email address, which may be given to somebody else. */
export interface Account {
  readonly issuer: string;
  readonly subject: string;
}

/** The key by which the user of an account is found. */
export const accountKey = ({ issuer, subject }: Account): string =>
  JSON.stringify([issuer, subject]);

export const statusOf = ({ disabled_at, activated_at }: StoredUser): UserStatus => {
  if (disabled_at !== undefined) return 'disabled';
  return activated_at === undefined ? 'invited' : 'active';
};

const userOrder: Record<UserSortField | 'check_at', (user: StoredUser) => Scalar | undefined> = {
  email: ({ email }) => email,
  id: ({ id }) => id,
  name: ({ name }) => name,
  status: statusOf,
  second_factor: ({ totp }) => totp !== undefined,
  created_at: ({ created_at: at }) => at,
  updated_at: ({ updated_at: at }) => at,
  created_by: ({ created_by: by }) => by,
  last_login_at: ({ last_login_at: at }) => at,
  check_at: ({ link }) => link?.check_at,
};

export const users: CollectionSpec<StoredUser> = {
  name: 'users',
  unique: {
    email: ({ email }) => email,
    invitation: ({ invitation }) => invitation?.hash,
    account: ({ link }) => link && accountKey(link),
  },
  index: {
    role: ({ roles: names }) => names,
    status: statusOf,
    second_factor: ({ totp }) => (totp ? 'yes' : undefined),
  },
  order: userOrder,
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

/** Few, and listed together with the built-in ones. */
export const roles: CollectionSpec<StoredRole> = { name: 'roles', order: { id: ({ id }) => id } };
