import type { Claim } from '../../cost/rightsizing/claims.ts';
import type { Assessed, Assessor } from './assess-all.ts';

export { totalOfClaims } from '../../cost/rightsizing/claims.ts';
export type { Claim } from '../../cost/rightsizing/claims.ts';
export type { Assessor } from './assess-all.ts';

/** What smaller sizes would save, resource by resource. */
export const claimsOf = (machines: readonly Assessed[]): readonly Claim[] =>
  machines.flatMap(({ assessment, resource, cost }) =>
    assessment.kind === 'recommended' && cost
      ? [{ resource_id: resource.id, currency: cost.currency, amount: cost.monthly_saving }]
      : [],
  );

/** The same, of all machines: to be added with `totalOfClaims` together with what else could be saved on them. */
export const rightsizingClaims = async ({ assessAll }: Assessor): Promise<readonly Claim[]> =>
  claimsOf((await assessAll()).machines);
