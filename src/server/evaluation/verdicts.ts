import type { Rule } from '../../contract/policies.ts';
import type { KnownResource } from '../../contract/resources.ts';
import type { Verdict } from '../../engine/decide.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import type { Versioned } from '../store/store.ts';

export interface StoredSubject {
  readonly resource: KnownResource;
  /** Enabled ones. */
  readonly policies: readonly Versioned<StoredPolicy>[];
}

export interface GivenSubject {
  readonly resource: KnownResource;
  readonly rules: readonly (readonly Rule[])[];
}

/** What was found. */
export interface Verdicts {
  /**
   * Of a policy over a resource, which must be the very object that was asked about; undefined where its rules were not,
   * or there was no budget left.
   */
  of(
    policy: Pick<StoredPolicy, 'rules' | 'quarantined'> & { readonly id?: string },
    resource: KnownResource,
  ): Verdict | undefined;
  /** The budget of the request ended the evaluation. */
  readonly isSpent: boolean;
}
