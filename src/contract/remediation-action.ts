/** What changes something. */
type RemediationAct =
  | { readonly kind: 'patch'; readonly patch: Readonly<Record<string, unknown>> }
  | { readonly kind: 'webhook'; readonly url: string }
  | { readonly kind: 'exec'; readonly name: string };

/** What a policy says in `remediation_action`. */
export type RemediationAction =
  | RemediationAct
  | {
      readonly kind: 'notify';
      /** Days after the violation is detected until auto_remediation acts. */
      readonly afterDays?: number;
      /** What it does then. Absent: it notifies again. */
      readonly then?: RemediationAct;
    }
  /** Anything else, and what is not well-formed after `patch:` or `notify:`. */
  | { readonly kind: 'other'; readonly text: string };

/** Days after which a violation is remediated. */
export const mostDays = 365;

/** Reads `patch:{…}` (a merge patch of the resource's attributes), `webhook:URL`, `exec:NAME`, `notify` and `notify:{…}`. Total. */
export function readRemediationAction(text: string): RemediationAction {
  if (text === 'notify') return { kind: 'notify' };
  const notify = text.startsWith('notify:') ? notifyOf(text.slice('notify:'.length)) : undefined;
  return notify ?? readAct(text) ?? { kind: 'other', text };
}

/** What is done about a violation in the end. */
export const actOf = (action: RemediationAction): RemediationAction =>
  (action.kind === 'notify' && action.then) || action;

function readAct(text: string): RemediationAct | undefined {
  const [, kind, rest = ''] = /^(patch|webhook|exec):(.*)$/s.exec(text) ?? [];
  if (kind === 'webhook') return { kind, url: rest };
  if (kind === 'exec') return { kind, name: rest };
  const patch = kind === 'patch' ? objectOf(rest) : undefined;
  return patch && { kind: 'patch', patch };
}

function notifyOf(text: string): RemediationAction | undefined {
  const { after_days: afterDays, then, ...others } = objectOf(text) ?? {};
  const isDays = Number.isInteger(afterDays) && Number(afterDays) >= 1;
  if (!isDays || Number(afterDays) > mostDays || Object.keys(others).length > 0) return undefined;
  const notify = { kind: 'notify', afterDays: Number(afterDays) } as const;
  if (then === undefined) return notify;
  const act = typeof then === 'string' ? readAct(then) : undefined;
  return act && { ...notify, then: act };
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
