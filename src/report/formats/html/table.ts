import { cellText, columnTitle } from '../cell-text.ts';
import type { Cell, CellType, Column, Row, Table } from '../../model.ts';
import { lineBelow, readingOf } from '../reading.ts';
import type { PlacedColumn, Reading } from '../reading.ts';
import { toneOfStatus } from '../tones.ts';
import { visibleText } from '../visible-text.ts';
import { escapeText, isWebAddress, scriptJson } from './escape.ts';

/** Rows written as HTML: what is shown without the script, and the first page with it. */
const firstRows = 200;
/** Rows in one block of JSON. */
const blockRows = 2_000;
/** From this many columns on, a narrow window shows each row as a card. */
const cardColumns = 4;
/** Characters of a title that is kept on one line. */
const longestWord = 24;

const numberTypes: ReadonlySet<CellType> = new Set(['integer', 'decimal', 'percent', 'money']);

export interface TableIds {
  readonly id: string;
  /** The ID of a heading that already says the title. */
  readonly titledBy: string | undefined;
}

/**
 * The first rows as HTML, and all of them as JSON for the script that pages, filters and sorts them. Memory holds one
 * block of rows and the batch that is read.
 */
export async function* tableHtml(
  table: Table,
  { id, titledBy }: TableIds,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { columns, rowCount, empty } = table;
  const title =
    titledBy === undefined
      ? `<p class="title" id="${id}-title">${escapeText(table.title)}</p>`
      : '';
  // A table without rows says nothing, least of all to people whose screen readers read its columns out.
  if (rowCount === 0) return yield `${title}<p class="empty">${escapeText(empty)}</p>\n`;
  const reading = readingOf(columns);
  const { main, below } = reading;
  const cards = main.length >= cardColumns;
  // The line below a row has columns only where the script shows it.
  const placed = [...main, ...below];
  const hidden = (n: number): string => (n < main.length ? '' : ' hidden');
  const cols = placed.map((_, n) => `<col${hidden(n)}>`).join('');
  const heads = placed.map(({ column }, n) => headHtml(column, hidden(n)));
  const types = scriptJson(placed.map(({ column: { type } }) => type));
  yield (
    `<div class="table${cards ? ' cards' : ''}${below.length > 0 ? ' lined' : ''}" id="${id}">` +
    `<script type="application/json" class="columns">${types}</script>` +
    `<div class="top">${title}</div>` +
    `<div class="box"><table aria-labelledby="${titledBy ?? `${id}-title`}"><colgroup>${cols}</colgroup>` +
    `<thead><tr>${heads.join('')}</tr></thead><tbody>\n`
  );
  let count = 0;
  const block: string[] = [];
  for await (const rows of table.rows()) {
    signal.throwIfAborted();
    for (const row of rows) {
      if (count < firstRows) yield rowHtml(row, reading, cards, count % 2 === 1);
      count += 1;
      if (count === firstRows) yield endOfTable(table, count);
      block.push(
        scriptJson(placed.map(({ column: { type }, at }) => shownCell(row[at] ?? null, type))),
      );
      // Past the first rows: their HTML has ended.
      if (block.length === blockRows) yield blockHtml(block.splice(0));
    }
  }
  if (count < firstRows) yield endOfTable(table, count);
  if (block.length > 0) yield blockHtml(block);
  yield '</div>\n';
}

function headHtml(column: Column, hidden: string): string {
  const title = columnTitle(column);
  const isWhole = title.split(/\s/).every((word) => word.length <= longestWord);
  const classes = [numberTypes.has(column.type) ? 'number' : '', isWhole ? 'whole' : ''];
  return `<th scope="col" class="${classes.join(' ').trim()}"${hidden}>${escapeText(title)}</th>`;
}

function endOfTable({ rowCount }: Table, count: number): string {
  const end = '</tbody></table></div>\n';
  const left = rowCount - count;
  if (left <= 0) return end;
  return `${end}<p class="more">${left.toLocaleString('en-US')} more rows are in this file; to see them, open it in a browser with JavaScript enabled.</p>`;
}

const blockHtml = (rows: readonly string[]): string =>
  `<script type="application/json" class="rows">[${rows.join(',\n')}]</script>\n`;

/** As the script expects it: a number in a column of numbers, null, or the text that is shown. */
function shownCell(cell: Cell, type: CellType): string | number | null {
  if (cell === null || (typeof cell === 'number' && !Number.isFinite(cell))) return null;
  if (typeof cell === 'number' && numberTypes.has(type)) return cell;
  // Sorted by the text that is shown.
  if (type === 'money') return Number(cellText(cell, type).replaceAll(',', ''));
  return visibleText(cellText(cell, type));
}

function rowHtml(row: Row, reading: Reading, cards: boolean, isEven: boolean): string {
  const { main, below } = reading;
  const cells = main.map(({ column: { type }, at }: PlacedColumn) => {
    const cell = row[at] ?? null;
    const name = numberTypes.has(type) ? 'number' : type;
    const content = contentHtml(cell, type);
    const isBare = cards && !content.startsWith('<');
    return `<td class="${name}">${isBare ? `<span>${content}</span>` : content}</td>`;
  });
  if (below.length === 0) return `<tr>${cells.join('')}</tr>\n`;
  const even = isEven ? ' even' : '';
  const line = visibleText(lineBelow(reading, row));
  if (line === '') return `<tr class="row${even}">${cells.join('')}</tr>\n`;
  return (
    `<tr class="row split${even}">${cells.join('')}</tr>` +
    `<tr class="below${even}"><td colspan="${main.length}">${escapeText(line)}</td></tr>\n`
  );
}

const severities: ReadonlySet<string> = new Set(['critical', 'high', 'medium', 'low']);

function contentHtml(cell: Cell, type: CellType): string {
  const shown = cellText(cell, type);
  const text = escapeText(shown);
  if (shownCell(cell, type) === null) return `<span class="nil">${text}</span>`;
  if (type === 'severity') {
    const word = shown.toLowerCase();
    return `<span class="sev${severities.has(word) ? ` whole sev-${word}` : ''}">${text}</span>`;
  }
  if (type === 'status') {
    const tone = toneOfStatus(shown);
    return `<span class="stat${tone === undefined ? '' : ` whole ${tone}`}">${text}</span>`;
  }
  if (type === 'timestamp' || type === 'date') {
    const [, date, time] = /^(\d{4}-\d{2}-\d{2})(.*)$/s.exec(text) ?? [];
    if (date !== undefined) return `<span><span class="whole">${date}</span>${time}</span>`;
  }
  if (typeof cell === 'string' && isWebAddress(cell)) {
    return `<a href="${text}" rel="noopener noreferrer">${text}</a>`;
  }
  return text;
}
