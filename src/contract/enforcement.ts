/** How much a policy's findings count in `check`, whatever their severity. Without it `--fail-on` decides. */
export const enforcements = ['advisory', 'mandatory'] as const;
export type Enforcement = (typeof enforcements)[number];

/** The tag under which a policy says it: `enforcement:advisory`. */
export const enforcementTagPrefix = 'enforcement:';

/** What the tags of a policy say; mandatory where they say both. */
export const enforcementOf = (tags: readonly string[] = []): Enforcement | undefined =>
  enforcements.findLast((one) => tags.includes(`${enforcementTagPrefix}${one}`));
