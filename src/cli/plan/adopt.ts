import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { kinds, nounOf } from '../../project/kinds/kinds.ts';
import type { Adoption } from '../../project/plan/adopt.ts';
import { planAdoption } from '../../project/plan/adopt.ts';
import { readRepo } from '../../project/plan/read-repo.ts';
import type { Run } from '../context.ts';
import { count } from '../terminal/printable.ts';
import type { ApprovalOptions } from '../flags/approval.ts';
import { isApproved } from '../flags/approval.ts';
import { askApproval } from './approve.ts';
import { withOutside } from './outside.ts';
import { planView } from './plan-view.ts';
import { readGitState, sourceOf } from '../../project/plan/origin.ts';
import { parseConcurrency, runApplyPlan } from './run-apply.ts';

interface AdoptOptions extends ApprovalOptions {
  readonly args: [wanted: string[]];
  readonly allMatching?: boolean;
  readonly project?: string;
  readonly concurrency?: string;
}

/** Takes over live policies that belong to no project: only their tags change. */
export const runAdopt: Run<AdoptOptions> = async (context, options) => {
  const [wanted] = options.args;
  if ((wanted.length === 0) !== (options.allMatching === true)) {
    throw new GovctlError('usage_error', 'Use either names, IDs or URLs, or --all-matching', {
      hint: '--all-matching adopts all objects that belong to no project and match a local file.',
    });
  }
  const repo = await withOutside(context, (outside) => readRepo(outside, [], options));
  const { client, owner, project, secrets } = repo;
  const { plan, withoutFile } = planAdoption(wanted, repo, context.world.now());
  const notes = wanted.length === 0 ? noteFileless(withoutFile) : [];
  const view = planView(context, plan, { notes });
  if (plan.changes.length === 0) {
    await context.show({
      ...view,
      human: (style, columns) => `${view.human(style, columns)}Nothing to adopt.\n`,
    });
    return exitCodes.ok;
  }
  const { one, many } = nounOf(plan.changes);
  await askApproval(
    context,
    view,
    `Adopt ${count(plan.changes.length, one, many)} into project ${owner}?`,
    isApproved(options),
  );
  return runApplyPlan(context, client, plan, {
    concurrency: parseConcurrency(options.concurrency, project.config.concurrency),
    secrets,
    source: sourceOf(await readGitState(context.world)),
  });
};

function noteFileless({ Policy: policies, ...others }: Adoption['withoutFile']): string[] {
  const ownerless = (amount: number): string =>
    amount === 1 ? 'belongs to no project and has' : 'belong to no project and have';
  return [
    ...(policies > 0
      ? [
          `${count(policies, 'policy', 'policies')} ${ownerless(policies)} no file. Use \`govctl import\` to write files.`,
        ]
      : []),
    ...kinds.flatMap(({ name, noun: { one, many } }) => {
      const amount = name === 'Policy' ? 0 : others[name];
      return amount > 0 ? [`${count(amount, one, many)} ${ownerless(amount)} no file.`] : [];
    }),
  ];
}
