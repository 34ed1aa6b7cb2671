import type { Option } from 'commander';
import { eventTypes } from '../../contract/events.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { HintedOption } from '../flags/hinted-option.ts';

/** A command of the tree, as the scripts need it. */
export interface CommandNode {
  /** Its words without "govctl", e.g. "policy list"; empty for govctl itself. */
  readonly path: string;
  readonly description: string;
  readonly children: readonly CommandNode[];
  readonly options: readonly OptionNode[];
  /** What its first argument may be, where that is known. */
  readonly choices: readonly string[];
}

export interface OptionNode {
  /** `-o`, `--output`. */
  readonly names: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

export const shellNames = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** Argument values by the command's path; commander keeps none for free arguments. */
const argumentChoices: Readonly<Record<string, readonly string[]>> = {
  completion: shellNames,
  'event trigger': eventTypes,
};

const outputOption = {
  names: ['-o', '--output'],
  description: 'output format',
  takesValue: true,
} as const;

const valuesOf = (option: Option): readonly string[] =>
  option instanceof HintedOption ? option.hints : (option.argChoices ?? []);

/** The tree from a command on. @param words its path */
export function describeCommand(command: GovctlCommand, words: readonly string[]): CommandNode {
  const path = words.join(' ');
  const { formats } = command;
  // All are made by GovctlCommand.createCommand.
  const children = command.commands as readonly GovctlCommand[];
  return {
    path,
    description: command.summary() || command.description(),
    children: children
      // commander marks hidden commands by a field without a type.
      .filter((child) => !(child as GovctlCommand & { _hidden?: boolean })._hidden)
      .map((child) => describeCommand(child, [...words, child.name()])),
    options: [
      ...command.options
        .filter(({ hidden }) => !hidden)
        .map((option) => ({
          names: [option.short, option.long].filter((name) => name !== undefined),
          description: option.description,
          takesValue: option.required || option.optional,
          choices: option.long === '--output' ? formats : valuesOf(option),
        })),
      // Declared once, for all; what it takes is each command's own.
      ...(command.parent && children.length === 0 && formats.length > 0
        ? [{ ...outputOption, choices: formats }]
        : []),
      { names: ['-h', '--help'], description: 'show help', takesValue: false, choices: [] },
    ],
    choices: argumentChoices[path] ?? [],
  };
}
