import type { Command } from 'commander';

/** What `--help` prints, with the exit codes and examples after the options. */
export function helpOf(command: Command, columns: number): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => void (text += part),
    getOutHelpWidth: () => columns,
  });
  command.outputHelp();
  return text;
}
