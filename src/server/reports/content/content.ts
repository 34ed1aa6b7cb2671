import type { Section } from '../../render/model.ts';
import type { Facts } from './facts.ts';
import type { Wants } from './gather/gather.ts';

/** What a type of report wants to know, and what it makes of it. */
export interface Content {
  readonly wants: (include: { readonly details: boolean }) => Wants;
  /** Pure: the same facts make the same sections. */
  readonly sections: (facts: Facts) => readonly Section[];
  /** The table that a CSV file is of, with details and without. */
  readonly mainTable: { readonly detailed: string; readonly brief: string };
}
