import type { ApiKeySortField } from '../../contract/api-keys.ts';
import type { ClientGrant, OauthClientSortField } from '../../contract/oauth-clients.ts';
import type { Scope } from '../../contract/endpoint.ts';
import type { CollectionSpec, Scalar } from '../store/store.ts';

/** Secrets are stored as hashes only; times of expiry are milliseconds since the epoch where they are compared. */
export interface StoredApiKey {
  readonly id: string;
  readonly name: string;
  readonly user_id: string;
  /** Absent: it was made before that was recorded, or is the folder's own. */
  readonly made_by?: string;
  /** The user whose scopes it has at most. Absent: the operator's. */
  readonly bound_to?: string;
  readonly scopes: readonly Scope[];
  readonly key_hint: string;
  readonly hash: string;
  /** Ranges of addresses, and countries, that requests with it may come from. */
  readonly ip_allow_list?: readonly string[];
  readonly countries?: readonly string[];
  /** Sealed for its ID: what requests must be signed with. Absent: they need no signature. */
  readonly signing_secret?: string;
  readonly rotated_at?: string;
  readonly previous?: PreviousKey;
  /** The data folder's own key: generated at the first start, or given at a start. There is one at most. */
  readonly bootstrap?: true;
  /** It no longer works: an owner can sign in. Only the folder's own key is ever disabled. */
  readonly disabled_at?: string;
  /** It was disabled, and brought back at a start: until a start without it. */
  readonly break_glass?: true;
  /** Grows with each change but a use, for the ETag. Absent: 1. */
  readonly version?: number;
  readonly created_at: string;
  readonly expires_at?: string;
}

/** The secret from before a rotation. It is its holder's as before: whoever rotated the key holds only the new one. */
export interface PreviousKey extends Pick<
  StoredApiKey,
  'made_by' | 'bound_to' | 'key_hint' | 'hash' | 'signing_secret'
> {
  readonly expires_at: string;
}

/** What changes of a key though nobody changes it, by its ID: apart from it, so that its ETag stays. Every key has one. */
export interface ApiKeyState {
  readonly id: string;
  /** As of its key. */
  readonly bound_to?: string;
  readonly last_used_at?: string;
  readonly last_used_ip?: string;
  /** Milliseconds since the epoch. Absent: it has no expiry, or it was announced. */
  readonly announce_at?: number;
}

type StateField = 'last_used_at' | 'last_used_ip';

export const apiKeyStates: CollectionSpec<ApiKeyState> = {
  name: 'api_key_states',
  index: { owner: ({ bound_to: id }) => id },
  order: {
    last_used_at: (state) => state.last_used_at,
    last_used_ip: (state) => state.last_used_ip,
    announce_at: (state) => state.announce_at,
  } satisfies Record<StateField | 'announce_at', (state: ApiKeyState) => Scalar | undefined>,
};

/** Whether a list of keys is sorted by what their states have. */
export const isStateField = (field: ApiKeySortField): field is StateField =>
  field === 'last_used_at' || field === 'last_used_ip';

const apiKeyOrder: Record<
  Exclude<ApiKeySortField, StateField>,
  (key: StoredApiKey) => Scalar | undefined
> = {
  created_at: (key) => key.created_at,
  id: (key) => key.id,
  name: (key) => key.name,
  user_id: (key) => key.user_id,
  made_by: (key) => key.made_by,
  key_hint: (key) => key.key_hint,
  expires_at: (key) => key.expires_at,
  disabled_at: (key) => key.disabled_at,
  require_signature: (key) => (key.signing_secret === undefined ? undefined : true),
  rotated_at: (key) => key.rotated_at,
  previous_key_expires_at: (key) => key.previous?.expires_at,
};

/** Those who hold one of its secrets. */
const holdersOf = ({
  bound_to: now,
  previous,
}:
  | Pick<StoredApiKey, 'bound_to' | 'previous'>
  | Pick<StoredOauthClient, 'bound_to' | 'previous'>): string[] => [
  ...new Set([now, previous?.bound_to].filter((id) => id !== undefined)),
];

export const apiKeys: CollectionSpec<StoredApiKey> = {
  name: 'api_keys',
  unique: {
    hash: (key) => key.hash,
    previous_hash: (key) => key.previous?.hash,
    bootstrap: (key) => (key.bootstrap ? 'yes' : undefined),
  },
  index: {
    bound_to: holdersOf,
    owner: ({ bound_to: id }) => id,
    signs: ({ signing_secret: now, previous }) =>
      now === undefined && previous?.signing_secret === undefined ? undefined : 'yes',
  },
  order: apiKeyOrder,
};

export interface StoredOauthClient {
  readonly id: string;
  readonly name: string;
  readonly user_id: string;
  readonly made_by?: string;
  /** As of an API key. */
  readonly bound_to?: string;
  readonly scopes: readonly Scope[];
  /** Absent: client credentials. */
  readonly grant_types?: readonly ClientGrant[];
  /** Where people who log in to it are sent back to. */
  readonly redirect_uris?: readonly string[];
  /** It has no secret. */
  readonly public?: true;
  readonly secret_hint?: string;
  readonly hash?: string;
  readonly rotated_at?: string;
  readonly previous?: PreviousSecret;
  /** Access tokens of people who logged in to it before are no longer good: a secret ended without an overlap. */
  readonly tokens_since?: string;
  /** Grows with each change, for the ETag. Absent: 1. */
  readonly version?: number;
  readonly created_at: string;
}

/** As of an API key. */
export interface PreviousSecret extends Pick<StoredOauthClient, 'made_by' | 'bound_to'> {
  readonly secret_hint: string;
  readonly hash: string;
  readonly expires_at: string;
}

const oauthClientOrder: Record<
  OauthClientSortField,
  (client: StoredOauthClient) => Scalar | undefined
> = {
  created_at: (client) => client.created_at,
  id: (client) => client.id,
  client_id: (client) => client.id,
  name: (client) => client.name,
  user_id: (client) => client.user_id,
  made_by: (client) => client.made_by,
  public: (client) => client.public,
  secret_hint: (client) => client.secret_hint,
  rotated_at: (client) => client.rotated_at,
  previous_secret_expires_at: (client) => client.previous?.expires_at,
};

/** What it may exchange for tokens. */
export const grantsOf = ({ grant_types: types }: StoredOauthClient): readonly ClientGrant[] =>
  types ?? ['client_credentials'];

export const oauthClients: CollectionSpec<StoredOauthClient> = {
  name: 'oauth_clients',
  index: { bound_to: holdersOf },
  order: oauthClientOrder,
};

export interface StoredAccessToken {
  readonly id: string;
  readonly hash: string;
  /** What requests are counted under: the client, the user, or the rule. */
  readonly client_id: string;
  readonly user_id: string;
  /** Absent: a client's. */
  readonly kind?: 'person' | 'ci';
  /** Of its client, or of the rule that let a CI job in. */
  readonly made_by?: string;
  /** As of an API key; of a token of a person: that user. */
  readonly bound_to?: string;
  /** Of a person: the OAuth client that acts for them. Absent: the command line. */
  readonly program?: string;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  readonly expires_at: number;
  /** Of a person: the consent it comes from, and what the authorization server has to know of it. */
  readonly grant_id?: string;
  readonly sealed?: string;
}

export const accessTokens: CollectionSpec<StoredAccessToken> = {
  name: 'access_tokens',
  unique: { hash: (token) => token.hash },
  index: {
    client_id: (token) => token.client_id,
    grant_id: (token) => token.grant_id,
    bound_to: (token) => token.bound_to,
  },
  order: { id: (token) => token.id, expires_at: (token) => token.expires_at },
};
