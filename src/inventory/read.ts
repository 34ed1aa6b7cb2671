import type { DocumentPath, Format, InputProblem, ReadOptions, ReadResource } from './model.ts';

/** What an input holds. */
export interface Inventory {
  readonly format: Format;
  readonly resources: readonly ReadResource[];
  /** Parts that could not be used; the rest was. */
  readonly problems: readonly InputProblem[];
  /** Line and column of something in the text, from 1; found when asked for, as only findings need it. */
  locate(at: DocumentPath): { readonly line: number; readonly column: number } | undefined;
}

export type InventoryRead =
  | { readonly ok: true; readonly inventory: Inventory }
  | { readonly ok: false; readonly problem: InputProblem };

/**
 * Reads the resources of one input: parses it (JSON or YAML), tells its format, resolves what a template leaves to its
 * parameters, and fills in the well-known attributes. Total: what can't be read is a problem with a place.
 */
export function readInventory(text: string, options: ReadOptions = {}): InventoryRead {
  throw new Error(`in work: ${text.length} ${String(options.format)}`);
}
