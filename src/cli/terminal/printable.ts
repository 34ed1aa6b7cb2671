const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Text of a file on a terminal: control characters (an escape sequence in a name, say) must not act. */
export const printable = (text: string): string => text.replace(control, '\ufffd');

/** The same where it matters which ones they are: `\x1b`, `\u202e`. */
export const visible = (text: string): string =>
  text.replace(control, (one) => {
    const hex = one.charCodeAt(0).toString(16);
    return hex.length > 2 ? `\\u${hex.padStart(4, '0')}` : `\\x${hex.padStart(2, '0')}`;
  });

/** Text of one line from elsewhere: what could act on the terminal or begin another line is taken out. */
export const printableLine = (text: string): string => printable(text.replace(/\s+/g, ' '));

// East Asian Wide and Fullwidth, and emoji: two columns each (Unicode TR 11, in coarse ranges).
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Blanks as wide as the text on a terminal; tabs stay, so that both lines step alike. */
export function blanksLike(text: string): string {
  let blanks = '';
  for (const character of text) {
    if (character === '\t') blanks += '\t';
    else if (wide.test(character)) blanks += '  ';
    else if (!/\p{Mark}/u.test(character)) blanks += ' ';
  }
  return blanks;
}

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
