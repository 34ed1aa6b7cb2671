/** What a policy says in `remediation_action`. */
export type RemediationAction =
  | { readonly kind: 'patch'; readonly patch: Readonly<Record<string, unknown>> }
  /** Anything else, and a patch that is no JSON object. */
  | { readonly kind: 'other'; readonly text: string };

const patchPrefix = 'patch:';

/** Reads `patch:{…}`, a merge patch of the resource's attributes. Total. */
export function readRemediationAction(text: string): RemediationAction {
  if (!text.startsWith(patchPrefix)) return { kind: 'other', text };
  try {
    const patch: unknown = JSON.parse(text.slice(patchPrefix.length));
    if (typeof patch === 'object' && patch !== null && !Array.isArray(patch)) {
      return { kind: 'patch', patch: patch as Record<string, unknown> };
    }
  } catch {
    // said by the kind
  }
  return { kind: 'other', text };
}
