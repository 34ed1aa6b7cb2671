import type { Rule } from '../../contract/policies.ts';
import type { KnownResource } from '../../contract/resources.ts';
import type { Verdict } from '../../engine/decide.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import type { Versioned } from '../store/store.ts';
import type { FoundFlip } from './thread/messages.ts';

export interface StoredSubject {
  readonly resource: KnownResource;
  /** Only enabled policies. */
  readonly policies: readonly Versioned<StoredPolicy>[];
}

export interface GivenSubject {
  readonly resource: KnownResource;
  readonly rules: readonly (readonly Rule[])[];
}

/**
 * A verdict, and when it changes because time goes on: only of rules that read `now`, where that was asked for. 'unknown'
 * also where a request had no steps left to find out.
 */
export type DatedVerdict = Verdict & { readonly flip?: FoundFlip };

/** The verdicts of an evaluation. */
export interface Verdicts {
  /**
   * The verdict of a policy on a resource, which must be the same object as in the question. Undefined if the policy's
   * rules were not in the question, or the budget was spent.
   */
  of(
    policy: Pick<StoredPolicy, 'rules' | 'quarantined'> & { readonly id?: string },
    resource: KnownResource,
  ): DatedVerdict | undefined;
  /** Whether the budget of the request ended the evaluation. */
  readonly isSpent: boolean;
}
