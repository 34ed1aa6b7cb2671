import type { ReportHead } from '../../model.ts';
import { generatedAt } from '../cell-text.ts';
import { stringXml } from './cells.ts';
import { drawingId, relationships, spreadsheet, xmlHead } from './namespaces.ts';
import { lineHeight, rowPadding } from './text-lines.ts';

export interface SheetStart {
  /** Of its columns, in digits of the workbook's font. */
  readonly widths: readonly number[];
  /** Its first row stays in view, and grid lines are shown; else it is a page of text. */
  readonly isTable: boolean;
  /** It is the one that is open at first. */
  readonly isOpen: boolean;
}

/** Rows of one line: a little air around them. */
const rowFormat = `<sheetFormatPr defaultRowHeight="${Math.ceil(lineHeight('text') + rowPadding)}" customHeight="1"/>`;

/** What a sheet begins with, up to its rows. */
export function startOfSheet({ widths, isTable, isOpen }: SheetStart): string {
  const pane = isTable
    ? '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft" activeCell="A2" sqref="A2"/>'
    : '';
  const view = `<sheetView${isTable ? '' : ' showGridLines="0"'} workbookViewId="0"${isOpen ? ' tabSelected="1"' : ''}>${pane}</sheetView>`;
  const cols = widths.map(
    (width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
  );
  return `${xmlHead}<worksheet xmlns="${spreadsheet}" xmlns:r="${relationships}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews>${view}</sheetViews>${isTable ? rowFormat : ''}${cols.length > 0 ? `<cols>${cols.join('')}</cols>` : ''}<sheetData>`;
}

export interface SheetEnd {
  /** Where the filters are, as in `A1:H101`: the sheet is a table. */
  readonly filter?: string;
  /** Rows of a table, with a line under each: grid lines are not printed, and empty cells have no look. */
  readonly lined?: string;
  /** Cells that are one, as in `A1:G1`. */
  readonly merged?: readonly string[];
  /** Cells that lead to another, as `'Findings'!A1`. */
  readonly links?: readonly Link[];
  /** Charts are drawn on it. */
  readonly isDrawnOn?: boolean;
}

export interface Link {
  readonly from: string;
  readonly to: string;
}

/** What a sheet ends with, after its rows: in the order that Excel insists on. */
export function endOfSheet(
  report: ReportHead,
  { filter, lined, merged, links, isDrawnOn = false }: SheetEnd,
): string {
  return [
    '</sheetData>',
    filter === undefined ? '' : `<autoFilter ref="${filter}"/>`,
    listXml(
      'mergeCells',
      merged?.map((ref) => `<mergeCell ref="${ref}"/>`),
      true,
    ),
    lined === undefined
      ? ''
      : `<conditionalFormatting sqref="${lined}"><cfRule type="expression" dxfId="0" priority="1"><formula>TRUE</formula></cfRule></conditionalFormatting>`,
    listXml('hyperlinks', links?.map(({ from, to }) => `<hyperlink ref="${from}" location="${stringXml(to)}"/>`)), // prettier-ignore
    '<pageMargins left="0.5" right="0.5" top="0.75" bottom="0.7" header="0.35" footer="0.35"/>',
    '<pageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="0"/>',
    `<headerFooter><oddHeader>${stringXml(headerOf(report))}</oddHeader><oddFooter>${stringXml(footerOf(report))}</oddFooter></headerFooter>`,
    isDrawnOn ? `<drawing r:id="${drawingId}"/>` : '',
    '</worksheet>',
  ].join('');
}

const listXml = (name: string, items: readonly string[] | undefined, counted = false): string =>
  items === undefined || items.length === 0
    ? ''
    : `<${name}${counted ? ` count="${items.length}"` : ''}>${items.join('')}</${name}>`;

/** It has room beside a sheet's name; Excel takes no more than 255 characters of a header in all. */
const longestName = 100;

/** The report's name at the left, the sheet's at the right. */
const headerOf = ({ name }: ReportHead): string => `&L${printed(name)}&R&A`;

const footerOf = (head: ReportHead): string =>
  `&L${printed(`${generatedAt(head)} · ${head.generator}`)}&RPage &P of &N`;

/** In a header `&` begins a code; two of them are one that is shown. */
function printed(text: string): string {
  let shown = '';
  for (const char of text.replace(/\s+/g, ' ')) {
    const sign = char === '&' ? '&&' : char;
    if (shown.length + sign.length > longestName) return `${shown}…`;
    shown += sign;
  }
  return shown;
}
