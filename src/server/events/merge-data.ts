type Data = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is given, over what is there: objects within each other, all else is replaced. */
export const mergeData = (under: Data, given: Data): Data =>
  // Entries make a key like `__proto__` a plain one.
  Object.fromEntries([
    ...Object.entries(under),
    ...Object.entries(given).map(([key, value]) => {
      const below = Object.hasOwn(under, key) ? under[key] : undefined;
      return [key, isObject(value) && isObject(below) ? mergeData(below, value) : value];
    }),
  ]);
