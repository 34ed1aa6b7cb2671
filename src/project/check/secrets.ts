import type { Resource } from '../../contract/resources.ts';

/** Names of attributes whose values are not shown. */
const secretName =
  /pass(?:word|wd|phrase)|secret|token|credential|private_?key|api_?key|access_?key|key_?material|connection_?string|auth(?:entication)?_?key|sas_?key|signing_?key|master_?key/i;

/** What a secret is called by is none: a key's id or ARN, a secret's name. */
const reference = /(?:[_-](?:id|arn|name|ur[il]|version)s?|(?:I[dD]|A(?:rn|RN)|Name|Ur[il])s?)$/;

export const looksSecret = (name: string): boolean =>
  secretName.test(name) && !reference.test(name);

/** Levels of a resource that are looked through; the readers refuse deeper documents. */
const maxDepth = 200;

/**
 * The values in a resource that must not be shown: below attributes with a secret-looking name, beside such a name
 * (`{name: DB_PASSWORD, value: …}`), and what Terraform marks sensitive.
 */
export function secretsOf(resource: Resource): ReadonlySet<string> {
  const secrets = new Set<string>();
  const sensitive = sensitivePaths(resource);
  const visit = (value: unknown, path: string, hidden: boolean, depth: number): void => {
    if (depth > maxDepth) return;
    if (typeof value === 'string' || typeof value === 'number') {
      if (hidden && value !== '') secrets.add(String(value));
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        visit(item, `${path}.${index}`, hidden, depth + 1);
      }
    } else if (typeof value === 'object' && value !== null) {
      const isNamedSecret = Object.entries(value).some(
        ([key, held]) =>
          /^(?:name|key)$/i.test(key) && typeof held === 'string' && looksSecret(held),
      );
      for (const [key, held] of Object.entries(value)) {
        const at = path === '' ? key : `${path}.${key}`;
        const isValue = isNamedSecret && /^value$/i.test(key);
        visit(held, at, hidden || isValue || looksSecret(key) || sensitive.has(at), depth + 1);
      }
    }
  };
  visit(resource, '', false, 0);
  return secrets;
}

/** As the reader of plans lists them, below the raw properties. */
function sensitivePaths({ source }: Resource): ReadonlySet<string> {
  const listed = (source as { sensitive?: unknown } | undefined)?.sensitive;
  const paths = Array.isArray(listed) ? listed.filter((path) => typeof path === 'string') : [];
  return new Set(
    paths.map((path) => `properties.${path.replaceAll('[', '.').replaceAll(']', '')}`),
  );
}

/** Characters by which a secret is known again in a text that may be cut. */
const telling = 6;

/** A value as it is shown, without the secrets that stand in it whole. */
export const maskSecrets = (text: string, secrets: ReadonlySet<string>): string =>
  [...secrets].reduce(
    (shown, secret) => shown.replaceAll(JSON.stringify(secret), '"(hidden)"'),
    text,
  );

/** Whether a text shows one of the secrets, or the beginning of one. */
export const showsSecret = (text: string, secrets: ReadonlySet<string>): boolean =>
  [...secrets].some((secret) => {
    if (secret.length < telling) return text === secret || text.includes(JSON.stringify(secret));
    const start = JSON.stringify(secret.slice(0, telling)).slice(1, -1);
    return text.includes(start);
  });
