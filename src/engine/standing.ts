import { defined } from '../contract/defined.ts';
import type { Finding } from '../contract/findings.ts';
import type { Policy } from '../contract/policies.ts';
import type { KnownResource } from '../contract/resources.ts';
import type { ViolationStatus } from '../contract/violations.ts';
import { isMet, weightOf } from './score.ts';
import { controlKey, frameworkKey, readLabels } from './labels.ts';

/** What a scan has found so far for a framework in an account; absent: resources that have none. */
export interface Standing {
  readonly framework: string;
  readonly account_id?: string;
  /** Weight of what passes or is exempt, and of everything. */
  readonly met: number;
  readonly all: number;
  /** A CRITICAL violation is open. */
  readonly critical?: true;
  /** A HIGH or CRITICAL evaluation could not be decided. */
  readonly undecided?: true;
  /** Controls that a policy with an open violation is mapped to, and that policy's name: the first one found. */
  readonly failed: readonly (readonly [control: string, policy: string])[];
  /** More controls failed than could be kept: one that is not in `failed` may have failed, too. */
  readonly partial?: true;
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
  met: number;
  all: number;
  critical: boolean;
  undecided: boolean;
  /** By their keys. */
  readonly failed: Map<string, readonly [control: string, policy: string]>;
  partial: boolean;
}

/** Adds findings to the standings of a scan; one per batch, and quick, as it sees every finding. */
export function createCollector(before: readonly Standing[]): Collector {
  type ByFramework = Map<string, Draft>;
  const drafts = new Map<string | undefined, ByFramework>();
  let count = 0;
  let failed = 0;

  /** A resource's findings come one after another. */
  let latest: { readonly account: string | undefined; readonly drafts: ByFramework } | undefined;
  const ofAccount = (account: string | undefined): ByFramework => {
    if (latest && latest.account === account) return latest.drafts;
    const found: ByFramework = drafts.get(account) ?? new Map<string, Draft>();
    drafts.set(account, found);
    latest = { account, drafts: found };
    return found;
  };

  function begin(byFramework: ByFramework, key: string, standing: Standing): Draft {
    const draft: Draft = {
      before: standing,
      met: standing.met,
      all: standing.all,
      critical: standing.critical === true,
      undecided: standing.undecided === true,
      failed: new Map(standing.failed.map((one) => [controlKey(standing.framework, one[0]), one])),
      partial: standing.partial === true,
    };
    byFramework.set(key, draft);
    count += 1;
    failed += draft.failed.size;
    return draft;
  }

  function fail(draft: Draft, controls: readonly string[], policy: string): void {
    for (const control of controls) {
      const key = control.toLowerCase();
      if (draft.failed.has(key)) continue;
      if (failed >= mostFailed) {
        draft.partial = true;
        return;
      }
      draft.failed.set(key, [control, policy]);
      failed += 1;
    }
  }

  for (const standing of before)
    begin(ofAccount(standing.account_id), frameworkKey(standing.framework), standing);
  return {
    add(policy, { account_id: account }, finding, status) {
      const labels = policy.compliance_frameworks;
      if (!labels?.length || finding.status === 'SKIPPED') return;
      const weight = weightOf(finding);
      const met = isMet(finding) ? weight : 0;
      const isSevere = finding.severity === 'HIGH' || finding.severity === 'CRITICAL';
      const byFramework = ofAccount(account);
      for (const { key, framework, controls } of readLabels(labels)) {
        let draft = byFramework.get(key);
        if (!draft && count >= mostStandings) continue;
        draft ??= begin(byFramework, key, emptyStanding(framework, account));
        draft.all += weight;
        draft.met += met;
        if (status === 'OPEN') {
          draft.critical ||= finding.severity === 'CRITICAL';
          fail(draft, controls, policy.name);
        }
        if (finding.status === 'ERROR') draft.undecided ||= isSevere;
      }
    },
    standings: () =>
      [...drafts.values()].flatMap((byFramework) => [...byFramework.values()].map(sum)),
  };
}

const emptyStanding = (framework: string, account: string | undefined): Standing => ({
  framework,
  ...defined({ account_id: account }),
  met: 0,
  all: 0,
  failed: [],
});

const sum = ({ before, met, all, critical, undecided, failed, partial }: Draft): Standing => ({
  framework: before.framework,
  ...defined({ account_id: before.account_id }),
  met,
  all,
  ...(critical ? { critical: true } : {}),
  ...(undecided ? { undecided: true } : {}),
  failed: [...failed.values()],
  ...(partial ? { partial: true } : {}),
});
