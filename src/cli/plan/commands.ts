import { Option } from 'commander';
import { parsePercent } from '../flags/parse-percent.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

const pathsHelp =
  'files or directories (default: paths in govctl.yaml, otherwise the current directory)';
const briefHelp = 'show each new document on one line, without its content';
const reportFormats = ['markdown', 'github'];

export function registerPlanCommands(program: GovctlCommand, act: Act): void {
  selecting(
    program
      .command('plan')
      .summary('show what apply would do')
      .description(
        'Compare policies, webhooks, schedules, exemptions, frameworks and budgets three-way: the files in git, the service, and the versions last applied. Nothing is changed. Deletions are planned only with --prune.',
      )
      .argument('[paths...]', pathsHelp)
      .option('--out <file>', 'save the plan to a file for `govctl apply FILE`')
      .option(
        '--impact',
        "show which resources in the service's inventory would newly fail or pass",
      ),
  )
    .optionsGroup('Output:')
    .option('--brief', briefHelp)
    .option('--detailed-exitcode', 'exit with code 2 if there are changes')
    .option(
      '--impact-from <file>',
      'show the impact on the resources in a file instead of the inventory',
    )
    .alsoFormats(reportFormats)
    .addHelpText('after', planHelp)
    .action(act(() => import('./plan.ts').then((m) => m.runPlan)));

  program
    .command('show')
    .summary('show a saved plan')
    .description(
      'Show a plan saved with `plan --out`, after verifying that it was not modified. Works offline.',
    )
    .argument('<planfile>', 'plan file saved with `govctl plan --out`')
    .option('--brief', briefHelp)
    .alsoFormats(reportFormats)
    .addHelpText('after', showHelp)
    .action(act(() => import('./show.ts').then((m) => m.runShow)));

  selecting(
    program
      .command('diff')
      .summary('show differences between the service and git')
      .description(
        'Show a unified YAML diff between the service and git, without ownership tags. To see which changes apply would make and why, use `plan`.',
      )
      .argument('[paths...]', pathsHelp),
  )
    .alsoFormats(reportFormats)
    .addHelpText('after', diffHelp)
    .action(act(() => import('./diff.ts').then((m) => m.runDiff)));

  selecting(
    program
      .command('apply')
      .summary('apply the files to the service')
      .description(
        'Plan the files (or read a saved plan), show the plan, prompt for approval, and make the changes. If an affected document has changed in the service since the plan was created, nothing is applied.',
      )
      .argument('[paths...]', `saved plan, or ${pathsHelp}`)
      .option('--auto-approve', 'skip the prompt')
      .option('-y, --yes', 'same as --auto-approve'),
  )
    .optionsGroup('Output and execution:')
    .option('--brief', briefHelp)
    .addOption(
      new Option('--concurrency <n>', 'maximum number of concurrent requests, 1 to 64').default(
        undefined,
        'concurrency in govctl.yaml, otherwise 8',
      ),
    )
    .alsoFormats(reportFormats)
    .addHelpText('after', applyHelp)
    .action(act(() => import('./apply.ts').then((m) => m.runApply)));

  program
    .command('drift')
    .summary('find changes made outside git')
    .description(
      'Compare each live policy, webhook, schedule, exemption, framework and budget of the project with the version last applied, and list documents missing from the service: never applied, or deleted outside git. Later changes in git are not drift.',
    )
    .argument('[paths...]', pathsHelp)
    .option('--project <name>', 'project to compare (default: project in govctl.yaml)')
    .option('--fail-missing', 'also exit with code 2 if documents are missing from the service')
    .alsoFormats([...reportFormats, 'sarif', 'junit'])
    .addHelpText('after', driftHelp)
    .action(act(() => import('./drift.ts').then((m) => m.runDrift)));

  program
    .command('import')
    .summary('import live objects into YAML files')
    .description(
      "Write a file for each live policy, exemption, framework and budget that belongs to this project or to none, without govctl's own tags. Objects that already have a file in the repo are skipped, or updated with --update; a directory outside of the paths in govctl.yaml gets a copy of every object.",
    )
    .option('--out <dir>', 'output directory', 'policies')
    .option('--project <name>', 'include objects of this project (default: project in govctl.yaml)')
    .option('--all-owners', 'include objects of other projects')
    .option('--update', 'update documents in the repo that differ from the service')
    .option('--force', 'overwrite existing files')
    .addHelpText('after', importHelp)
    .action(act(() => import('./import.ts').then((m) => m.runImport)));

  program
    .command('adopt')
    .summary('take ownership of live policies that belong to no project')
    .description(
      'Mark live policies, webhooks, schedules, exemptions, frameworks and budgets as owned by this project. They are matched with local files by name (webhooks by URL, exemptions by policy and resources, frameworks by ID). Only their tags change; the next plan shows other differences.',
    )
    .argument(
      '[names...]',
      'names or IDs of live policies, URLs or IDs of webhooks, or keys in files',
    )
    .option('--all-matching', 'adopt all objects that belong to no project and match a local file')
    .option('--project <name>', 'owner (default: project in govctl.yaml)')
    .option('--auto-approve', 'skip the prompt')
    .option('-y, --yes', 'same as --auto-approve')
    .option('--concurrency <n>', 'maximum number of concurrent requests, 1 to 64')
    .alsoFormats(reportFormats)
    .addHelpText('after', adoptHelp)
    .action(act(() => import('./adopt.ts').then((m) => m.runAdopt)));
}

/** The options that plan, diff and apply share, in groups after their own. */
function selecting(command: GovctlCommand): GovctlCommand {
  return command
    .option('--prune', 'also delete objects of this project that no file describes')
    .option('--target <key>', 'only documents with this key or name (repeatable)', collect)
    .option('--exclude <key>', 'skip documents with this key or name (repeatable)', collect)
    .optionsGroup('Ownership and safety guards:')
    .addOption(
      new Option('--project <name>', 'owner of the objects').default(
        undefined,
        'project in govctl.yaml',
      ),
    )
    .addOption(
      new Option('--max-delete <percent>', 'maximum percentage of owned objects to delete')
        .argParser(parsePercent)
        .default(undefined, '30, for 10 objects or more'),
    )
    .option('--allow-empty', 'continue even if the files contain no policies');
}

const collect = (value: string, previous: string[] | undefined): string[] => [
  ...(previous ?? []),
  value,
];

const planHelp = `
Symbols:
  +  create      ~  update (file changed)          -  delete (only with --prune)
  !  update (edited outside git)                   ?  live without a file (kept)

Exit codes: 0 planned, 2 changes (with --detailed-exitcode), 3 invalid files or
command line, 4 not logged in, 5 a live policy with the same name is not owned
by this project, 6 refused by a safety guard.

Examples:
  $ govctl plan
  $ govctl plan --out plan.json && govctl apply plan.json
  $ govctl plan -o markdown=plan.md     # for a comment on a pull request`;

const showHelp = `
Exit codes: 0 shown, 3 not a plan, or modified since it was saved.

Examples:
  $ govctl show plan.json
  $ govctl show plan.json -o markdown`;

const diffHelp = `
Exit codes: 0 no differences, 2 differences, 3 invalid files or command line,
4 not logged in, 6 refused by a safety guard.

Examples:
  $ govctl diff
  $ govctl diff --target s3-versioning
  $ govctl diff --prune     # include live objects without a file`;

const applyHelp = `
Exit codes: 0 applied, or no changes; 1 all changes failed; 3 invalid files,
or approval required and prompts are disabled; 4 not logged in or not permitted;
5 the service changed since the plan was created, the plan expired, or the plan is
for another service or project; 6 refused by a safety guard; 7 partly applied;
130 interrupted. After 7 and 130, run apply again to continue.

Examples:
  $ govctl apply
  $ govctl apply plan.json --auto-approve -o github
  $ govctl apply --prune --max-delete 50`;

const driftHelp = `
Exit codes: 0 no drift, 2 edited outside git (with --fail-missing: or missing
from the service), 3 invalid files or command line, 4 not logged in.

Examples:
  $ govctl drift
  $ govctl drift -o github -o sarif=drift.sarif`;

const importHelp = `
Exit codes: 0 written, 3 files would be overwritten, 4 not logged in.

Examples:
  $ govctl import
  $ govctl import --out policies/imported && govctl adopt --all-matching`;

const adoptHelp = `
Exit codes: 0 adopted, or nothing to adopt; 3 not approved, or a policy, webhook
or file does not exist; 4 not logged in; 5 owned by another project, or changed
in the meantime; 7 partly adopted.

Examples:
  $ govctl adopt s3-versioning
  $ govctl adopt https://hooks.example.com/ops
  $ govctl adopt --all-matching --auto-approve`;
