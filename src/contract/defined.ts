/** Makes the fields of `Fields` that may be undefined optional, and removes undefined from their types. */
export type Defined<Fields> = {
  [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key];
} & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<
    Fields[Key],
    undefined
  >;
};

/** Omits undefined fields, to spread the rest into an object: `{ id, ...defined({ name, region }) }`. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  const kept: Partial<Fields> = {};
  for (const key in fields) {
    if (fields[key] !== undefined) kept[key] = fields[key];
  }
  return kept as unknown as Defined<Fields>; // without those that are undefined
}
