import type { Section } from '../model.ts';
import type { Facts, Replayed, ViolationRow } from './facts.ts';
import type { Scope } from './scope.ts';

/** What a type of report wants beside what all of them tell: rows that are very many. */
export interface Wants {
  /** The violations that it lists, by the key that they are ordered by. */
  readonly violations?: {
    readonly keyOf: (row: ViolationRow, replayed: Replayed, scope: Scope) => string | undefined;
    /** Orders the keys once all is counted; absent: by code unit. */
    readonly compare?: (facts: Facts) => (a: string, b: string) => number;
  };
  readonly evaluations?: true;
  readonly undecided?: true;
  readonly steps?: true;
  readonly audit?: true;
  readonly predictions?: true;
  readonly remediations?: true;
  readonly costAtRisk?: true;
  readonly costOverTime?: true;
}

/** What a type of report wants to know, and what it makes of it. */
export interface Content {
  readonly wants: (include: { readonly details: boolean; readonly cost: boolean }) => Wants;
  /** Pure: the same facts make the same sections. */
  readonly sections: (facts: Facts) => readonly Section[];
  /** The table that a CSV file is of, with details and without. */
  readonly mainTable: { readonly detailed: string; readonly brief: string };
}
