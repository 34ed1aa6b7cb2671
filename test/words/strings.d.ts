/** A text that users may see, with `{…}` where a template puts a value. */
export interface FoundString {
  /** Relative to the project. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** In the order of files and lines. */
export function listStrings(): FoundString[];
