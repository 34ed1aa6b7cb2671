import { cellText } from './cell-text.ts';
import type { Cell, Column, LabelledValue, ReportModel, Row } from '../model.ts';

/** Whether its first section begins with the main figures and what has to stand beside them, which are not said twice. */
export const beginsWithFigures = ({ sections }: ReportModel): boolean =>
  sections[0]?.blocks[0]?.kind === 'figures';

/** A column, and where in a row its cells are. */
export interface PlacedColumn {
  readonly column: Column;
  readonly at: number;
}

export interface Reading {
  readonly main: readonly PlacedColumn[];
  readonly below: readonly PlacedColumn[];
}

/** The columns of a table as they are read. Where none is among the others, all are: a row is never a line alone. */
export function readingOf(columns: readonly Column[]): Reading {
  const placed = columns.map((column, at) => ({ column, at }));
  const main = placed.filter(({ column }) => column.shown === undefined);
  return main.length === 0
    ? { main: placed, below: [] }
    : { main, below: placed.filter(({ column }) => column.shown === 'below') };
}

/** What stands under a row: titles and values of what is there. Times say their zone. */
export const labelsBelow = ({ below }: Reading, row: Row): readonly LabelledValue[] =>
  below.flatMap(({ column: { title, type }, at }) => {
    const cell = row[at] ?? null;
    const value = `${cellText(cell, type)}${type === 'timestamp' ? ' UTC' : ''}`;
    return hasValue(cell) ? [{ label: title, value }] : [];
  });

/** The same in a line. */
export const lineBelow = (reading: Reading, row: Row): string =>
  labelsBelow(reading, row)
    .map(({ label, value }) => `${label}: ${value}`)
    .join(' · ');

const hasValue = (cell: Cell): boolean =>
  typeof cell === 'number' ? Number.isFinite(cell) : cell !== null && cell !== '';
