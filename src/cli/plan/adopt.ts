import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { LiveDocument } from '../../project/compare/live.ts';
import { kinds, nounOf } from '../../project/kinds/kinds.ts';
import type { Adoption } from '../../project/plan/adopt.ts';
import { planAdoption } from '../../project/plan/adopt.ts';
import type { Run } from '../context.ts';
import { count } from '../terminal/printable.ts';
import type { ApprovalOptions } from './approve.ts';
import { askApproval, isApproved } from './approve.ts';
import { planView } from './plan-view.ts';
import type { Repo } from './read-repo.ts';
import { readRepo } from './read-repo.ts';
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
    throw new GovctlError(
      'usage_error',
      'Say what to adopt: either names, urls or ids, or --all-matching',
      {
        hint: '--all-matching takes every policy, webhook and schedule that belongs to no project and has the name, or url, of a local one.',
      },
    );
  }
  const repo = await readRepo(context, [], options);
  const { client, baseUrl, owner, project, documents, secrets } = repo;
  const live = adoptable(repo, wanted);
  const { plan, withoutFile } = planAdoption(wanted, documents, live, {
    project: owner,
    baseUrl,
    now: context.world.now(),
  });
  const notes = wanted.length === 0 ? noteFileless(withoutFile) : [];
  const view = planView(context, plan, [], notes);
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
    `Take over ${count(plan.changes.length, one, many)} for project ${owner}?`,
    isApproved(options),
  );
  return runApplyPlan(context, client, plan, {
    concurrency: parseConcurrency(options.concurrency, project.config.concurrency),
    secrets,
  });
};

/** What is without tags has no owner to be changed. @throws GovctlError usage_error where such a one is named */
function adoptable({ live, service }: Repo, wanted: readonly string[]): readonly LiveDocument[] {
  const isTagged = ({ kind }: LiveDocument): boolean => service[kind.name].keepsTags !== false;
  const named = live.find(
    (each) =>
      !isTagged(each) &&
      [each.item.id, each.title, each.identity].some((one) => wanted.includes(one)),
  );
  if (!named) return live.filter(isTagged);
  const { noun, identity } = named.kind;
  throw new GovctlError(
    'usage_error',
    `This server keeps no tags on ${noun.many}, so ${named.title} can not be adopted`,
    { hint: `It needs not be: a ${noun.one} is known by its ${identity} here.` },
  );
}

function noteFileless({ Policy: policies, ...others }: Adoption['withoutFile']): string[] {
  const has = (amount: number): string => (amount === 1 ? 'has' : 'have');
  return [
    ...(policies > 0
      ? [
          `${count(policies, 'policy', 'policies')} of no project ${has(policies)} no file here; \`govctl import\` writes such files.`,
        ]
      : []),
    ...kinds.flatMap(({ name, noun: { one, many } }) => {
      const amount = name === 'Policy' ? 0 : others[name];
      return amount > 0
        ? [`${count(amount, one, many)} of no project ${has(amount)} no file here.`]
        : [];
    }),
  ];
}
