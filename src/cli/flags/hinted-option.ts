import { Option } from 'commander';

/** An option whose values a shell offers at Tab, without restricting them: lists in one value, too many for the help. */
export class HintedOption extends Option {
  hints: readonly string[] = [];

  offering(hints: readonly string[]): this {
    this.hints = hints;
    return this;
  }
}
