/** A JSON object of an input. Its keys are anybody's: read them with `field`, which sees own ones only. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object that says something: exports that select nothing of an object, and services that may not read it, write an empty one. */
export const isFilled = (value: unknown): value is Fields =>
  isFields(value) && Object.keys(value).length > 0;

/** An own attribute of an object; undefined for anything else. */
export const field = (value: unknown, name: string): unknown =>
  isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** An object, or an empty one. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** A list, or an empty one. */
export const itemsOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : [];

/** A text that says something. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
