import type { ErrorDetail, ExitCode } from '../../contract/errors.ts';
import { GovctlError, errorCatalogue } from '../../contract/errors.ts';
import { harmlessText } from './harmless.ts';
import { printable, printableLine } from './printable.ts';
import type { Style } from './terminal.ts';
import { wrapWords } from './wrap-words.ts';

/**
 * A failure as the CLI says it: what, where and why, what to do next. The stack only with -v.
 * @param columns where lines are broken; Infinity in a pipe
 */
export function describeError(
  error: unknown,
  style: Style,
  verbose: boolean,
  columns = Infinity,
): { text: string; exitCode: ExitCode } {
  const known = asGovctlError(error);
  // A server's words are among them, and those must not act on the terminal.
  const lines = [`${style.red('error:')} ${printable(known.message)}`];
  for (const { field, message } of known.details.filter(isNews(known))) {
    lines.push(`  ${style.bold(printableLine(field))}: ${indent(printable(message))}`);
  }
  if (known.hint) lines.push(`  ${style.cyan('→')} ${printable(known.hint)}`);
  const place = [known.code, known.requestId && `request ${printableLine(known.requestId)}`]
    .filter(Boolean)
    .join(', ');
  if (place) lines.push(style.dim(`  (${place})`));
  if (verbose) lines.push(style.dim(printable(stackOf(error))));
  return {
    text: harmlessText(wrapWords(`${lines.join('\n')}\n`, columns), style.level > 0),
    exitCode: known.exitCode,
  };
}

function asGovctlError(error: unknown): GovctlError {
  if (error instanceof GovctlError) return error;
  // @inquirer/prompts throws this at Ctrl-C.
  if (
    error instanceof Error &&
    (error.name === 'ExitPromptError' || error.name === 'AbortPromptError')
  ) {
    return new GovctlError('interrupted', 'Interrupted; nothing was changed');
  }
  const message = error instanceof Error ? error.message : String(error);
  return new GovctlError('internal_error', `${errorCatalogue.internal_error.title}: ${message}`, {
    hint: 'This is a bug in govctl. Run the command again with -v and report the output.',
    cause: error,
  });
}

/** A message often ends with its first detail, which the details of the API hold, too: it is said once. */
const isNews =
  ({ message: said, details }: GovctlError) =>
  ({ field, message }: ErrorDetail): boolean =>
    !said.includes(` ${field || 'it'} ${message}`) &&
    !(details.length === 1 && said.toLowerCase().endsWith(message.toLowerCase()));

const indent = (message: string): string => message.replaceAll('\n', '\n    ');

function stackOf(error: unknown): string {
  const stacks: string[] = [];
  for (let at = error; at instanceof Error && stacks.length < 5; at = at.cause)
    stacks.push(at.stack ?? at.message);
  return stacks.join('\ncaused by: ');
}
