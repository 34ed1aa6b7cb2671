import type { Scope } from '../../contract/endpoint.ts';
import type { CiProvider, TrustSortField } from '../../contract/trusts.ts';
import type { CollectionSpec, Scalar } from '../store/store.ts';

/** Whom a rule lets in. */
export interface StoredTrust {
  readonly id: string;
  readonly name: string;
  readonly provider: CiProvider;
  /** As tokens have it, without a trailing slash. */
  readonly issuer: string;
  readonly repository: string;
  readonly repository_id?: string;
  readonly ref?: string;
  readonly environment?: string;
  readonly events: readonly string[];
  readonly allow_pull_request_target: boolean;
  readonly scopes: readonly Scope[];
  readonly user_id: string;
  readonly made_by: string;
  /** As of an API key. */
  readonly bound_to?: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** When a rule last let a job in, by its ID: apart from it, so that its ETag stays. Every rule has one. */
export interface TrustState {
  readonly id: string;
  readonly last_used_at?: string;
}

export const trustStates: CollectionSpec<TrustState> = {
  name: 'trust_states',
  order: { last_used_at: (state) => state.last_used_at },
};

const order: Record<
  Exclude<TrustSortField, 'last_used_at'>,
  (rule: StoredTrust) => Scalar | undefined
> = {
  created_at: (rule) => rule.created_at,
  id: (rule) => rule.id,
  name: (rule) => rule.name,
  provider: (rule) => rule.provider,
  issuer: (rule) => rule.issuer,
  repository: (rule) => rule.repository,
  repository_id: (rule) => rule.repository_id,
  ref: (rule) => rule.ref,
  environment: (rule) => rule.environment,
  allow_pull_request_target: (rule) => rule.allow_pull_request_target,
  user_id: (rule) => rule.user_id,
  made_by: (rule) => rule.made_by,
  updated_at: (rule) => rule.updated_at,
};

/** By which the rules for a job are found; names differ in more than case. */
export const repositoryKey = (issuer: string, repository: string): string =>
  `${issuer} ${repository.toLowerCase()}`;

export const trusts: CollectionSpec<StoredTrust> = {
  name: 'trusts',
  index: {
    bound_to: (rule) => rule.bound_to,
    issuer: (rule) => rule.issuer,
    // A name has a slash, an ID has none.
    repository: ({ issuer, repository, repository_id: id }) => [
      repositoryKey(issuer, repository),
      ...(id === undefined ? [] : [repositoryKey(issuer, id)]),
    ],
  },
  order,
};
