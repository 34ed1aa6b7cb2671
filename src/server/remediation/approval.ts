import { GovctlError } from '../../contract/errors.ts';
import type { Principal } from '../http/call.ts';
import type { StoredRemediation } from './collection.ts';
import { refuseGuarded } from './settings.ts';

/** Someone who acts: keys and clients are those of whoever made them. */
export interface Person {
  readonly id: string;
  /** Signed in, not by a key or a client. */
  readonly isInteractive: boolean;
}

/** Who is behind a caller. Undefined: nobody is known to be. A program that acts for a person is not the person. */
export const personOf = ({
  person: id,
  kind,
  program,
}: Pick<Principal, 'person' | 'kind' | 'program'>): Person | undefined =>
  id === undefined ? undefined : { id, isInteractive: kind === 'person' && program === undefined };

interface Review {
  /** The digest that the approver has seen. */
  readonly given: string;
  /** The ID of the person. Undefined: nobody is known to be behind the request. */
  readonly requester: string | undefined;
  readonly approver: Person | undefined;
}

/**
 * Refuses an approval of what does not wait for it, of another plan than was seen, or by whoever must not.
 * @throws GovctlError remediation_state, remediation_guard, approval_refused
 */
export function refuseApproval(
  { id, status, dry_run: isDry, digest, requires_approval: required, why_not }: StoredRemediation,
  { given, requester, approver }: Review,
): void {
  if (isDry) throw new GovctlError('remediation_state', `${id} is a dry run`);
  if (status !== 'planned') {
    throw new GovctlError('remediation_state', `${id} is already ${status}`);
  }
  // An automatic one is stored although guards refuse it.
  refuseGuarded(why_not);
  if (given !== digest) {
    throw new GovctlError('remediation_state', `The digest does not match ${id}`, {
      hint: `To review the plan again, run \`govctl remediate show ${id}\`.`,
    });
  }
  if (required !== 'four_eyes') return;
  if (approver?.isInteractive !== true) {
    throw new GovctlError('approval_refused', 'Only a signed-in user can approve this', {
      hint: "Log in with `govctl auth login`. To let keys approve plans without commands and webhooks, set remediation.approval to approval in the server's configuration.",
    });
  }
  if (requester === undefined || requester === approver.id) {
    throw new GovctlError(
      'approval_refused',
      requester === undefined
        ? `The requester of ${id} is unknown`
        : `${id} must be approved by someone other than its requester`,
    );
  }
}
