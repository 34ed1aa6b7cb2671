import { typeKey, unfitForJson } from '../../../contract/resources.ts';
import type { KnownResource } from '../../../contract/resources.ts';
import { readSentLine } from '../../http/bodies/read-sent-line.ts';
import { completeResource } from '../../resources/service.ts';
import type { CommandConfig } from '../../config/config.ts';
import { orderOf } from './order.ts';
import type { Begun, Result } from './order.ts';
import { runCommand } from './spawn.ts';
import type { Ended } from './spawn.ts';

/** Runs a command for an action. @throws the reason of `signal` where it was aborted */
export async function runFor(
  command: CommandConfig,
  begun: Begun,
  signal: AbortSignal,
): Promise<Result> {
  const ended = await runCommand(command, `${JSON.stringify(orderOf(begun))}\n`, signal);
  return resultOf(ended, command, begun.resource);
}

function resultOf(ended: Ended, { env }: CommandConfig, about: KnownResource): Result {
  const { exitCode, signal, notStarted, killed } = ended;
  if (notStarted !== undefined) {
    return { status: 'failed', why: `the command could not be started: ${notStarted}` };
  }
  const last_line = lastLineOf(ended.stderr, env);
  const outcome = {
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...(signal === undefined ? {} : { signal }),
    ...(last_line === '' ? {} : { last_line }),
  };
  if (killed === undefined && exitCode === 0) {
    const read = readOutput(ended.stdout, about);
    return 'ignored' in read
      ? { status: 'unverified', outcome: { ...outcome, ignored: read.ignored } }
      : { status: 'unverified', outcome, ...read };
  }
  const how =
    killed ??
    (signal === undefined ? `failed with exit code ${exitCode}` : `was stopped by ${signal}`);
  const said = last_line === '' ? '' : `: ${last_line}`;
  return { status: 'failed', why: `the command ${how}${said}`, outcome };
}

/** Nothing, or the resource as it is now. */
function readOutput(
  stdout: string | undefined,
  about: KnownResource,
): { readonly observed?: KnownResource } | { readonly ignored: string } {
  if (stdout === undefined) return { ignored: 'the output is larger than 1 MiB' };
  const text = stdout.trim();
  if (text === '') return {};
  const read = readSentLine(text);
  if (!read.ok) return { ignored: 'the output is not a JSON resource' };
  const { id, type } = read.resource;
  if (id !== about.id || typeKey(type) !== typeKey(about.type)) {
    return { ignored: 'the output is a different resource' };
  }
  if (unfitForJson(read.resource) !== undefined) {
    return { ignored: 'the output is not a JSON resource' };
  }
  return { observed: completeResource(read.resource) };
}

const longestLine = 500;
/** Variables whose values are not secret and appear in many messages. */
const harmless = /^(PATH|HOME|USER|LANG|LC_\w+|TZ|TMPDIR)$/;
/** Minimum length of a value that is redacted. */
const shortestSecret = 8;

/** The last line that says something, without the values of the command's variables. */
function lastLineOf(stderr: string, env: CommandConfig['env']): string {
  let line = stderr.trimEnd().split(/[\r\n]+/).at(-1)?.trim() ?? ''; // prettier-ignore
  for (const [name, value] of Object.entries(env)) {
    if (harmless.test(name)) continue;
    for (const secret of value.split(/[\r\n]+/)) {
      if (secret.length >= shortestSecret) line = line.replaceAll(secret, '[redacted]');
    }
  }
  return line.slice(0, longestLine);
}
