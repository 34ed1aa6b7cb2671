import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { loadProject } from '../../project/read/load.ts';
import type { LoadedProject, OtherKind } from '../../project/model.ts';
import type { Context, Run } from '../context.ts';
import { readingOf } from './reading.ts';
import { fromWorkspace, renderGithub, writeGithubOutput } from '../formats/github.ts';
import { renderJunit } from '../formats/junit.ts';
import { renderMarkdown } from '../formats/markdown.ts';
import { count } from '../terminal/printable.ts';
import { renderProblems } from '../formats/problems-text.ts';
import { renderSarif } from '../formats/sarif.ts';

interface ValidateOptions {
  readonly args: [paths: string[]];
  readonly strict?: boolean;
}

/** Reads the policy files and says all that is wrong with them. 3 when something is, or there is none, else 0. */
export const runValidate: Run<ValidateOptions> = async (context, { args: [paths], strict }) => {
  const { world } = context;
  const project = await loadProject({ ...readingOf(context), paths, now: world.now() });
  const summary = await showProject(context, project);
  const failed =
    summary.files === 0 || summary.errors > 0 || (strict === true && summary.warnings > 0);
  await writeGithubOutput(world.env, { valid: !failed, ...summary });
  return (failed ? exitCodes.usage : exitCodes.ok) satisfies ExitCode;
};

/** Shows what was read and all that is wrong with it; other commands stop with it when something is. */
export async function showProject(
  { world, version, show }: Context,
  project: LoadedProject,
): Promise<Summary> {
  const summary = summarise(project);
  const { problems } = project;
  const verdict = describe(project, summary);
  const files = [...project.policies, ...project.others].map(({ place }) => place.file);
  const inRepo = fromWorkspace(problems, world.cwd, world.env);
  await show({
    value: { summary, problems },
    rows: () => problems,
    human: (style, columns) => {
      const colour =
        summary.errors > 0 || summary.files === 0
          ? style.red
          : summary.warnings > 0
            ? style.yellow
            : style.green;
      return `${problems.length > 0 ? `${renderProblems(problems, style, columns)}\n` : ''}${colour(verdict)}\n`;
    },
    more: {
      sarif: () => renderSarif(inRepo, version),
      junit: () => renderJunit('govctl validate', files, problems),
      github: () => renderGithub(inRepo),
      markdown: () => renderMarkdown('govctl validate', verdict, problems),
    },
  });
  return summary;
}

interface Summary {
  readonly files: number;
  readonly policies: number;
  readonly schedules: number;
  readonly webhooks: number;
  readonly exemptions: number;
  readonly frameworks: number;
  readonly budgets: number;
  readonly policy_tests: number;
  readonly errors: number;
  readonly warnings: number;
}

function summarise({ files, policies, others, problems }: LoadedProject): Summary {
  const ofKind = (wanted: OtherKind): number => others.filter(({ kind }) => kind === wanted).length;
  const ofLevel = (wanted: string): number =>
    problems.filter(({ level }) => level === wanted).length;
  return {
    files,
    policies: policies.length,
    schedules: ofKind('Schedule'),
    webhooks: ofKind('Webhook'),
    exemptions: ofKind('Exemption'),
    frameworks: ofKind('Framework'),
    budgets: ofKind('Budget'),
    policy_tests: ofKind('PolicyTest'),
    errors: ofLevel('error'),
    warnings: ofLevel('warning'),
  };
}

/** The outcome in one line. */
function describe({ problems }: LoadedProject, summary: Summary): string {
  const { files, policies, webhooks, schedules, exemptions, frameworks, budgets } = summary;
  const { errors, warnings } = summary;
  if (errors > 0) {
    const inFiles = new Set(problems.map(({ file }) => file)).size;
    const also = warnings > 0 ? ` and ${count(warnings, 'warning')}` : '';
    return `${count(errors, 'error')}${also} in ${count(inFiles, 'file')}; ${count(files, 'file')} read`;
  }
  if (files === 0) return 'No policy files found: no *.yaml or *.yml files in these paths';
  const planned = policies + webhooks + schedules + exemptions + frameworks + budgets;
  if (planned === 0) return `${count(files, 'file')} read, no policies found`;
  const also = warnings > 0 ? `, with ${count(warnings, 'warning')}` : '';
  const parts = [
    ...(policies > 0 ? [count(policies, 'policy', 'policies')] : []),
    ...(webhooks > 0 ? [count(webhooks, 'webhook')] : []),
    ...(schedules > 0 ? [count(schedules, 'schedule')] : []),
    ...(exemptions > 0 ? [count(exemptions, 'exemption')] : []),
    ...(frameworks > 0 ? [count(frameworks, 'framework')] : []),
    ...(budgets > 0 ? [count(budgets, 'budget')] : []),
  ];
  const what = parts.length > 1 ? `${planned} documents (${parts.join(', ')})` : parts.join('');
  return `${what} in ${count(files, 'file')} ${planned === 1 ? 'is' : 'are'} valid${also}`;
}
