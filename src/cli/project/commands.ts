import { Option } from 'commander';
import { policySets } from '../../project/policy-sets.ts';
import { ciSystems } from './ci/workflow-facts.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

const pathsDefault = '(default: paths in govctl.yaml, otherwise the current directory)';
const pathsHelp = `files or directories ${pathsDefault}`;

export function registerProjectCommands(program: GovctlCommand, act: Act): void {
  program
    .command('init')
    .summary('create a repo of policies')
    .description(
      'Create a repo of policies: govctl.yaml, a first policy with its test (with --set, policies from the library), a CI workflow, and schemas for editors. Existing files are not changed.',
    )
    .argument('[dir]', 'directory (default: current directory)')
    .option('--project <name>', 'owner of the applied objects (default: directory name)')
    .addOption(
      new Option(
        '--set <set>',
        'policy set to copy from the library and to run in `check`: baseline, or strict, which includes baseline',
      ).choices([...policySets]),
    )
    .addOption(
      new Option(
        '--ci <system>',
        'CI workflow to write (default: detected from the git remote, otherwise github)',
      ).choices([...ciSystems, 'none']),
    )
    .option(
      '--install-from <source>',
      'source from which CI installs govctl: an archive in the repo (.tgz), or GIT-URL#TAG',
    )
    .addHelpText('after', initHelp)
    .action(act(() => import('./init.ts').then((m) => m.runInit)));
  program
    .command('validate')
    .summary('check policy files for errors')
    .description(
      'Check policy files and list every problem: YAML syntax, fields, conditions, duplicate names and keys. Works offline.',
    )
    .argument('[paths...]', pathsHelp)
    .option('--strict', 'treat warnings as errors')
    .alsoFormats(['sarif', 'junit', 'github', 'markdown'])
    .addHelpText('after', validateHelp)
    .action(act(() => import('./validate.ts').then((m) => m.runValidate)));
  program
    .command('fmt')
    .summary('format policy files')
    .description(
      'Format policy files: order of fields, indentation, blank lines. Comments and data do not change.',
    )
    .argument('[paths...]', `files or directories, or - for standard input ${pathsDefault}`)
    .option('--check', 'change nothing; exit with code 2 if a file is not formatted')
    .action(act(() => import('./fmt.ts').then((m) => m.runFmt)));
  program
    .command('schema')
    .summary('print JSON Schemas for editors')
    .description(
      'Print a JSON Schema (draft 7) of policy files, or write the schemas that editors use.',
    )
    .argument(
      '[name]',
      'policies (any policy file), govctl (govctl.yaml), Policy, Schedule, Webhook, Exemption, Framework, Budget, PolicyTest (default: policies)',
    )
    .option('--out <dir>', 'write the schemas of policy files and govctl.yaml to this directory')
    .action(act(() => import('./schema.ts').then((m) => m.runSchema)));
}

const initHelp = `
No govctl release is published yet, so CI builds govctl from git or installs an
archive that you packed. Without --install-from, the workflow fails and prints
the command to run.

Examples:
  $ govctl init --project acme
  $ govctl init --set baseline --ci none
  $ npm pack --pack-destination ../policies/tools      in a clone of govctl
  $ govctl init --ci github --install-from tools/govctl-1.0.0.tgz
  $ govctl init --ci gitlab --install-from https://git.example.com/govctl#v1`;

const validateHelp = `
Exit codes: 0 valid; 3 invalid, or no policy files found.

Examples:
  $ govctl validate
  $ govctl validate policies/storage.yaml
  $ govctl validate -o github -o sarif=govctl.sarif`;
