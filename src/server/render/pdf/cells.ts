import type { Cell, CellType } from '../model.ts';
import type { Face } from './fonts.ts';
import { ink, inkOfWord } from './palette.ts';

/** A cell as it is set. */
export interface CellText {
  readonly text: string;
  readonly face: Face;
  readonly colour: string;
  /** Where it leads to, if it is an address. */
  readonly url?: string;
}

export const isNumeric = (type: CellType): boolean =>
  type === 'integer' || type === 'decimal' || type === 'percent';

const address = /^https?:\/\/[^\s\p{Cc}]{1,2000}$/iu;
const instant = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/;
const groups = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

const nothing: CellText = { text: '–', face: 'sans', colour: ink.muted };

export function cellText(cell: Cell, type: CellType): CellText {
  if (cell === null || cell === '') return nothing;
  if (typeof cell === 'boolean') return plain(cell ? 'yes' : 'no');
  if (typeof cell === 'number') return plain(numberText(cell, type));
  switch (type) {
    case 'id':
      return { text: cell, face: 'mono', colour: ink.text };
    case 'severity':
    case 'status':
      return { text: cell.replaceAll('_', ' '), face: 'bold', colour: inkOfWord(cell) };
    case 'timestamp':
      return plain(withoutZone(cell));
    default:
      return address.test(cell)
        ? { text: cell, face: 'sans', colour: ink.link, url: cell }
        : plain(cell);
  }
}

const plain = (text: string): CellText => ({ text, face: 'sans', colour: ink.text });

/** `2026-10-01 08:00:00`: the column's title says that it is UTC. */
const withoutZone = (text: string): string => text.replace(instant, '$1 $2');

/** An instant within a text says its zone. */
export const readable = (text: string): string => text.replace(instant, '$1 $2 UTC');

function numberText(value: number, type: CellType): string {
  if (!Number.isFinite(value)) return String(value);
  return type === 'percent' ? `${groups.format(value)}\u00a0%` : groups.format(value);
}
