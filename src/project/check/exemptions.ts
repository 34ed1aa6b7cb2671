import { exemptionEnd } from '../../engine/exempt.ts';
import type { Exemption } from '../../engine/exempt.ts';
import type { LocalPolicy, OtherDocument, Place, Problem } from '../model.ts';

/** An exemption of the repo, and where its document stands. */
export interface LocalExemption {
  readonly exemption: Exemption;
  readonly place: Place;
}

/** The exemptions for these policies, expired ones too. */
export function exemptionsFor(
  policies: readonly LocalPolicy[],
  others: readonly OtherDocument[],
): LocalExemption[] {
  const names = new Set(policies.flatMap(({ key, policy }) => [key, policy.name]));
  return others.flatMap(({ kind, document, place }) => {
    if (kind !== 'Exemption') return [];
    // The document's schema has checked these fields.
    const exemption = document as unknown as Exemption;
    return names.has(exemption.policy) ? [{ exemption, place }] : [];
  });
}

const dayMs = 24 * 3_600_000;
/** Days before its end that an exemption is warned of. */
const warnedBefore = 14;

/**
 * What there is to say of exemptions after a run: those that end soon or have ended, and those that turned no finding.
 * `uses` counts the findings of each.
 */
export function judgeExemptions(
  exemptions: readonly LocalExemption[],
  uses: readonly number[],
  now: number,
): Problem[] {
  return exemptions.flatMap(({ exemption, place }, index): Problem[] => {
    const { policy, owner, expires } = exemption;
    const warn = (code: string, message: string, hint: string): Problem[] => [
      { level: 'warning', code, message, hint, ...place },
    ];
    const left = exemptionEnd(expires) - now;
    const name = `the exemption from ${JSON.stringify(policy)}`;
    if (left <= 0) {
      return warn(
        'expired-exemption',
        `${name} expired: ${expires} was its last day`,
        `Remove it, or have ${owner} set a new date.`,
      );
    }
    if ((uses[index] ?? 0) === 0) {
      return warn(
        'unused-exemption',
        `${name} spares no finding here`,
        'Remove it where the resources are fixed or gone.',
      );
    }
    if (left > warnedBefore * dayMs) return [];
    const days = Math.ceil(left / dayMs);
    return warn(
      'expiring-exemption',
      `${name} ends ${days <= 1 ? 'today' : `in ${days} days`}: ${expires} is its last day`,
      `Fix the resources, or have ${owner} set a new date.`,
    );
  });
}
