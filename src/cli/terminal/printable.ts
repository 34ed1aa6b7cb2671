import fastStringWidth from 'fast-string-width';
import { replaceActing } from '../../contract/control-characters.ts';

/** Text of a file on a terminal: control characters (an escape sequence in a name, say) must not act. */
export const printable = (text: string): string => replaceActing(text, () => '\ufffd');

/** The same where it matters which ones they are: `\x1b`, `\u202e`. */
export const visible = (text: string): string =>
  replaceActing(text, (one) => {
    const hex = one.charCodeAt(0).toString(16);
    return hex.length > 2 ? `\\u${hex.padStart(4, '0')}` : `\\x${hex.padStart(2, '0')}`;
  });

/** Text of one line from elsewhere: what could act on the terminal or begin another line is taken out. */
export const printableLine = (text: string): string => printable(text.replace(/\s+/g, ' '));

/** Cells a text takes on a terminal: two for a wide character or an emoji, none for a mark or a colour code. */
export const widthOf = (text: string): number => fastStringWidth(text, { tabWidth: 1 });

/** Blanks as wide as the text on a terminal; tabs stay, so that both lines step alike. */
export const blanksLike = (text: string): string =>
  text
    .split('\t')
    .map((part) => ' '.repeat(widthOf(part)))
    .join('\t');

/** `1 error`, `2 errors`, `no errors`. */
export function count(amount: number, singular: string, plural = `${singular}s`): string {
  return `${amount === 0 ? 'no' : amount} ${amount === 1 ? singular : plural}`;
}

/** A whole number with its digits in threes, as English has it. By hand: the first use of `Intl` takes some 50 ms. */
export const inThrees = (amount: number): string =>
  String(amount).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** `a`, `a and b`, `a, b and c`. */
export function listWords(words: readonly string[]): string {
  return words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}
