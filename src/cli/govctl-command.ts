import { Command } from 'commander';

/** Formats of everything that prints data; a command may add its own, or print no data. */
export const commonFormats: readonly string[] = ['table', 'json', 'yaml', 'ndjson'];

/** A command that knows which formats its `-o` takes: help, completion and the check of `-o` all ask it. */
export class GovctlCommand extends Command {
  formats = commonFormats;
  private isFirstOperandCommand = false;

  override createCommand(name?: string): GovctlCommand {
    return new GovctlCommand(name);
  }

  /** Takes these formats beside the common ones. */
  alsoFormats(formats: readonly string[]): this {
    this.formats = [...commonFormats, ...formats];
    return this;
  }

  /** Has subcommands beside an action of its own: what stands behind the name of one is that one's alone. */
  withOwnAction(): this {
    this.isFirstOperandCommand = true;
    return this;
  }

  override copyInheritedSettings(source: Command): this {
    super.copyInheritedSettings(source);
    return this.isFirstOperandCommand ? this.enablePositionalOptions() : this;
  }

  /** Prints no data: `-o` has no meaning. */
  noFormats(): this {
    this.formats = [];
    return this;
  }
}
