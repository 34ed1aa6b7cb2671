/** The controls of a version of a framework. Their IDs are facts; nothing of the texts of its body is in here. */
export interface Catalogue {
  /** As the API calls it. */
  readonly id: string;
  /** As labels usually spell it. */
  readonly name: string;
  readonly version: string;
  /** IDs in their usual spelling, in the framework's order. */
  readonly controls: readonly string[];
  /** A line for each control: its ID, a blank, and what it is about, in our words. See titles.ts. */
  readonly titles: string;
}

/** `A.5.1`, `A.5.2` … of sections that number theirs from 1: `{'A.5': 37}`. */
export const numbered = (sections: Readonly<Record<string, number>>): string[] =>
  Object.entries(sections).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
  );
