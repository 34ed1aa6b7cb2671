import type { Act } from '../act.ts';
import { auditSortFields } from '../../contract/audit-log.ts';
import { listFlags } from '../flags/list-flags.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';

export function registerAuditCommands(program: GovctlCommand, act: Act): void {
  const audit = program
    .command('audit')
    .description('read and verify the audit log; list uses of credentials');
  range(
    filters(
      listFlags(
        audit.command('list').description('list changes, newest first'),
        auditSortFields,
        'sequence',
        'desc',
      ),
    ),
  ).action(act(() => import('./list.ts').then((m) => m.runList)));
  filters(
    audit
      .command('tail')
      .description('print the last entries, then new entries until Ctrl-C')
      .option('--limit <n>', 'number of entries to print first', '10'),
  )
    .option('--since <time>', 'start of the period: a time, or a relative time such as 2h')
    .action(act(() => import('./list.ts').then((m) => m.runTail)));
  audit
    .command('export')
    .summary('export the audit log to a file')
    .description(
      'Export all entries and the signed head of the audit log to a JSON Lines file. The file is written completely or not at all. To verify the file offline, run `govctl audit verify FILE`.',
    )
    .argument('<file>', 'output file')
    .action(act(() => import('./export.ts').then((m) => m.runExport)));
  range(
    audit
      .command('uses')
      .summary('list requests by credential, address, endpoint and outcome')
      .description(
        'List the uses of credentials, newest first: the number of requests per minute, credential, address, endpoint and outcome. The current minute is not included.',
      )
      .option('--limit <n>', 'maximum number of results', '100')
      .option('--all', 'no limit')
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
    .summary('verify that the audit log was not changed or truncated')
    .description(
      'Verify the hash chain of the audit log, that no entry is missing, and that the server signed the head of the log. With --head, also verify that the log still contains an earlier head.',
    )
    .argument('[file]', "exported log to verify instead of the server's log")
    .option('--head <sequence:hash>', 'earlier head that the log must contain')
    .option('--key <file>', 'PEM file with the expected signing key (default: pinned at login)')
    .addHelpText('after', verifyHelp)
    .action(act(() => import('./verify.ts').then((m) => m.runVerify)));
}

const filters = (command: GovctlCommand): GovctlCommand =>
  command
    .option('--actor <user>', 'filter by user: email address or ID')
    .option('--action <action>', 'filter by action, such as policy.update')
    .option('--subject <id>', 'filter by ID of the changed object');

const range = (command: GovctlCommand): GovctlCommand =>
  command
    .option('--since <time>', 'start of the period: a time, or a relative time such as 2h')
    .option('--until <time>', 'end of the period, exclusive: a time, or a relative time');

const usesHelp = `
Examples:
  $ govctl audit uses --credential key_01JF… --since 7d
  $ govctl audit uses --outcome invalid_token --since 1h
  $ govctl audit uses --since 2026-11-01 --until 2026-11-02 --all -o ndjson`;

const verifyHelp = `
Exit codes: 0 verified, 2 changed or truncated, 4 not allowed (requires the
admin scope), 5 signed with a key other than --key or the key pinned at login.

Examples:
  $ govctl audit verify
  $ govctl audit verify --head 4812:9f2c…     # from an audit.head event`;
