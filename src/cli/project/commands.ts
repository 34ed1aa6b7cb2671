import type { Command } from 'commander';
import type { Act } from '../program.ts';

const pathsHelp = 'files or folders; default: the paths of govctl.yaml, else this folder';

export function registerProjectCommands(program: Command, act: Act): void {
  program
    .command('validate')
    .summary('check policy files: syntax, fields, conditions, duplicates')
    .description(
      'Reads every policy file and says all that is wrong: YAML, fields, conditions, names and keys used twice. Needs no service.',
    )
    .argument('[paths...]', pathsHelp)
    .option('--strict', 'fail on warnings too')
    .addHelpText('after', validateHelp)
    .action(
      act(() => import('./validate.ts').then((m) => m.runValidate), {
        formats: ['sarif', 'junit', 'github', 'markdown'],
      }),
    );
}

const validateHelp = `
Exit codes: 0 valid, 3 something is wrong.

Examples:
  $ govctl validate
  $ govctl validate policies/storage.yaml
  $ govctl validate -o github -o sarif=govctl.sarif      annotations and a file for code scanning`;
