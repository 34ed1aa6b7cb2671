import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues } from '../flags/list-flags.ts';
import { Option } from 'commander';
import type { Act } from '../act.ts';
import { registerLocalCommands } from './local-commands.ts';

export function registerServerCommand(program: GovctlCommand, act: Act): void {
  const server = program
    .command('server')
    .withOwnAction()
    .summary('run the service here')
    .description(
      'Runs the whole service in this process until Ctrl-C. Prints its address, its API key and how to log in on ' +
        'stdout; logs go to stderr. Reloads changed TLS files by itself, or at once on SIGHUP; open connections stay.',
    )
    .option('--host <address>', 'listen on this address', '127.0.0.1')
    .option('--port <port>', 'listen on this port; 0 picks a free one', '8787')
    .option('--data-dir <folder>', 'keep the data here', '.govctl/data')
    .option('--store <store>', 'lowdb (files in the data folder) or a postgres:// url', 'lowdb')
    .option('--api-key <key>', 'use this key; it is visible in process lists, unlike the next two')
    .option('--api-key-file <file>', 'use the key in this file (or set GOVCTL_SERVER_API_KEY)')
    .option('--new-api-key', 'create and print a new key, for example if the first one was lost')
    .option(
      '--ready-file <file>',
      'write {"base_url", "pid"} to this file once the server is ready',
    )
    .option(
      '--config <file>',
      'YAML file: mail, chat and storage for reports, owner tags, remediation, prediction, company sign-in, retention, trusted proxies, country database',
    )
    .option(
      '--allow-target <cidr>',
      'let webhooks and schedules reach this private range; repeatable',
      collectValues,
    )
    .option('--public-url <url>', 'public URL of the server, for links in answers')
    .option('--tls-cert <file>', 'serve https with this certificate (PEM)')
    .option('--tls-key <file>', 'its private key (PEM)')
    .option(
      '--tls-client-ca <file>',
      'require client certificates signed by one of these certificates (PEM)',
    )
    .option(
      '--signing-cert <file>',
      'sign reports with this certificate (PEM) instead of a generated one',
    )
    .option('--signing-key <file>', 'its private key (PEM)')
    .addOption(
      new Option('--rate-limit <mode>', 'default: report for local requests, else enforce').choices(
        ['enforce', 'report', 'off'],
      ),
    )
    .option('--no-metrics', 'do not serve /metrics')
    .option(
      '--metrics-listen <host:port>',
      'serve /metrics on this address, without a token; /metrics of the API requires the admin scope',
    )
    .option('--max-import <MiB>', 'maximum size of a resource import (default: 2048)')
    .option(
      '--max-connections <number>',
      'maximum number of open connections (default: half of the open-file limit, at most 4096)',
    )
    .addOption(
      new Option('--log-level <level>')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    )
    .action(act(() => import('./server.ts').then((m) => m.runServer)));
  server
    .command('rotate-id-token-key')
    .summary('publish a new key for ID tokens')
    .description(
      'Publishes a new key for ID tokens, which signs them a day later. A server does this by itself every 90 days.',
    )
    .option(
      '--drop-old',
      'if the old key was stolen: sign with the new one at once, withdraw the old',
    )
    .action(act(() => import('./id-token-key.ts').then((m) => m.rotateIdTokenKey)));
  registerBackupCommands(server, act);
  server
    .command('archive')
    .summary('archive records before retention removes them')
    .argument('<dir>', 'directory of the archives; created if missing')
    .description(
      'Writes records that expire soon, and are not in earlier archives in the directory, to a new subdirectory: NDJSON, compressed with gzip, for each collection, the files of reports and evidence, and a manifest. Run it regularly, at intervals shorter than --within.',
    )
    .option('--within <duration>', 'include records that expire within this time', '7d')
    .action(act(() => import('./archive.ts').then((m) => m.runArchive)));
  registerLocalCommands(server, act);
}

function registerBackupCommands(server: GovctlCommand, act: Act): void {
  server
    .command('backup')
    .summary('copy the data directory of a server, running or not')
    .description(
      'Copies a data directory, including one in use by a running server, with every change acknowledged before the copy. ' +
        'The backup is a new directory that only you can read; the directory gets its name when the backup is complete. The backup ' +
        'includes the encryption key for secrets, unless the server gets that key from GOVCTL_SERVER_SECRET_KEY.',
    )
    .argument('<dir>', 'new directory for the backup')
    .option('--data-dir <dir>', 'data directory of the server', '.govctl/data')
    .option('--no-secret-key', 'exclude secret.key; a restored server needs it')
    .action(act(() => import('./backup.ts').then((m) => m.runBackup)));
  server
    .command('verify')
    .summary('check a backup or a data directory')
    .description(
      'Checks a backup or a data directory: checksums, order of changes, references, files and the audit log. Changes ' +
        'nothing; a server may be running. Exits with 1 if anything is damaged.',
    )
    .argument('<dir>', 'backup or data directory')
    .action(act(() => import('./backup.ts').then((m) => m.runVerify)));
  server
    .command('restore')
    .summary('restore a backup or a snapshot')
    .description(
      'Verifies a backup and creates a data directory from it, for a new server. Given a snapshot file, replaces the data of ' +
        'a local server except keys, clients, tokens and the audit log. Changes everything or nothing.',
    )
    .argument('<backup>', 'directory of a backup, or file of a snapshot')
    .option('--data-dir <dir>', 'backup: data directory to create')
    .option('--force', 'backup: rename an existing data directory')
    .option('--with-clock', 'snapshot: also set the clock to the time of the snapshot')
    .option('--new-secrets', 'snapshot: generate new webhook secrets if encrypted with another key')
    .option('-y, --yes', 'snapshot: skip the prompt')
    .option('--auto-approve', 'same as --yes')
    .action(act(() => import('./stored-data.ts').then((m) => m.restore)));
}
