import { isPathMissing, policyObjects } from '../../client/objects.ts';
import { policyFields } from '../../contract/policies.ts';
import { byCodeUnit } from '../../contract/canonical-json.ts';
import { sha256 } from '../compare/fingerprint.ts';
import { makeKey } from '../key.ts';
import { isOwnershipTag } from '../compare/ownership.ts';
import type { LocalPolicy } from '../model.ts';
import type { Body, Kind, LocalDocument } from './kind.ts';
import type { NormalRule } from './rule-diff.ts';
import { diffRules } from './rule-diff.ts';

/** What a policy says, in any of its shapes: as a file, as an answer, as a request body. */
export interface PolicyLike {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly resource_type: string;
  readonly severity?: string | null | undefined;
  readonly enabled?: boolean | null | undefined;
  readonly rules: readonly {
    readonly condition: string;
    readonly effect: string;
    readonly message?: string | null | undefined;
  }[];
  readonly compliance_frameworks?: readonly string[] | null | undefined;
  readonly auto_remediation?: boolean | null | undefined;
  readonly remediation_action?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
}

/** A policy with one spelling for each meaning: two that mean the same are deeply equal. */
type NormalPolicy = {
  readonly name: string;
  readonly description?: string;
  readonly resource_type: string;
  readonly severity?: string;
  readonly enabled: boolean;
  readonly rules: readonly NormalRule[];
  readonly compliance_frameworks?: readonly string[];
  readonly auto_remediation?: true;
  readonly remediation_action?: string;
  readonly tags?: readonly string[];
};

/**
 * The normal form: the API's fields only (no id, timestamps, creator or fields we don't know); `enabled` is true
 * and `auto_remediation` false where not said; an empty text or list, null and absence are one; tags are a sorted
 * set. `ownership: 'dropped'` leaves govctl's own tags out, as every comparison with a file does.
 */
export function normalisePolicy(
  policy: PolicyLike,
  ownership: 'kept' | 'dropped' = 'dropped',
): NormalPolicy {
  const given = policy.tags ?? [];
  const own = ownership === 'kept' ? given : given.filter((tag) => !isOwnershipTag(tag));
  const tags = [...new Set(own)].sort(byCodeUnit);
  const frameworks = policy.compliance_frameworks ?? [];
  // In the order of canonical JSON, so that a fingerprint needs no sorting.
  return {
    ...(policy.auto_remediation ? { auto_remediation: true as const } : {}),
    ...(frameworks.length > 0 ? { compliance_frameworks: [...frameworks] } : {}),
    ...(policy.description ? { description: policy.description } : {}),
    enabled: policy.enabled ?? true,
    name: policy.name,
    ...(policy.remediation_action ? { remediation_action: policy.remediation_action } : {}),
    resource_type: policy.resource_type,
    rules: policy.rules.map(({ condition, effect, message }) =>
      message ? { condition, effect, message } : { condition, effect },
    ),
    ...(policy.severity ? { severity: policy.severity } : {}),
    ...(tags.length > 0 ? { tags } : {}),
  };
}

// Whoever hands a body to this kind got it as a policy: from a file, an answer or a plan, each parsed as one.
const asPolicy = (body: Body): PolicyLike => body as unknown as PolicyLike;

export const policyKind: Kind = {
  name: 'Policy',
  noun: { one: 'policy', many: 'policies' },
  objects: policyObjects,
  isOurs: false,
  isMissing: isPathMissing,
  fields: policyFields,
  writeOnly: [],
  identity: 'name',
  isUnique: true,
  guardsEmpty: true,
  changed: 'file changed',
  turn: { write: 1, delete: 1 },
  // A service that loses them is noticed at the first change.
  keepsTags: async () => true,
  titleOf: (body) => asPolicy(body).name,
  keyOf: (body) => makeKey(asPolicy(body).name),
  identityOf: (body) => asPolicy(body).name,
  content: (body) => normalisePolicy(asPolicy(body)),
  state: (body) => normalisePolicy(asPolicy(body), 'kept'),
  // Its keys are in canonical order as they are.
  hash: (normal) => sha256(JSON.stringify(normal)),
  diffField: (field, before, after) =>
    field === 'rules' ? diffRules(before as never, after as never) : undefined, // as a policy's are
  outline: (body) => {
    const { severity, resource_type, rules, enabled, compliance_frameworks } = asPolicy(body);
    return [
      severity ?? undefined,
      resource_type,
      `${rules.length} rule${rules.length === 1 ? '' : 's'}`,
      enabled === false ? 'disabled' : undefined,
      compliance_frameworks?.join(', '),
    ];
  },
  outlined: ['severity', 'resource_type', 'enabled', 'compliance_frameworks'],
  wanted: ({ body }) => ({ real: body, shown: body }),
  shownLive: (live) => live,
  beyondContent: () => undefined,
  noteOn: () => undefined,
  reveal: (_key, shown) => shown,
  withoutExtensions: () => undefined,
};

export const policyDocument = ({ key, policy, place }: LocalPolicy): LocalDocument => ({
  kind: policyKind,
  key,
  written: policy,
  body: policy,
  place,
});
