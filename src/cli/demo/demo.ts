import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Context, Run, World } from '../context.ts';
import type { RunningServer } from '../server/launcher.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { parsePort } from '../server/port.ts';

interface DemoOptions {
  readonly keep?: boolean;
  readonly port: string;
  /** Of the report; default: a temporary folder that stays. */
  readonly out?: string;
}

const template = 'infrastructure/web-shop.template';
const reportWords = ['report', 'create', 'web-shop', '--type', 'compliance'];

/** The policy that "somebody" edits in the console, and how. */
const handEdit = { policy: 'aws-s3-block-public-access', setting: 'severity=LOW' };

/** The day on which the made-up cost is looked at: two days after its last. */
const costDay = '2026-11-27T08:00:00Z';

/** A policy with a patch. */
const handFix = 'aws-rds-instance-backups';

export const runDemo: Run<DemoOptions> = async (context, { keep = false, port, out }) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'govctl-demo-'));
  const reports =
    out === undefined
      ? await mkdtemp(path.join(tmpdir(), 'govctl-demo-report-'))
      : path.resolve(context.world.cwd, out);
  const server = await context.world.launchServer({
    host: '127.0.0.1',
    port: parsePort(port),
    dataDir: path.join(folder, 'data'),
    store: 'lowdb',
    allowTargets: [],
    rateLimit: 'report',
    metrics: true,
    logLevel: 'silent',
  });
  try {
    await playDemo(context, server, folder, reports);
    await context.say(closing(context, server, { keep, reports }));
    if (keep) await untilInterrupted(context.world.signal);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return exitCodes.ok;
};

async function playDemo(
  context: Context,
  server: RunningServer,
  folder: string,
  reports: string,
): Promise<void> {
  const play = createPlayer(context, server, folder);
  await play.title(
    'A governance service, a library of policies, and git as the source of truth.',
    `The service runs in this process at ${server.baseUrl}; its data is in ${folder}.`,
  );
  await play.step('What would change? Nothing is written yet.', ['plan'], { head: 9 });
  await play.step('Apply the files to the service.', ['apply', '--auto-approve'], {
    head: 1,
    tail: 5,
  });
  await play.step('A second plan is empty: the service matches the files.', ['plan'], { head: 5 });
  await play.step(
    'Now someone edits a policy manually, outside git.',
    ['policy', 'update', handEdit.policy, '--set', handEdit.setting],
    { head: 8 },
  );
  await play.step(
    '`drift` compares the service with the last apply and shows the edit.',
    ['drift'],
    {
      head: 20,
      expect: exitCodes.verdict,
    },
  );
  await play.step('Applying again restores the policy.', ['apply', '--auto-approve'], { head: 20 });
  await play.step(
    'Check a template before it is deployed. Checks work offline.',
    ['check', template, '--fail-on', 'HIGH'],
    { head: 8, tail: 4, expect: exitCodes.verdict },
  );
  await play.step(
    'Fixes for the template are shown as a diff; --write changes the file.',
    ['check', template, '--fix', '--fail-on', 'HIGH'],
    { head: 0, tail: 32, expect: exitCodes.verdict },
  );
  await play.step(
    'What about deployed resources? The service evaluates an inventory on import.',
    ['resource', 'import', 'infrastructure/snapshot.json'],
    { head: 5 },
  );
  await play.step('Show the compliance of all resources.', ['overview'], { head: 9 });
  await play.step(
    'A failing resource is a violation until the resource is fixed or exempt.',
    ['violation', 'list', '--severity', 'CRITICAL'],
    { head: 10 },
  );
  await play.step(
    'A policy can define its remediation. Without --auto-approve, govctl shows the plan and asks for approval.',
    ['remediate', 'apply', '--policy', handFix, '--auto-approve'],
    { head: 8 },
  );
  await play.step(
    'The violation is resolved.',
    ['violation', 'list', '--policy', handFix, '--status', 'RESOLVED'],
    { head: 8 },
  );
  await play.step(
    'Share the results: a report as a web page and a PDF.',
    [...reportWords, '--format', 'html,pdf', '--out', reports],
    { head: 12 },
  );
  await playCost(play);
}

/** Two months of cost of the same resources, as ../../../policies-example/cost/make.js makes them up. */
async function playCost(play: ReturnType<typeof createPlayer>): Promise<void> {
  await play.goTo(costDay);
  await play.step(
    'What do these resources cost? Import a cost export; the clock is set to the last day of the export.',
    ['cost', 'import', 'cost/focus.csv'],
    { head: 6 },
  );
  await play.step('Compare this month with last month.', ['cost', 'summary'], {
    head: 9,
    tail: 1,
  });
  await play.step(
    'A budget tracks the cost and forecasts the rest of the month.',
    ['budget', 'create', '--name', 'shop', '--amount', '2000', '--currency', 'USD'],
    { head: 12 },
  );
  const anomalies = ['cost', 'anomalies'];
  await play.waitFor(anomalies, (text) => text.includes('Storage'));
  await play.step(
    'Cost anomalies are detected automatically. Webhooks receive events for anomalies and crossed thresholds.',
    anomalies,
    { head: 6 },
  );
  await play.step('What will the next 30 days cost?', ['cost', 'forecast', '--days', '30'], {
    head: 18,
    tail: 3,
  });
  await play.step(
    'How busy is the server? Import an export of its metrics.',
    ['cost', 'metrics', 'import', 'cost/utilization.ndjson'],
    { head: 4 },
  );
  await play.step('A server half the size is enough.', ['cost', 'rightsizing'], { head: 10 });
  await play.step('Why?', ['cost', 'rightsizing', 'get', 'i-0a1b2c3d4e5f60718'], { head: 14 });
  await play.step('These resources are unused.', ['cost', 'unused'], { head: 8 });
  await play.step('What do failing resources cost?', ['violation', 'summary', '--by', 'resource'], {
    head: 8,
  });
}

/** Milliseconds at most that the demo waits for work in the background. */
const waitedFor = 30_000;

interface StepOptions {
  /** So many lines of the output's beginning and end are shown; what stands between is counted. */
  readonly head: number;
  readonly tail?: number;
  readonly expect?: ExitCode;
}

function createPlayer(context: Context, server: RunningServer, folder: string) {
  const { terminal } = context.world;
  const { style } = context;
  let number = 0;
  /** Milliseconds. */
  let ahead = 0;
  return {
    async title(...lines: string[]): Promise<void> {
      await terminal.stdout.write(
        `\n${style.bold(lines[0] ?? '')}\n${lines.slice(1).join('\n')}\n`,
      );
    },
    /** Sets the clock of the service, and of the commands from now on. */
    async goTo(time: string): Promise<void> {
      const { world } = recordingWorld(context, server, folder, ahead);
      const code = await context.run(['server', 'clock', 'set', time], world);
      if (code !== exitCodes.ok) throw new GovctlError('internal_error', 'The clock was not set');
      ahead = Date.parse(time) - context.world.now();
    },
    /** Runs a command, unseen, until its output says that work in the background is done. */
    async waitFor(argv: readonly string[], isDone: (text: string) => boolean): Promise<void> {
      const until = performance.now() + waitedFor;
      for (;;) {
        const { world, shown } = recordingWorld(context, server, folder, ahead);
        await context.run(argv, world);
        if (isDone(shown()) || performance.now() > until) return;
        await sleep(100);
      }
    },
    async step(
      text: string,
      argv: readonly string[],
      { head, tail = 2, expect = exitCodes.ok }: StepOptions,
    ): Promise<void> {
      const typed = `govctl ${argv.join(' ')}`;
      await terminal.stdout.write(
        `\n${style.bold(`${++number}  ${text}`)}\n${style.dim('   $')} ${style.cyan(typed)}\n`,
      );
      const { world, shown } = recordingWorld(context, server, folder, ahead);
      const code = await context.run(argv, world);
      await terminal.stdout.write(`${indent(shorten(shown(), head, tail))}\n`);
      if (code !== expect) {
        throw new GovctlError(
          'internal_error',
          `\`${typed}\` exited with ${code} instead of ${expect}`,
        );
      }
    },
  };
}

/** The same terminal, but what is written is kept; its own login, and none of the user's settings. */
function recordingWorld(
  context: Context,
  server: RunningServer,
  folder: string,
  ahead: number,
): { world: World; shown: () => string } {
  const { world } = context;
  const written: string[] = [];
  const sink = { write: (text: string) => Promise.resolve(void written.push(text)) };
  const terminal: Terminal = {
    ...world.terminal,
    stdout: sink,
    stderr: sink,
    stderrIsTty: false,
    stdinIsTty: false,
  };
  const colour = context.style.level > 0 ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' };
  return {
    world: {
      ...world,
      now: () => world.now() + ahead,
      terminal: { ...terminal, columns: Math.max(60, world.terminal.columns - 3) },
      cwd: path.join(world.packageRoot, 'policies-example'),
      env: {
        ...colour,
        ...defined({
          PATH: world.env.PATH,
          LC_ALL: world.env.LC_ALL,
          LC_CTYPE: world.env.LC_CTYPE,
          LANG: world.env.LANG,
        }),
        GOVCTL_BASE_URL: server.baseUrl,
        ...(server.apiKey ? { GOVCTL_TOKEN: server.apiKey.key } : {}),
        GOVCTL_CONFIG_DIR: path.join(folder, 'config'),
        GOVCTL_KEYRING: 'off',
      },
      fetch: server.fetch,
    },
    shown: () => written.join(''),
  };
}

const indent = (text: string): string => text.replace(/^(?=.)/gm, '   ');

/** The first and last lines, with a word on how many stand between. */
function shorten(text: string, head: number, tail: number): string {
  const lines = text.replace(/\n+$/, '').split('\n');
  const between = lines.length - head - tail;
  if (between <= 1) return lines.join('\n');
  return [...lines.slice(0, head), `... ${between} more lines ...`, ...lines.slice(-tail)].join(
    '\n',
  );
}

function closing(
  context: Context,
  server: RunningServer,
  { keep, reports }: { readonly keep: boolean; readonly reports: string },
): string {
  const { talkStyle: style } = context;
  const command = (text: string): string => `  ${style.cyan(text)}`;
  const start = keep
    ? [
        `The service runs at ${server.baseUrl} until Ctrl-C. In another terminal:`,
        '',
        command(
          `export GOVCTL_BASE_URL=${server.baseUrl} GOVCTL_TOKEN=${server.apiKey?.key ?? ''}`,
        ),
        command('govctl policy list'),
        command(
          `govctl server clock reset   # the service's clock is at ${costDay.slice(0, 10)}, the last day of the cost data`,
        ),
      ]
    : [
        'Next steps:',
        '',
        command('govctl demo --keep          # run the demo and keep its service'),
      ];
  return [
    '',
    `The report is in ${reports}.`,
    '',
    ...start,
    command('govctl init my-policies     # your own repo: first policy, test, CI workflow'),
    command('govctl server               # a service with its data in .govctl/data'),
    command('govctl --help'),
  ].join('\n');
}

function untilInterrupted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  );
}
