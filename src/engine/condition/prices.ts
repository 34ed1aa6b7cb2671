/**
 * What each operation costs, in steps. The prices are fixed because verdicts depend on them. They were measured once, so
 * that a step takes at most about 100 ns on a common machine. `docs/conditions.md` contains the same table.
 */
export const prices = {
  /** One policy on one resource, whatever its rules. */
  evaluation: 10,
  /** Parts of an expression per step. A macro pays for its body once per item. */
  partsOfStep: 4,
  /** A macro, without its items. */
  macro: 1,
  /** An item of a list or map that is created, joined, compared or listed; an optional that is compared or looked into. */
  item: 1,
  /** A map literal, without its entries: most of it is memory. */
  map: 6,
  /** Items of a list that `in` compares per step. */
  itemsOfStep: 4,
  /** Items of a list per step that are only looked at: `size`, an index. Up to as many are free. */
  lookedAt: 32,
  /** An item of a macro with two variables, and an entry of a map that a macro creates. */
  pair: 3,
  /** A map key that is compared, or looked up with a computed key. */
  key: 2,
  /** A failure and its message. */
  failure: 4,
  /** An arithmetic operation on an int or uint. */
  integer: 1,
  /** Characters per step for reads of whole strings: equality, search. */
  readCharacters: 64,
  /** Characters per step where each character is processed: ordering, creation, conversion. */
  characters: 16,
  /** Characters per step where each character can be replaced. */
  changedCharacters: 2,
  /** A function that creates a string, or a list from a string. */
  textFunction: 2,
  /** A type conversion, without its characters. */
  conversion: 4,
  /** Bytes that are not valid UTF-8. */
  badBytes: 200,
  /** Parsing a duration, plus 1 per character. */
  duration: 8,
  /** A field of a time. */
  timeField: 2,
  /** A field of a time in a named time zone. */
  namedZone: 60,
  /** An unknown time zone name. */
  unknownZone: 200,
  /** `cidr_contains` and a range of `is_internet` or `is_private`, plus 1 per character. */
  network: 8,
  /** `allows_everybody`, without its texts. */
  statement: 8,
  /** A clause of `format`, plus a third per digit of its precision; twice for `%f` and `%e`, and 1 per digit of `%e`. */
  formatClause: 8,
  /** A key of a map that `format` sorts. */
  sortedKey: 10,
  /** Characters per step in JavaScript's own regex engine, times the pattern's length if a match can start anywhere. */
  nativeCharacters: 32,
  /** Running a pattern in RE2, without its characters. */
  pattern: 2,
  /** Characters times pattern parts per step in RE2. */
  partsOfPattern: 8,
  /** A part of a pattern that is compiled while the condition runs. */
  patternPart: 20,
} as const;
