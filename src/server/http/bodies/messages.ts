import type { ErrorDetail, WireErrorName } from '../../../contract/errors.ts';
import type { LineRead } from '../../../inventory/formats/native/read-line.ts';
import type { Shell, Slice } from './hand-over.ts';

/** To a thread: a body to check, a line to read, or a request for the next slice of a body. */
export type ToThread =
  | {
      readonly noun: string;
      readonly verb: string;
      readonly bytes: Uint8Array;
      readonly type: string;
    }
  | { readonly line: string }
  | 'next';

/** From a thread. */
export type FromThread =
  | { readonly shell: Shell; readonly text: string }
  | { readonly slice: Slice }
  | { readonly refused: Refused }
  | { readonly line: LineRead };

/** A GovctlError, which structured cloning does not preserve. */
interface Refused {
  readonly error: WireErrorName;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}
