import { exitCodes } from '../../contract/errors.ts';
import { findDrift } from '../../project/drift.ts';
import type { Drifted } from '../../project/drift.ts';
import type { Run } from '../context.ts';
import { fromWorkspace, renderGithub, writeGithubOutput } from '../report/github.ts';
import { renderJunit } from '../report/junit.ts';
import { count, printable } from '../report/printable.ts';
import { renderSarif } from '../report/sarif.ts';
import type { Style } from '../terminal.ts';
import { fieldLines } from './change-lines.ts';
import { driftMarkdown, driftProblems } from './plan-reports.ts';
import { renderLine } from './plan-text.ts';
import { readRepo } from './prepare.ts';

interface DriftOptions {
  readonly args: [paths: string[]];
  readonly project?: string;
}

/** Finds what was edited outside git since it was last applied. 2 when something was. */
export const runDrift: Run<DriftOptions> = async (context, options) => {
  const { world, version } = context;
  const { project, owner, live } = await readRepo(context, options.args[0], options);
  const report = findDrift(owner, live, project.policies);
  const { drifted, summary } = report;
  const verdict =
    drifted.length === 0
      ? `No drift: ${count(summary.owned, 'policy', 'policies')} of project ${owner} ${summary.owned === 1 ? 'is' : 'are'} as last applied.`
      : `Drift: ${drifted.length} of ${count(summary.owned, 'policy', 'policies')} of project ${owner} ${drifted.length === 1 ? 'was' : 'were'} edited outside git.`;
  const problems = driftProblems(drifted);
  const inRepo = fromWorkspace(problems, world.cwd, world.env);
  await context.show({
    value: { summary, drifted },
    rows: () => drifted,
    human: (style, columns) => {
      const blocks = drifted.map((each) => renderDrifted(each, style, columns));
      const next =
        drifted.length > 0
          ? '\nTo put back what git says: govctl apply. To keep an edit: put it into the file first.\n'
          : '';
      return `${[...blocks, style.bold(printable(verdict))].join('\n\n')}\n${next}`;
    },
    more: {
      markdown: () => driftMarkdown(owner, verdict, drifted),
      github: () => `${renderGithub(inRepo)}${verdict}\n`,
      sarif: () => renderSarif(inRepo, version),
      junit: () =>
        renderJunit(
          'govctl drift',
          project.policies.map(({ place }) => place.file),
          problems.map((each) => ({ ...each, level: 'error' as const })),
        ),
    },
  });
  await writeGithubOutput(world.env, { ...summary, changes: drifted.length > 0 });
  return drifted.length > 0 ? exitCodes.verdict : exitCodes.ok;
};

function renderDrifted(each: Drifted, style: Style, columns: number): string {
  const { key, name, id, reason, fields, place, updated_at } = each;
  const title = [
    `  ${style.yellow('!')} ${style.bold(printable(key ?? name))}`,
    style.dim(printable(id)),
    ...(place ? [style.dim(printable(`${place.file}:${place.line}`))] : []),
  ].join('  ');
  const when = updated_at === undefined ? '' : `, last at ${updated_at}`;
  const details =
    fields === null
      ? [
          `${style.dim('The files no longer hold what was last applied, so the edit itself can not be shown.')}`,
        ]
      : fieldLines(fields, columns - 8).map((line) => renderLine(line, style));
  return [title, style.dim(`${printable(reason)}${when}`), ...details]
    .map((line, index) => (index === 0 ? line : `      ${line}`))
    .join('\n');
}
