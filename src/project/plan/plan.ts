import * as z from 'zod';
import { Policy, policyFields } from '../../contract/policies.ts';
import type { Comparison, LivePolicy } from '../compare/compare.ts';
import type { FieldChange } from '../compare/field-diff.ts';
import { diffFields } from '../compare/field-diff.ts';
import type { PolicyLike } from '../compare/fingerprint.ts';
import {
  canonicalJson,
  contentFingerprint,
  fingerprint,
  normalisePolicy,
  stampOf,
  stateFingerprint,
} from '../compare/fingerprint.ts';
import type { LocalPolicy } from '../model.ts';
import { ownershipTags, withoutOwnership } from '../compare/ownership.ts';

/** Hours until a saved plan is too old to apply. */
const validHours = 24;

/** A policy as it is sent or was read: the fields a file decides, and all its tags. */
const PolicyDocument = Policy.omit({ id: true }).extend({ severity: z.string().optional() });
export type PolicyDocument = z.infer<typeof PolicyDocument>;

const Place = z.object({ file: z.string(), line: z.int(), column: z.int() });

const ChangeFields = z.object({
  key: z.string(),
  action: z.enum(['create', 'update', 'delete']),
  /** See `Cause` in compare.ts; `adopt` takes over a policy that belonged to no project. */
  cause: z.enum(['new', 'git', 'drift', 'conflict', 'stamp', 'key', 'orphan', 'adopt']),
  id: z.string().nullable(),
  name: z.string(),
  reason: z.string(),
  place: Place.optional(),
  /** What was live when the plan was made; null for a creation. */
  base: z.object({ updated_at: z.string().optional(), sha256: z.string() }).nullable(),
  before: PolicyDocument.nullable(),
  after: PolicyDocument.nullable(),
});

/** A digest can be made anew by anyone; what no plan of govctl's says is not applied all the same. */
export const Change = ChangeFields.refine(
  ({ action, id, base, before, after }) =>
    (action === 'create') === (id === null) &&
    (id === null) === (before === null) &&
    (before === null) === (base === null) &&
    (action === 'delete') === (after === null),
  'its id, base, before and after do not fit its action',
);
export type Change = z.infer<typeof Change>;

/** Ours, live, and in no file; left alone. */
const Orphan = z.object({ key: z.string().nullable(), name: z.string(), id: z.string() });
export type Orphan = z.infer<typeof Orphan>;

const count = z.int().min(0);
const Summary = z.object({
  create: count,
  update: count,
  delete: count,
  unchanged: count,
  orphaned: count,
  drifted: count,
  conflict: count,
});
export type Summary = z.infer<typeof Summary>;

/** What an apply does, complete: nothing else is needed to do it but a login. */
export const Plan = z.object({
  format_version: z.literal(1),
  /** SHA-256 over the canonical JSON of everything else. */
  digest: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  base_url: z.url({ protocol: /^https?$/ }),
  project: z.string(),
  git: z.object({ sha: z.string(), dirty: z.boolean() }).optional(),
  summary: Summary,
  changes: z.array(Change).refine((changes) => {
    const ids = changes.flatMap(({ id }) => id ?? []);
    return new Set(ids).size === ids.length;
  }, 'several of them are for the same policy'),
  orphans: z.array(Orphan),
});
export type Plan = z.infer<typeof Plan>;

export interface PlanFacts {
  readonly project: string;
  readonly baseUrl: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Makes the plan of a comparison. `blocked` ones are not in it: whoever plans must look at them first. */
export function makePlan(
  comparisons: readonly Comparison[],
  prune: boolean,
  facts: PlanFacts,
): Plan {
  const changes = comparisons.flatMap((comparison): Change[] => {
    switch (comparison.kind) {
      case 'create':
        return [createChange(facts.project, comparison.local)];
      case 'update':
        return [updateChange(facts.project, comparison)];
      case 'orphan':
        return prune ? [deleteChange(comparison.live)] : [];
      default:
        return [];
    }
  });
  const orphans = prune
    ? []
    : comparisons.flatMap((comparison) =>
        comparison.kind === 'orphan' ? [describeOrphan(comparison.live)] : [],
      );
  const unchanged = comparisons.filter(({ kind }) => kind === 'unchanged').length;
  return sealPlan({ changes, orphans, unchanged }, facts);
}

export function sealPlan(
  parts: {
    readonly changes: readonly Change[];
    readonly orphans: readonly Orphan[];
    readonly unchanged: number;
  },
  facts: PlanFacts,
): Plan {
  const having = (field: 'action' | 'cause', value: string): number =>
    parts.changes.filter((change) => change[field] === value).length;
  const unsealed: Omit<Plan, 'digest'> = {
    format_version: 1,
    created_at: new Date(facts.now).toISOString(),
    expires_at: new Date(facts.now + validHours * 3_600_000).toISOString(),
    base_url: facts.baseUrl,
    project: facts.project,
    summary: {
      create: having('action', 'create'),
      update: having('action', 'update'),
      delete: having('action', 'delete'),
      unchanged: parts.unchanged,
      orphaned: parts.orphans.length,
      drifted: having('cause', 'drift'),
      conflict: having('cause', 'conflict'),
    },
    changes: [...parts.changes],
    orphans: [...parts.orphans],
  };
  return { ...unsealed, digest: digestPlan(unsealed) };
}

/** The same plan, saying which commit it was made of. */
export function withGitState(plan: Plan, git: NonNullable<Plan['git']>): Plan {
  const stated = { ...plan, git };
  return { ...stated, digest: digestPlan(stated) };
}

/** SHA-256 over the canonical JSON of the plan without its digest. */
export function digestPlan(plan: Omit<Plan, 'digest'> & { readonly digest?: unknown }): string {
  const rest: Record<string, unknown> = { ...plan };
  delete rest.digest;
  return fingerprint(rest);
}

function createChange(project: string, local: LocalPolicy): Change {
  return {
    key: local.key,
    action: 'create',
    cause: 'new',
    id: null,
    name: local.policy.name,
    reason: 'not there yet',
    place: placeOf(local),
    base: null,
    before: null,
    after: stampPolicy(project, local),
  };
}

function updateChange(
  project: string,
  { cause, local, live, reason }: Extract<Comparison, { kind: 'update' }>,
): Change {
  return {
    key: local.key,
    action: 'update',
    cause,
    id: live.policy.id,
    name: local.policy.name,
    reason,
    place: placeOf(local),
    base: baseOf(live.policy),
    before: documentOf(live.policy),
    after: stampPolicy(project, local),
  };
}

function deleteChange(live: LivePolicy): Change {
  const { ownership, policy, sha256 } = live;
  const edited =
    ownership.stamp !== undefined && ownership.stamp !== stampOf(sha256)
      ? '; it was edited outside git since'
      : '';
  return {
    key: ownership.key ?? policy.id,
    action: 'delete',
    cause: 'orphan',
    id: policy.id,
    name: policy.name,
    reason: `no file describes it any more${edited}`,
    base: baseOf(policy),
    before: documentOf(policy),
    after: null,
  };
}

const describeOrphan = ({ ownership, policy }: LivePolicy): Orphan => ({
  key: ownership.key ?? null,
  name: policy.name,
  id: policy.id,
});

const placeOf = ({ place: { file, line, column } }: LocalPolicy) => ({ file, line, column });

/** A live policy's identity at a moment. */
export function baseOf(policy: Policy): NonNullable<Change['base']> {
  return {
    ...(policy.updated_at === undefined ? {} : { updated_at: policy.updated_at }),
    sha256: stateFingerprint(policy),
  };
}

/** The fields a file decides, and the tags; what the server assigns or adds is left out. */
export function documentOf(policy: PolicyLike): PolicyDocument {
  const entries = policyFields.flatMap((field) => {
    const value = policy[field];
    return value === undefined || value === null ? [] : [[field, value] as const];
  });
  // Exactly the fields of PolicyDocument, picked by name.
  return Object.fromEntries(entries) as PolicyDocument;
}

/** What is sent for a local policy: as its file says it, with the ownership tags. */
function stampPolicy(project: string, local: LocalPolicy): PolicyDocument {
  const stamp = stampOf(contentFingerprint(local.policy));
  return documentOf({
    ...local.policy,
    tags: [
      ...withoutOwnership(local.policy.tags ?? []),
      ...ownershipTags(project, local.key, stamp),
    ],
  });
}

/**
 * The body of the PUT that turns `before` into `after`: the top-level fields whose meaning differs, null for those
 * that `after` does not have.
 */
export function updateBody(before: PolicyDocument, after: PolicyDocument): Record<string, unknown> {
  const old = normalisePolicy(before, 'kept');
  const next = normalisePolicy(after, 'kept');
  return Object.fromEntries(
    policyFields
      .filter((field) => canonicalJson(old[field] ?? null) !== canonicalJson(next[field] ?? null))
      .map((field) => [field, after[field] ?? null]),
  );
}

/** What a change changes for people: field by field, without govctl's own tags. */
export const changedFields = (change: Change): FieldChange[] =>
  diffFields(
    change.before && normalisePolicy(change.before),
    change.after && normalisePolicy(change.after),
  );

/** The stable JSON of `govctl plan -o json`, without `format_version`. */
export function planValue(plan: Plan): Readonly<Record<string, unknown>> {
  return {
    summary: plan.summary,
    changes: plan.changes.map((change) => ({
      action: change.action,
      key: change.key,
      name: change.name,
      id: change.id,
      fields: changedFields(change),
      cause: change.cause,
      reason: change.reason,
      ...(change.place ? { place: change.place } : {}),
    })),
    orphans: plan.orphans,
    digest: plan.digest,
    project: plan.project,
    base_url: plan.base_url,
    created_at: plan.created_at,
    expires_at: plan.expires_at,
    ...(plan.git ? { git: plan.git } : {}),
  };
}
