import { CommanderError, Help, Option } from 'commander';
import type { Command } from 'commander';
import type { ExitCode } from '../contract/errors.ts';
import { exitCodes } from '../contract/errors.ts';
import type { Act } from './act.ts';
import type { GlobalFlags, World } from './context.ts';
import { createContext } from './context.ts';
import { GovctlCommand, commonFormats } from './flags/govctl-command.ts';
import { placeToWrite } from './flags/place-to-write.ts';
import { harmlessText } from './terminal/harmless.ts';
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
    .description('Governance as code: policies in git, planned and applied to a running service.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .addOption(
      new Option('-o, --output <format>', describeFormats(commonFormats)).argParser(
        (value: string, previous: string[] | undefined) => [...(previous ?? []), value],
      ),
    )
    .option('--base-url <url>', 'the service (GOVCTL_BASE_URL)')
    .option('--profile <name>', 'the login profile to use (GOVCTL_PROFILE)')
    .option(
      '--trust-repo-url',
      'send credentials to the service that govctl.yaml or a plan file names',
    )
    .option('--allow-outside', 'follow links and paths that lead outside the repo')
    .option('--no-input', 'never ask; fail where an answer would be needed')
    .option('-q, --quiet', 'only results and errors')
    .option('-v, --verbose', 'show requests and, for an error, its stack trace')
    .option('--no-color', 'no colors (NO_COLOR)')
    .showHelpAfterError('(add --help to see how it is used)')
    .showSuggestionAfterError(true)
    .configureHelp({ showGlobalOptions: true, visibleGlobalOptions, minWidthToWrap: 24 })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void writes.push(world.terminal.stdout.write(harmlessText(text, false))),
      writeErr: (text) => void writes.push(world.terminal.stderr.write(harmlessText(text, false))),
      getOutHelpWidth: () => world.terminal.columns,
      getErrHelpWidth: () => world.terminal.columns,
    });
  registerProjectCommands(program, act);
  registerCheckCommand(program, act);
  registerTestCommand(program, act);
  registerPlanCommands(program, act);
  registerPolicyCommands(program, act);
  registerOverviewCommand(program, act);
  registerResourceCommands(program, act);
  registerScanCommands(program, act);
  registerViolationCommands(program, act);
  registerPredictCommands(program, act);
  registerBudgetCommands(program, act);
  registerRemediateCommands(program, act);
  registerCostCommands(program, act);
  registerExemptionCommands(program, act);
  registerFrameworkCommands(program, act);
  registerEvidenceCommands(program, act);
  registerReportCommands(program, act);
  registerScheduleCommands(program, act);
  registerWebhookCommands(program, act);
  registerEventCommands(program, act);
  registerAuthCommands(program, act);
  registerUserCommands(program, act);
  registerRoleCommands(program, act);
  registerTrustCommands(program, act);
  registerApiKeyCommands(program, act);
  registerClientCommands(program, act);
  registerAuditCommands(program, act);
  registerServerCommand(program, act);
  registerApiCommand(program, act);
  registerDoctorCommand(program, act);
  registerCompletionCommand(program, act);
  registerDemoCommand(program, act);
  program
    .command('version')
    .summary('print the version')
    .description('Prints the version, as --version does.')
    .noFormats()
    .action(act(() => import('./version.ts').then((m) => m.runVersion)));
  for (const command of program.commands) inheritSettings(command, program);
  return program;
}

const describeFormats = (formats: readonly string[]): string =>
  `${formats.join(', ')}; FORMAT=FILE writes a file; repeatable`;

/** What every command takes, with `-o` as the command at hand takes it. */
function visibleGlobalOptions(this: Help, command: Command): Option[] {
  const formats = command instanceof GovctlCommand ? command.formats : commonFormats;
  const parents = function* (one: Command | null): Generator<Command> {
    for (let at = one; at; at = at.parent) yield at;
  };
  const refused = [...parents(command.parent)].flatMap((one) =>
    one instanceof GovctlCommand && one.hasOwnAction ? one.options : [],
  );
  return Help.prototype.visibleGlobalOptions.call(this, command).flatMap((option) => {
    if (refused.includes(option)) return [];
    if (option.long !== '--output') return [option];
    return formats.length > 0 ? [new Option(option.flags, describeFormats(formats))] : [];
  });
}

function inheritSettings(command: Command, parent: Command): void {
  command
    .copyInheritedSettings(parent)
    .helpOption('-h, --help', 'show help')
    // It says by itself what was a subcommand misspelt.
    .allowExcessArguments(command instanceof GovctlCommand && command.hasOwnAction);
  for (const child of command.commands) inheritSettings(child, command);
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
