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
    .summary('run a command with a server of its own')
    .description(
      'Starts a server on a free port, with a data folder that is removed afterwards, runs the command with ' +
        'GOVCTL_BASE_URL and GOVCTL_TOKEN set to it, stops the server and ends with the exit code of the command. ' +
        'Says nothing itself but errors; -v shows the log of the server. All from the command on is its own: options ' +
        'of govctl stand before it.',
    )
    .usage('[options] [--] <command> [args...]')
    .argument('<command...>')
    .option('--seed [path]', 'fill it first: with the examples, or a file or folder; then write --')
    .option('--restore <file>', 'restore a snapshot first')
    .option('--new-secrets', 'give its webhooks new secrets, where another key sealed those')
    .option('--clock <time>', 'set its clock first')
    .option('--data-dir <folder>', 'keep the data here')
    .action(act(() => import('./exec.ts').then((m) => m.runExec)));
  server
    .command('seed')
    .summary('fill a local server with examples')
    .description(
      'Applies the policies and imports the resources of files and folders: by default the library and the inventory ' +
        'that come with govctl. Says what is there afterwards.',
    )
    .argument('[path...]')
    .action(act(() => import('./seed.ts').then((m) => m.runSeed)));
  registerDataCommands(server, act);
  registerClockCommands(server, act);
  registerFaultCommands(server, act);
  server
    .command('requests')
    .summary('show the last requests to a local server')
    .description('Shows the last requests to a local server, which stores 1,000.')
    .option('--limit <n>', 'maximum number of requests', '50')
    .option('--follow', 'print new requests until Ctrl-C')
    .action(act(() => import('./requests.ts').then((m) => m.showRequests)));
}

function registerDataCommands(server: GovctlCommand, act: Act): void {
  server
    .command('snapshot')
    .summary('save all that a local server stores')
    .description(
      'Saves policies, resources, violations, webhooks and what waits for them, at one moment, in a file that only ' +
        'you can read. API keys, clients, tokens and the audit log are not in it; webhook secrets are, sealed.',
    )
    .argument('<file>')
    .action(act(() => import('./stored-data.ts').then((m) => m.takeSnapshot)));
  server
    .command('reset')
    .summary('empty a local server')
    .description(
      'Removes all that a local server stores, the audit log too, but for keys, clients and tokens; clears faults and ' +
        'the request log, and puts the clock back.',
    )
    .option('-y, --yes', 'skip the prompt')
    .option('--auto-approve', 'same as --yes')
    .action(act(() => import('./stored-data.ts').then((m) => m.resetServer)));
}

function registerClockCommands(server: GovctlCommand, act: Act): void {
  const clock = server
    .command('clock')
    .withOwnAction()
    .description('show or move the clock of a local server; it goes on from where it was put')
    .action(act(() => import('./clock.ts').then((m) => m.showClock)));
  clock
    .command('show')
    .description('show what time it is there')
    .action(act(() => import('./clock.ts').then((m) => m.showClock)));
  clock
    .command('set')
    .summary('set it')
    .description(
      'Sets the clock, forward or back, without what would have become due meanwhile being done at its own time.',
    )
    .argument('<time>', 'such as 2026-01-31T09:30:00Z')
    .action(act(() => import('./clock.ts').then((m) => m.setClock)));
  clock
    .command('advance')
    .summary('let time pass')
    .description(
      'Lets time pass at once: retries, expiries and other work that becomes due on the way are done in order, each ' +
        'at its own time. Ends with 8 where --timeout was up before.',
    )
    .argument('<duration>', 'such as 30s, 5m, 2h, 1d, 1w or PT2H; 0s only does what is due')
    .option('--timeout <seconds>', 'of real time, at most', '60')
    .action(act(() => import('./clock.ts').then((m) => m.advanceClock)));
  clock
    .command('reset')
    .description("put it back to the system's time")
    .action(act(() => import('./clock.ts').then((m) => m.resetClock)));
}

function registerFaultCommands(server: GovctlCommand, act: Act): void {
  const fault = server
    .command('fault')
    .description('have requests to a local server fail, be late or be cut off');
  fault
    .command('add')
    .summary('add a fault')
    .description(
      'Adds a fault for requests to a path, a template such as /v1/policies/:id or a pattern with *; by default for ' +
        'all. /v1/local and /healthz are never hit. Faults end with the server.',
    )
    .argument('[path]')
    .addOption(new Option('--method <method>').choices(['GET', 'HEAD', 'POST', 'PUT', 'DELETE']))
    .option('--status <code>', 'answer an error of this status')
    .option('--error <name>', 'and this name (default: what fits the status)')
    .option('--retry-after <seconds>', 'and say when to try again')
    .option('--delay <duration>', 'wait so long first, such as 500ms')
    .addOption(
      new Option(
        '--cut <where>',
        'cut the connection: before anything is done, before the answer, in the middle of it',
      ).choices([...cuts]),
    )
    .option('--count <n>', 'requests that it hits, or always', '1')
    .action(act(() => import('./fault.ts').then((m) => m.addFault)));
  fault
    .command('list')
    .description('list faults and how often each has hit')
    .action(act(() => import('./fault.ts').then((m) => m.listFaults)));
  fault
    .command('clear')
    .description('clear one fault, or all')
    .argument('[id]')
    .action(act(() => import('./fault.ts').then((m) => m.clearFaults)));
}
