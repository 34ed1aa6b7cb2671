import type { Act } from '../act.ts';
import { evidenceSources } from '../../contract/evidence.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { HintedOption } from '../flags/hinted-option.ts';
import { collectValues } from '../flags/list-flags.ts';
import { nounCommands } from '../objects/commands.ts';

export function registerEvidenceCommands(program: GovctlCommand, act: Act): void {
  const evidence = program
    .command('evidence')
    .description('collect evidence for controls into signed bundles, and verify them');
  evidence
    .command('list')
    .summary('list the current evidence for the controls of a framework')
    .description(
      'List the current evidence for the controls of a framework by source, with the SHA-256 of its data. With --bundles or --attached, list collected bundles or attached evidence; both work without a framework.',
    )
    .argument('[framework]', 'framework such as soc2, or control such as SOC2:CC6.1')
    .argument('[control]', 'only this control')
    .addOption(
      new HintedOption(
        '--source <source>',
        `filter by source: ${evidenceSources.join(', ')} (repeatable)`,
      )
        .argParser(collectValues)
        .offering(evidenceSources),
    )
    .option(
      '--since <time>',
      'include changes and attached evidence since this date, time or relative time, such as 30d',
    )
    .option('--bundles', 'list bundles, newest first')
    .option('--attached', 'list attached evidence, newest first')
    .option('--limit <n>', 'maximum number of results', '100')
    .option('--all', 'no limit')
    .addHelpText('after', listHelp)
    .action(act(() => import('./list.ts').then((m) => m.runList)));
  nounCommands(evidence, act, {
    argument: '<bundle>',
    which: 'bundle or evidence ID',
    noun: () => import('./bundles.ts').then((m) => m.bundles),
  }).get('show a bundle; the exit code is 8 while the service builds the bundle');
  evidence
    .command('collect')
    .summary('collect the current evidence into a signed bundle')
    .description(
      'Build a signed bundle of the current evidence from the newest complete scan and the audit log. Bundles are immutable. Exit codes: 0 completed, 1 failed, 8 not built yet.',
    )
    .argument('<framework>', 'framework such as soc2')
    .argument('[control...]', 'only these controls (default: all)')
    .option(
      '--since <time>',
      'include changes since this date, time or relative time (default: 90d)',
    )
    .option('--name <name>', 'name of the bundle')
    .option('--no-wait', 'return without waiting for the bundle')
    .option('--timeout <time>', 'timeout in seconds, or a duration such as 10m', '600')
    .addHelpText('after', collectHelp)
    .action(act(() => import('./collect.ts').then((m) => m.runCollect)));
  evidence
    .command('export')
    .summary('download the newest bundle of a framework, or collect one')
    .description(
      'Download the newest bundle of all controls of a framework, or collect one if none exists. Interrupted downloads resume. The file is created only if its SHA-256 matches.',
    )
    .argument('<framework>', 'framework such as soc2, or bundle ID')
    .option('--out <place>', 'FILE.zip or a directory (default: current directory)')
    .option('--new', 'collect a new bundle')
    .option(
      '--timeout <time>',
      'timeout for the bundle in seconds, or a duration such as 10m',
      '600',
    )
    .addHelpText('after', exportHelp)
    .action(act(() => import('./export.ts').then((m) => m.runExport)));
  evidence
    .command('attach')
    .summary('attach files or text to a control')
    .description(
      'Attach evidence for controls that policies cannot check. Until the evidence expires, a control without outcomes has the status manual. Each file is attached separately; all files are validated first.',
    )
    .argument('<framework>', 'framework such as soc2, or control such as SOC2:CC6.1')
    .argument('[control]', 'control of the framework')
    .option('--file <file>', 'file to attach, up to 10 MiB (repeatable)', collectValues)
    .option('--text <text>', 'text to attach, alone or with each file')
    .requiredOption('--expires <time>', 'last day of validity: a date, or a lifetime such as 365d')
    .addHelpText('after', attachHelp)
    .action(act(() => import('./attach.ts').then((m) => m.runAttach)));
  nounCommands(evidence, act, {
    argument: '<evidence>',
    which: 'bundle or evidence ID',
    noun: () => import('./attached.ts').then((m) => m.attachedEvidence),
  }).delete('delete a bundle or attached evidence (existing bundles do not change)');
  evidence
    .command('verify')
    .summary('verify the contents and signer of a bundle')
    .description(
      'Verify offline that a bundle is unchanged and signed with the expected key: --key, or the key pinned at login for the current profile, --profile or --base-url. Lists each entry that was changed, removed, added or moved.',
    )
    .argument('<file>', 'bundle file from `evidence export`')
    .option('--key <file>', 'PEM file with the expected signing key (default: pinned at login)')
    .addHelpText('after', verifyHelp)
    .action(act(() => import('./verify.ts').then((m) => m.runVerify)));
}

const listHelp = `
Examples:
  $ govctl evidence list soc2
  $ govctl evidence list soc2 CC6.1 --source violations,changes --since 30d
  $ govctl evidence list --bundles
  $ govctl evidence list soc2 --attached -o json`;

const collectHelp = `
Examples:
  $ govctl evidence collect soc2
  $ govctl evidence collect soc2 CC6.1 CC6.6 --since 2026-01-01 --name Access
  $ govctl evidence collect pci --no-wait -o json`;

const exportHelp = `
Exit codes: 0 written, 1 bundle failed, 5 written, but signed with a
key other than the key pinned at login, 8 bundle not built yet.

Examples:
  $ govctl evidence export soc2 --out soc2.zip
  $ govctl evidence export soc2 --new --out bundles/
  $ govctl evidence export evd_…`;

const attachHelp = `
Examples:
  $ govctl evidence attach SOC2:CC1.1 --file policy.pdf --expires 2027-06-30
  $ govctl evidence attach soc2 CC1.4 --file a.pdf --file b.pdf --expires 365d
  $ govctl evidence attach soc2 CC1.1 --text "Signed by all." --expires 90d`;

const verifyHelp = `
Exit codes: 0 unchanged, 2 changed, 3 truncated or not a bundle, 5 unchanged,
but not signed with the expected key. Without --key or a pinned key, the signer
is unknown and the exit code is 0.

Examples:
  $ govctl evidence verify soc2.zip
  $ govctl evidence verify soc2.zip --key acme.pem -o json`;
