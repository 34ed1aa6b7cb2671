import { parsePercent } from '../flags/parse-percent.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

export function registerTestCommand(program: GovctlCommand, act: Act): void {
  program
    .command('test')
    .summary('run the tests of policies')
    .description(
      'Runs the cases of PolicyTest documents (*.test.yaml): each gives resources, or a file of them, and says what the policies must find. A finding that no case expects fails its case. Needs no service.',
    )
    .argument('[paths...]', 'files or folders; default: the paths of govctl.yaml, else this folder')
    .option('--policy <name>', 'only tests of the policy of this name or key; repeatable', collect)
    .option('--coverage', 'show which rules and outcomes no case has seen')
    .option('--require-tests', 'fail when a policy has no test')
    .option(
      '--require-coverage [percent]',
      'fail when less than this percentage of rules is covered (default: 100)',
      parsePercent,
    )
    .option('--watch', 'test again whenever a file changes')
    .alsoFormats(['junit', 'github', 'markdown'])
    .addHelpText('after', testHelp)
    .action(act(() => import('./test.ts').then((m) => m.runTest)));
}

const collect = (value: string, previous: string[] | undefined): string[] => [
  ...(previous ?? []),
  value,
];

const testHelp = `
Exit codes: 0 all cases pass, 2 a case fails (or with --require-tests a policy
has no test, with --require-coverage too few rules are covered), 3 a file is not
valid or the command is wrong.

A rule is covered when one case matches it and another does not.

Examples:
  $ govctl test
  $ govctl test policies/storage --coverage
  $ govctl test --require-tests --require-coverage 90
  $ govctl test -o junit=tests.xml -o github`;
