import { Help, Option } from 'commander';
import type { Command, HelpConfiguration } from 'commander';
import { GovctlCommand, commonFormats } from './flags/govctl-command.ts';
import { wrapWords } from './terminal/wrap-words.ts';

/**
 * How `--help` looks, for every command: the default group first, then the groups that a command declares with
 * `.optionsGroup(…)`, then the global options; values and defaults without quotes; no line wider than the terminal.
 */
export const helpSettings: HelpConfiguration = {
  showGlobalOptions: true,
  minWidthToWrap: 20,
  visibleOptions,
  visibleGlobalOptions,
  commandDescription,
  optionDescription,
  groupItems,
  formatHelp,
  padWidth,
  formatItem,
  boxWrap: (text, width) => wrapWords(text, width, 0),
};

export const describeFormats = (formats: readonly string[]): string =>
  `output format: ${formats.join(', ')}; FORMAT=FILE writes a file (repeatable; default: table)`;

/** `--help` is a global option, but commander adds it to each command. */
const isOwn = (command: Command, option: Option): boolean =>
  command.parent === null || command.options.includes(option);

function visibleOptions(this: Help, command: Command): Option[] {
  const options = Help.prototype.visibleOptions.call(this, command);
  return options.filter((option) => isOwn(command, option));
}

/** The options of every command; `-o` with the formats of this command. */
function visibleGlobalOptions(this: Help, command: Command): Option[] {
  const formats = command instanceof GovctlCommand ? command.formats : commonFormats;
  const parents = function* (one: Command | null): Generator<Command> {
    for (let at = one; at; at = at.parent) yield at;
  };
  const refused = [...parents(command.parent)].flatMap((one) =>
    one instanceof GovctlCommand && one.hasOwnAction ? one.options : [],
  );
  const inherited = Help.prototype.visibleGlobalOptions.call(this, command).flatMap((option) => {
    if (refused.includes(option)) return [];
    if (option.long !== '--output') return [option];
    return formats.length > 0 ? [new Option(option.flags, describeFormats(formats))] : [];
  });
  const help = Help.prototype.visibleOptions
    .call(this, command)
    .filter((option) => !isOwn(command, option));
  return [...help, ...inherited];
}

/** A short description is declared once, for lists of commands, where it is no sentence. */
function commandDescription(this: Help, command: Command): string {
  const text = command.description();
  if (text === '') return text;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

function optionDescription(this: Help, option: Option): string {
  const { description, argChoices, mandatory } = option;
  const fallback = defaultOf(option);
  return [
    argChoices && !argChoices.every((choice) => description.includes(choice))
      ? `${description}: ${argChoices.join(', ')}`
      : description,
    ...(mandatory ? ['(required)'] : []),
    ...(fallback === undefined ? [] : [`(default: ${fallback})`]),
  ]
    .join(' ')
    .replaceAll(') (', '; ');
}

/** Flags and lists start as false and empty, which needs no words. */
const defaultOf = ({ defaultValue, defaultValueDescription }: Option): string | undefined =>
  defaultValueDescription ?? (typeof defaultValue === 'string' ? defaultValue : undefined);

const defaultGroup = 'Options:';
/** As commander names it. */
export const globalGroup = 'Global Options:';

/** Shared options come with their groups, so what a command adds after them must still be shown first. */
function groupItems<T extends Command | Option>(
  unsorted: T[],
  visible: T[],
  groupOf: (item: T) => string,
): Map<string, T[]> {
  // A method of a class keeps its type parameter, unlike one that is called with another `this`.
  const groups = [...new Help().groupItems(unsorted, visible, groupOf)];
  return new Map([
    ...groups.filter(([title]) => title === defaultGroup),
    ...groups.filter(([title]) => title !== defaultGroup),
  ]);
}

/** Commands and options of a command come before the options that every command has. */
function formatHelp(this: Help, command: Command, helper: Help): string {
  const sections = Help.prototype.formatHelp.call(this, command, helper).trimEnd().split('\n\n');
  const isGlobal = (section: string): boolean => section.startsWith(globalGroup);
  return `${[...sections.filter((one) => !isGlobal(one)), ...sections.filter(isGlobal)].join('\n\n')}\n`;
}

/** Descriptions keep more than half of the line. */
function padWidth(this: Help, command: Command, helper: Help): number {
  const widest = Help.prototype.padWidth.call(this, command, helper);
  return Math.min(widest, Math.floor((helper.helpWidth ?? 80) * 0.4));
}

/** A long option has a line of its own. */
function formatItem(
  this: Help,
  term: string,
  width: number,
  description: string,
  helper: Help,
): string {
  const format = (start: string): string =>
    Help.prototype.formatItem.call(this, start, width, description, helper);
  return helper.displayWidth(term) > width && description !== ''
    ? `  ${term}\n${format('')}`
    : format(term);
}
