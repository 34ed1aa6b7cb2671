import type { Cell, CellType } from '../../model.ts';
import { cellText } from '../cell-text.ts';
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
  type === 'integer' || type === 'decimal' || type === 'percent' || type === 'money';

const address = /^https?:\/\/[^\s\p{Cc}]{1,2000}$/iu;
const nothing: CellText = { text: cellText(null, 'text'), face: 'narrow', colour: ink.muted };

export function setCell(cell: Cell, type: CellType): CellText {
  const text = cellText(cell, type);
  if (cell === null || cell === '') return nothing;
  if (typeof cell !== 'string') return plain(text);
  switch (type) {
    case 'id':
      return { text, face: 'mono', colour: ink.text };
    case 'severity':
    case 'status':
      return { text, face: 'narrowBold', colour: inkOfWord(text) };
    default:
      return address.test(text)
        ? { text, face: 'narrow', colour: ink.link, url: text }
        : plain(text);
  }
}

const plain = (text: string): CellText => ({ text, face: 'narrow', colour: ink.text });
