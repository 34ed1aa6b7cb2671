import { nearestWord } from './nearest.ts';

/** How much a policy's findings count in `check`, whatever their severity. Without it `--fail-on` decides. */
export const enforcements = ['advisory', 'mandatory'] as const;
export type Enforcement = (typeof enforcements)[number];

/** The tag under which a policy says it: `enforcement:advisory`. */
export const enforcementTagPrefix = 'enforcement:';

/** What the tags of a policy say; mandatory where they say both. */
export const enforcementOf = (tags: readonly string[] = []): Enforcement | undefined =>
  enforcements.findLast((one) => tags.includes(`${enforcementTagPrefix}${one}`));

/** A tag that names no enforcement, or another one than the tags before it. */
export interface EnforcementProblem {
  readonly index: number;
  readonly message: string;
  readonly hint: string;
}

/** What is wrong with the tags of a policy: it would be without its enforcement, silently. Tags of other tools are free. */
export function findEnforcementProblems(tags: readonly unknown[]): EnforcementProblem[] {
  const known = enforcements.map((one) => `${enforcementTagPrefix}${one}`);
  const given = tags.map((tag) =>
    typeof tag === 'string' && tag.toLowerCase().startsWith(enforcementTagPrefix) ? tag : undefined,
  );
  const [first, second] = new Set(given.filter((tag) => tag !== undefined));
  return given.flatMap((tag, index) => {
    if (tag === undefined) return [];
    if (!known.includes(tag)) {
      const nearest = nearestWord(tag.slice(enforcementTagPrefix.length), enforcements);
      const message = `${JSON.stringify(tag)} is not an enforcement tag`;
      const hint = nearest
        ? `Did you mean ${enforcementTagPrefix}${nearest}?`
        : `Use ${known.join(' or ')}.`;
      return [{ index, message, hint }];
    }
    if (second === undefined || tag === first) return [];
    const message = `a policy is either advisory or mandatory, but this one also has the tag ${first}`;
    return [{ index, message, hint: 'Remove one of the two tags.' }];
  });
}
