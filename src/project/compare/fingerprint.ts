import { createHash } from 'node:crypto';
import { isOwnershipTag } from './ownership.ts';

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
export interface NormalPolicy {
  readonly name: string;
  readonly description?: string;
  readonly resource_type: string;
  readonly severity?: string;
  readonly enabled: boolean;
  readonly rules: readonly {
    readonly condition: string;
    readonly effect: string;
    readonly message?: string;
  }[];
  readonly compliance_frameworks?: readonly string[];
  readonly auto_remediation?: true;
  readonly remediation_action?: string;
  readonly tags?: readonly string[];
}

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

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** JSON with the keys of every object in code-unit order and no white space; undefined is left out. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => byCodeUnit(a, b)))
      : inner,
  );
}

/** Lower-case hex of the SHA-256 over the canonical JSON of a value. */
export const fingerprint = (value: unknown): string => sha256(canonicalJson(value));

/** The same of a policy in normal form, whose keys are in canonical order as they are. */
export const normalFingerprint = (policy: NormalPolicy): string => sha256(JSON.stringify(policy));

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The fingerprint of what a policy says, without govctl's tags: the same for a file and what it became. */
export const contentFingerprint = (policy: PolicyLike): string =>
  normalFingerprint(normalisePolicy(policy));

/** The fingerprint of a policy with govctl's tags: whether anything at all changed since it was read. */
export const stateFingerprint = (policy: PolicyLike): string =>
  normalFingerprint(normalisePolicy(policy, 'kept'));

/** How much of a content fingerprint a tag carries. */
export const stampOf = (sha256: string): string => sha256.slice(0, 12);
