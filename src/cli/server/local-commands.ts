import { Option } from 'commander';
import { cuts } from '../../contract/local.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

/** Test aids: of a server that only its own machine can reach. */
export function registerLocalCommands(server: GovctlCommand, act: Act): void {
  server
    .command('exec')
    .noFormats()
    .passingArgumentsOn()
    .summary('run a command with a temporary server')
    .description(
      'Start a server on a free port with a temporary data directory, run the command with GOVCTL_BASE_URL and ' +
        'GOVCTL_TOKEN set, stop the server, and return the exit code of the command. Only errors are printed; use -v to ' +
        'print the server log. Options of govctl must precede the command.',
    )
    .usage('[options] [--] <command> [args...]')
    .argument('<command...>', 'command with its arguments')
    .option(
      '--seed [path]',
      'load the examples first, or this file or directory; requires -- before the command',
    )
    .option('--restore <file>', 'restore this snapshot first')
    .option(
      '--new-secrets',
      'with --restore: generate new webhook secrets if encrypted with another key',
    )
    .option('--clock <time>', 'set the clock of the server first, such as 2026-01-31T09:30:00Z')
    .option('--data-dir <dir>', 'store the data in this directory and keep it')
    .action(act(() => import('./exec.ts').then((m) => m.runExec)));
  server
    .command('seed')
    .summary('load examples into a local server')
    .description(
      'Apply the policies and import the resources in files and directories; by default, the policy library and the sample ' +
        'inventory included with govctl. The output shows how many objects the server then contains.',
    )
    .argument('[path...]', 'files or directories (default: library and sample inventory)')
    .action(act(() => import('./seed.ts').then((m) => m.runSeed)));
  registerDataCommands(server, act);
  registerClockCommands(server, act);
  registerFaultCommands(server, act);
  server
    .command('requests')
    .summary('show the last requests to a local server')
    .description('Show the last requests to a local server, which stores the last 1,000.')
    .option('--limit <n>', 'maximum number of requests', '50')
    .option('--follow', 'print new requests until Ctrl-C')
    .action(act(() => import('./requests.ts').then((m) => m.showRequests)));
}

function registerDataCommands(server: GovctlCommand, act: Act): void {
  server
    .command('snapshot')
    .summary('save the data of a local server to a file')
    .description(
      'Save a consistent snapshot of the data of a local server, such as policies, resources, violations, webhooks and their ' +
        'queues, to a file that only you can read. API keys, clients, tokens and the audit log are not included; webhook secrets ' +
        'are included, encrypted.',
    )
    .argument('<file>', 'output file')
    .action(act(() => import('./stored-data.ts').then((m) => m.takeSnapshot)));
  server
    .command('reset')
    .summary('delete the data of a local server')
    .description(
      'Delete the data of a local server, including the audit log, but not API keys, clients and tokens. Faults and the ' +
        'request log are cleared, and the clock is reset.',
    )
    .option('-y, --yes', 'skip the prompt')
    .option('--auto-approve', 'same as --yes')
    .action(act(() => import('./stored-data.ts').then((m) => m.resetServer)));
}

function registerClockCommands(server: GovctlCommand, act: Act): void {
  const clock = server
    .command('clock')
    .withOwnAction()
    .description('show, set or advance the clock of a local server')
    .action(act(() => import('./clock.ts').then((m) => m.showClock)));
  clock
    .command('show')
    .description('show the time of the clock')
    .action(act(() => import('./clock.ts').then((m) => m.showClock)));
  clock
    .command('set')
    .summary('set the clock')
    .description(
      'Set the clock forward or back. Work that becomes due in between is not run at its scheduled time; to run it in order, use `advance`.',
    )
    .argument('<time>', 'time, such as 2026-01-31T09:30:00Z')
    .action(act(() => import('./clock.ts').then((m) => m.setClock)));
  clock
    .command('advance')
    .summary('advance the clock and run the work that becomes due')
    .description(
      'Advance the clock. Retries, expirations and other work that becomes due in between run in order, each at its ' +
        'scheduled time. The exit code is 8 if the work does not finish within --timeout.',
    )
    .argument(
      '<duration>',
      'duration, such as 30s, 5m, 2h, 1d, 1w or PT2H; 0s only runs the work that is due',
    )
    .option('--timeout <seconds>', 'timeout, in seconds of real time', '60')
    .action(act(() => import('./clock.ts').then((m) => m.advanceClock)));
  clock
    .command('reset')
    .description('reset the clock to the system time')
    .action(act(() => import('./clock.ts').then((m) => m.resetClock)));
}

function registerFaultCommands(server: GovctlCommand, act: Act): void {
  const fault = server
    .command('fault')
    .description('simulate errors, delays and lost connections on a local server');
  fault
    .command('add')
    .summary('add a fault')
    .description(
      'Add a fault for requests to a path, a path template such as /v1/policies/:id, or a pattern with *. Faults do not ' +
        'apply to /v1/local and /healthz. Faults are not stored, and are removed when the server stops.',
    )
    .argument('[path]', 'path, template or pattern (default: all paths)')
    .addOption(
      new Option('--method <method>', 'only requests with this method').choices([
        'GET',
        'HEAD',
        'POST',
        'PUT',
        'DELETE',
      ]),
    )
    .option('--status <code>', 'respond with this HTTP status')
    .option('--error <name>', 'with --status: error name (default: an error with this status)')
    .option('--retry-after <seconds>', 'with --status: value of the Retry-After header')
    .option('--delay <duration>', 'delay the response by this duration, such as 500ms')
    .addOption(
      new Option(
        '--cut <where>',
        'cut the connection before the request is handled (request), before the response (answer), or in the middle of the response (body)',
      ).choices([...cuts]),
    )
    .option('--count <n>', 'number of requests with the fault, or always', '1')
    .action(act(() => import('./fault.ts').then((m) => m.addFault)));
  fault
    .command('list')
    .description('list faults and the number of requests affected by each')
    .action(act(() => import('./fault.ts').then((m) => m.listFaults)));
  fault
    .command('clear')
    .description('remove a fault, or all faults')
    .argument('[id]', 'fault ID (default: all faults)')
    .action(act(() => import('./fault.ts').then((m) => m.clearFaults)));
}
