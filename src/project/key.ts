import { createHash } from 'node:crypto';
import { canonicalJson } from '../contract/canonical-json.ts';

/** A key's form: what a slug can be, short enough for a tag that also carries a hash. */
export const keyPattern = /^[a-z0-9]+(?:[-._][a-z0-9]+)*$/;
export const maxKeyLength = 128;

/** What a document is known by, found even when the rest of it is wrong. */
export interface Identity {
  readonly kind: 'Policy' | 'Webhook' | 'Schedule' | 'Exemption' | 'Framework' | 'Budget';
  /** A policy's, a schedule's or a budget's name, a webhook's url, an exemption's policy and resources, a framework's ID. */
  readonly name: string;
  readonly key: string;
  /** The field that gives the key. */
  readonly keyField: 'key' | 'name' | 'url' | 'policy' | 'id';
}

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

/** The key of a webhook that gives none: of its name, else of its url's host and path, which may be shared, and a hash. */
export function makeWebhookKey(url: string, name: string | undefined): string {
  if (name !== undefined) return makeKey(name);
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const slug = makeKey(parsed ? `${parsed.host}${parsed.pathname}` : url).slice(
    0,
    maxKeyLength - 9,
  );
  return `${slug.replace(/-$/, '')}-${shortHash(parsed?.href ?? url).slice(0, 8)}`;
}

/** What an exemption is known by. @param resources sorted, each once */
export function exemptionName(policy: string, resources: readonly string[]): string {
  const [first = '', ...more] = resources;
  if (more.length === 0) return `${policy}: ${first}`;
  return `${policy}: ${first} and ${more.length} more (${hashOf({ policy, resources })})`;
}

/** The key of an exemption that gives neither key nor name: of its policy and its resources. */
export function makeExemptionKey(policy: string, resources: readonly string[]): string {
  const slug = makeKey(policy)
    .slice(0, maxKeyLength - 9)
    .replace(/-$/, '');
  return `${slug}-${hashOf({ policy, resources })}`;
}

const hashOf = (value: unknown): string => shortHash(canonicalJson(value)).slice(0, 8);

const withoutAccents = (name: string): string =>
  /[^ -~]/.test(name) ? name.normalize('NFKD').replace(/\p{Mark}+/gu, '') : name;

const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12);
