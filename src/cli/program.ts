import { CommanderError, Option } from 'commander';
import type { Command } from 'commander';
import type { ExitCode } from '../contract/errors.ts';
import { exitCodes } from '../contract/errors.ts';
import { nearestWord } from '../contract/nearest.ts';
import type { Act } from './act.ts';
import type { GlobalFlags, World } from './context.ts';
import { createContext } from './context.ts';
import { GovctlCommand, commonFormats } from './flags/govctl-command.ts';
import { placeToWrite } from './flags/place-to-write.ts';
import { describeFormats, globalGroup, helpSettings } from './help.ts';
import { harmlessText } from './terminal/harmless.ts';
import { wrapWords } from './terminal/wrap-words.ts';
import { parseOutputs } from './terminal/output.ts';
import { registerAuthCommands } from './auth/commands.ts';
import { registerCheckCommand } from './check/commands.ts';
import { registerTestCommand } from './test/commands.ts';
import { registerDemoCommand } from './demo/commands.ts';
import { registerPlanCommands } from './plan/commands.ts';
import { registerPolicyCommands } from './policy/commands.ts';
import { registerProjectCommands } from './project/commands.ts';
import { registerEvidenceCommands } from './evidence/commands.ts';
import { registerFrameworkCommands } from './framework/commands.ts';
import { registerExemptionCommands } from './exemption/commands.ts';
import { registerBudgetCommands } from './budget/commands.ts';
import { registerResourceCommands } from './resource/commands.ts';
import { registerScanCommands } from './scan/commands.ts';
import { registerEvaluationCommands } from './evaluation/commands.ts';
import { registerViolationCommands } from './violation/commands.ts';
import { registerCostCommands } from './cost/commands.ts';
import { registerOverviewCommand } from './overview/commands.ts';
import { registerPredictCommands } from './predict/commands.ts';
import { registerRemediateCommands } from './remediate/commands.ts';
import { registerEventCommands } from './event/commands.ts';
import { registerReportCommands } from './report/commands.ts';
import { registerScheduleCommands } from './schedule/commands.ts';
import { registerWebhookCommands } from './webhook/commands.ts';
import { registerServerCommand } from './server/commands.ts';
import { registerApiCommand } from './api/commands.ts';
import { registerAuditCommands } from './audit/commands.ts';
import { registerApiKeyCommands } from './api-key/commands.ts';
import { registerClientCommands } from './client/commands.ts';
import { registerRoleCommands } from './role/commands.ts';
import { registerTrustCommands } from './trust/commands.ts';
import { registerUserCommands } from './user/commands.ts';
import { registerDoctorCommand } from './doctor/commands.ts';
import { registerCompletionCommand } from './completion/commands.ts';
import { sealPassedOn } from './flags/seal-passed-on.ts';

/**
 * Runs one command line and resolves with its exit code.
 * @throws whatever the command throws; the caller maps errors to exit codes
 */
export async function runProgram(
  argv: readonly string[],
  world: World,
  version: string,
): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok;
  const runAnother = (words: readonly string[], where: World) => runProgram(words, where, version);
  const act: Act =
    (load) =>
    async (...parameters) => {
      // commander hands the command itself as the last parameter.
      const command = parameters.at(-1) as GovctlCommand;
      const flags = readGlobalFlags(command, world);
      const run = await load();
      // Options are named by the command that declares them; its run function types them.
      const options = { ...command.opts(), args: command.processedArgs } as Parameters<
        typeof run
      >[1];
      const context = createContext({
        world,
        flags,
        version,
        run: runAnother,
        connect: (own) => import('./objects/connect.ts').then((m) => m.connectToOwn(own)),
      });
      exitCode = await run(context, options);
    };
  const writes: Promise<void>[] = [];
  const program = createProgram(act, world, version, writes);
  try {
    if (argv.length === 0) {
      await world.terminal.stdout.write(program.helpInformation());
      return exitCodes.ok;
    }
    refuseUnknownCommands(program, argv);
    await program.parseAsync(sealPassedOn(program, argv), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    await Promise.all(writes);
    // commander has said what was wrong; help and version end here too, with 0.
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
  return exitCode;
}

/**
 * The command tree, without running anything; completion and the CLI reference walk it.
 * @param writes gets what commander writes by itself, to be waited for
 */
export function createProgram(
  act: Act,
  world: World,
  version: string,
  writes: Promise<void>[] = [],
): GovctlCommand {
  const program = new GovctlCommand('govctl')
    .description(
      'Governance as code: keep policies in git, check infrastructure against them, and apply them to a service.',
    )
    .optionsGroup(globalGroup)
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .addOption(
      new Option('-o, --output <format>', describeFormats(commonFormats)).argParser(
        (value: string, previous: string[] | undefined) => [...(previous ?? []), value],
      ),
    )
    .option(
      '--base-url <url>',
      'URL of the service (default: GOVCTL_BASE_URL, govctl.yaml, or the profile)',
    )
    .option(
      '--profile <name>',
      'login profile to use (default: GOVCTL_PROFILE, or the current profile)',
    )
    .option(
      '--trust-repo-url',
      'allow sending credentials to the service named in govctl.yaml or a plan file',
    )
    .option('--allow-outside', 'follow symbolic links and paths that lead outside the repo')
    .option('--no-input', 'never prompt; fail if input is required')
    .option('-q, --quiet', 'print only results, warnings and errors')
    .option('-v, --verbose', 'print requests and the stack traces of errors')
    .option('--no-color', 'disable colors (or set NO_COLOR)')
    .showHelpAfterError('(run it with --help to see its usage)')
    .showSuggestionAfterError(true)
    .configureHelp(helpSettings)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void writes.push(world.terminal.stdout.write(harmlessText(text, false))),
      writeErr: (text) => {
        const { stderr, stderrIsTty, columns } = world.terminal;
        const safe = harmlessText(text, false);
        writes.push(stderr.write(stderrIsTty ? wrapWords(safe, columns) : safe));
      },
      getOutHelpWidth: () => world.terminal.columns,
      getErrHelpWidth: () => world.terminal.columns,
    });
  program.commandsGroup('Policies in git:');
  registerProjectCommands(program, act);
  registerCheckCommand(program, act);
  registerTestCommand(program, act);
  registerPlanCommands(program, act);
  program.commandsGroup('Compliance:');
  registerPolicyCommands(program, act);
  registerOverviewCommand(program, act);
  registerResourceCommands(program, act);
  registerScanCommands(program, act);
  registerViolationCommands(program, act);
  registerEvaluationCommands(program, act);
  registerPredictCommands(program, act);
  registerRemediateCommands(program, act);
  registerExemptionCommands(program, act);
  registerFrameworkCommands(program, act);
  program.commandsGroup('Costs:');
  registerCostCommands(program, act);
  registerBudgetCommands(program, act);
  program.commandsGroup('Reports and events:');
  registerReportCommands(program, act);
  registerScheduleCommands(program, act);
  registerEvidenceCommands(program, act);
  registerWebhookCommands(program, act);
  registerEventCommands(program, act);
  program.commandsGroup('Access:');
  registerAuthCommands(program, act);
  registerUserCommands(program, act);
  registerRoleCommands(program, act);
  registerTrustCommands(program, act);
  registerApiKeyCommands(program, act);
  registerClientCommands(program, act);
  registerAuditCommands(program, act);
  program.commandsGroup('Server and tools:');
  registerServerCommand(program, act);
  registerApiCommand(program, act);
  registerDoctorCommand(program, act);
  registerCompletionCommand(program, act);
  registerDemoCommand(program, act);
  program
    .command('version')
    .summary('print the version')
    .description('Print the version, same as --version.')
    .noFormats()
    .action(act(() => import('./version.ts').then((m) => m.runVersion)));
  describeHelpCommand(program);
  for (const command of program.commands) inheritSettings(command, program);
  return program;
}

/**
 * Help is shown for what there is: commander shows the help of the nearest command above, with 0, for
 * `help policy nonsense` and `policy nonsense --help`.
 */
function refuseUnknownCommands(program: GovctlCommand, argv: readonly string[]): void {
  const isHelp = (word: string): boolean => word === 'help' || word === '--help' || word === '-h';
  if (!argv.some(isHelp)) return;
  let command: Command = program;
  for (const word of argv) {
    if (word === 'help') continue;
    // After an option, a word may be its value.
    if (word.startsWith('-') || command.commands.length === 0) return;
    const next = command.commands.find(
      (one) => one.name() === word || one.aliases().includes(word),
    );
    if (next) command = next;
    else if (command.registeredArguments.length > 0) return;
    else command.error(unknownCommand(command, word), { code: 'commander.unknownCommand' });
  }
}

function unknownCommand(command: Command, word: string): string {
  const names = command.commands.map((one) => one.name());
  const nearest = nearestWord(word, names);
  return `error: unknown command '${word}'${nearest === undefined ? '' : `\n(Did you mean ${nearest}?)`}`;
}

function inheritSettings(command: Command, parent: Command): void {
  command
    .copyInheritedSettings(parent)
    .helpOption('-h, --help', 'show help')
    // It says by itself what was a subcommand misspelt.
    .allowExcessArguments(command instanceof GovctlCommand && command.hasOwnAction);
  describeHelpCommand(command);
  for (const child of command.commands) inheritSettings(child, command);
}

/** commander lists a `help` command where there are others. */
function describeHelpCommand(command: Command): void {
  const hasOwnAction = command instanceof GovctlCommand && command.hasOwnAction;
  if (command.commands.length === 0 || hasOwnAction) return;
  command.helpCommand('help [command]', 'show help for a command');
}

function readGlobalFlags(command: GovctlCommand, world: World): GlobalFlags {
  const given = command.optsWithGlobals<{
    output?: string[];
    baseUrl?: string;
    profile?: string;
    trustRepoUrl?: boolean;
    allowOutside?: boolean;
    quiet?: boolean;
    verbose?: boolean;
    input: boolean;
    color: boolean;
  }>();
  const profile = given.profile ?? world.env.GOVCTL_PROFILE;
  const baseUrl = given.baseUrl ?? world.env.GOVCTL_BASE_URL;
  const inCi = world.env.CI !== undefined && world.env.CI !== '' && world.env.CI !== 'false';
  const allowOutside = given.allowOutside ?? false;
  const output = parseOutputs(given.output ?? [], command.formats, (file) =>
    placeToWrite({ cwd: world.cwd, allowOutside }, file),
  );
  return {
    output,
    ...(baseUrl ? { baseUrl } : {}),
    ...(profile ? { profile } : {}),
    trustRepoUrl: given.trustRepoUrl ?? false,
    allowOutside,
    quiet: given.quiet ?? false,
    verbose: given.verbose ?? false,
    input: given.input && world.terminal.stdinIsTty && world.terminal.stderrIsTty && !inCi,
    colour: given.color,
  };
}
