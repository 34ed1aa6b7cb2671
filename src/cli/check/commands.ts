import { InvalidArgumentError, Option } from 'commander';
import { severities } from '../../contract/policies.ts';
import { describeInputs, formats } from '../../inventory/formats/formats.ts';
import { policySets } from '../../project/policy-sets.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

export function registerCheckCommand(program: GovctlCommand, act: Act): void {
  program
    .command('check')
    .summary('evaluate policies over infrastructure files')
    .description(
      `Evaluates the policies of the repo over files: ${describeInputs()}. Needs no service.`,
    )
    .argument('[inputs...]', 'files or folders to check; - is standard input')
    .option(
      '--policies <path>',
      'policy files or folders; repeatable (default: the paths of govctl.yaml, else this folder)',
      collect,
    )
    .addOption(
      new Option('--format <format>', 'input format (default: detected)').choices([...formats]),
    )
    .option('--parameters <key=value>', "a template's parameter; repeatable", collect)
    .option('--parameters-file <file>', 'parameters as JSON or YAML')
    .option('--all-conditions', 'check resources whose condition is false, too')
    .option('--source <dir>', 'find resources of Terraform plans in the .tf files of this folder')
    .addOption(
      new Option(
        '--fail-on <severity>',
        'exit with 2 only for findings of this severity or a higher one',
      ).argParser(parseSeverity),
    )
    .addOption(relaxing('--on-error <verdict>', 'what a policy that cannot be decided comes to'))
    .addOption(relaxing('--on-unknown <verdict>', 'the same, where a value is not known'))
    .option('--baseline <file>', 'findings in this file are counted, but fail nothing')
    .option('--prune-baseline', 'drop from the baseline what is not found any more; add nothing')
    .option('--write-baseline <file>', 'write what fails now as a baseline, and exit with 0')
    .option('--fail-unused-exemptions', 'exit with 2 when an exemption spares no finding')
    .addOption(
      new Option(
        '--set <set>',
        'the policies to run: strict includes baseline; those without a set always run (default: the set of govctl.yaml, else baseline)',
      ).choices([...policySets]),
    )
    .option('--policy <name>', 'only the policy of this name or key; repeatable', collect)
    .option(
      '--type <type>',
      'only policies about this resource type or pattern; repeatable',
      collect,
    )
    .option('--all', 'list what passes and is skipped too')
    .option(
      '--explain [resource]',
      'show which part of a condition had which value; for one resource: by id, address or glob',
    )
    .option(
      '--fix',
      'show how CloudFormation templates, or with --source .tf files, would be changed by the patches of policies',
    )
    .option('--write', 'with --fix: write the changes into the files')
    .option(
      '--fix-parameter <name=value>',
      'with --fix: a value that patches need, such as LOG_BUCKET=my-logs; repeatable',
      collect,
    )
    .option('--now <time>', 'what `now` is in conditions, such as 2026-01-31T12:00:00Z')
    .option('--watch', 'check again whenever a policy or an input changes')
    .option('--jobs <n>', 'threads for large NDJSON inputs (default: one a core)', parseJobs)
    .alsoFormats(['sarif', 'junit', 'github', 'markdown'])
    .addHelpText('after', checkHelp)
    .action(act(() => import('./check.ts').then((m) => m.runCheck)));
}

const relaxing = (flags: string, description: string): Option =>
  new Option(flags, description).choices(['fail', 'warn']).default('fail');

const collect = (value: string, previous: string[] | undefined): string[] => [
  ...(previous ?? []),
  value,
];

function parseSeverity(text: string): string {
  const severity = text.toUpperCase();
  if (severities.some((known) => known === severity)) return severity;
  throw new InvalidArgumentError(`Allowed choices are ${severities.join(', ')}.`);
}

function parseJobs(text: string): number {
  const jobs = Number(text);
  if (/^\d+$/.test(text) && jobs >= 1 && jobs <= 256) return jobs;
  throw new InvalidArgumentError('must be a whole number from 1 to 256.');
}

const checkHelp = `
Exit codes: 0 nothing fails; 2 something fails or cannot be decided; 3 an
input cannot be read (the others are still checked), a policy is not valid,
or the command is wrong; 130 interrupted.

Examples:
  $ govctl check template.yaml
  $ govctl check infra/ --policies policies/ --fail-on HIGH
  $ terraform show -json plan.out | govctl check - --source .
  $ govctl check plan.json -o table -o sarif=check.sarif
  $ govctl check template.yaml --fix
  $ govctl check plan.json --source . --fix --write
  $ govctl check template.yaml --policy s3-versioning --explain=Bucket`;
