/**
 * Ownership without a state file: each policy govctl writes carries two tags,
 * `govctl.owner:<project>` and `govctl.key:<key>@<12 hex of the fingerprint of what was last applied>`.
 */
const ownerPrefix = 'govctl.owner:';
const keyPrefix = 'govctl.key:';

/** How many tags a policy carries beside the user's. */
export const ownershipTagCount = 2;

/** An ordinary tag of the user's: a live policy that carries it is never deleted by govctl. */
export const protectTag = 'govctl.protect';

export interface Ownership {
  /** The project that owns it. */
  readonly owner?: string;
  readonly key?: string;
  /** Twelve hex digits; absent when the tag was damaged by hand. */
  readonly stamp?: string;
  /** It carries the tags of several owners: nobody's to touch. */
  readonly disputed: boolean;
}

export const isOwnershipTag = (tag: string): boolean =>
  tag.startsWith(ownerPrefix) || tag.startsWith(keyPrefix);

/** Reads the ownership tags of a live policy. Total: damaged tags read as absent parts. */
export function readOwnership(tags: readonly string[]): Ownership {
  const owners = new Set(
    tags.filter((tag) => tag.startsWith(ownerPrefix)).map((tag) => tag.slice(ownerPrefix.length)),
  );
  const keys = tags.filter((tag) => tag.startsWith(keyPrefix));
  const [owner] = owners;
  // Two keys say nothing for certain; the name decides then.
  const parsed = keys.length === 1 ? parseKeyTag(keys[0] ?? '') : {};
  return {
    ...(owner !== undefined && owner !== '' ? { owner } : {}),
    ...parsed,
    disputed: owners.size > 1,
  };
}

function parseKeyTag(tag: string): { key?: string; stamp?: string } {
  const match = /^(.+?)(?:@([0-9a-f]{12}))?$/.exec(tag.slice(keyPrefix.length));
  if (!match?.[1]) return {};
  return { key: match[1], ...(match[2] ? { stamp: match[2] } : {}) };
}

/** The two tags a policy of this project and key carries after `stamp` was applied. */
export function ownershipTags(project: string, key: string, stamp: string): string[] {
  return [`${ownerPrefix}${project}`, `${keyPrefix}${key}@${stamp}`];
}

/** Tags as a user wrote them: without govctl's own. */
export const withoutOwnership = (tags: readonly string[]): string[] =>
  tags.filter((tag) => !isOwnershipTag(tag));
