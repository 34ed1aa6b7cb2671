import { maxConditionsLength, maxConditionsLengthOfBody } from '../../contract/policies.ts';
import { inThrees } from '../../contract/in-threes.ts';

/** What the conditions of a policy, or of a request's body, may have together. */
const bounds = {
  policy: { most: maxConditionsLength, of: 'the conditions of one policy' },
  body: { most: maxConditionsLengthOfBody, of: 'the conditions of all policies of one request' },
} as const;

/**
 * The first condition with which they are too long together, and why; undefined where they are not. Looked at before
 * anything is compiled, as that takes time in proportion.
 */
export function findTooLong(
  conditions: readonly string[],
  together: keyof typeof bounds,
): { readonly at: number; readonly message: string } | undefined {
  const { most, of } = bounds[together];
  let length = 0;
  for (const [at, condition] of conditions.entries()) {
    length += condition.length;
    if (length <= most) continue;
    return { at, message: `${of} exceed the limit of ${inThrees(most)} characters in total` };
  }
  return undefined;
}
