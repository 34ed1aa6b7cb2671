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

  /** Prints no data: `-o` has no meaning. */
  noFormats(): this {
    this.formats = [];
    return this;
  }
}
