import { defined } from '../../../contract/defined.ts';
import { actionStatuses } from '../../../contract/remediations.ts';
import type { FailedActionFact, RemediationFact, RemediationFacts } from '../../../report/content/facts.ts'; // prettier-ignore
import { isInScope, isNarrowed } from '../../../report/content/scope.ts';
import type { Scope } from '../../../report/content/scope.ts';
import { brief } from '../../../report/content/text.ts';
import type { Pace } from '../../pace.ts';
import { actions, remediations } from '../../remediation/collection.ts';
import type { StoredAction, StoredRemediation } from '../../remediation/collection.ts';
import { allRows } from '../../store/all-rows.ts';
import type { Reader } from '../../store/store.ts';

/** Remediations, and actions that failed, that a report lists. */
const most = 500;

/**
 * The remediations that were open at some time within the scope, the newest first. Of a part of the inventory, those with an
 * action in it; only these actions count.
 * @param policies of those in scope
 */
export async function gatherRemediations(
  reader: Reader,
  scope: Scope,
  policies: ReadonlySet<string>,
  pace: Pace,
): Promise<RemediationFacts> {
  const within: StoredRemediation[] = [];
  for await (const { doc } of allRows(reader, remediations, {})) {
    await pace.spend(1);
    const ended = doc.ended_at === undefined ? Infinity : Date.parse(doc.ended_at);
    if (Date.parse(doc.created_at) < scope.until && ended >= (scope.since ?? -Infinity)) within.push(doc); // prettier-ignore
  }
  within.sort((a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0));
  const states = new Map<string, number>();
  const plans: RemediationFact[] = [];
  const failures: FailedActionFact[] = [];
  let [total, failed] = [0, 0];
  const isWanted = (action: StoredAction): boolean =>
    isInScope(scope, action) && (!scope.framework || policies.has(action.policy_id));
  for (const remediation of within) {
    const counts = isNarrowed(scope) ? noCounts() : { ...remediation.counts };
    const where = isNarrowed(scope)
      ? { remediation: { any: [remediation.id] } }
      : { state: { any: [`${remediation.id} failed`] } };
    if (isNarrowed(scope) || remediation.counts.failed > 0) {
      for await (const { doc } of allRows(reader, actions, where)) {
        await pace.spend(1);
        if (!isWanted(doc)) continue;
        if (isNarrowed(scope)) counts[doc.status] += 1;
        if (doc.status === 'failed' && failures.length < most) failures.push(failureOf(doc));
      }
    }
    if (Object.values(counts).every((one) => one === 0)) continue;
    total += 1;
    failed += counts.failed;
    states.set(remediation.status, (states.get(remediation.status) ?? 0) + 1);
    if (plans.length < most) plans.push(factOf(remediation, counts));
  }
  return { total, states, plans, failed, failures };
}

const noCounts = (): RemediationFact['counts'] =>
  Object.fromEntries(actionStatuses.map((status) => [status, 0])) as RemediationFact['counts'];

const factOf = (
  remediation: StoredRemediation,
  counts: RemediationFact['counts'],
): RemediationFact => ({
  // prettier-ignore
  id: remediation.id,
  status: remediation.status,
  kind: remediation.rolls_back !== undefined ? 'rollback' : remediation.dry_run ? 'dry run' : 'remediation', // prettier-ignore
  created_at: Date.parse(remediation.created_at),
  ...(remediation.ended_at === undefined ? {} : { ended_at: Date.parse(remediation.ended_at) }),
  counts,
  why_not: remediation.why_not.map(brief),
  ...defined({
    rolls_back: remediation.rolls_back,
    note: remediation.note === undefined ? undefined : brief(remediation.note),
  }),
  requested_by: remediation.requested_by,
});

const failureOf = (action: StoredAction): FailedActionFact => ({
  remediation: action.remediation_id,
  severity: action.severity,
  policy: action.policy_name,
  resource: action.resource_id,
  method: action.method,
  why: brief(action.why ?? ''),
  ...(action.ended_at === undefined ? {} : { ended_at: Date.parse(action.ended_at) }),
});
