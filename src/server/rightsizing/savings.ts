import { compare } from '../../cost/amount.ts';
import type { Amount } from '../../cost/amount.ts';
import { totalOfClaims } from '../../cost/rightsizing/claims.ts';
import type { Claim } from '../../cost/rightsizing/claims.ts';
import type { Deps } from '../deps.ts';
import { claimsOfUnused, unusedNow } from '../unused/service.ts';
import type { Assessed, Assessor } from './assess-all.ts';

/** What smaller sizes would save, resource by resource. */
export const claimsOf = (machines: readonly Assessed[]): readonly Claim[] =>
  machines.flatMap(({ assessment, resource, cost }) =>
    assessment.kind === 'recommended' && cost
      ? [{ resource_id: resource.id, currency: cost.currency, amount: cost.monthly_saving }]
      : [],
  );

interface Place {
  readonly environment?: string | undefined;
  readonly provider: string;
  readonly account_id?: string | undefined;
}

/** What could be saved, the largest currency first. */
interface Savings {
  readonly unused: number;
  /** Machines that a smaller size would do for. */
  readonly machines: number;
  readonly savings: readonly (readonly [currency: string, amount: Amount])[];
}

/**
 * What could be saved, on the resources that count. Both are known by now, as long as neither inventory nor charges
 * change.
 */
export async function savingsNow(
  deps: Deps,
  assessor: Assessor,
  counts: (resource: Place) => boolean,
  signal: AbortSignal,
): Promise<Savings> {
  const unused = (await unusedNow(deps, signal)).filter(({ resource }) => counts(resource));
  const machines = (await assessor.assessAll()).machines.filter(
    ({ assessment, resource }) => assessment.kind === 'recommended' && counts(resource),
  );
  // What is unused can't be made smaller, too.
  const totals = totalOfClaims([...claimsOfUnused(unused), ...claimsOf(machines)]);
  return {
    unused: unused.length,
    machines: machines.length,
    savings: [...totals].sort(([, a], [, b]) => compare(b, a)),
  };
}
