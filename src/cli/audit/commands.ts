import type { Act } from '../act.ts';
import { auditSortFields } from '../../contract/audit-log.ts';
import { listFlags } from '../flags/list-flags.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';

export function registerAuditCommands(program: GovctlCommand, act: Act): void {
  const audit = program
    .command('audit')
    .description('read and check the audit log and the record of uses');
  range(
    filters(
      listFlags(
        audit.command('list').description('list who changed what and when, the latest first'),
        auditSortFields,
        'sequence',
        'desc',
      ),
    ),
  ).action(act(() => import('./list.ts').then((m) => m.runList)));
  filters(
    audit
      .command('tail')
      .description('show the last entries of the audit log, then each new one until Ctrl-C')
      .option('--limit <n>', 'number of entries to show first', '10'),
  )
    .option('--since <time>', 'start: a time, or how long ago, such as 2h')
    .action(act(() => import('./list.ts').then((m) => m.runTail)));
  audit
    .command('export')
    .summary('write the whole audit log to a file')
    .description(
      'Writes all entries and the signed end of the audit log to a file of JSON lines, all or nothing. `govctl audit verify FILE` checks it without the server.',
    )
    .argument('<file>', 'where to write it')
    .action(act(() => import('./export.ts').then((m) => m.runExport)));
  range(
    audit
      .command('uses')
      .summary('list requests by credential, address, endpoint and outcome')
      .description(
        'Lists the uses of credentials, the latest first: requests in a minute with the same credential, address, endpoint and outcome, with their count. A minute is listed once it is over.',
      )
      .option('--limit <n>', 'maximum number of results', '100')
      .option('--all', 'no maximum')
      .option('--credential <id>', 'filter by API key, token or session')
      .option('--actor <user>', 'filter by user: email address or ID')
      .option('--address <address>', 'filter by client address')
      .option('--endpoint <endpoint>', 'filter by endpoint, such as "GET /v1/policies/:id"')
      .option('--outcome <outcome>', 'filter by outcome, such as 2xx or invalid_token'),
  )
    .addHelpText('after', usesHelp)
    .action(act(() => import('./uses.ts').then((m) => m.runUses)));
  audit
    .command('verify')
    .summary('check that nobody changed or cut the audit log')
    .description(
      'Reads the whole audit log and checks that each entry has the hash of the one before it, that none is missing, and that the server signed where the log ends. With --head, an earlier end of the log shows whether entries were cut off or rewritten since.',
    )
    .argument('[file]', "check an exported log instead of the server's")
    .option('--head <sequence:hash>', 'an earlier end of the log, which must still be in it')
    .option('--key <file>', 'PEM file of the expected signing key (default: pinned at login)')
    .addHelpText('after', verifyHelp)
    .action(act(() => import('./verify.ts').then((m) => m.runVerify)));
}

const filters = (command: GovctlCommand): GovctlCommand =>
  command
    .option('--actor <user>', 'filter by user: email address or ID')
    .option('--action <action>', 'filter by action, such as policy.update')
    .option('--subject <id>', 'filter by the ID of what was changed');

const range = (command: GovctlCommand): GovctlCommand =>
  command
    .option('--since <time>', 'start: a time, or how long ago, such as 2h')
    .option('--until <time>', 'end, exclusive: a time, or how long ago');

const usesHelp = `
Examples:
  $ govctl audit uses --credential key_01JF... --since 7d
  $ govctl audit uses --outcome invalid_token --since 1h
  $ govctl audit uses --since 2026-11-01 --until 2026-11-02 --all -o ndjson`;

const verifyHelp = `
Exit codes: 0 whole, 2 changed or cut, 4 not allowed (it takes a key with the
scope admin), 5 another key signed than --key, or than the one pinned at login.

Examples:
  $ govctl audit verify
  $ govctl audit verify --head 4812:9f2c...    an end that you kept, or that the
                                               event audit.head said`;
