import { defined } from '../../contract/defined.ts';
import * as z from 'zod';
import { DefinedControl } from '../../contract/frameworks.ts';
import { Policy } from '../../contract/policies.ts';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { readOwnership } from '../compare/ownership.ts';
import type { Body, FieldChange, Kind, LiveItem } from '../kinds/kind.ts';
import { diffFields, documentOf, stateHash } from '../kinds/kind.ts';
import { kindOf } from '../kinds/kinds.ts';
import { lacksWrittenOut } from '../kinds/webhook.ts';

/** A policy as sent or read: the fields that a file sets, and all its tags. */
const PolicyDocument = Policy.omit({ id: true }).extend({ severity: z.string().optional() });
export type PolicyDocument = z.infer<typeof PolicyDocument>;

/** A webhook without its secrets, see kinds/webhook-secrets.ts. */
const WebhookDocument = z.object({
  name: z.string().optional(),
  url: z.string(),
  events: z.array(z.string()),
  secret: z.string().optional(),
  active: z.boolean().optional(),
  filters: z.record(z.string(), z.unknown()).optional(),
  retry_config: z.record(z.string(), z.unknown()).optional(),
  timeout_seconds: z.number().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  tags: z.array(z.string()).optional(),
});

const anyObject = z.record(z.string(), z.unknown());

/** A schedule; files and plans never contain its secrets. */
const ScheduleDocument = z.object({
  name: z.string(),
  description: z.string().optional(),
  schedule: anyObject,
  report_template: anyObject,
  delivery: anyObject.optional(),
  enabled: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
});

/** An exemption. */
const ExemptionDocument = z.object({
  name: z.never().optional(),
  policy: z.string(),
  resources: z.array(z.string()),
  reason: z.string(),
  owner: z.string(),
  expires: z.string(),
  category: z.string().optional(),
  tags: z.array(z.string()).optional(),
});

/** A framework. */
const FrameworkDocument = z.object({
  id: z.string(),
  name: z.string(),
  version: z.string().optional(),
  tags: z.array(z.string()).optional(),
  controls: z.array(DefinedControl),
});

/** A budget. */
const BudgetDocument = z.object({
  name: z.string(),
  description: z.string().optional(),
  owner: z.string().optional(),
  amount: z.string(),
  currency: z.string(),
  period: z.string().optional(),
  metric: z.string().optional(),
  filter: anyObject.optional(),
  thresholds: z.array(anyObject).optional(),
  tags: z.array(z.string()).optional(),
});

const Place = z.object({ file: z.string(), line: z.int(), column: z.int() });

const commonFields = {
  key: z.string(),
  action: z.enum(['create', 'update', 'delete']),
  id: z.string().nullable(),
  name: z.string(),
  reason: z.string(),
  place: Place.optional(),
  /** The live object when the plan was made; null for a creation. */
  base: z.object({ updated_at: z.string().optional(), sha256: z.string() }).nullable(),
};

/** See `UpdateCause` in compare/comparison.ts; `adopt` takes over an object that belonged to no project. */
const causes = ['new', 'git', 'drift', 'conflict', 'stamp', 'key', 'orphan', 'adopt'] as const;

const PolicyChange = z.object({
  ...commonFields,
  kind: z.literal('Policy').optional(),
  cause: z.enum(causes),
  before: PolicyDocument.nullable(),
  after: PolicyDocument.nullable(),
});

const WebhookChange = z.object({
  ...commonFields,
  kind: z.literal('Webhook'),
  cause: z.enum([...causes, 'secret', 'disabled']),
  before: WebhookDocument.nullable(),
  after: WebhookDocument.nullable(),
});

const ScheduleChange = z.object({
  ...commonFields,
  kind: z.literal('Schedule'),
  cause: z.enum(causes),
  before: ScheduleDocument.nullable(),
  after: ScheduleDocument.nullable(),
});

const ExemptionChange = z.object({
  ...commonFields,
  kind: z.literal('Exemption'),
  cause: z.enum(causes),
  before: ExemptionDocument.nullable(),
  after: ExemptionDocument.nullable(),
});

const FrameworkChange = z.object({
  ...commonFields,
  kind: z.literal('Framework'),
  cause: z.enum(causes),
  before: FrameworkDocument.nullable(),
  after: FrameworkDocument.nullable(),
});

const BudgetChange = z.object({
  ...commonFields,
  kind: z.literal('Budget'),
  cause: z.enum(causes),
  before: BudgetDocument.nullable(),
  after: BudgetDocument.nullable(),
});

/** Anyone can recompute a digest, so validate the content, too: govctl applies only changes that it could have planned. */
export const Change = z
  .union([
    PolicyChange,
    WebhookChange,
    ScheduleChange,
    ExemptionChange,
    FrameworkChange,
    BudgetChange,
  ])
  .refine(
    ({ action, id, base, before, after }) =>
      (action === 'create') === (id === null) &&
      (id === null) === (before === null) &&
      (before === null) === (base === null) &&
      (action === 'delete') === (after === null),
    'the fields `id`, `base`, `before` and `after` do not match the action',
  );
export type Change = z.infer<typeof Change>;

/** A change of a policy. */
export const isOfPolicy = (change: Change): change is z.infer<typeof PolicyChange> =>
  change.kind === undefined || change.kind === 'Policy';

/** Whether the plan lacks a secret that the file contains in plain text, so that applying requires the file. */
export const needsItsFile = (change: Change): boolean =>
  change.kind === 'Webhook' && change.after !== null && lacksWrittenOut(change.after);

/** The state of a live object when the plan is made. */
export const baseOf = (kind: Kind, item: LiveItem): NonNullable<Change['base']> => ({
  ...defined({ updated_at: item.updated_at }),
  sha256: stateHash(kind, item),
});

/** Whether a change leaves its object without an owner, because the service stores no tags. */
export const isUntagged = ({ after }: Change): boolean =>
  after !== null && readOwnership(after.tags ?? []).owner === undefined;

/**
 * The body of the PUT that turns `before` into `after`: the top-level fields whose meaning differs, null for fields that
 * `after` lacks; all of `after` for a kind that is sent whole.
 * @param real `after` with its references resolved
 */
export function updateBody(kind: Kind, before: Body, after: Body, real: Body): Body {
  if (kind.objects.wholeAt !== undefined) return documentOf(kind, real);
  const [old, next] = [kind.state(before), kind.state(after)];
  return Object.fromEntries(
    kind.fields
      .filter((field) => canonicalJson(old[field] ?? null) !== canonicalJson(next[field] ?? null))
      .map((field) => [field, real[field] ?? null]),
  );
}

/** What a new object says beside its outline and its key. */
export const fieldsBesideOutline = (change: Change): FieldChange[] =>
  changedFields(change).filter(
    ({ path, after }) =>
      !kindOf(change).outlined.includes(path) && !(path === 'name' && after === change.key),
  );

/** The changed fields for people, without govctl's own tags. */
export function changedFields(change: Change): FieldChange[] {
  const kind = kindOf(change);
  return diffFields(
    kind,
    change.before && kind.content(change.before),
    change.after && kind.content(change.after),
  );
}
