import type { Attribute } from './normaliser.ts';

/** Declares `joined` for what may be a resource of its own, or part of another. */
export const joinedAttribute = (whole: string, type: string) =>
  ({
    joined: {
      type: 'bool',
      meaning: `${whole} is in the same input and includes these settings, so policies for \`${type}\` evaluate them`,
      absent: false,
    },
  }) as const satisfies Record<string, Attribute>;
