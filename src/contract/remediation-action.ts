/** What a policy says in `remediation_action`. */
export type RemediationAction =
  | { readonly kind: 'patch'; readonly patch: Readonly<Record<string, unknown>> }
  | { readonly kind: 'webhook'; readonly url: string }
  | { readonly kind: 'exec'; readonly name: string }
  | { readonly kind: 'notify' }
  /** Anything else, and a patch that is no JSON object. */
  | { readonly kind: 'other'; readonly text: string };

/** Reads `patch:{…}` (a merge patch of the resource's attributes), `webhook:URL`, `exec:NAME` and `notify`. Total. */
export function readRemediationAction(text: string): RemediationAction {
  const [, kind, rest = ''] = /^(patch|webhook|exec):(.*)$/s.exec(text) ?? [];
  if (text === 'notify') return { kind: 'notify' };
  if (kind === 'webhook') return { kind, url: rest };
  if (kind === 'exec') return { kind, name: rest };
  const patch = kind === 'patch' ? patchOf(rest) : undefined;
  return patch ? { kind: 'patch', patch } : { kind: 'other', text };
}

function patchOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const patch: unknown = JSON.parse(text);
    const isObject = typeof patch === 'object' && patch !== null && !Array.isArray(patch);
    return isObject ? (patch as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
