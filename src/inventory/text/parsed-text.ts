import type { DocumentPath, InputProblem } from '../model.ts';
import type { TextPlace } from './place.ts';

/** A text as plain values, and the way back to places in it. */
export interface ParsedText {
  /** One value; several YAML documents, or JSON lines, are a list. Nested at most `maxDepth` deep. */
  readonly document: unknown;
  /** The value is a list of the documents of several texts. */
  readonly isJoined?: true;
  /** What is wrong with the text, though it can be read. */
  readonly problems: readonly InputProblem[];
  /** Keys that stand twice in their map; looked for when asked, as it takes a pass over the text. */
  repeatedKeys(): readonly InputProblem[];
  /** Where each path leads, as far as the text goes; all in one pass. */
  locate(paths: readonly DocumentPath[]): TextPlace[];
}

export type TextParse =
  | { readonly ok: true; readonly parsed: ParsedText }
  | { readonly ok: false; readonly problem: InputProblem };
