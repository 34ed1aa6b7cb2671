import type { RE2JS } from '@bufbuild/re2';

type Program = RE2JS['re2Input']['prog'];

/** The package's instruction codes, the same as RE2's. */
const operation = { alt: 1, altMatch: 2, capture: 3, emptyWidth: 4, match: 6, nop: 7, rune: 8 };

/** Flags for the context of a position in a string. */
const around = { beginLine: 1, endLine: 2, beginText: 4, endText: 8, word: 16, noWord: 32 };

/** Whether a program depends on the context of a position: `^ $ \b`. */
export const asksAround = (program: Program): boolean =>
  program.inst.some(({ op }) => op === operation.emptyWidth);

/**
 * Runs an RE2 program on a string. The package's own machines are a DFA, which is fast once its cache is warm, and a
 * fallback whose time grows with the square of the pattern. This machine always takes at most text times pattern.
 */
export function createMachine(program: Program): (text: string) => boolean {
  const { start } = program;
  const count = program.numInst();
  const isFromStart = (program.startCond() & around.beginText) !== 0;
  /** The position at which each instruction was last reached, counted over all runs so that it needs no reset. */
  const reached = new Float64Array(count);
  let place = 0;
  const stack: number[] = [];

  /** Adds all rune instructions reachable from `from` to `runes`. @returns true if the match instruction is reachable */
  function reach(from: number, context: number, runes: number[]): boolean {
    stack.push(from);
    for (let pc = stack.pop(); pc !== undefined; pc = stack.pop()) {
      if (reached[pc] === place) continue;
      reached[pc] = place;
      const { op, out, arg } = program.getInst(pc);
      if (op >= operation.rune) runes.push(pc);
      else if (op === operation.match) {
        stack.length = 0;
        return true;
      } else if (op === operation.alt || op === operation.altMatch) stack.push(out, arg);
      else if (op === operation.capture || op === operation.nop) stack.push(out);
      else if (op === operation.emptyWidth && (arg & ~context) === 0) stack.push(out);
    }
    return false;
  }

  return (text) => {
    let waiting: number[] = [];
    let before = -1;
    for (let at = 0; ;) {
      const rune = text.codePointAt(at) ?? -1;
      const context = contextOf(before, rune);
      const runes: number[] = [];
      place++;
      for (const pc of waiting) if (reach(pc, context, runes)) return true;
      if ((at === 0 || !isFromStart) && reach(start, context, runes)) return true;
      if (rune < 0 || (isFromStart && runes.length === 0)) return false;
      waiting = [];
      for (const pc of runes) {
        const instruction = program.getInst(pc);
        if (instruction.matchRune(rune)) waiting.push(instruction.out);
      }
      before = rune;
      at += rune > 0xffff ? 2 : 1;
    }
  };
}

const isWord = (rune: number): boolean =>
  (rune >= 0x30 && rune <= 0x39) ||
  (rune >= 0x41 && rune <= 0x5a) ||
  (rune >= 0x61 && rune <= 0x7a) ||
  rune === 0x5f;

function contextOf(before: number, after: number): number {
  let context = isWord(before) === isWord(after) ? around.noWord : around.word;
  if (before < 0) context |= around.beginText | around.beginLine;
  else if (before === 0x0a) context |= around.beginLine;
  if (after < 0) context |= around.endText | around.endLine;
  else if (after === 0x0a) context |= around.endLine;
  return context;
}
