import * as z from 'zod';
import { defined } from '../../contract/defined.ts';
import type { Comparison, Update } from '../compare/comparison.ts';
import { fingerprint, stampOf } from '../compare/fingerprint.ts';
import { ownershipTags, withoutOwnership } from '../compare/ownership.ts';
import type { Body, KindName, LocalDocument } from '../kinds/kind.ts';
import { contentHash, documentOf, kindField } from '../kinds/kind.ts';
import { variablesOf } from '../kinds/webhook.ts';
import { Change, baseOf, changedFields } from './change.ts';

/** Hours until a saved plan is too old to apply. */
const validHours = 24;

const kindName = z.enum([
  'Policy',
  'Webhook',
  'Schedule',
  'Exemption',
  'Framework',
  'Budget',
] satisfies KindName[]);

/** A live object of this project without a file; not changed. */
const Orphan = z.object({
  kind: kindName.optional(),
  key: z.string().nullable(),
  name: z.string(),
  id: z.string(),
  /** Where it was applied from, where another branch or clone did. */
  reason: z.string().optional(),
});
type Orphan = z.infer<typeof Orphan>;

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

/** Everything that an apply needs, except a login and the variables that it refers to. */
export const Plan = z.object({
  format_version: z.literal(1),
  /** SHA-256 over the canonical JSON of everything else. */
  digest: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  base_url: z.url({ protocol: /^https?$/ }),
  project: z.string(),
  git: z.object({ sha: z.string(), dirty: z.boolean(), branch: z.string().optional() }).optional(),
  summary: Summary,
  /** Whether it contains more than policies. */
  is_mixed: z.boolean().optional(),
  changes: z.array(Change).refine((changes) => {
    const ids = changes.flatMap(({ id }) => id ?? []);
    return new Set(ids).size === ids.length;
  }, 'several documents are for the same policy'),
  orphans: z.array(Orphan),
  /** Slow hashes of the variables that the changes name, see variables.ts; in saved plans only. */
  variables: z.record(z.string(), z.string()).optional(),
});
export type Plan = z.infer<typeof Plan>;

interface PlanFacts {
  readonly project: string;
  readonly baseUrl: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Makes the plan of a comparison. Leaves out `blocked` documents: the caller must handle them first. */
export function makePlan(
  comparisons: readonly Comparison[],
  prune: boolean,
  facts: PlanFacts,
): Plan {
  const changes = comparisons.flatMap((comparison): Change[] => {
    switch (comparison.kind) {
      case 'create':
        return [createChange(facts.project, comparison)];
      case 'update':
        return [updateChange(facts.project, comparison)];
      case 'orphan':
        return prune ? [deleteChange(comparison)] : [];
      default:
        return [];
    }
  });
  const orphans = prune
    ? []
    : comparisons.flatMap((comparison) =>
        comparison.kind === 'orphan' ? [describeOrphan(comparison)] : [],
      );
  const unchanged = comparisons.filter(({ kind }) => kind === 'unchanged').length;
  const isMixed = comparisons.some((comparison) => kindIn(comparison) !== 'Policy');
  return sealPlan({ changes, orphans, unchanged, isMixed }, facts);
}

const kindIn = (comparison: Comparison): KindName =>
  (comparison.kind === 'orphan' ? comparison.live : comparison.local).kind.name;

export function sealPlan(
  parts: {
    readonly changes: readonly Change[];
    readonly orphans: readonly Orphan[];
    readonly unchanged: number;
    /** Not all of it is about policies. */
    readonly isMixed: boolean;
  },
  facts: PlanFacts,
): Plan {
  const having = (field: 'action' | 'cause', value: string): number =>
    parts.changes.filter((change) => change[field] === value).length;
  return seal({
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
    ...(parts.isMixed ? { is_mixed: true } : {}),
    changes: [...parts.changes],
    orphans: [...parts.orphans],
  });
}

/** Adds the digest to a plan. */
export const seal = (unsealed: Omit<Plan, 'digest'>): Plan => ({
  ...unsealed,
  digest: digestPlan(unsealed),
});

/** SHA-256 over the canonical JSON of the plan without its digest. */
export function digestPlan(plan: Omit<Plan, 'digest'> & { readonly digest?: unknown }): string {
  const rest: Record<string, unknown> = { ...plan };
  delete rest.digest;
  return fingerprint(rest);
}

/** The names of the variables that a change refers to. */
export const changeVariables = (change: Change): string[] =>
  change.kind !== 'Webhook' || !change.after ? [] : variablesOf(change.after);

export const planVariables = ({ changes }: Pick<Plan, 'changes'>): string[] => [
  ...new Set(changes.flatMap(changeVariables)),
];

type Creation = Extract<Comparison, { kind: 'create' }>;
type OrphanFound = Extract<Comparison, { kind: 'orphan' }>;

// The kind made the bodies, so they are of its shape.
const asChange = (
  change: Omit<Change, 'before' | 'after'> & { before: Body | null; after: Body | null },
): Change => change as Change;

function createChange(project: string, { local, wanted, isTagged }: Creation): Change {
  return asChange({
    ...kindField(local.kind.name),
    key: local.key,
    action: 'create',
    cause: 'new',
    id: null,
    name: local.kind.titleOf(local.body),
    reason: 'new',
    place: placeOf(local),
    base: null,
    before: null,
    after: stampDocument(project, local, wanted.shown, isTagged),
  });
}

function updateChange(
  project: string,
  { cause, local, live, reason, wanted, isTagged }: Update,
): Change {
  const { kind } = local;
  return asChange({
    ...kindField(kind.name),
    key: local.key,
    action: 'update',
    cause,
    id: live.item.id,
    name: kind.titleOf(local.body),
    reason,
    place: placeOf(local),
    base: baseOf(kind, live.item),
    before: documentOf(kind, kind.shownLive(live.item, wanted)),
    after: stampDocument(project, local, wanted.shown, isTagged),
  });
}

function deleteChange({ live, elsewhere }: OrphanFound): Change {
  const { kind, ownership, item, title, sha256 } = live;
  const edited =
    ownership.stamp !== undefined && ownership.stamp !== stampOf(sha256)
      ? '; edited outside git since'
      : '';
  return asChange({
    ...kindField(kind.name),
    key: ownership.key ?? item.id,
    action: 'delete',
    cause: 'orphan',
    id: item.id,
    name: title,
    reason: `${elsewhere === undefined ? 'no longer in any file' : `in no file; ${elsewhere}`}${edited}`,
    base: baseOf(kind, item),
    before: documentOf(kind, kind.shownLive(item, null)),
    after: null,
  });
}

const describeOrphan = ({ live, elsewhere }: OrphanFound): Orphan => {
  const { kind, ownership, title, item } = live;
  const key = ownership.key ?? null;
  return {
    ...kindField(kind.name),
    key,
    name: title,
    id: item.id,
    ...defined({ reason: elsewhere }),
  };
};

const placeOf = ({ place: { file, line, column } }: LocalDocument) => ({ file, line, column });

/** The body for a local document: its fields, with ownership tags if the service stores tags. */
function stampDocument(
  project: string,
  { kind, key, body }: LocalDocument,
  shown: Body,
  isTagged: boolean,
): Body {
  if (!isTagged) return documentOf(kind, shown);
  const stamp = stampOf(contentHash(kind, body));
  return documentOf(kind, {
    ...shown,
    tags: [
      // A document's tags are a list of strings, or absent.
      ...withoutOwnership((body.tags ?? []) as string[]),
      ...ownershipTags(project, key, stamp),
    ],
  });
}

/** The stable JSON of `govctl plan -o json`, without `format_version`. */
export function planValue(plan: Plan): Readonly<Record<string, unknown>> {
  return {
    summary: plan.summary,
    changes: plan.changes.map((change) => ({
      ...kindField(change.kind),
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
