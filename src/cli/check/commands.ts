import { InvalidArgumentError, Option } from 'commander';
import { severities } from '../../contract/policies.ts';
import { describeInputs, formats } from '../../inventory/formats/formats.ts';
import { policySets } from '../../project/policy-sets.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

export function registerCheckCommand(program: GovctlCommand, act: Act): void {
  program
    .command('check')
    .summary('evaluate infrastructure files against policies')
    .description(
      `Evaluates files against the policies of the repo: ${describeInputs()}. Requires no service.`,
    )
    .argument('[inputs...]', 'files or directories to check; - reads standard input')
    .option(
      '--policies <path>',
      'policy files or directories; repeatable (default: paths in govctl.yaml, else the current directory)',
      collect,
    )
    .addOption(
      new Option('--format <format>', 'input format (default: detected)').choices([...formats]),
    )
    .option('--parameters <key=value>', 'template parameter (repeatable)', collect)
    .option('--parameters-file <file>', 'file with template parameters, JSON or YAML')
    .option('--all-conditions', 'also check resources whose condition is false')
    .option(
      '--source <dir>',
      'directory of .tf files in which to locate the resources of Terraform plans',
    )
    .addOption(
      new Option(
        '--fail-on <severity>',
        'fail only on findings of this severity or higher (LOW, MEDIUM, HIGH, CRITICAL)',
      ).argParser(parseSeverity),
    )
    .addOption(relaxing('--on-error <verdict>', 'treat errors as'))
    .addOption(relaxing('--on-unknown <verdict>', 'treat unknown values as'))
    .option('--baseline <file>', 'file of accepted findings, which do not fail the check')
    .option('--prune-baseline', 'remove outdated entries from the baseline')
    .option('--write-baseline <file>', 'write current failures to a baseline file and exit with 0')
    .option('--fail-unused-exemptions', 'exit with 2 if an exemption matches no finding')
    .addOption(
      new Option(
        '--set <set>',
        'policies to run; strict includes baseline, and policies without a set always run (default: set in govctl.yaml, else baseline)',
      ).choices([...policySets]),
    )
    .option('--policy <name>', 'only the policy with this name or key (repeatable)', collect)
    .option(
      '--type <type>',
      'only policies for this resource type or pattern (repeatable)',
      collect,
    )
    .option('--all', 'also list passed and skipped evaluations')
    .option(
      '--explain [resource]',
      'show the value of each part of a condition; for one resource, pass its ID, address or a glob',
    )
    .option(
      '--fix',
      'show changes to CloudFormation templates, or with --source to .tf files, that fix findings',
    )
    .option('--write', 'with --fix: write the changes to the files')
    .option(
      '--fix-parameter <name=value>',
      'with --fix: value for a patch, such as LOG_BUCKET=my-logs (repeatable)',
      collect,
    )
    .option(
      '--now <time>',
      'value of `now` in conditions, such as 2026-01-31T12:00:00Z (default: current time)',
    )
    .option('--watch', 'check again when a policy or an input changes')
    .option('--jobs <n>', 'threads for large NDJSON inputs (default: number of cores)', parseJobs)
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
Exit codes: 0 passed; 2 failures or errors; 3 an input is unreadable (the
others are still checked), a policy is invalid, or the command line is wrong;
130 interrupted.

Examples:
  $ govctl check template.yaml
  $ govctl check infra/ --policies policies/ --fail-on HIGH
  $ terraform show -json plan.out | govctl check - --source .
  $ govctl check plan.json -o table -o sarif=check.sarif
  $ govctl check template.yaml --fix
  $ govctl check plan.json --source . --fix --write
  $ govctl check template.yaml --policy s3-versioning --explain=Bucket`;
