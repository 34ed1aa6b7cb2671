import type { Finding } from '../../contract/findings.ts';
import type { Policy } from '../../contract/policies.ts';
import type { KnownResource } from '../../contract/resources.ts';
import type { ViolationStatus } from '../../contract/violations.ts';
import { emptyTally, tally } from '../../engine/score.ts';
import type { Tally } from '../../engine/score.ts';
import { readLabels } from './labels.ts';
import type { Mapping } from './labels.ts';

/** What a scan has found so far for a framework in an account; absent: resources that have none. */
export interface Standing {
  readonly framework: string;
  readonly account_id?: string;
  readonly tally: Tally;
  /** A CRITICAL violation is open. */
  readonly critical?: true;
  /** A HIGH or CRITICAL evaluation could not be decided. */
  readonly undecided?: true;
  /** Controls that a policy with an open violation is mapped to, and that policy's name: the first one found. */
  readonly failed: readonly (readonly [control: string, policy: string])[];
}

/** Standings that a scan keeps, and failed controls in all of them: they are written with each of its batches. */
export const mostStandings = 1_000;
const mostFailed = 5_000;

export interface Collector {
  /** @param status of the violation, where there is one */
  add(
    policy: Policy,
    resource: Pick<KnownResource, 'account_id'>,
    finding: Pick<Finding, 'status' | 'severity'>,
    status: ViolationStatus | undefined,
  ): void;
  standings(): readonly Standing[];
}

interface Draft {
  readonly before: Standing;
  readonly findings: Pick<Finding, 'status' | 'severity'>[];
  critical: boolean;
  undecided: boolean;
  readonly failed: Map<string, string>;
}

/** Adds findings to the standings of a scan; one per batch, and quick, as it sees every finding. */
export function createCollector(before: readonly Standing[]): Collector {
  const drafts = new Map<string, Map<string | undefined, Draft>>();
  const mappings = new Map<Policy, readonly Mapping[]>();
  let count = 0;
  let failed = 0;

  function draftOf(framework: string, account: string | undefined): Draft | undefined {
    let byAccount = drafts.get(framework);
    const known = byAccount?.get(account);
    if (known) return known;
    if (count >= mostStandings) return undefined;
    const standing = {
      framework,
      ...(account === undefined ? {} : { account_id: account }),
      tally: emptyTally,
      failed: [],
    };
    if (!byAccount) drafts.set(framework, (byAccount = new Map()));
    const draft = draftFrom(standing);
    byAccount.set(account, draft);
    count += 1;
    return draft;
  }

  function fail(draft: Draft, controls: readonly string[], policy: string): void {
    for (const control of controls) {
      if (draft.failed.has(control) || failed >= mostFailed) continue;
      draft.failed.set(control, policy);
      failed += 1;
    }
  }

  for (const standing of before) {
    const byAccount = drafts.get(standing.framework) ?? new Map<string | undefined, Draft>();
    drafts.set(standing.framework, byAccount);
    byAccount.set(standing.account_id, draftFrom(standing));
    count += 1;
    failed += standing.failed.length;
  }
  return {
    add(policy, { account_id: account }, finding, status) {
      if (!policy.compliance_frameworks?.length || finding.status === 'SKIPPED') return;
      let mapped = mappings.get(policy);
      if (!mapped) mappings.set(policy, (mapped = readLabels(policy.compliance_frameworks)));
      const { severity } = finding;
      for (const { framework, controls } of mapped) {
        const draft = draftOf(framework, account);
        if (!draft) continue;
        draft.findings.push(finding);
        if (status === 'OPEN') {
          draft.critical ||= severity === 'CRITICAL';
          fail(draft, controls, policy.name);
        }
        if (finding.status === 'ERROR') {
          draft.undecided ||= severity === 'HIGH' || severity === 'CRITICAL';
        }
      }
    },
    standings: () => [...drafts.values()].flatMap((byAccount) => [...byAccount.values()].map(sum)),
  };
}

const draftFrom = (before: Standing): Draft => ({
  before,
  findings: [],
  critical: before.critical === true,
  undecided: before.undecided === true,
  failed: new Map(before.failed),
});

const sum = ({ before, findings, critical, undecided, failed }: Draft): Standing => ({
  framework: before.framework,
  ...(before.account_id === undefined ? {} : { account_id: before.account_id }),
  tally: tally(before.tally, findings),
  ...(critical ? { critical: true } : {}),
  ...(undecided ? { undecided: true } : {}),
  failed: [...failed],
});
