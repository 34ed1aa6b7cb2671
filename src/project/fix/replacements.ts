import { diffSequences } from '../compare/sequence-diff.ts';
import { linesOf } from './unified-diff.ts';

/** Whole lines of a text, and what comes in their place. */
export interface Replacement {
  /** From 1. */
  readonly line: number;
  /** Lines that go; 0: the text comes before the line. */
  readonly lines: number;
  /** The last of them has no line break. */
  readonly isEnd?: true;
  readonly text: string;
}

/** What turns a text into another, the first line first. */
export function replacementsOf(before: string, after: string): Replacement[] {
  const found: Replacement[] = [];
  let line = 1;
  let open: { line: number; lines: number; isEnd?: true; text: string } | undefined;
  for (const { kind, value } of diffSequences(linesOf(before), linesOf(after))) {
    if (kind === 'same') {
      if (open) found.push(open);
      open = undefined;
      line += 1;
      continue;
    }
    open ??= { line, lines: 0, text: '' };
    if (kind === 'added') open.text += value;
    else {
      open.lines += 1;
      if (!value.endsWith('\n')) open.isEnd = true;
      line += 1;
    }
  }
  return open ? [...found, open] : found;
}
