import type { KnownResource } from '../../../contract/resources.ts';
import { changesOf } from '../../../engine/remediation/patch.ts';
import { withoutAbsent } from '../../without-absent.ts';
import type { StoredAction, StoredRemediation } from '../collection.ts';

/** An action that is attempted: the resource is stored as it was. */
export interface Begun {
  readonly remediation: StoredRemediation;
  readonly action: StoredAction;
  readonly resource: KnownResource;
}

/** What came of an attempt. */
export interface Result extends Pick<StoredAction, 'outcome' | 'why'> {
  /** `unsent`: nothing was sent, so that it can be tried again. */
  readonly status: 'unverified' | 'failed' | 'unsent';
  /** The resource as the executor has seen it since. */
  readonly observed?: KnownResource;
}

/** What an executor is told, whichever it is. */
export const orderOf = ({ remediation, action, resource }: Begun) =>
  withoutAbsent({
    format_version: 1,
    remediation_id: remediation.id,
    rolls_back: remediation.rolls_back,
    action: action.n,
    requested_by: remediation.requested_by,
    approved_by: remediation.approved_by,
    violation_id: action.violation_id,
    policy: { id: action.policy_id, name: action.policy_name, severity: action.severity },
    resource,
    patch: action.patch,
    changes: action.patch && changesOf(resource, action.patch),
  });
