import { exitCodes, GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import type { Run } from '../context.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { configDir } from '../credentials/config-dir.ts';
import { isProfileName, readProfiles } from '../credentials/profiles.ts';
import { describeCommand, shellNames } from './command-tree.ts';
import { bashScript, fishScript, powershellScript, zshScript } from './scripts.ts';

export interface CompletionOptions {
  readonly args: readonly [string];
}

const scripts = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
} as const;

/** What the scripts ask for at Tab, as it changes: `govctl completion profiles`. */
const dynamicWord = 'profiles';

/** The command that prints the script for a shell, made of the tree it stands in itself. */
export function completionOf(program: GovctlCommand): Run<CompletionOptions> {
  return async ({ world, warn }, { args: [shell] }) => {
    if (shell === dynamicWord) {
      const { profiles } = await readProfiles(configDir(world.env), warn);
      await world.terminal.stdout.write(
        Object.keys(profiles)
          // A shell expands what it is offered, and a file edited by hand may hold any name.
          .filter(isProfileName)
          .map((name) => `${name}\n`)
          .join(''),
      );
      return exitCodes.ok;
    }
    const known = shellNames.find((one) => one === shell);
    if (known === undefined) {
      const nearest = nearestWord(shell, shellNames);
      throw new GovctlError('usage_error', `No completion for ${JSON.stringify(shell)}`, {
        hint: nearest ? `Did you mean ${nearest}?` : 'Use bash, zsh, fish or powershell.',
      });
    }
    await world.terminal.stdout.write(Buffer.from(scripts[known](describeCommand(program, []))));
    return exitCodes.ok;
  };
}
