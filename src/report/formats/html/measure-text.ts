import type { MeasureText } from '../../charts/drawing.ts';

// Which sans serif face a browser takes isn't known here: these are the widths, in hundredths of the size, of the widest
// one that is common (DejaVu Sans), so what fits by them fits everywhere.
const classes: readonly (readonly [chars: string, width: number])[] = [
  [`ijl|'.,:;!I`, 34],
  ['frt()[]{}/\\ -"', 42],
  ['mwMW%@', 98],
  ['ABCDEFGHKLNOPQRSTUVXYZ&+=<>~#', 72],
];
const widths = new Map(classes.flatMap(([chars, width]) => [...chars].map((c) => [c, width])));
const others = 64;
const square = 100;
const isWide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uff60]|\p{Extended_Pictographic}/u;

/** An upper bound of a text's width in a browser. */
export const measureText: MeasureText = (text, size, bold) => {
  let sum = 0;
  for (const char of text) {
    sum += char < '\u007f' ? (widths.get(char) ?? others) : isWide.test(char) ? square : 72;
  }
  return (sum / 100) * size * (bold ? 1.12 : 1);
};
