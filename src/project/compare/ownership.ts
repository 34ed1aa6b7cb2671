import { keyTagPrefix, ownerTagPrefix, readKeyTag } from '../../contract/key-tag.ts';

/**
 * Ownership without a state file: each policy govctl writes carries two tags,
 * `govctl.owner:<project>` and `govctl.key:<key>@<12 hex of the fingerprint of what was last applied>`.
 */

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
  tag.startsWith(ownerTagPrefix) || tag.startsWith(keyTagPrefix);

/** Reads the ownership tags of a live policy. Total: damaged tags read as absent parts. */
export function readOwnership(tags: readonly string[]): Ownership {
  const owners = new Set(
    tags
      .filter((tag) => tag.startsWith(ownerTagPrefix))
      .map((tag) => tag.slice(ownerTagPrefix.length)),
  );
  const [owner] = owners;
  return {
    ...(owner !== undefined && owner !== '' ? { owner } : {}),
    ...readKeyTag(tags),
    disputed: owners.size > 1,
  };
}

/** The two tags a policy of this project and key carries after `stamp` was applied. */
export function ownershipTags(project: string, key: string, stamp: string): string[] {
  return [`${ownerTagPrefix}${project}`, `${keyTagPrefix}${key}@${stamp}`];
}

/** Tags as a user wrote them: without govctl's own. */
export const withoutOwnership = (tags: readonly string[]): string[] =>
  tags.filter((tag) => !isOwnershipTag(tag));
