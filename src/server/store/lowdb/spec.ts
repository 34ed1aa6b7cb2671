import type { CollectionSpec, Document, Scalar, Where } from '../store.ts';

export type Conditions = Readonly<Record<string, Where>>;

const own = <V>(record: Readonly<Record<string, V>> | undefined, name: string): V | undefined =>
  record && Object.hasOwn(record, name) ? record[name] : undefined;

export const undeclared = (kind: string, spec: { name: string }, name: string): Error =>
  new Error(`collection ${spec.name} declares no ${kind} "${name}"`);

/** How a collection reads the values of an index from a document. */
export const indexOf = (
  spec: CollectionSpec<Document>,
  name: string,
): ((doc: Document) => string | readonly string[] | undefined) => {
  const read = own(spec.index, name);
  if (!read) throw undeclared('index', spec, name);
  return read;
};

export const valuesOf = (value: string | readonly string[] | undefined): readonly string[] => {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
};

/** How a collection reads the sort value of a document. */
export const orderOf = (
  spec: CollectionSpec<Document>,
  name: string,
): ((doc: Document) => Scalar | undefined) => {
  const read = own(spec.order, name);
  if (!read) throw undeclared('order', spec, name);
  return read;
};

/** The unique values of a document as [index, value]. */
export const uniqueValuesOf = (
  spec: CollectionSpec<Document>,
  doc: Document,
): [index: string, value: string][] => {
  const values: [string, string][] = [];
  for (const index in spec.unique) {
    const value = spec.unique[index]?.(doc);
    if (value !== undefined) values.push([index, value]);
  }
  return values;
};

/** Whether one document fulfils all conditions. */
export const matches = (
  spec: CollectionSpec<Document>,
  doc: Document,
  where: Conditions | undefined,
): boolean =>
  Object.entries(where ?? {}).every(([index, condition]) => {
    const values = valuesOf(indexOf(spec, index)(doc));
    return 'all' in condition
      ? condition.all.every((value) => values.includes(value))
      : condition.any.some((value) => values.includes(value));
  });
