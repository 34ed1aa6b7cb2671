import type { Attribute } from './normaliser.ts';

/** Declares `joined` for what may be a resource of its own, or part of another. */
export const joinedAttribute = (whole: string, type: string) =>
  ({
    joined: {
      type: 'bool',
      meaning: `${whole} is in the same input and has it too, so policies about \`${type}\` evaluate it`,
      absent: false,
    },
  }) as const satisfies Record<string, Attribute>;
