import * as z from 'zod';
import { defined } from './defined.ts';
import { isInnerList, parseDictionary } from './structured-fields.ts';

/** The commit that an apply reads its files from. */
export const ApplySource = z.looseObject({
  /** SHA-1 or SHA-256 of the commit. */
  commit: z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/),
  branch: z.string().min(1).max(256).optional(),
  /** The files have changes that are in no commit. */
  dirty: z.boolean().optional(),
});
export type ApplySource = z.infer<typeof ApplySource>;

/** The same as a service answers it, whatever it takes for a commit. */
export const AnsweredSource = z.looseObject({
  commit: z.string(),
  branch: z.string().optional(),
  dirty: z.boolean().optional(),
});

/** The request header in which an apply sends its source: a dictionary of RFC 9651, the branch percent-encoded. */
export const applySourceHeader = 'govctl-source';

export const formatApplySource = ({ commit, branch, dirty }: ApplySource): string =>
  [
    `commit="${commit}"`,
    ...(branch === undefined ? [] : [`branch="${encodeURIComponent(branch)}"`]),
    ...(dirty ? ['dirty'] : []),
  ].join(', ');

/** Undefined: the header is malformed. */
export function parseApplySource(text: string): ApplySource | undefined {
  const read = parseDictionary(text);
  if (typeof read === 'string') return undefined;
  const valueOf = (name: string): unknown => {
    const member = read.get(name);
    return member && (isInnerList(member) ? null : member.value);
  };
  const branch = valueOf('branch');
  const parsed = ApplySource.safeParse({
    commit: valueOf('commit'),
    ...defined({
      branch: typeof branch === 'string' ? decode(branch) : branch,
      dirty: valueOf('dirty'),
    }),
  });
  return parsed.success ? parsed.data : undefined;
}

/** Null where a percent sign stands alone. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
