import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';

export function registerFrameworkCommands(program: GovctlCommand, act: Act): void {
  program
    .command('framework')
    .description('see which controls of compliance frameworks your policies are mapped to')
    .command('coverage')
    .summary('count the controls that have policies')
    .description(
      'Reads the policy files and counts, for each built-in framework, the controls that enabled policies name in compliance_frameworks. A label of a whole framework or of a group of controls (SOC2:CC6) counts for no control. Needs no service.',
    )
    .argument(
      '[paths...]',
      'files or directories; default: the paths of govctl.yaml, else this one',
    )
    .addHelpText('after', coverageHelp)
    .action(act(() => import('./coverage.ts').then((m) => m.runCoverage)));
}

const coverageHelp = `
Exit codes: 0 counted, 3 the policy files are not valid.

Examples:
  $ govctl framework coverage
  $ govctl framework coverage policies/aws
  $ govctl framework coverage -o json     with each control and its policies`;
