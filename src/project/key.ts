import { createHash } from 'node:crypto';

/** A key's form: what a slug can be, short enough for a tag that also carries a hash. */
export const keyPattern = /^[a-z0-9]+(?:[-._][a-z0-9]+)*$/;
export const maxKeyLength = 128;

/**
 * The key of a policy that gives none: the slug of its name, or `p-` and 12 hex digits of the name's SHA-256
 * where nothing of the name can stand in a slug (a name in Chinese). Accents are dropped: `Clés` gives `cles`.
 */
export function makeKey(name: string): string {
  const slug = withoutAccents(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  if (slug === '') return `p-${shortHash(name)}`;
  if (slug.length <= maxKeyLength) return slug;
  // Two long names may share their start; the hash keeps their keys apart.
  return `${slug.slice(0, maxKeyLength - 13).replace(/-$/, '')}-${shortHash(name)}`;
}

const withoutAccents = (name: string): string =>
  /[^ -~]/.test(name) ? name.normalize('NFKD').replace(/\p{Mark}+/gu, '') : name;

const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12);
