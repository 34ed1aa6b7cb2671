declare const holds: unique symbol;
/** The JSON text of a T: serialised once, sent as it is. */
export type Json<T> = string & { readonly [holds]: T };

export const toJson = <T>(value: T): Json<T> => JSON.stringify(value) as Json<T>; // the brand says what was put in

const texts = new WeakMap<object, string>();

/** The JSON of a stored document, from `storedJson` where it has been there; keeps nothing. */
export const knownJson = (doc: object): string => texts.get(doc) ?? JSON.stringify(doc);

/** The JSON of a stored document, which never changes: serialised at its first reading only. */
export function storedJson<T extends object>(doc: T): Json<T> {
  const known = texts.get(doc);
  if (known !== undefined) return known as Json<T>; // put in under the same document
  const text = toJson(doc);
  texts.set(doc, text);
  return text;
}
