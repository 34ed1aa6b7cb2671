import { defined } from '../../contract/defined.ts';
/** The questions govctl asks, as a value; the real one is @inquirer/prompts on stderr, loaded at the first question. */
export interface Prompter {
  confirm(message: string, preset: boolean): Promise<boolean>;
  input(message: string, preset?: string): Promise<string>;
  /** Not echoed. */
  secret(message: string): Promise<string>;
  select<T extends string>(
    message: string,
    choices: readonly { name: string; value: T }[],
  ): Promise<T>;
}

export function terminalPrompter(signal: AbortSignal): Prompter {
  // Questions are talk: they go to stderr, so that `govctl plan -o json > file` can still ask.
  const where = { output: process.stderr, signal };
  const load = () => import('@inquirer/prompts');
  return {
    confirm: async (message, preset) => (await load()).confirm({ message, default: preset }, where),
    input: async (message, preset) =>
      (await load()).input({ message, ...defined({ default: preset }) }, where),
    secret: async (message) => (await load()).password({ message, mask: '*' }, where),
    select: async (message, choices) => (await load()).select({ message, choices }, where),
  };
}
