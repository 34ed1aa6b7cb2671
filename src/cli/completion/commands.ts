import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

export function registerCompletionCommand(program: GovctlCommand, act: Act): void {
  program
    .command('completion')
    .noFormats()
    .summary('print a shell completion script')
    .description('Print a shell completion script for govctl.')
    .addHelpText('after', completionHelp)
    .argument('<shell>', 'bash, zsh, fish or powershell')
    .action(act(() => import('./completion.ts').then((m) => m.completionOf(program))));
}

const completionHelp = `
Examples:
  $ govctl completion bash > ~/.local/share/bash-completion/completions/govctl
  $ govctl completion zsh > "\${fpath[1]}/_govctl"
  $ govctl completion fish > ~/.config/fish/completions/govctl.fish
  PS> govctl completion powershell >> $PROFILE`;
