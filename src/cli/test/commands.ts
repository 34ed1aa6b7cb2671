import { parsePercent } from '../flags/parse-percent.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

export function registerTestCommand(program: GovctlCommand, act: Act): void {
  program
    .command('test')
    .summary('run policy tests')
    .description(
      'Run the cases of PolicyTest documents (*.test.yaml). A case contains resources, or a file with resources, and the expected findings. Unexpected findings fail the case. Works offline.',
    )
    .argument(
      '[paths...]',
      'files or directories (default: paths in govctl.yaml, otherwise the current directory)',
    )
    .option(
      '--policy <name>',
      'only tests of the policy with this name or key (repeatable)',
      collect,
    )
    .option('--coverage', 'show rules and outcomes that are not covered by any case')
    .option('--require-tests', 'fail if a policy has no test')
    .option(
      '--require-coverage [percent]',
      'fail if rule coverage is below this percentage (without a value: 100)',
      parsePercent,
    )
    .option('--watch', 'run the tests again when a file changes')
    .alsoFormats(['junit', 'github', 'markdown'])
    .addHelpText('after', testHelp)
    .action(act(() => import('./test.ts').then((m) => m.runTest)));
}

const collect = (value: string, previous: string[] | undefined): string[] => [
  ...(previous ?? []),
  value,
];

const testHelp = `
A rule is covered if one case matches it and another does not.

Exit codes: 0 all cases passed; 2 a case failed, or a policy has no test
(--require-tests), or too few rules are covered (--require-coverage); 3 invalid
files or command line.

Examples:
  $ govctl test
  $ govctl test policies/storage --coverage
  $ govctl test --require-tests --require-coverage 90
  $ govctl test -o junit=tests.xml -o github`;
