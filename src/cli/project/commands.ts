import { Option } from 'commander';
import { policySets } from '../../project/policy-sets.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

const pathsHelp = 'files or folders; default: the paths of govctl.yaml, else this folder';

export function registerProjectCommands(program: GovctlCommand, act: Act): void {
  program
    .command('init')
    .summary('lay out a repo of policies: config, a first policy with its test, CI, editor schemas')
    .description(
      'Lays out a repo of policies: govctl.yaml, a first policy with its test (with --set: a set of the policy library), a CI workflow, schemas for editors. Keeps every file that is there.',
    )
    .argument('[dir]', 'the folder; default: this one')
    .option('--project <name>', 'the owner of what is applied; default: the name of the folder')
    .addOption(
      new Option(
        '--set <set>',
        'copy the library policies of this set, which check then runs; strict includes baseline',
      ).choices([...policySets]),
    )
    .action(act(() => import('./init.ts').then((m) => m.runInit)));
  program
    .command('validate')
    .summary('check policy files: syntax, fields, conditions, duplicates')
    .description(
      'Reads every policy file and says all that is wrong: YAML, fields, conditions, names and keys used twice. Needs no service.',
    )
    .argument('[paths...]', pathsHelp)
    .option('--strict', 'fail on warnings too')
    .alsoFormats(['sarif', 'junit', 'github', 'markdown'])
    .addHelpText('after', validateHelp)
    .action(act(() => import('./validate.ts').then((m) => m.runValidate)));
  program
    .command('fmt')
    .summary('give policy files their canonical form')
    .description(
      'Gives policy files their canonical form: order of fields, indentation, blank lines. Keeps comments and never changes the data.',
    )
    .argument('[paths...]', `${pathsHelp}; - formats standard input`)
    .option('--check', 'change nothing; exit 2 when a file differs')
    .action(act(() => import('./fmt.ts').then((m) => m.runFmt)));
  program
    .command('schema')
    .summary('print JSON Schemas for editors')
    .description('Prints a JSON Schema (draft 7) of the files, or writes those that editors use.')
    .argument(
      '[name]',
      'policies (any policy file), govctl (govctl.yaml), Policy, Schedule, Webhook, Exemption, Framework, Budget, PolicyTest; default: policies',
    )
    .option('--out <dir>', 'write the schemas of policy files and of govctl.yaml into this folder')
    .action(act(() => import('./schema.ts').then((m) => m.runSchema)));
}

const validateHelp = `
Exit codes: 0 valid, 3 something is wrong.

Examples:
  $ govctl validate
  $ govctl validate policies/storage.yaml
  $ govctl validate -o github -o sarif=govctl.sarif     annotations, and a file`;
