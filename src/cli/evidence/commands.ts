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
      'Lists what the service knows now of the controls of a framework, by source, each with the SHA-256 of its data. With --bundles it lists the bundles that were collected, with --attached what people attached to controls; both work without a framework.',
    )
    .argument('[framework]', 'such as soc2, or a control such as SOC2:CC6.1')
    .argument('[control]', 'show only this control')
    .addOption(
      new HintedOption(
        '--source <source>',
        `filter by source: ${evidenceSources.join(', ')} (repeatable)`,
      )
        .argParser(collectValues)
        .offering(evidenceSources),
    )
    .option('--since <time>', 'changes and attachments since then: a date, a time, or 30d')
    .option('--bundles', 'list bundles instead, the newest first')
    .option('--attached', 'list attached evidence instead, the newest first')
    .option('--limit <n>', 'maximum number of results', '100')
    .option('--all', 'no maximum')
    .addHelpText('after', listHelp)
    .action(act(() => import('./list.ts').then((m) => m.runList)));
  nounCommands(evidence, act, {
    argument: '<bundle>',
    which: 'its ID',
    noun: () => import('./bundles.ts').then((m) => m.bundles),
  }).get('show one bundle; exits with 8 while it is being built');
  evidence
    .command('verify')
    .summary('check that a bundle is unchanged, and who signed it')
    .description(
      'Checks that a bundle is as its signer wrote it, and that the key pinned at login signed it: the one of the current profile, or of --profile or --base-url. It names each entry that was changed, removed, added or moved. It needs no service.',
    )
    .argument('<file>', 'bundle, as `evidence export` writes it')
    .option('--key <file>', 'PEM file of the key that must have signed (default: pinned at login)')
    .addHelpText('after', verifyHelp)
    .action(act(() => import('./verify.ts').then((m) => m.runVerify)));
}

const listHelp = `
Examples:
  $ govctl evidence list soc2
  $ govctl evidence list soc2 CC6.1 --source violations,changes --since 30d
  $ govctl evidence list --bundles
  $ govctl evidence list soc2 --attached -o json`;

const verifyHelp = `
Exit codes: 0 unchanged, 2 changed, 3 cut off or not a bundle, 5 unchanged, but
signed by another key than --key, or than the one pinned at login.
Without any key it exits with 0 and says that the signer is unknown.

Examples:
  $ govctl evidence verify soc2.zip
  $ govctl evidence verify soc2.zip --key acme.pem -o json`;
