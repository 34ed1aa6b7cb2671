import type { Rule } from '../../contract/policies.ts';
import type { KnownResource } from '../../contract/resources.ts';
import type { Verdict } from '../../engine/decide.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import type { Versioned } from '../store/store.ts';

export interface StoredSubject {
  readonly resource: KnownResource;
  /** Only enabled policies. */
  readonly policies: readonly Versioned<StoredPolicy>[];
}

export interface GivenSubject {
  readonly resource: KnownResource;
  readonly rules: readonly (readonly Rule[])[];
}

/** The verdicts of an evaluation. */
export interface Verdicts {
  /**
   * The verdict of a policy on a resource, which must be the same object as in the question. Undefined if the policy's
   * rules were not in the question, or the budget was spent.
   */
  of(
    policy: Pick<StoredPolicy, 'rules' | 'quarantined'> & { readonly id?: string },
    resource: KnownResource,
  ): Verdict | undefined;
  /** Whether the budget of the request ended the evaluation. */
  readonly isSpent: boolean;
}
