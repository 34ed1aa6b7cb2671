// Controls, what turns the direction of text around, what can't be seen at all, and halves of characters. Joiners stay:
// scripts and emoji need them. So do tabs and ends of lines.
const unseen =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}]|\p{Cs}/gu;

/** The same text, with what can't be seen, or deceives, written out: `[U+202E]`. */
export const visibleText = (text: string): string =>
  text.replace(unseen, (sign) => {
    const code = (sign.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `[U+${code.padStart(4, '0')}]`;
  });
