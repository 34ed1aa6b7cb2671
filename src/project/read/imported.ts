import { GovctlError } from '../../contract/errors.ts';
import type { DefinedControl } from '../../contract/frameworks.ts';

/** What a file says of a framework. */
export interface Imported {
  readonly name?: string | undefined;
  readonly version?: string;
  /** In the order of the file; a parent comes from the file, so it may not be there. */
  readonly controls: readonly DefinedControl[];
  /** The lines of the controls, from a format that has a line for each. */
  readonly lines?: ReadonlyMap<DefinedControl, number>;
}

/** @param place the file, with line and column where they are known */
export const invalidInput = (place: string, why: string, hint?: string): GovctlError =>
  new GovctlError(
    'invalid_file',
    `${place} cannot be imported: ${why}`,
    hint === undefined ? {} : { hint },
  );
