import { isReadableByOthers, isSecret } from './schema.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export interface Resolved {
  readonly value: unknown;
  /** A secret stands in the text as it is. */
  readonly plainSecret: boolean;
  /** References without a value, and keys that no schema would see. */
  readonly problems: readonly { readonly path: readonly string[]; readonly message: string }[];
}

/** `$${` is a `${` that is meant. */
const reference = /\$(\$\{)|\$\{([^}]*)\}/g;

/** Puts the environment's variables where texts say `${NAME}`. */
export function resolveReferences(document: unknown, env: Env): Resolved {
  const problems: Resolved['problems'][number][] = [];
  let plainSecret = false;

  const resolveText = (text: string, path: readonly string[]): string => {
    let referred = false;
    const resolved = text.replace(reference, (_, literal?: string, name?: string) => {
      if (literal !== undefined || name === undefined) return '${';
      referred = true;
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      if (value !== undefined && value !== '') return value;
      const message = `${path.join('.')} refers to the variable ${name}, which is not set`;
      problems.push({ path, message });
      return '';
    });
    if (!referred && isSecret(path)) plainSecret = true;
    if (referred && isReadableByOthers(path)) {
      const message = `${path.join('.')} must not refer to a variable: other users can see arguments; list the variable in env`;
      problems.push({ path, message });
    }
    return resolved;
  };

  const resolve = (value: unknown, path: readonly string[]): unknown => {
    if (typeof value === 'string') return resolveText(value, path);
    if (Array.isArray(value)) return value.map((one, at) => resolve(one, [...path, String(at)]));
    if (typeof value !== 'object' || value === null) return value;
    // Schemas look past it, and nothing that is written is left out silently.
    if (Object.hasOwn(value, '__proto__')) {
      const at = [...path, '__proto__'];
      problems.push({ path: at, message: `${at.join('.')} is not a known field` });
    }
    const fields = Object.entries(value).map(([key, one]) => [key, resolve(one, [...path, key])]);
    return Object.fromEntries(fields) as unknown;
  };

  const value = resolve(document, []);
  return { value, plainSecret, problems };
}
