import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { coverageOf } from '../../engine/frameworks/coverage.ts';
import type { Coverage } from '../../engine/frameworks/coverage.ts';
import { catalogueOf } from '../../engine/frameworks/frameworks.ts';
import { ownFrameworks } from '../../project/read/check-labels.ts';
import { loadProject } from '../../project/read/load.ts';
import type { Context, Run } from '../context.ts';
import { readingOf } from '../project/reading.ts';
import { showProject } from '../project/validate.ts';
import { formatTable, tableColumns, numberColumn } from '../terminal/table.ts';
import type { Column } from '../terminal/table.ts';

interface CoverageOptions {
  readonly args: [paths: string[]];
}

/** Counts the controls that the repo's policies name. 3 where the files are not valid. */
export const runCoverage: Run<CoverageOptions> = async (context, { args: [paths] }) => {
  await refuseFrameworks(context, paths);
  const project = await loadProject({ ...readingOf(context), paths });
  if (project.problems.some(({ level }) => level === 'error')) {
    await showProject(context, project);
    return exitCodes.usage;
  }
  const enabled = project.policies.filter(({ policy }) => policy.enabled !== false);
  const own = ownFrameworks(project.frameworks);
  const frameworks = coverageOf(
    enabled.map(({ policy }) => policy),
    own,
  );
  await context.show({
    value: { frameworks },
    rows: () => frameworks,
    human: (style) => formatTable(frameworks, columns, style, tableColumns(context.world.terminal)),
  });
  return exitCodes.ok satisfies ExitCode;
};

/** The argument of `framework show` is a framework; here it would be a file that is not there. */
async function refuseFrameworks({ world }: Context, paths: readonly string[]): Promise<void> {
  for (const given of paths) {
    const catalogue = catalogueOf(given);
    if (!catalogue || (await lstat(path.resolve(world.cwd, given)).catch(() => undefined)))
      continue;
    throw new GovctlError('usage_error', `${given} is a framework; coverage reads policy files`, {
      hint: `Use \`govctl framework show ${given}\` to see the status of the framework, or omit the argument.`,
    });
  }
}

const columns: readonly Column<Coverage>[] = [
  { title: 'FRAMEWORK', cell: ({ name }) => name },
  { title: 'VERSION', cell: ({ version = '' }) => version, shrinks: 'end' },
  numberColumn('POLICIES', ({ policies }) => policies),
  numberColumn('CONTROLS', ({ controls }) => controls.length),
  { title: 'WITH POLICIES', cell: withPolicies },
];

function withPolicies({ controls }: Coverage): string {
  const covered = controls.filter(({ policies }) => policies.length > 0).length;
  return `${covered} (${Math.floor((covered * 100) / controls.length)}%)`;
}
