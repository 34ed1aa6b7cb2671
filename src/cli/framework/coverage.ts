import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { coverageOf } from '../../engine/frameworks/coverage.ts';
import type { Coverage } from '../../engine/frameworks/coverage.ts';
import { loadProject } from '../../project/read/load.ts';
import type { Run } from '../context.ts';
import { readingOf } from '../project/reading.ts';
import { showProject } from '../project/validate.ts';
import { formatTable, tableColumns } from '../terminal/table.ts';
import type { Column } from '../terminal/table.ts';

interface CoverageOptions {
  readonly args: [paths: string[]];
}

/** Counts the controls that the repo's policies name. 3 where the files are not valid. */
export const runCoverage: Run<CoverageOptions> = async (context, { args: [paths] }) => {
  const project = await loadProject({ ...readingOf(context), paths });
  if (project.problems.some(({ level }) => level === 'error')) {
    await showProject(context, project);
    return exitCodes.usage;
  }
  const enabled = project.policies.filter(({ policy }) => policy.enabled !== false);
  const frameworks = coverageOf(enabled.map(({ policy }) => policy));
  await context.show({
    value: { frameworks },
    rows: () => frameworks,
    human: (style) => formatTable(frameworks, columns, style, tableColumns(context.world.terminal)),
  });
  return exitCodes.ok satisfies ExitCode;
};

const columns: readonly Column<Coverage>[] = [
  { title: 'FRAMEWORK', cell: ({ name }) => name },
  { title: 'VERSION', cell: ({ version }) => version, shrinks: 'end' },
  { title: 'POLICIES', cell: ({ policies }) => String(policies) },
  { title: 'CONTROLS', cell: ({ controls }) => String(controls.length) },
  { title: 'WITH POLICIES', cell: withPolicies },
];

function withPolicies({ controls }: Coverage): string {
  const covered = controls.filter(({ policies }) => policies.length > 0).length;
  return `${covered} (${Math.floor((covered * 100) / controls.length)}%)`;
}
