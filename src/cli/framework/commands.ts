import { numberColumn } from '../terminal/table.ts';
import { controlStatuses, frameworkSortFields } from '../../contract/frameworks.ts';
import type { Framework, FrameworkDefinition } from '../../contract/frameworks.ts';
import { Option } from 'commander';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues } from '../flags/list-flags.ts';
import { nounCommands } from '../objects/commands.ts';
import type { OwnNoun } from '../objects/noun.ts';
import { frameworkView, paintStatus, withData } from './framework-view.ts';

interface ListOptions {
  readonly account?: string;
}

const frameworks: OwnNoun<Framework, ListOptions> = {
  one: 'framework',
  many: 'frameworks',
  feature: 'frameworks',
  api: (client) => client.frameworks,
  list: {
    filter: ({ account }) => ({ account_id: account }),
    columns: () => [
      { title: 'FRAMEWORK', cell: ({ id }) => id },
      { title: 'VERSION', cell: ({ version = '' }) => version, shrinks: 'end', drops: 1 },
      { title: 'STATUS', cell: ({ status }) => status, paint: paintStatus },
      numberColumn('SCORE', ({ compliance_score: score }) => score),
      { title: 'PASSED', cell: withData },
      numberColumn('CONTROLS', ({ control_counts: counts }) => counts.total),
      numberColumn('POLICIES', ({ policies }) => policies, { drops: 2 }),
    ],
  },
  view: frameworkView,
};

/** A framework as it was defined. */
const definitions: OwnNoun<FrameworkDefinition> = {
  one: 'framework',
  many: 'frameworks',
  feature: 'frameworks',
  kept: { nameOf: ({ id }) => id, tagsOf: ({ tags }) => tags },
  api: ({ frameworkDefinitions, frameworks: own }) => ({
    get: frameworkDefinitions.get,
    delete: own.delete,
  }),
  list: { columns: () => [] },
  view: (framework) => ({ value: framework, human: () => `${framework.id}\n` }),
};

export function registerFrameworkCommands(program: GovctlCommand, act: Act): void {
  const framework = program
    .command('framework')
    .description('define compliance frameworks and show their status');
  const its = nounCommands(framework, act, {
    argument: '<framework>',
    which: 'framework ID, such as soc2',
    noun: frameworks,
  });
  its
    .list('list frameworks with score and passed controls', {
      fields: frameworkSortFields,
      by: 'name',
      order: 'asc',
    })
    .option('--account <id>', 'filter by account');
  framework
    .command('show')
    .summary('show which controls have policies, which have data, and which fail')
    .description(
      'Show the status of each control of a framework, based on the latest evaluations of the policies mapped to the control. For a single control, also list its policies. A control without data never passes.',
    )
    .argument('<framework>', 'framework ID, such as soc2')
    .argument('[control]', 'show this control with its policies')
    .option('--account <id>', 'filter by account')
    .option(
      '--status <status>',
      `filter by status: ${controlStatuses.join(', ')} (repeatable)`,
      collectValues,
    )
    .option('--all', 'include controls without a policy')
    .addHelpText('after', showHelp)
    .action(act(() => import('./show.ts').then((m) => m.runShow)));
  framework
    .command('coverage')
    .summary('count the controls that have policies')
    .description(
      'Count, for each built-in framework and each framework in the policy files, the controls that enabled policies reference in compliance_frameworks. Labels of whole frameworks and of groups of controls (SOC2:CC6) are not counted. Works offline.',
    )
    .argument(
      '[paths...]',
      'files or directories (default: paths in govctl.yaml, otherwise the current directory)',
    )
    .addHelpText('after', coverageHelp)
    .action(act(() => import('./coverage.ts').then((m) => m.runCoverage)));
  framework
    .command('import')
    .summary('import controls from an OSCAL catalog or a CSV file')
    .description(
      'Define a custom framework from a file. With the ID of a built-in framework, import titles and descriptions for its controls instead. An import replaces earlier imports with the same ID.',
    )
    .argument(
      '<file>',
      'OSCAL catalog (JSON), or CSV with `id,title,description,parent`; - reads standard input',
    )
    .option('--id <id>', 'framework ID (default for NIST SP 800-53 catalogs: nist-800-53)')
    .addOption(
      new Option('--format <format>', 'input format (default: detected)').choices(['oscal', 'csv']),
    )
    .option('--out <file>', 'write a Framework document for git instead of importing')
    .addHelpText('after', importHelp)
    .action(act(() => import('./import.ts').then((m) => m.runImport)));
  nounCommands(framework, act, {
    argument: '<framework>',
    which: 'framework ID',
    noun: definitions,
  }).delete('delete a custom framework, or the imported titles of a built-in framework');
}

const showHelp = `
Exit codes: 0 regardless of the status.

Examples:
  $ govctl framework show soc2
  $ govctl framework show soc2 CC6.1
  $ govctl framework show pci --status FAILED,ERROR --account 111122223333
  $ govctl framework show nist-800-53 -o json     # includes policies`;

const importHelp = `
Exit codes: 0 imported or written, 3 the file is not valid, 4 not logged in.

Examples:
  $ govctl framework import nist-800-53-low.json
  $ govctl framework import soc2-texts.csv --id soc2
  $ govctl framework import rules.csv --id acme --out frameworks/acme.yaml`;

const coverageHelp = `
Exit codes: 0 counted, 3 the policy files are not valid.

Examples:
  $ govctl framework coverage
  $ govctl framework coverage policies/aws
  $ govctl framework coverage -o json     # each control and its policies`;
