import type { Deps } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { Tx } from '../store/store.ts';
import type { StoredViolation } from './collection.ts';

/**
 * Tells of a violation that becomes OPEN, that is OPEN no longer, or that becomes RESOLVED. So those told of as created
 * and not told of as resolved since are the OPEN ones.
 * @param before absent: it is new
 */
export async function announceStatus(
  deps: Deps,
  tx: Tx,
  before: StoredViolation | undefined,
  after: StoredViolation,
): Promise<void> {
  if (before?.status === after.status) return;
  // One that is exempt from the first has never been open.
  if (!before && after.status === 'EXEMPT') return;
  const { severity, environment = null, provider } = after;
  const facets = { severity, environment, provider };
  const data = { violation: eventObject(after) };
  if (after.status !== 'OPEN') {
    return void (await emit(deps, tx, 'policy.violation.resolved', data, facets));
  }
  await emit(deps, tx, 'policy.violation.created', data, facets);
  const short = {
    violation_id: after.id,
    severity: severity.toLowerCase(),
    resource: after.resource_id,
    policy: after.policy_name,
    message: after.message,
  };
  await emit(deps, tx, 'policy.violation.detected', short, facets);
}

/** What events say of a violation: without its rules and its history, as very many wait. */
function eventObject({
  rules: _rules,
  history: _history,
  updated_at: _updatedAt,
  undecided: _undecided,
  ...violation
}: StoredViolation) {
  return violation;
}
