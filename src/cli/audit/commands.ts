import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';

export function registerAuditCommands(program: GovctlCommand, act: Act): void {
  program
    .command('audit')
    .description('check the audit log of the service')
    .command('verify')
    .summary('check that nobody changed or cut the audit log')
    .description(
      'Reads the whole audit log and checks that each entry has the hash of the one before it, that none is missing, and that the server signed where the log ends. An earlier end, which you kept, shows what was cut off or written anew since.',
    )
    .option('--head <sequence:hash>', 'an end of the log that you kept: it must still be in it')
    .option('--key <file>', 'PEM file of the expected signing key (default: pinned at login)')
    .addHelpText('after', verifyHelp)
    .action(act(() => import('./verify.ts').then((m) => m.runVerify)));
}

const verifyHelp = `
Exit codes: 0 whole, 2 changed or cut, 4 not allowed (it takes a key with the
scope admin), 5 another key signed than --key, or than the one pinned at login.

Examples:
  $ govctl audit verify
  $ govctl audit verify --head 4812:9f2c...    an end that you kept, or that the
                                               event audit.head said`;
