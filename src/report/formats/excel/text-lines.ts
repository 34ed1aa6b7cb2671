import { measureText } from '../html/measure-text.ts';
import { visibleText } from '../visible-text.ts';
import { lettersOf } from './styles.ts';
import type { StyleName } from './styles.ts';

// Which face is there in the place of Calibri isn't known here. Columns are as wide as so many digits of it, so both are
// measured by the same face, and what is right in one is about right in all.
const digit = measureText('0', 10, false);

/** How many digits wide a text is in a style; a bound from above. */
export function digitsOf(text: string, style: StyleName): number {
  const { size, bold } = lettersOf(style);
  const width = measureText(text, size, bold) / digit;
  // All letters of a monospaced face are about as wide as a digit.
  return style === 'id' ? Math.max(width, text.length) : width;
}

/** Points: over and under the lines of a row, and each of them. */
export const rowPadding = 3;
export const lineHeight = (style: StyleName): number => lettersOf(style).size * 1.3;

/**
 * A text in the lines it takes in a cell. Nothing is taken out: together they are the text.
 * @param width of the cell, in digits
 */
export function linesIn(text: string, width: number, style: StyleName): string[] {
  return visibleText(text)
    .split(/(?<=\n)/)
    .flatMap((paragraph) => wrapped(paragraph, width, style));
}

function wrapped(text: string, room: number, style: StyleName): string[] {
  const lines: string[] = [];
  let line = '';
  let taken = 0;
  const add = (part: string): void => {
    if (line !== '' && taken + digitsOf(part.trimEnd(), style) > room) {
      lines.push(line);
      line = '';
      taken = 0;
    }
    line += part;
    taken += digitsOf(part, style);
  };
  // Programs break lines after hyphens, too.
  for (const word of text.match(/[^\s-]+-*\s*|[\s-]+/g) ?? []) {
    // A word that is longer than a line is broken anywhere.
    if (digitsOf(word.trimEnd(), style) > room) for (const char of word) add(char);
    else add(word);
  }
  return [...lines, line];
}
