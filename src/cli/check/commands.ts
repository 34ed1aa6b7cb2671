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
      `Evaluate files against the policies in the repo: ${describeInputs()}. Works offline.`,
    )
    .argument('[inputs...]', 'files or directories to check; - reads standard input')
    .option(
      '--policies <path>',
      'policy files or directories (repeatable; default: paths in govctl.yaml, otherwise the current directory)',
      collect,
    )
    .addOption(
      new Option('--format <format>', 'input format')
        .choices([...formats])
        .default(undefined, 'detected'),
    )
    .addOption(
      new Option(
        '--fail-on <severity>',
        `exit with code 2 only for findings of this severity or higher: ${severities.join(', ')}`,
      )
        .argParser(parseSeverity)
        .default(undefined, 'LOW'),
    )
    .option(
      '--explain [resource]',
      'show the value of each part of a condition, for all resources or only those with this ID, address or glob',
    )
    .option(
      '--fix',
      'show fixes for findings, in CloudFormation templates or, with --source, in .tf files',
    )
    .optionsGroup('Inputs:')
    .option('--parameters <key=value>', 'template parameter (repeatable)', collect)
    .option('--parameters-file <file>', 'file with template parameters, JSON or YAML')
    .option(
      '--source <dir>',
      'directory of the .tf files that declare the resources in a Terraform plan',
    )
    .option('--all-conditions', 'also check resources whose condition is false')
    .optionsGroup('Policies:')
    .addOption(
      new Option(
        '--set <set>',
        'policy set to run: baseline, or strict, which includes baseline; policies without a set always run',
      )
        .choices([...policySets])
        .default(undefined, 'set in govctl.yaml, otherwise baseline'),
    )
    .option(
      '--policy <name>',
      "run only policies with this name, key or glob, such as 's3-*' (repeatable)",
      collect,
    )
    .option(
      '--type <type>',
      'check only resources of this type or pattern, such as AWS::S3::* (repeatable)',
      collect,
    )
    .option(
      '--tag <tag>',
      'run only policies with all of these tags (repeatable or comma-separated)',
      collect,
    )
    .option(
      '--framework <name>',
      'run only policies mapped to this framework or control, such as soc2 or SOC2:CC6.1 (repeatable or comma-separated)',
      collect,
    )
    .optionsGroup('Exit code:')
    .addOption(relaxing('--on-error <verdict>', 'verdict for conditions that result in an error'))
    .addOption(
      relaxing(
        '--on-unknown <verdict>',
        'verdict for conditions with values that are not yet known',
      ),
    )
    .option('--baseline <file>', 'file of accepted findings, which do not fail the check')
    .option(
      '--write-baseline <file>',
      'write current failures to a baseline file and exit with code 0',
    )
    .option('--prune-baseline', 'with --baseline: remove outdated entries from the file')
    .option('--fail-unused-exemptions', 'exit with code 2 if an exemption matches no finding')
    .option('--no-inline-skips', 'ignore govctl:skip comments and metadata in the input')
    .optionsGroup('Fixes:')
    .option('--write', 'with --fix: write the changes to the files')
    .option(
      '--fix-parameter <name=value>',
      'with --fix: value for a patch, such as LOG_BUCKET=my-logs (repeatable)',
      collect,
    )
    .optionsGroup('Output and execution:')
    .option('--all', 'also list passed and skipped evaluations')
    .addOption(
      new Option(
        '--now <time>',
        'value of `now` in conditions, such as 2026-01-31T12:00:00Z',
      ).default(undefined, 'current time'),
    )
    .option('--watch', 'check again when a policy or an input changes')
    .addOption(
      new Option('--jobs <n>', 'threads for large NDJSON inputs, 1 to 256')
        .argParser(parseJobs)
        .default(undefined, 'number of cores'),
    )
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
others are still checked), a policy is invalid, or the command line is invalid;
130 interrupted.

Examples:
  $ govctl check template.yaml
  $ govctl check infra/ --policies policies/ --fail-on HIGH
  $ terraform show -json plan.out | govctl check - --source .
  $ govctl check plan.json -o table -o sarif=check.sarif
  $ govctl check template.yaml --fix
  $ govctl check plan.json --source . --fix --write
  $ govctl check template.yaml --policy s3-versioning --explain=Bucket`;
