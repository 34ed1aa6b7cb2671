import { Command } from 'commander';
import type { AddHelpTextContext, AddHelpTextPosition, ErrorOptions } from 'commander';
import { nearestWord } from '../../contract/nearest.ts';
import { fillLines } from '../terminal/wrap-words.ts';

/** Formats of everything that prints data; a command may add its own, or print no data. */
export const commonFormats: readonly string[] = ['table', 'json', 'yaml', 'ndjson'];

/** A command that knows which formats its `-o` takes: help, completion and the check of `-o` all ask it. */
export class GovctlCommand extends Command {
  formats = commonFormats;
  /** Its options are its own: none that a subcommand inherits. */
  hasOwnAction = false;
  passesArgumentsOn = false;

  override createCommand(name?: string): GovctlCommand {
    return new GovctlCommand(name);
  }

  /** Lists the commands of a noun where no name is near: `show` is `get` elsewhere. */
  override error(message: string, options?: ErrorOptions): never {
    const isFar = options?.code === 'commander.unknownCommand' && !message.includes('Did you mean');
    return super.error(
      isFar && this.parent
        ? `${message}\n(commands of ${this.name()}: ${this.createHelp()
            .visibleCommands(this)
            .map((one) => one.name())
            .filter((name) => name !== 'help')
            .join(', ')})`
        : message,
      options,
    );
  }

  /** Fills paragraphs to the width of the help; indented lines, such as examples, stay as they are. */
  override addHelpText(
    position: AddHelpTextPosition,
    text: string | ((context: AddHelpTextContext) => string),
  ): this {
    return super.addHelpText(position, (context) => {
      const { getOutHelpWidth, getErrHelpWidth } = this.configureOutput();
      const columns = (context.error ? getErrHelpWidth : getOutHelpWidth)?.() ?? 80;
      return fillLines(typeof text === 'string' ? text : text(context), columns);
    });
  }

  /** Takes these formats beside the common ones. */
  alsoFormats(formats: readonly string[]): this {
    this.formats = [...commonFormats, ...formats];
    return this;
  }

  /**
   * Has subcommands beside an action of its own. Its options are read wherever they stand: those that a subcommand
   * has, too, are that one's, and others are none of its own.
   */
  withOwnAction(): this {
    this.hasOwnAction = true;
    // Without this, a misspelt subcommand would be one argument too many.
    this.hook('preAction', (own, acting) => {
      const [word] = own.args;
      if (acting !== own || word === undefined) return;
      const nearest = nearestWord(
        word,
        own.commands.map((one) => one.name()),
      );
      own.error(
        `error: unknown command '${word}'${nearest === undefined ? '' : `\n(Did you mean ${nearest}?)`}`,
      );
    });
    return this.hook('preSubcommand', (own, subcommand) => {
      for (const option of own.options) {
        const name = option.attributeName();
        if (own.getOptionValueSource(name) !== 'cli') continue;
        if (!subcommand.options.some((one) => one.attributeName() === name)) {
          const flag = option.long ?? option.flags;
          subcommand.error(
            `error: unknown option '${flag}': use it only with \`${own.parent?.name()} ${own.name()}\``,
          );
        }
        subcommand.setOptionValueWithSource(name, own.getOptionValue(name), 'cli');
      }
    });
  }

  /** Its arguments are another command line, of which govctl reads nothing. */
  passingArgumentsOn(): this {
    this.passesArgumentsOn = true;
    return this;
  }

  /** Prints no data: `-o` has no meaning. */
  noFormats(): this {
    this.formats = [];
    return this;
  }
}
