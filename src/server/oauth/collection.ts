import { hashSecret } from '../keys/hashed-secrets.ts';
import type { CollectionSpec } from '../store/store.ts';

/**
 * What the authorization server keeps of a login: interactions, sessions, grants, codes, refresh tokens. `id` is the kind and
 * the hash of what its holder presents; the rest is sealed. Access tokens are in `access_tokens`.
 */
export interface StoredOauthState {
  readonly id: string;
  readonly kind: string;
  readonly sealed: string;
  /** Milliseconds since the epoch by the system's clock: oidc-provider knows no other. */
  readonly expires_at: number;
  /** The consent that it is, or comes from. */
  readonly grant_id?: string;
  /** The user it is about. */
  readonly user_id?: string;
  readonly client_id?: string;
  /** Of a session. */
  readonly uid?: string;
  /** Hash of the code that a person types to log a device in. */
  readonly user_code?: string;
  /** Seconds since the epoch: it can be used once, and was. */
  readonly consumed?: number;
}

export const oauthStates: CollectionSpec<StoredOauthState> = {
  name: 'oauth_states',
  unique: { uid: ({ uid }) => uid, user_code: ({ user_code: code }) => code },
  index: {
    kind: ({ kind }) => kind,
    grant_id: ({ grant_id: id }) => id,
    user_id: ({ user_id: id }) => id,
    client_id: ({ client_id: id }) => id,
  },
  order: { id: ({ id }) => id, expires_at: ({ expires_at: at }) => at },
};

/** @param secret what its holder presents */
export const stateId = (kind: string, secret: string): string => `${kind}:${hashSecret(secret)}`;

/** A key that signs ID tokens. */
export interface StoredOauthKey {
  /** The key ID of the JWK. */
  readonly id: string;
  /** The private JWK. */
  readonly sealed: string;
  readonly created_at: string;
  /** It is only published before. Absent: it signs since it was made. */
  readonly signs_from?: string;
}

export const oauthKeys: CollectionSpec<StoredOauthKey> = {
  name: 'oauth_keys',
  order: { id: ({ id }) => id, created_at: ({ created_at: at }) => at },
};
