import { kindField } from '../../project/kinds/kind.ts';
import type { Impact } from '../../project/plan/impact.ts';
import type { Plan } from '../../project/plan/plan.ts';
import { planValue } from '../../project/plan/plan.ts';
import type { Context } from '../context.ts';
import type { View } from '../terminal/output.ts';
import { fromWorkspace, renderGithub, writeGithubOutput } from '../formats/github.ts';
import type { Style } from '../terminal/terminal.ts';
import { createStyle } from '../terminal/terminal.ts';
import { planMarkdown, planProblems } from './plan-reports.ts';
import { renderPlan, summaryLine } from './plan-text.ts';
import type { Blocked } from '../../project/compare/comparison.ts';

/** A view of a plan, and what it comes to in one line. */
export interface PlanView extends View {
  readonly summary: (style: Style) => string;
}

/** What is said with a plan. */
interface BesidePlan {
  readonly blocked?: readonly Blocked[];
  readonly notes?: readonly string[];
  readonly impact?: Impact | undefined;
  readonly brief?: boolean | undefined;
}

/** A plan in every format; with --quiet people get its last line. */
export function planView(
  { world, flags }: Context,
  plan: Plan,
  { blocked = [], notes = [], impact, brief }: BesidePlan = {},
): PlanView {
  const said = blocked.map(({ local, reason, hint, others }) => ({
    ...kindField(local.kind.name),
    key: local.key,
    name: local.kind.titleOf(local.body),
    reason,
    hint,
    ids: others.map(({ item }) => item.id),
  }));
  const value = {
    ...planValue(plan),
    ...(said.length > 0 ? { blocked: said } : {}),
    ...(notes.length > 0 ? { notes } : {}),
    ...(impact ? { impact } : {}),
  };
  const beside = { notes, blocked: said, impact, brief };
  const summary = (style: Style): string => `${summaryLine(plan, blocked.length, style)}\n`;
  return {
    value,
    summary,
    rows: () => (planValue(plan) as { changes: unknown[] }).changes, // as planValue makes it
    human: (style, columns) =>
      flags.quiet ? summary(style) : renderPlan(plan, beside, style, columns),
    more: {
      markdown: () => planMarkdown(plan, beside),
      github: () =>
        renderGithub(
          fromWorkspace(problemsOf(plan, blocked), world.cwd, world.env),
          summary(createStyle(false)),
        ),
    },
  };
}

const problemsOf = (plan: Plan, blocked: readonly Blocked[]) =>
  planProblems(
    plan,
    blocked.map(({ local, reason, hint }) => ({
      problem: {
        ...local.place,
        level: 'error',
        code: 'blocked',
        message: `${local.kind.titleOf(local.body)}: ${reason}`,
        hint,
      },
    })),
  );

/** The figures that later steps of a CI job decide by. */
export const writePlanOutput = ({ world }: Context, { summary, digest }: Plan): Promise<void> =>
  writeGithubOutput(world.env, {
    ...summary,
    changes: hasChanges(summary),
    digest,
  });

export const hasChanges = (summary: Plan['summary']): boolean =>
  summary.create + summary.update + summary.delete > 0;
