/** An escape, a class or a repeat; else one character. */
const token =
  /\\[pP](?:\{[^}]*\}|.)|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\[[^]*|\{(\d{1,9})(?:,(\d{0,9}))?\}|[^]/gsu;

/** A class of Unicode has hundreds of ranges. */
const sizeOfUnicodeClass = 100;

/** Parts of a program for a pattern, roughly: each character is one, and a repeat has as many copies as it may take. */
export function patternSize(pattern: string): number {
  const open: number[] = [];
  let size = 0;
  let last = 0;
  for (const [found, least, most] of pattern.matchAll(token)) {
    if (found === '(') {
      open.push(size);
      size = 0;
      last = 1;
    } else if (found === ')') {
      last = size + 1;
      size = (open.pop() ?? 0) + last;
    } else if (least !== undefined) {
      const times = Math.max(Number(least), Number(most ?? 0), 1);
      size += last * (times - 1);
      last *= times;
    } else {
      last = /\\[pP]/.test(found) ? sizeOfUnicodeClass : 1;
      size += last;
    }
  }
  return open.reduce((sum, outer) => sum + outer, size);
}
