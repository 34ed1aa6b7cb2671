/**
 * What work costs, in steps. Fixed, as verdicts depend on it: measured once, so that no step takes longer than some
 * 100 ns on a common machine. `docs/conditions.md` has the same table.
 */
export const prices = {
  /** One policy over one resource, whatever its rules are. */
  evaluation: 10,
  /** Parts of an expression that a step pays for; a macro pays for its body for each item. */
  partsOfStep: 4,
  /** A macro, beside its items. */
  macro: 1,
  /** An item of a list or map that is made, joined, compared or listed. */
  item: 1,
  /** Items of a list that `in` looks at for a step. */
  itemsOfStep: 4,
  /** A key of a map that is compared or looked up by a calculated key. */
  key: 2,
  /** An undefined answer and its message. */
  failure: 4,
  /** A calculation with an int or uint. */
  integer: 1,
  /** Characters of a step, where they are read at once: compared for equality, searched. */
  readCharacters: 64,
  /** Characters of a step, where each is looked at: compared by order, made, converted. */
  characters: 16,
  /** Characters of a step, where each may be changed on its own. */
  changedCharacters: 2,
  /** A function that makes a text or a list of one. */
  textFunction: 2,
  /** A conversion between types, beside the characters. */
  conversion: 4,
  /** Bytes that are no text. */
  badBytes: 200,
  /** A duration that is read from a text, beside one for each of its characters. */
  duration: 8,
  /** A field of a time. */
  timeField: 2,
  /** The same in a zone that has a name. */
  namedZone: 60,
  /** A name that is no zone. */
  unknownZone: 200,
  /** `cidr_contains`, beside one for each character. */
  network: 8,
  /** A clause of `format`, beside a third for each digit of its precision. */
  formatClause: 8,
  /** A key of a map that `format` sorts. */
  sortedKey: 10,
  /** Characters of a step that JavaScript's own engine looks at, times the pattern's length where it may start anywhere. */
  nativeCharacters: 32,
  /** A pattern that RE2 runs, beside its characters. */
  pattern: 2,
  /** Characters times parts of a pattern, of a step that RE2 takes. */
  partsOfPattern: 8,
  /** A part of a pattern that is made while the condition runs. */
  patternPart: 20,
} as const;
