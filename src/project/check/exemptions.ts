import { createSuggester } from '../../contract/nearest.ts';
import { exemptionEnd } from '../../engine/exempt.ts';
import type { Exemption } from '../../engine/exempt.ts';
import type { LocalPolicy, OtherDocument, Place, Problem } from '../model.ts';

/** An exemption of the repo, and where its document stands. */
interface LocalExemption {
  readonly exemption: Exemption;
  readonly place: Place;
}

/** The exemptions for these policies, expired ones too. */
export function exemptionsFor(
  policies: readonly LocalPolicy[],
  others: readonly OtherDocument[],
): LocalExemption[] {
  const names = namesOf(policies);
  return exemptionsAmong(others).filter(({ exemption }) => names.has(exemption.policy));
}

/** Exemptions from what is none of all policies: mostly a name with a mistake in it. */
export function findStrayExemptions(
  policies: readonly LocalPolicy[],
  others: readonly OtherDocument[],
): Problem[] {
  const names = namesOf(policies);
  const suggest = createSuggester(names);
  return exemptionsAmong(others).flatMap(({ exemption: { policy }, place }): Problem[] => {
    if (names.has(policy)) return [];
    const nearest = suggest(policy);
    return [
      {
        level: 'warning',
        code: 'unknown-policy',
        message: `the exemption from ${JSON.stringify(policy)} has no effect: no policy in these files has this name or key`,
        hint: nearest
          ? `Did you mean ${JSON.stringify(nearest)}?`
          : 'Set an existing policy, or remove the exemption.',
        ...place,
      },
    ];
  });
}

export const namesOf = (policies: readonly LocalPolicy[]): ReadonlySet<string> =>
  new Set(policies.flatMap(({ key, policy }) => [key, policy.name]));

const exemptionsAmong = (others: readonly OtherDocument[]): LocalExemption[] =>
  others.flatMap(({ kind, document, place }) =>
    // The document's schema has checked these fields.
    kind === 'Exemption' ? [{ exemption: document as unknown as Exemption, place }] : [],
  );

const dayMs = 24 * 3_600_000;
/** Days before its end that an exemption is warned of. */
const warnedBefore = 14;

/**
 * What there is to say of exemptions after a run: those that end soon or have ended, and those that turned no finding.
 * `uses` counts the findings of each;
 * `judged` has the names and keys of the policies that saw all of their resources.
 */
export const judgeExemptions = (
  exemptions: readonly LocalExemption[],
  uses: readonly number[],
  now: number,
  judged: ReadonlySet<string>,
): Problem[] =>
  exemptions.flatMap(({ exemption: { policy, owner, expires }, place }, index) => {
    const used = uses[index] ?? 0;
    if (used === 0 && !judged.has(policy)) return [];
    return judgeUse(
      {
        name: `the exemption from ${JSON.stringify(policy)}`,
        noun: 'exemption',
        expires,
        renew: `ask ${owner} to set a new date`,
        unused:
          'Remove the exemption if its resources are fixed or deleted; keep it if they are in other files.',
        place,
      },
      used,
      now,
    );
  });

/** Something that exempts findings until the end of a day, and how its warnings name it. */
export interface Expiring {
  readonly name: string;
  readonly noun: string;
  readonly expires: string;
  /** How to get a later date: `ask the owner to set a new date`. */
  readonly renew: string;
  /** What to do if it matches no finding. */
  readonly unused: string;
  readonly place: Place;
}

/** At most one problem: it has ended, turned no finding, or ends soon. */
export function judgeUse(
  { name, noun, expires, renew, unused, place }: Expiring,
  uses: number,
  now: number,
): Problem[] {
  const warn = (code: string, message: string, hint: string): Problem[] => [
    { level: 'warning', code, message, hint, ...place },
  ];
  const left = exemptionEnd(expires) - now;
  if (left <= 0) {
    return warn(
      'expired-exemption',
      `${name} expired: ${expires} was its last day`,
      `Remove the ${noun}, or ${renew}.`,
    );
  }
  if (uses === 0) {
    return warn('unused-exemption', `${name} matches no finding`, unused);
  }
  if (left > warnedBefore * dayMs) return [];
  const days = Math.ceil(left / dayMs);
  return warn(
    'expiring-exemption',
    `${name} ends ${days <= 1 ? 'today' : `in ${days} days`}: ${expires} is its last day`,
    `Fix the resources, or ${renew}.`,
  );
}
