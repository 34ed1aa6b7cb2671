import type { Option } from 'commander';
import type { GovctlCommand } from './govctl-command.ts';

/**
 * Puts `--` before a command line that is handed on as it is, so that no word of it is read as ours: `server exec node
 * --version` is to run node. Behind an option that nobody knows, all is left out: it is refused, whatever comes after.
 */
export function sealPassedOn(program: GovctlCommand, argv: readonly string[]): string[] {
  let command = program;
  let known: readonly Option[] = program.options;
  let unknownAt: number | undefined;
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--') break;
    if (isOption(word)) {
      const values = valuesBehind(word, argv[at + 1], known);
      if (values === undefined) unknownAt ??= at;
      at += values ?? 0;
      continue;
    }
    if (command.passesArgumentsOn) {
      return unknownAt === undefined
        ? [...argv.slice(0, at), '--', ...argv.slice(at)]
        : argv.slice(0, unknownAt + 1);
    }
    // All are made by GovctlCommand.createCommand.
    const next = command.commands.find((one) => one.name() === word) as GovctlCommand | undefined;
    if (!next) break;
    command = next;
    known = [...known, ...next.options];
  }
  return [...argv];
}

const isOption = (word: string): boolean => word.length > 1 && word.startsWith('-');

/** How many of the next words are the value of this one, as commander reads it; undefined: nobody knows the option. */
function valuesBehind(
  word: string,
  next: string | undefined,
  known: readonly Option[],
): number | undefined {
  const isLong = word.startsWith('--');
  const name = isLong ? word.replace(/=.*$/s, '') : word.slice(0, 2);
  if (name === '--help' || name === '-h') return 0;
  const option = known.find((one) => one.short === name || one.long === name);
  if (!option) return undefined;
  if (word.length > name.length) {
    // `--name=value`, `-nvalue`, or several of one letter: `-qv`.
    const isGroup = !isLong && !option.required && !option.optional;
    return isGroup ? valuesBehind(`-${word.slice(2)}`, next, known) : 0;
  }
  if (option.required) return 1;
  return option.optional && next !== undefined && !isOption(next) ? 1 : 0;
}
