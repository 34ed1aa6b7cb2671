import type { WrittenSkip } from '../../model.ts';
import { scanComments } from './hcl.ts';
import type { HclBlock, HclComment, SourceFile } from './hcl.ts';

/** A comment such as `# govctl:skip=s3-versioning until=2027-03-31 Moves to the new account`. */
export interface CommentSkip extends WrittenSkip {
  /** Of the file. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
}

interface FoundSkips {
  /** Of blocks at the top of the file: from comments in a block, and from those on the lines directly above it. */
  readonly byBlock: ReadonlyMap<HclBlock, readonly CommentSkip[]>;
  /** Those of no block. */
  readonly stray: readonly CommentSkip[];
}

const marker = 'govctl:skip';

/** The skips that the comments of a `.tf` file ask for; `blocks` are those at its top. */
export function findSkips({ path, text }: SourceFile, blocks: readonly HclBlock[]): FoundSkips {
  const byBlock = new Map<HclBlock, readonly CommentSkip[]>();
  if (!text.includes(marker)) return { byBlock, stray: [] };
  const comments = scanComments(text);
  const strays: CommentSkip[][] = [];
  let at = 0;
  for (const block of blocks) {
    const before: HclComment[] = [];
    const inside: HclComment[] = [];
    for (let one = comments[at]; one && one.start < block.close; one = comments[++at]) {
      (one.start < block.start ? before : inside).push(one);
    }
    const from = before.length - countAbove(text, before, block.start);
    strays.push(skipsOf(path, text, before.slice(0, from)));
    const its = skipsOf(path, text, [...before.slice(from), ...inside]);
    if (its.length > 0) byBlock.set(block, its);
  }
  strays.push(skipsOf(path, text, comments.slice(at)));
  return { byBlock, stray: strays.flat() };
}

/** How many of the last comments stand alone on the lines directly above a place. */
function countAbove(text: string, comments: readonly HclComment[], place: number): number {
  let below = place;
  let count = 0;
  for (const { start, end } of comments.toReversed()) {
    const lineStart = text.lastIndexOf('\n', start - 1) + 1;
    const isAlone = text.slice(lineStart, start).trim() === '';
    if (!isAlone || !/^[ \t]*\r?\n?[ \t]*$/.test(text.slice(end, below))) return count;
    below = start;
    count += 1;
  }
  return count;
}

const skipsOf = (path: string, text: string, comments: readonly HclComment[]): CommentSkip[] =>
  comments.flatMap(({ start, end, line }) =>
    text
      .slice(start, end)
      .split('\n')
      .flatMap((written, index) => {
        const skip = readSkip(written);
        return skip ? [{ ...skip, path, line: line + index }] : [];
      }),
  );

/** A policy by its key, or by its name in quotes. */
const written = /^govctl:skip(?:\s*=\s*(?:"([^"]*)"|([^\s"]+)))?(?:\s+until\s*=\s*(\S+))?(.*)$/;

/** Undefined where a line of a comment asks for nothing. */
function readSkip(line: string): WrittenSkip | undefined {
  // Not by one pattern, which would look for the end from each of many blanks.
  const text = line
    .replace(/^\s*(?:#+|\/\/+|\/?\*+)?\s*/, '')
    .trimEnd()
    .replace(/\*\/$/, '')
    .trimEnd();
  const found = written.exec(text);
  if (!found) return undefined;
  const [, quoted, plain, until, reason = ''] = found;
  return { policy: quoted ?? plain, until, reason: reason.trim() };
}
