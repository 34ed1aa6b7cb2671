/** A merge patch of a resource's attributes, such as `{versioning: {enabled: true}}`. */
export type Patch = Readonly<Record<string, unknown>>;

/** Attributes with dots between their steps, and their values; a list is a value. */
export function leavesOf(
  patch: Patch,
  below = '',
): (readonly [attribute: string, value: unknown])[] {
  return Object.entries(patch).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? leavesOf(value as Patch, `${below}${key}.`)
      : [[`${below}${key}`, value] as const],
  );
}

/** A whole text of a patch that stands for a value which only its user has: `${LOG_BUCKET}`. */
const parameter = /^\$\{([A-Z][A-Z0-9_]*)\}$/;

/** A patch with the values of its parameters, or the first that has none. */
export function fillPatch(
  patch: Patch,
  parameters: Readonly<Record<string, string>>,
): { readonly patch: Patch } | { readonly missing: string } {
  const missing: string[] = [];
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]));
    }
    const [, name] = (typeof value === 'string' && parameter.exec(value)) || [];
    if (name === undefined) return value;
    if (!Object.hasOwn(parameters, name)) missing.push(name);
    return parameters[name];
  };
  const filled = fill(patch) as Patch;
  const [first] = missing;
  return first === undefined ? { patch: filled } : { missing: first };
}
