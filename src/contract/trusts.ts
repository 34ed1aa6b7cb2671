import * as z from 'zod';
import { ScopeSet } from './api-keys.ts';
import { Scope } from './endpoint.ts';
import { Timestamp, listQuery } from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { oneLine } from './text.ts';

export const ciProviders = ['github', 'gitlab'] as const;
export type CiProvider = (typeof ciProviders)[number];

/** What a rule has where it says nothing else: who signs the jobs' tokens, and what may start the jobs. */
export const ciDefaults: Readonly<
  Record<CiProvider, { readonly issuer: string; readonly events: readonly string[] }>
> = {
  github: {
    issuer: 'https://token.actions.githubusercontent.com',
    events: ['push', 'workflow_dispatch', 'schedule'],
  },
  gitlab: { issuer: 'https://gitlab.com', events: ['push', 'web', 'schedule'] },
};

/** The event whose jobs may run what a fork proposes, with the rights of the repository itself. */
export const forkEvents: Readonly<Record<CiProvider, string>> = {
  github: 'pull_request_target',
  gitlab: 'merge_request_event',
};

/** What can start a job, as far as is known: a name that resembles one of these and is none is a typing error. */
export const ciEvents: Readonly<Record<CiProvider, readonly string[]>> = {
  // https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows
  github: [
    ...['branch_protection_rule', 'check_run', 'check_suite', 'create', 'delete', 'deployment'],
    ...['deployment_status', 'discussion', 'discussion_comment', 'fork', 'gollum', 'issue_comment'],
    ...['issues', 'label', 'merge_group', 'milestone', 'page_build', 'public', 'pull_request'],
    ...['pull_request_review', 'pull_request_review_comment', 'pull_request_target', 'push'],
    ...['registry_package', 'release', 'repository_dispatch', 'schedule', 'status', 'watch'],
    ...['workflow_call', 'workflow_dispatch', 'workflow_run'],
  ],
  // https://docs.gitlab.com/ci/variables/predefined_variables/: CI_PIPELINE_SOURCE
  gitlab: [
    ...['api', 'chat', 'external', 'external_pull_request_event', 'merge_request_event'],
    ...['ondemand_dast_scan', 'ondemand_dast_validation', 'parent_pipeline', 'pipeline', 'push'],
    ...['schedule', 'security_orchestration_policy', 'trigger', 'web', 'webide'],
  ],
};

const fields = {
  name: oneLine(256),
  /** GitHub: `owner/name`; GitLab: the path of the project. */
  repository: z
    .string()
    .max(1_024, { abort: true })
    .regex(
      /^[\w.-]+(?:\/[\w.-]+)+$/,
      'must be the full name of a repository or project, such as acme/policies',
    ),
  /** In digits. It stays the same when the repository is renamed, and no other repository gets it. */
  repository_id: z.string().regex(/^\d{1,20}$/, 'must be a number, such as "74"'),
  /** `refs/heads/main`; a `*` at its end stands for anything. */
  ref: z
    .string()
    .max(512, { abort: true })
    .regex(
      /^refs\/[a-z-]+\/(?:[^\s*]+\*?|\*)$/,
      'must be a full ref, such as refs/heads/main; * is allowed only at the end',
    ),
  environment: oneLine(255),
  /** GitHub: `event_name`; GitLab: `pipeline_source`. */
  events: z
    .array(z.string().regex(/^[a-z][a-z_]{0,63}$/, 'must be an event name, such as push'))
    .min(1, 'must include at least one event')
    .max(32),
  allow_pull_request_target: z.boolean(),
  scopes: ScopeSet.refine(
    (scopes) => !scopes.includes('admin'),
    'must not include admin: CI jobs do not administer the service',
  ),
};

/** `https://gitlab.example.com`: whether the server may ask it for keys is checked when the rule is made. */
const Issuer = z.string().min(1).max(2_048);

const TrustInput = z.strictObject({
  name: fields.name,
  provider: z.enum(ciProviders),
  issuer: Issuer.optional(),
  repository: fields.repository,
  repository_id: fields.repository_id.optional(),
  ref: fields.ref.optional(),
  environment: fields.environment.optional(),
  events: fields.events.optional(),
  allow_pull_request_target: fields.allow_pull_request_target.optional(),
  scopes: fields.scopes,
});
export type TrustInput = z.infer<typeof TrustInput>;

/**
 * A partial update: fields left out stay, null clears. Provider and issuer may be sent back, but not changed. All but a new
 * name ends the access tokens that the rule has given.
 */
const TrustUpdate = z.strictObject({
  name: fields.name.optional(),
  repository: fields.repository.optional(),
  repository_id: fields.repository_id.nullish(),
  ref: fields.ref.nullish(),
  environment: fields.environment.nullish(),
  events: fields.events.optional(),
  allow_pull_request_target: fields.allow_pull_request_target.optional(),
  scopes: fields.scopes.optional(),
  provider: z.string().optional(),
  issuer: z.string().optional(),
  id: z.string().optional(),
  user_id: z.unknown().optional(),
  made_by: z.unknown().optional(),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  last_used_at: z.unknown().optional(),
});
export type TrustUpdate = z.infer<typeof TrustUpdate>;

/** `id` is `trust_…`. */
const Trust = z.looseObject({
  id: z.string(),
  name: z.string(),
  provider: z.enum(ciProviders),
  issuer: z.string(),
  repository: z.string(),
  repository_id: z.string().optional(),
  ref: z.string().optional(),
  environment: z.string().optional(),
  events: z.array(z.string()),
  allow_pull_request_target: z.boolean(),
  scopes: z.array(Scope),
  /** Who the jobs are in the audit log. */
  user_id: z.string(),
  /** Who last decided whom it lets in, see `made_by` of API keys. */
  made_by: z.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
  /** When it last let a job in. Not part of the ETag. */
  last_used_at: Timestamp.optional(),
});
export type Trust = z.infer<typeof Trust>;

/** Every scalar of a list's items. */
export const trustSortFields = [
  'created_at',
  'id',
  'name',
  'provider',
  'issuer',
  'repository',
  'repository_id',
  'ref',
  'environment',
  'allow_pull_request_target',
  'user_id',
  'made_by',
  'updated_at',
  'last_used_at',
] as const;
export type TrustSortField = (typeof trustSortFields)[number];

const noun = nounEndpoints({
  path: '/v1/trusts',
  ext: true,
  scope: 'admin',
  answer: Trust,
  missing: 'trust_not_found',
});

/** Rules by which CI jobs log in with the token of their own provider, without a stored secret. */
export const trusts = {
  list: noun.list({
    summary: 'List trust rules, which let CI jobs log in without a secret',
    query: listQuery(trustSortFields, {}),
    rows: { trusts: z.array(Trust) },
  }),
  create: noun.create({
    summary: 'Create a trust rule for the CI jobs of a repository',
    body: TrustInput,
    errors: ['invalid_trust'],
  }),
  get: noun.get({ summary: 'Get a trust rule' }),
  update: noun.update({
    summary: 'Update a trust rule; its access tokens are revoked, unless only the name changes',
    body: TrustUpdate,
    errors: ['invalid_trust'],
  }),
  delete: noun.delete({ summary: 'Delete a trust rule and revoke its access tokens' }),
};
