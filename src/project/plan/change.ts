import { defined } from '../../contract/defined.ts';
import * as z from 'zod';
import { Policy } from '../../contract/policies.ts';
import { canonicalJson } from '../compare/fingerprint.ts';
import { readOwnership } from '../compare/ownership.ts';
import type { Body, FieldChange, Kind, LiveItem } from '../kinds/kind.ts';
import { diffFields, stateHash } from '../kinds/kind.ts';
import { kindOf } from '../kinds/kinds.ts';
import { lacksWrittenOut } from '../kinds/webhook.ts';

/** A policy as it is sent or was read: the fields a file decides, and all its tags. */
const PolicyDocument = Policy.omit({ id: true }).extend({ severity: z.string().optional() });
export type PolicyDocument = z.infer<typeof PolicyDocument>;

/** A webhook with what it must not tell left out, see kinds/webhook-secrets.ts. */
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

/** A schedule; no file or plan holds a secret of one. */
const ScheduleDocument = z.object({
  name: z.string(),
  description: z.string().optional(),
  schedule: anyObject,
  report_template: anyObject,
  delivery: anyObject.optional(),
  enabled: z.boolean().optional(),
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
  /** What was live when the plan was made; null for a creation. */
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

/** A digest can be made anew by anyone; what no plan of govctl's says is not applied all the same. */
export const Change = z
  .union([PolicyChange, WebhookChange, ScheduleChange])
  .refine(
    ({ action, id, base, before, after }) =>
      (action === 'create') === (id === null) &&
      (id === null) === (before === null) &&
      (before === null) === (base === null) &&
      (action === 'delete') === (after === null),
    'its id, base, before and after do not fit its action',
  );
export type Change = z.infer<typeof Change>;

/** A change of a policy. */
export const isOfPolicy = (change: Change): change is z.infer<typeof PolicyChange> =>
  change.kind === undefined || change.kind === 'Policy';

/** Whether a change lacks a secret that its file writes out, so that only who reads the file can make it. */
export const needsItsFile = (change: Change): boolean =>
  change.kind === 'Webhook' && change.after !== null && lacksWrittenOut(change.after);

/** A live object's identity at a moment. */
export const baseOf = (kind: Kind, item: LiveItem): NonNullable<Change['base']> => ({
  ...defined({ updated_at: item.updated_at }),
  sha256: stateHash(kind, item),
});

/** Whether a change leaves its object without an owner, as it must where a service keeps no tags. */
export const isUntagged = ({ after }: Change): boolean =>
  after !== null && readOwnership(after.tags ?? []).owner === undefined;

/**
 * The body of the PUT that turns `before` into `after`: the top-level fields whose meaning differs, null for those
 * that `after` does not have.
 * @param real what `after` stands for
 */
export function updateBody(kind: Kind, before: Body, after: Body, real: Body): Body {
  const [old, next] = [kind.state(before), kind.state(after)];
  return Object.fromEntries(
    kind.fields
      .filter((field) => canonicalJson(old[field] ?? null) !== canonicalJson(next[field] ?? null))
      .map((field) => [field, real[field] ?? null]),
  );
}

/** What a change changes for people: field by field, without govctl's own tags. */
export function changedFields(change: Change): FieldChange[] {
  const kind = kindOf(change);
  return diffFields(
    kind,
    change.before && kind.content(change.before),
    change.after && kind.content(change.after),
  );
}
