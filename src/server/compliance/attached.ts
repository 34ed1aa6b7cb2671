import type { Reader } from '../store/store.ts';

/** Evidence that a person attached to a control, as long as it has not expired. */
export interface Attached {
  readonly evidence_id: string;
  /** ISO 8601. */
  readonly expires: string;
}

/** The evidence attached to the controls of a framework at a time, by `controlKey`. @param framework a `frameworkKey` */
export type AttachedEvidence = (
  reader: Reader,
  framework: string,
  now: number,
) => Promise<ReadonlyMap<string, Attached>>;
