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

type Values = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value under a key of its own, whatever the key is called. */
const own = (of: unknown, key: string): unknown =>
  isObject(of) && Object.hasOwn(of, key) ? of[key] : undefined;

const fromEntries = (entries: Iterable<readonly [string, unknown]>): Record<string, unknown> =>
  // Unlike an assignment, it makes a plain key of `__proto__`.
  Object.fromEntries(entries) as Record<string, unknown>;

/** What a merge patch makes of an object (RFC 7386): null removes, lists are replaced. */
export function applyPatch(to: unknown, patch: Patch): Record<string, unknown> {
  const merged = new Map<string, unknown>(isObject(to) ? Object.entries(to) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isObject(value) ? applyPatch(own(to, key), value) : value);
  }
  return fromEntries(merged);
}

/** A value that a patch changes; a side is undefined where the attribute is absent. */
export interface Changed {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** What a patch changes, by leaf; values that are as wanted are left out. */
export function changesOf(before: unknown, patch: Patch, below = ''): Changed[] {
  return Object.entries(patch).flatMap(([key, value]): Changed[] => {
    const path = `${below}${key}`;
    const was = own(before, key);
    if (isObject(value) && (isObject(was) || was === undefined)) {
      return changesOf(was, value, `${path}.`);
    }
    const after = value === null ? undefined : value;
    if (JSON.stringify(was) === JSON.stringify(after)) return [];
    return [
      {
        path,
        ...(was === undefined ? {} : { before: was }),
        ...(after === undefined ? {} : { after }),
      },
    ];
  });
}

/** The merge patch that takes back what a patch makes of an object, where that is still as the patch left it. */
export function undoOf(before: unknown, patch: Patch): Patch {
  const undone = Object.entries(patch).flatMap(([key, value]): [string, unknown][] => {
    const was = own(before, key);
    if (isObject(value) && isObject(was)) {
      const inner = undoOf(was, value);
      return Object.keys(inner).length === 0 ? [] : [[key, inner]];
    }
    if (JSON.stringify(was) === JSON.stringify(value ?? undefined)) return [];
    return [[key, was ?? null]];
  });
  return fromEntries(undone);
}
