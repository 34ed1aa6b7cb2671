import { parsePercent } from '../flags/parse-percent.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

const pathsHelp = 'files or folders; default: the paths of govctl.yaml, else this folder';
const briefHelp = 'what is new in a line each, instead of all it says';
const reportFormats = ['markdown', 'github'];

export function registerPlanCommands(program: GovctlCommand, act: Act): void {
  selecting(
    program
      .command('plan')
      .summary('show what apply would do')
      .description(
        'Compares the documents of the files (policies, webhooks, schedules, exemptions, frameworks, budgets) with the service, three-way: what git says, what is live, and what was last applied. Writes nothing. Deletions are planned only with --prune.',
      )
      .argument('[paths...]', pathsHelp),
  )
    .option('--out <file>', 'save the plan, to be applied exactly as it was seen')
    .option('--brief', briefHelp)
    .option('--detailed-exitcode', 'exit with 2 when there are changes')
    .option('--impact', "say which resources of the service's inventory would newly fail or pass")
    .option('--impact-from <file>', 'the same for the resources of a file, without an inventory')
    .alsoFormats(reportFormats)
    .addHelpText('after', planHelp)
    .action(act(() => import('./plan.ts').then((m) => m.runPlan)));

  program
    .command('show')
    .summary('show a saved plan')
    .description(
      'Shows a plan that `plan --out` saved, after checking that nobody changed it. Asks no service.',
    )
    .argument('<planfile>', 'a file that `govctl plan --out` wrote')
    .option('--brief', briefHelp)
    .alsoFormats(reportFormats)
    .addHelpText('after', showHelp)
    .action(act(() => import('./show.ts').then((m) => m.runShow)));

  selecting(
    program
      .command('diff')
      .summary('show how the service differs from git, as text')
      .description(
        'Shows live and git side by side as a unified diff of YAML, for reading and for review. Where `plan` says what would be done and why, `diff` says whether the two are the same: its exit code is the verdict, and changes of ownership tags alone are no difference.',
      )
      .argument('[paths...]', pathsHelp),
  )
    .alsoFormats(reportFormats)
    .addHelpText('after', diffHelp)
    .action(act(() => import('./diff.ts').then((m) => m.runDiff)));

  selecting(
    program
      .command('apply')
      .summary('make the service say what git says')
      .description(
        'Plans the files (or takes a saved plan), shows it, asks, and makes the changes. What was touched is read again first: a plan that is no longer true is refused as a whole.',
      )
      .argument('[paths...]', `one saved plan, or ${pathsHelp}`),
  )
    .option('--auto-approve', 'skip the prompt')
    .option('-y, --yes', 'same as --auto-approve')
    .option('--brief', briefHelp)
    .option('--concurrency <n>', 'requests at once, 1 to 64 (default: 8, or that of govctl.yaml)')
    .alsoFormats(reportFormats)
    .addHelpText('after', applyHelp)
    .action(act(() => import('./apply.ts').then((m) => m.runApply)));

  program
    .command('drift')
    .summary('find what was edited outside git')
    .description(
      'Compares each live object of the project (policy, webhook, schedule, exemption, framework, budget) with what was last applied to it, and shows documents in the files that are not in the service: never applied, or deleted outside git. Other changes in git since then are not drift.',
    )
    .argument('[paths...]', pathsHelp)
    .option('--project <name>', 'whose policies (default: the project of govctl.yaml)')
    .option('--fail-missing', 'count what is in the files and not in the service')
    .alsoFormats([...reportFormats, 'sarif', 'junit'])
    .addHelpText('after', driftHelp)
    .action(act(() => import('./drift.ts').then((m) => m.runDrift)));

  program
    .command('import')
    .summary('write what is live as YAML files')
    .description(
      "Writes a file for each live policy, exemption, framework and budget that belongs to no project or to this one, without govctl's own tags.",
    )
    .option('--out <dir>', 'the folder to write into', 'policies')
    .option('--project <name>', 'take the policies of this project (default: that of govctl.yaml)')
    .option('--all-owners', "take other projects' policies too")
    .option('--force', 'replace files that are there')
    .addHelpText('after', importHelp)
    .action(act(() => import('./import.ts').then((m) => m.runImport)));

  program
    .command('adopt')
    .summary('take over live policies that belong to no project')
    .description(
      'Marks live policies, webhooks, schedules, exemptions, frameworks and budgets as owned by this project, each matched with a local file by name, webhooks by URL, exemptions by policy and resources, frameworks by ID. Only their tags change; the next plan shows other differences.',
    )
    .argument('[names...]', 'names or ids of live policies, urls or ids of webhooks, keys of files')
    .option('--all-matching', 'adopt all that belong to no project and match a local file')
    .option('--project <name>', 'the owner (default: the project of govctl.yaml)')
    .option('--auto-approve', 'skip the prompt')
    .option('-y, --yes', 'same as --auto-approve')
    .option('--concurrency <n>', 'requests at once, 1 to 64')
    .alsoFormats(reportFormats)
    .addHelpText('after', adoptHelp)
    .action(act(() => import('./adopt.ts').then((m) => m.runAdopt)));
}

/** The options that plan, diff and apply share. */
function selecting(command: GovctlCommand): GovctlCommand {
  return command
    .option('--project <name>', 'the owner (default: the project of govctl.yaml)')
    .option('--prune', 'also delete what this project owns and no file describes any more')
    .option('--target <key>', 'only what has this key or name; repeatable', collect)
    .option('--exclude <key>', 'all but what has this key or name; repeatable', collect)
    .option('--allow-empty', 'go on when the files hold no policies at all')
    .option(
      '--max-delete <percent>',
      'refuse to delete more of what the project owns (default: 30, once it owns 10)',
      parsePercent,
    );
}

const collect = (value: string, previous: string[] | undefined): string[] => [
  ...(previous ?? []),
  value,
];

const planHelp = `
Marks:
  +  create      ~  update (its file changed)      -  delete (only with --prune)
  !  update of what was edited outside git         ?  live without a file, kept

Exit codes: 0 planned, 2 changes (with --detailed-exitcode), 3 something is
wrong in the files or the command, 4 not logged in, 5 a live policy of that
name is not this project's, 6 a safety guard refused.

Examples:
  $ govctl plan
  $ govctl plan --out plan.json && govctl apply plan.json
  $ govctl plan -o markdown=plan.md         for a comment on a pull request`;

const showHelp = `
Exit codes: 0 shown, 3 not a plan, or changed since it was saved.

Examples:
  $ govctl show plan.json
  $ govctl show plan.json -o markdown`;

const diffHelp = `
Exit codes: 0 the same, 2 they differ, 3 something is wrong in the files or
the command, 4 not logged in, 6 a safety guard refused.

Examples:
  $ govctl diff
  $ govctl diff --target s3-versioning
  $ govctl diff --prune            what has no file counts as a difference`;

const applyHelp = `
Exit codes: 0 done, or nothing to do; 3 something is wrong in the files, or
nobody could be asked for approval; 4 not logged in or not allowed; 5 the
service changed since the plan was made, the plan expired, or it is for
another service or project; 6 a safety guard refused; 7 only a part could be
applied; 1 nothing could; 130 interrupted. Applying again goes on where it
stopped.

Examples:
  $ govctl apply
  $ govctl apply plan.json --auto-approve -o github
  $ govctl apply --prune --max-delete 50`;

const driftHelp = `
Exit codes: 0 no drift, 2 edited outside git (with --fail-missing: or not in
the service), 3 something is wrong in the files or the command, 4 not logged in.

Examples:
  $ govctl drift
  $ govctl drift -o github -o sarif=drift.sarif`;

const importHelp = `
Exit codes: 0 written, 3 files would be replaced, 4 not logged in.

Examples:
  $ govctl import
  $ govctl import --out policies/imported && govctl adopt --all-matching`;

const adoptHelp = `
Exit codes: 0 done, or nothing to adopt; 3 not approved, or there is no such
policy, webhook or file; 4 not logged in; 5 it belongs to another project, or
changed meanwhile; 7 partly done.

Examples:
  $ govctl adopt s3-versioning
  $ govctl adopt https://hooks.example.com/ops
  $ govctl adopt --all-matching --auto-approve`;
