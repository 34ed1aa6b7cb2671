import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues } from '../flags/list-flags.ts';
import { Option } from 'commander';
import type { Act } from '../act.ts';
import { registerLocalCommands } from './local-commands.ts';

export function registerServerCommand(program: GovctlCommand, act: Act): void {
  const server = program
    .command('server')
    .withOwnAction()
    .summary('run the service on this machine')
    .description(
      'Run the whole service in this process until Ctrl-C. The address, the API key and the login command are printed to ' +
        'stdout, and logs to stderr. Changed TLS files are reloaded automatically, or immediately on SIGHUP; open connections are not interrupted.',
    )
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 selects a free port', '8787')
    .option('--data-dir <dir>', 'data directory', '.govctl/data')
    .option(
      '--store <store>',
      'data store: lowdb (files in the data directory) or a postgres:// URL',
      'lowdb',
    )
    .option(
      '--config <file>',
      'YAML configuration file: mail, chat and storage for reports, owner tags, remediation, prediction, company sign-in, retention, trusted proxies, country database',
    )
    .optionsGroup('API key:')
    .option('--api-key <key>', 'API key of the administrator; visible in process lists')
    .option(
      '--api-key-file <file>',
      'file with the API key (or set GOVCTL_SERVER_API_KEY); not visible in process lists',
    )
    .option('--new-api-key', 'create and print a new key, for example if the first key was lost')
    .optionsGroup('TLS and certificates (PEM files):')
    .option('--tls-cert <file>', 'certificate for HTTPS')
    .option('--tls-key <file>', 'private key for --tls-cert')
    .option(
      '--tls-client-ca <file>',
      'require client certificates signed by one of these certificates',
    )
    .addOption(
      new Option('--signing-cert <file>', 'certificate that signs reports').default(
        undefined,
        'a generated certificate',
      ),
    )
    .option('--signing-key <file>', 'private key for --signing-cert')
    .optionsGroup('Network and limits:')
    .option('--public-url <url>', 'public URL of the server, for links in responses')
    .option(
      '--allow-target <cidr>',
      'allow webhooks and schedules to connect to this private range (repeatable)',
      collectValues,
    )
    .addOption(
      new Option('--rate-limit <mode>', 'rate limits')
        .choices(['enforce', 'report', 'off'])
        .default(undefined, 'report for local requests, otherwise enforce'),
    )
    .addOption(
      new Option('--max-connections <number>', 'maximum number of open connections').default(
        undefined,
        'half of the open-file limit, at most 4,096',
      ),
    )
    .addOption(
      new Option('--max-import <MiB>', 'maximum size of a resource import').default(
        undefined,
        '2048',
      ),
    )
    .optionsGroup('Logs, metrics and readiness:')
    .addOption(
      new Option('--log-level <level>', 'log level')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    )
    .option('--no-metrics', 'do not serve /metrics')
    .option(
      '--metrics-listen <host:port>',
      'serve /metrics on this address without a token; on the API address, /metrics requires the admin scope',
    )
    .option(
      '--ready-file <file>',
      'write {"base_url", "pid"} to this file once the server is ready',
    )
    .addHelpText('after', serverHelp)
    .action(act(() => import('./server.ts').then((m) => m.runServer)));
  server
    .command('rotate-id-token-key')
    .summary('rotate the key that signs ID tokens')
    .description(
      'Publish a new signing key for ID tokens, which is used from the next day. Servers rotate the key automatically every 90 days.',
    )
    .option(
      '--drop-old',
      'use the new key and withdraw the old key immediately, for example if the old key was stolen',
    )
    .action(act(() => import('./id-token-key.ts').then((m) => m.rotateIdTokenKey)));
  registerBackupCommands(server, act);
  server
    .command('archive')
    .summary('archive records before retention removes them')
    .argument('<dir>', 'archive directory; created if missing')
    .description(
      'Write records that expire soon and are not in earlier archives to a new subdirectory: gzip-compressed NDJSON for each collection, the files of reports and evidence, and a manifest. Run this command regularly, at intervals shorter than --within.',
    )
    .option('--within <duration>', 'include records that expire within this time', '7d')
    .action(act(() => import('./archive.ts').then((m) => m.runArchive)));
  registerLocalCommands(server, act);
}

function registerBackupCommands(server: GovctlCommand, act: Act): void {
  server
    .command('backup')
    .summary('copy the data directory of a server')
    .description(
      'Copy a data directory, including one in use by a running server, with every change acknowledged before the copy. ' +
        'The backup is a new directory that only you can read; it is renamed into place when the backup is complete. The backup ' +
        'includes the encryption key for secrets, unless the server reads that key from GOVCTL_SERVER_SECRET_KEY.',
    )
    .argument('<dir>', 'new directory for the backup')
    .option('--data-dir <dir>', 'data directory of the server', '.govctl/data')
    .option('--no-secret-key', 'exclude secret.key; a restored server needs it')
    .action(act(() => import('./backup.ts').then((m) => m.runBackup)));
  server
    .command('verify')
    .summary('check a backup or a data directory')
    .description(
      'Check a backup or a data directory: checksums, order of changes, references, files and the audit log. Nothing ' +
        'is changed, and the server can be running. The exit code is 1 if anything is damaged.',
    )
    .argument('<dir>', 'backup or data directory')
    .action(act(() => import('./backup.ts').then((m) => m.runVerify)));
  server
    .command('restore')
    .summary('restore a backup or a snapshot')
    .description(
      'Verify a backup and create a data directory from it, for a new server. For a snapshot file, replace the data of ' +
        'a local server except keys, clients, tokens and the audit log. Either everything is restored or nothing.',
    )
    .argument('<backup>', 'backup directory or snapshot file')
    .option('--data-dir <dir>', 'backup: data directory to create')
    .option('--force', 'backup: rename an existing data directory')
    .option('--with-clock', 'snapshot: also set the clock to its time')
    .option('--new-secrets', 'snapshot: generate new webhook secrets if encrypted with another key')
    .option('-y, --yes', 'snapshot: skip the prompt')
    .option('--auto-approve', 'same as --yes')
    .action(act(() => import('./stored-data.ts').then((m) => m.restore)));
}

const serverHelp = `
Examples:
  $ govctl server
  $ govctl server --data-dir /var/lib/govctl --config server.yaml
  $ govctl server --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
  $ govctl server --store postgres://govctl@db.example.com/govctl
  $ govctl server exec --seed -- npm test`;
