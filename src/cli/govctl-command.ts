import { Command } from 'commander';

/** Formats of everything that prints data; a command may add its own, or print no data. */
export const commonFormats: readonly string[] = ['table', 'json', 'yaml', 'ndjson'];

/** A command that knows which formats its `-o` takes: help, completion and the check of `-o` all ask it. */
export class GovctlCommand extends Command {
  formats = commonFormats;

  override createCommand(name?: string): GovctlCommand {
    return new GovctlCommand(name);
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
    return this.hook('preSubcommand', (own, subcommand) => {
      for (const option of own.options) {
        const name = option.attributeName();
        if (own.getOptionValueSource(name) !== 'cli') continue;
        if (!subcommand.options.some((one) => one.attributeName() === name)) {
          subcommand.error(`error: unknown option '${option.long ?? option.flags}'`);
        }
        subcommand.setOptionValueWithSource(name, own.getOptionValue(name), 'cli');
      }
    });
  }

  /** Prints no data: `-o` has no meaning. */
  noFormats(): this {
    this.formats = [];
    return this;
  }
}
