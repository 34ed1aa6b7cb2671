import type { Finding } from '../../contract/findings.ts';
import type { ReadResource } from '../../inventory/model.ts';
import type { Holding } from '../model.ts';
import { fillPatch } from '../../engine/remediation/patch.ts';
import type { Patch } from '../../engine/remediation/patch.ts';
import { keyOf, whyNoFix } from './verify.ts';
import type { Judged } from './verify.ts';

/** The patches of policies, by name, and values for the parameters in them. */
export interface Patches {
  readonly byPolicy: ReadonlyMap<string, Patch>;
  readonly parameters: Readonly<Record<string, string>>;
}

/** What became of a finding whose policy has a patch: fixed, or why not. */
export interface Outcome<F, S> {
  readonly finding: F;
  readonly why?: string;
  /** What was given with this fix alone, where that was asked for and it is one by itself. */
  readonly alone?: S;
}

type Proposed<S> =
  | { readonly ok: true; readonly state: S; readonly added?: readonly string[] }
  | { readonly ok: false; readonly why: string };

/** What is fixed: a text, or sources with the plans that were made of them. */
export interface FixGround<S> {
  /** What policies say, of each input that is made of it; undefined where one can't be read. */
  judge(state: S): Promise<readonly Judged[] | undefined>;
  propose(state: S, resource: ReadResource, patch: Patch): Proposed<S>;
  readonly holding: Holding;
  /** Characters that are read to judge it once, or as good as. */
  costOf(state: S): number;
  /** Why there is no fix where it can't be read. */
  readonly unreadable: string;
  /** Whether each fix is also tried on what was given, without those before it. */
  readonly eachAlone: boolean;
}

/** Characters that are read anew for the fixes of one ground, all in all: some seconds. */
const mostRead = 2_000_000;

/**
 * Fixes findings one after another: each is tried on what those before it left, and taken where the finding passes
 * afterwards and nothing else is worse.
 */
export async function fixInTurn<S, F extends Finding>(
  ground: FixGround<S>,
  given: S,
  findings: readonly F[],
  { byPolicy, parameters }: Patches,
): Promise<{ readonly state: S; readonly outcomes: readonly Outcome<F, S>[] }> {
  let state = given;
  const first = await ground.judge(state);
  let before = first;
  let read = 0;
  type Fixed = Pick<Outcome<F, S>, 'why' | 'alone'>;
  /** A state with the fix, where it is one; else why not. */
  const tryOne = async (
    on: S,
    judged: readonly Judged[],
    resource: ReadResource,
    { policy, resource: id }: F,
    patch: Patch,
  ): Promise<{ readonly state: S; readonly judged: readonly Judged[] } | string> => {
    read += ground.costOf(on);
    const proposed = ground.holding(() => ground.propose(on, resource, patch));
    if (!proposed.ok) return proposed.why;
    const after = await ground.judge(proposed.state);
    if (!after) return 'the changed file could not be read';
    for (const [index, old] of judged.entries()) {
      const why = after[index] && whyNoFix(old, after[index], keyOf(policy, id), proposed.added);
      if (why !== undefined) return why;
    }
    return { state: proposed.state, judged: after };
  };
  const fixOne = async (finding: F): Promise<Fixed> => {
    if (!before || !first) return { why: ground.unreadable };
    const key = keyOf(finding.policy, finding.resource);
    const holders = before.filter(({ resources }) => resources.has(finding.resource));
    const resource = holders[0]?.resources.get(finding.resource);
    if (!resource || holders.some(({ resources }) => !resources.get(finding.resource)))
      return { why: 'several resources have this ID' };
    if (!holders.some(({ findings: found }) => found.has(key))) return {};
    if (read > mostRead)
      return {
        why: 'the file requires too many changes; write the other fixes first, then run the command again',
      };
    const patch = fillPatch(byPolicy.get(finding.policy) ?? {}, parameters);
    if ('missing' in patch) return { why: `pass --fix-parameter ${patch.missing}=VALUE` };
    const done = await tryOne(state, before, resource, finding, patch.patch);
    if (typeof done === 'string') return { why: done };
    const alone = !ground.eachAlone
      ? undefined
      : state === given
        ? done
        : await tryOne(given, first, resource, finding, patch.patch);
    [state, before] = [done.state, done.judged];
    return typeof alone === 'object' ? { alone: alone.state } : {};
  };
  const outcomes: Outcome<F, S>[] = [];
  for (const finding of findings) outcomes.push({ finding, ...(await fixOne(finding)) });
  return { state, outcomes };
}
