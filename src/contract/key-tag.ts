/** The tag under which a policy carries its project. */
export const ownerTagPrefix = 'govctl.owner:';

/** The project of a policy's tags; absent where several claim it. */
export function readOwnerTag(tags: readonly string[]): string | undefined {
  const owners = new Set(
    tags
      .filter((tag) => tag.startsWith(ownerTagPrefix))
      .map((tag) => tag.slice(ownerTagPrefix.length)),
  );
  const [owner] = owners;
  return owners.size === 1 && owner !== '' ? owner : undefined;
}

/** The tag under which a policy carries its key in git: `govctl.key:<key>@<12 hex of what was last applied>`. */
export const keyTagPrefix = 'govctl.key:';

/** The key and the stamp of a policy's tags; absent where the tag is missing, damaged or there twice. */
export function readKeyTag(tags: readonly string[]): { key?: string; stamp?: string } {
  const [tag, second] = tags.filter((each) => each.startsWith(keyTagPrefix));
  // Two keys say nothing for certain; the name decides then.
  if (tag === undefined || second !== undefined) return {};
  const match = /^(.+?)(?:@([0-9a-f]{12}))?$/.exec(tag.slice(keyTagPrefix.length));
  if (!match?.[1]) return {};
  return { key: match[1], ...(match[2] ? { stamp: match[2] } : {}) };
}
