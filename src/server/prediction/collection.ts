import { hash } from 'node:crypto';
import type { PredictionMethod } from '../../contract/predictions.ts';
import type { CollectionSpec } from '../store/store.ts';

/** When a resource will fail a policy because time goes on, and how such dates turned out before. */
export interface StoredFlip {
  /** As `alertId`. */
  readonly id: string;
  readonly policy_id: string;
  readonly resource_id: string;
  readonly resource_type: string;
  readonly provider: string;
  readonly account_id?: string;
  readonly environment?: string;
  /** ISO 8601; absent where no such moment is known, and the row only counts. */
  readonly at?: string;
  /** What the policy will say. */
  readonly message?: string;
  /** How often such a date was moved away before it came, and how often it came. */
  readonly renewed: number;
  readonly missed: number;
  readonly updated_at: string;
}

export const flips: CollectionSpec<StoredFlip> = {
  name: 'flips',
  index: {
    policy_id: (flip) => flip.policy_id,
    resource_id: (flip) => flip.resource_id,
    /** Those with a date. */
    coming: (flip) => (flip.at === undefined ? undefined : 'yes'),
    /** The policies of those whose dates came or were moved away. */
    counted: (flip) => (flip.renewed + flip.missed > 0 ? flip.policy_id : undefined),
    provider: (flip) => flip.provider,
    account_id: (flip) => flip.account_id,
    environment: (flip) => flip.environment,
  },
  order: { at: (flip) => flip.at, id: (flip) => flip.id },
};

/** The same for the same policy, resource and method, so that an alert is known again. */
export const alertId = (policyId: string, resourceId: string, method: PredictionMethod): string =>
  `pra_${hash('sha256', [policyId, resourceId, method].join('\n'), 'hex').slice(0, 26)}`;
