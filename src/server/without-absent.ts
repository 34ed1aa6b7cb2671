/** What is null or undefined is left out. */
export const withoutAbsent = <T extends object>(fields: T): T =>
  // The same fields, but for those that are optional and have no value.
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as T;
