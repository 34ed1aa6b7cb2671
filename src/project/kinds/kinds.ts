import type { Kind, KindName } from './kind.ts';
import { budgetKind } from './budget.ts';
import { exemptionKind } from './exemption.ts';
import { frameworkKind } from './framework.ts';
import { policyKind } from './policy.ts';
import { scheduleKind } from './schedule.ts';
import { webhookKind } from './webhook.ts';

/** Every kind that is planned, in the order of views. */
export const kinds: readonly Kind[] = [
  policyKind,
  webhookKind,
  scheduleKind,
  exemptionKind,
  frameworkKind,
  budgetKind,
];

const byName: Readonly<Record<KindName, Kind>> = {
  Policy: policyKind,
  Webhook: webhookKind,
  Schedule: scheduleKind,
  Exemption: exemptionKind,
  Framework: frameworkKind,
  Budget: budgetKind,
};

/** The kind of a change or an orphan; what says none is of a policy, as plans of before are. */
export const kindOf = ({ kind }: { readonly kind?: KindName | undefined }): Kind =>
  byName[kind ?? 'Policy'];

/** Something of each kind, by its name. */
export const ofEachKind = <T>(make: (kind: Kind) => T): Readonly<Record<KindName, T>> =>
  Object.fromEntries(kinds.map((kind) => [kind.name, make(kind)])) as Record<KindName, T>; // of all

/** What things of these kinds are called together. */
export function nounOf(things: readonly { readonly kind?: KindName | undefined }[]): Kind['noun'] {
  const [first, ...rest] = new Set(things.map(kindOf));
  return first && rest.length > 0
    ? { one: 'document', many: 'documents' }
    : (first ?? policyKind).noun;
}
