/** Half a surrogate pair is no character. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');

/** A text as a hexadecimal string in UTF-16, which holds anything. */
export function textString(text: string): string {
  const bytes = Buffer.from(wellFormed(text), 'utf16le').swap16();
  return `<feff${bytes.toString('hex')}>`;
}

/** Four decimals are a hundredth of what a printer shows. */
export const number = (value: number): string => String(Math.round(value * 1e4) / 1e4);

/** For pdfkit's dictionaries, where a plain string is a name: a value that is written as it stands. */
export const verbatim = (text: string): object => ({
  [Symbol.toStringTag]: 'Verbatim',
  toString: () => text,
});

/** For pdfkit's dictionaries: a text. It tells one from a name by its being an object. */
// eslint-disable-next-line @typescript-eslint/no-wrapper-object-types -- see above
export const pdfText = (text: string): String => new String(wellFormed(text));
