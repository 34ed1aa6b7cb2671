import type { ASTNode } from '@marcbachmann/cel-js';
import { LoweringProblem } from './nodes.ts';
import type { Term } from './program.ts';
import { compilePattern, describePattern } from './regex.ts';
import type { Pattern, PatternRoom } from './regex.ts';
import { mismatch } from './values.ts';

/** Patterns that need no look at whether they are RE2's: making one takes time, and most policies are only validated. */
const surelyPattern = /^\^?(?:[\w:/@ -]|\[(?:a-z|A-Z|0-9|_)+-?\][+*]?){0,100}\$?$/;

export const isSurelyPattern = (literal: unknown): boolean =>
  typeof literal !== 'string' || surelyPattern.test(literal);

function patternAt(node: ASTNode, text: string, room: PatternRoom | undefined): Pattern {
  try {
    return compilePattern(text, room);
  } catch (error) {
    throw new LoweringProblem(describePattern(text, error), node);
  }
}

/**
 * `of.matches(text)`, with the pattern as a literal.
 * @param room what the patterns of a policy may take together
 * @throws LoweringProblem where it is no pattern
 */
export function matching(
  node: ASTNode,
  { literal, text }: { readonly literal: ASTNode; readonly text: string },
  of: Term,
  room: PatternRoom | undefined,
): Term {
  let made = isSurelyPattern(text) ? undefined : patternAt(literal, text, room);
  const pattern = () => (made ??= compilePattern(text));
  return {
    start: node.start,
    end: node.end,
    kind: 'call',
    name: 'matches',
    run: (value: unknown) =>
      typeof value === 'string' ? pattern().test(value) : mismatch('matches', value, text),
    args: [of],
    get native() {
      return pattern().native;
    },
  };
}
