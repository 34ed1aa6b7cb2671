import type { Cell, CellType } from '../../model.ts';
import { toneOfStatus } from '../tones.ts';
import { visibleText } from '../visible-text.ts';
import { styles } from './styles.ts';
import type { StyleName } from './styles.ts';

/** Characters of one cell. */
const longestText = 32_767;
const cutMark = '… [cut]';

/** Text of XML. What may not be in it, and what can't be seen, is written out as `[U+0007]`. */
export const xmlText = (text: string): string =>
  visibleText(text).replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** A text stays a text, whatever it begins with; one that is too long for a cell ends in `… [cut]`. */
export function textCell(place: string, text: string, style: StyleName = 'text'): string {
  const visible = visibleText(text);
  const shown =
    visible.length <= longestText
      ? visible
      : `${visible.slice(0, longestText - cutMark.length).replace(/[\uD800-\uDBFF]$/, '')}${cutMark}`;
  return `<c r="${place}" s="${styles[style]}" t="inlineStr"><is><t xml:space="preserve">${stringXml(shown)}</t></is></c>`;
}

/** Text of XML where Excel reads `_x0041_` as a character's number. */
export const stringXml = (text: string): string =>
  xmlText(text).replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_');

/** A cell that has only a look. */
export const emptyCell = (place: string, style: StyleName): string =>
  `<c r="${place}" s="${styles[style]}"/>`;

const numberCell = (place: string, value: number, style: StyleName): string =>
  `<c r="${place}" s="${styles[style]}"><v>${value}</v></c>`;

/** A cell of a table by its column's type: numbers, dates and truth values are such; empty where there is none. */
export function tableCell(place: string, cell: Cell, type: CellType): string {
  if (cell === null) return '';
  if (typeof cell === 'boolean') {
    return `<c r="${place}" s="${styles.text}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  }
  if (typeof cell === 'number') {
    if (!Number.isFinite(cell)) return '';
    if (type === 'percent') return numberCell(place, percentOf(cell), 'percent');
    return numberCell(place, cell, type === 'integer' ? 'integer' : 'decimal');
  }
  if (type === 'money') return numberCell(place, Number(cell), 'decimal');
  if (type === 'timestamp' || type === 'date') {
    const serial = serialOf(cell, type);
    if (serial !== undefined) return numberCell(place, serial, type);
  }
  return textCell(place, cell, styleOf(cell, type));
}

/** Of 100: 87.25 is 0.8725, without what dividing adds. */
const percentOf = (value: number): number => Number((value / 100).toPrecision(15));

/** Days since the end of 1899, as Excel counts from March 1900 on. */
const epoch = Date.UTC(1899, 11, 30);
const secondsOfDay = 86_400;
const first = Date.UTC(1900, 2, 1);
const last = Date.UTC(9999, 11, 31, 23, 59, 59);

/** How Excel counts a time; none: it is none, or one that Excel does not know. */
export function serialOf(text: string, type: 'timestamp' | 'date'): number | undefined {
  const wanted = type === 'date' ? /^\d{4}-\d{2}-\d{2}$/ : /^\d{4}-\d{2}-\d{2}T/;
  if (!wanted.test(text)) return undefined;
  const instant = Date.parse(text);
  if (Number.isNaN(instant) || instant < first || instant > last) return undefined;
  // To the second, which is as exact as it is shown; and with all digits: a little less is shown as the second before.
  return Math.floor((instant - epoch) / 1000) / secondsOfDay;
}

function styleOf(text: string, type: CellType): StyleName {
  if (type === 'id') return 'id';
  if (type === 'severity') return severityStyles[text.toLowerCase()] ?? 'text';
  if (type === 'status') return toneOfStatus(text) ?? 'text';
  return 'text';
}

const severityStyles: Readonly<Record<string, StyleName>> = Object.assign(Object.create(null), {
  critical: 'bad',
  high: 'high',
  medium: 'warn',
  low: 'low',
});

/** The letters of a column, from 0: A, B, … AA. */
export function columnLetters(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26));
  return at < 26 ? letter : columnLetters(Math.floor(at / 26) - 1) + letter;
}
