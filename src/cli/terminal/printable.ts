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

/**
 * Characters that take no room: blanks without width, joiners, soft hyphens, marks of direction, variants of a letter, tags.
 * Those that an emoji is made of are none of them.
 */
const unseen =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]|(?<!\p{Extended_Pictographic})\ufe0f|(?<!\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d|\u200d(?!\p{Extended_Pictographic})/gu;

/** Text that somebody approves: a condition that compares with `pr\u200bod` never holds, and would look as one that does. */
export const showUnseen = (text: string): string =>
  text.replace(unseen, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);

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
  return `${amount === 0 ? 'no' : inThrees(amount)} ${amount === 1 ? singular : plural}`;
}

/** A number with its digits in threes, as English has it. By hand: the first use of `Intl` takes some 50 ms. */
export const inThrees = (amount: number): string =>
  String(amount).replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ','));

/** `a`, `a and b`, `a, b and c`. */
export function listWords(words: readonly string[]): string {
  return words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}
