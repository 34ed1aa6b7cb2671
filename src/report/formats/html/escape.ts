import { visibleText } from '../visible-text.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for between tags and in quoted attributes; what can't be seen in it is written out. */
export const escapeText = (text: string): string =>
  visibleText(text).replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);

/** Text of sentences: dates and times in it are not broken. */
export const proseHtml = (text: string): string =>
  escapeText(text).replace(
    /\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2}(?::\d{2})?(?: UTC)?)?/g,
    '<span class="whole">$&</span>',
  );

/** JSON for within a script element: no `<`, so nothing in it can end the element or begin a comment. */
export const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll('<', String.raw`\u003c`);

/** A string of CSS, quotes included. */
export const cssString = (text: string): string =>
  `"${visibleText(text).replace(/[^a-zA-Z0-9 ]/gu, (sign) => `\\${(sign.codePointAt(0) ?? 0).toString(16)} `)}"`;

/** Addresses that may be links: of the web, in visible ASCII. */
export const isWebAddress = (text: string): boolean =>
  /^https?:\/\/[!-~]+$/i.test(text) && URL.canParse(text);
