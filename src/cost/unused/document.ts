/** A resource as far as the rules read it. */
export interface Candidate {
  readonly id: string;
  readonly type: string;
  /** The provider's own document, where there is one. */
  readonly properties: Readonly<Record<string, unknown>>;
  readonly [attribute: string]: unknown;
}

/**
 * A part of a document. AWS Config writes names with either case of their first letter.
 * @returns undefined: it is not there
 */
export function read(document: unknown, ...path: readonly (string | number)[]): unknown {
  let value = document;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    const fields = value as Readonly<Record<string | number, unknown>>; // an object or a list
    const other = typeof part === 'string' ? otherCase(part) : part;
    value = Object.hasOwn(fields, part) ? fields[part] : Object.hasOwn(fields, other) ? fields[other] : undefined; // prettier-ignore
  }
  return value;
}

const otherCase = (name: string): string => {
  const [first = '', ...rest] = name;
  return (
    (first === first.toLowerCase() ? first.toUpperCase() : first.toLowerCase()) + rest.join('')
  );
};

export const textAt = (document: unknown, ...path: readonly (string | number)[]): string => {
  const value = read(document, ...path);
  return typeof value === 'string' ? value : '';
};

export const listAt = (document: unknown, ...path: readonly string[]): readonly unknown[] => {
  const value = read(document, ...path);
  return Array.isArray(value) ? value : [];
};

/** Whether the document says that there is none: an empty list, null or ''. What it does not mention is not known. */
export const saysNone = (document: unknown, name: string): boolean => {
  const value = read(document, name);
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
};

/** Whether there is something. */
export const hasAny = (document: unknown, ...path: readonly string[]): boolean => {
  const value = read(document, ...path);
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== ''; // prettier-ignore
};

/** A resource that its user describes, not a provider: what its attributes say is meant, and not a default. */
export const isDescribed = ({ properties, source }: Candidate): boolean =>
  Object.keys(properties).length === 0 && source === undefined;

/** A time as ISO 8601 with milliseconds; undefined: it is none. */
export function timeOf(text: string): string | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
