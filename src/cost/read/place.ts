/** In a text file; both from 1. */
export interface Place {
  readonly line: number;
  /** In characters. */
  readonly column: number;
}

/** A file that can't be read, with the place where that shows. */
export class ReadError extends Error {
  override readonly name = 'ReadError';
  constructor(
    message: string,
    readonly place?: Place,
  ) {
    super(message);
  }
}
