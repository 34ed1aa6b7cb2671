import { GovctlError } from '../../contract/errors.ts';
import type { ErrorDetail } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import type { LivePolicy } from '../compare/compare.ts';
import { contentFingerprint, stampOf } from '../compare/fingerprint.ts';
import type { LocalPolicy } from '../model.ts';
import { ownershipTags, withoutOwnership } from '../compare/ownership.ts';
import type { Change, Plan, PlanFacts } from './plan.ts';
import { baseOf, documentOf, sealPlan } from './plan.ts';

export interface Adoption {
  readonly plan: Plan;
  /** Unowned live policies that no file describes: they stay as they are. */
  readonly withoutFile: number;
}

/**
 * Plans the taking over of live policies that belong to no project: only their tags change. The stamp is of what is
 * live, so the next plan shows what the files want different as a change from git.
 * @param wanted names or ids; empty: every unowned one whose name a file has
 * @throws GovctlError ownership_conflict for one that belongs to somebody, usage_error for one that can't be adopted
 */
export function planAdoption(
  wanted: readonly string[],
  local: readonly LocalPolicy[],
  live: readonly LivePolicy[],
  facts: PlanFacts,
): Adoption {
  const byName = new Map(local.map((mine) => [mine.policy.name, mine]));
  const unowned = live.filter(
    ({ ownership }) => ownership.owner === undefined && !ownership.disputed,
  );
  const picked =
    wanted.length === 0
      ? unowned.filter(({ policy }) => byName.has(policy.name))
      : pickWanted(wanted, byName, live, facts.project);
  refuseDoubles(picked);
  const changes = picked.flatMap((target) => {
    const mine = byName.get(target.policy.name);
    return mine ? [adoptChange(facts.project, mine, target)] : [];
  });
  return {
    plan: sealPlan({ changes, orphans: [], unchanged: 0 }, facts),
    withoutFile: unowned.filter(({ policy }) => !byName.has(policy.name)).length,
  };
}

function pickWanted(
  wanted: readonly string[],
  byName: ReadonlyMap<string, LocalPolicy>,
  live: readonly LivePolicy[],
  project: string,
): LivePolicy[] {
  const details: ErrorDetail[] = [];
  let foreign = false;
  const picked = [...new Set(wanted)].flatMap((given) => {
    const found = live.filter(({ policy }) => policy.id === given || policy.name === given);
    const [first] = found;
    const refuse = (message: string): void => void details.push({ field: given, message });
    if (!first) {
      const near = nearestWord(
        given,
        live.map(({ policy }) => policy.name),
      );
      refuse(`no live policy has this name or id${near ? `; did you mean "${near}"?` : ''}`);
    } else if (first.ownership.owner === project) {
      refuse(`it belongs to "${project}" already`);
    } else if (first.ownership.owner !== undefined) {
      foreign = true;
      refuse(
        `it belongs to project "${first.ownership.owner}"; another project's policies are never touched`,
      );
    } else if (!byName.has(first.policy.name)) {
      refuse(
        `no file has a policy named "${first.policy.name}"; write one first with \`govctl import\``,
      );
    }
    return found;
  });
  if (details.length === 0) return picked;
  throw new GovctlError(
    foreign ? 'ownership_conflict' : 'usage_error',
    'Not everything that was named can be adopted; nothing was changed',
    { details },
  );
}

function refuseDoubles(picked: readonly LivePolicy[]): void {
  const seen = new Map<string, string>();
  for (const { policy } of picked) {
    const other = seen.get(policy.name);
    if (other !== undefined && other !== policy.id) {
      throw new GovctlError(
        'ownership_conflict',
        `Several live policies have the name "${policy.name}": ${other}, ${policy.id}`,
        { hint: 'Name the one that is meant by its id, or delete the others.' },
      );
    }
    seen.set(policy.name, policy.id);
  }
}

function adoptChange(project: string, local: LocalPolicy, { policy, sha256 }: LivePolicy): Change {
  const same = contentFingerprint(local.policy) === sha256;
  return {
    key: local.key,
    action: 'update',
    cause: 'adopt',
    id: policy.id,
    name: policy.name,
    reason: same
      ? 'taken over as it is; it says what its file says'
      : 'taken over as it is; its file says something else, which the next plan shows',
    place: { file: local.place.file, line: local.place.line, column: local.place.column },
    base: baseOf(policy),
    before: documentOf(policy),
    after: documentOf({
      ...policy,
      tags: [
        ...withoutOwnership(policy.tags ?? []),
        ...ownershipTags(project, local.key, stampOf(sha256)),
      ],
    }),
  };
}
