import { reportTypeTitles } from '../../../contract/reports.ts';
import { generatedAt, readable } from '../cell-text.ts';
import type { Block, Cell, CellType, Chart, ReportModel, Section } from '../../model.ts';
import { toneWords } from '../tones.ts';
import { quoted } from './parts.ts';
import type { StyleName } from './styles.ts';

/** Columns that texts of the first sheet are over: labels, then what they are of. */
const all = 7;

/** A text over some columns, or a value of a type, in one. */
export type SummaryCell =
  | {
      readonly text: string;
      readonly style: StyleName;
      readonly span: number;
      /** A cell of another sheet that it leads to. */
      readonly link?: string;
    }
  | { readonly value: Cell; readonly type: CellType };

/** A row of the first sheet: cells from the left to the right. None: a gap. */
export type Line = readonly SummaryCell[];

/** A sheet of a table, as the summary tells of it. */
export interface SheetNote {
  readonly name: string;
  readonly rows: number;
  /** What is said where there are no rows. */
  readonly empty: string;
}

/** The first sheet, from its head down: what the report is, and all of its sections that is no table; where those are. */
export function* summaryLines(
  { head, sections }: ReportModel,
  sheetsOf: (section: Section) => readonly SheetNote[],
): Generator<Line> {
  const kind = [reportTypeTitles[head.type], head.framework].filter((part) => part !== undefined);
  yield [over(head.name, 'title')];
  yield [over(kind.join(' · '), 'subtitle')];
  if (head.description !== undefined) yield [over(head.description, 'text')];
  yield [];
  for (const { label, value } of head.about) yield fact(label, readable(value));
  yield fact('Generated', generatedAt(head));
  yield fact('By', head.generated_by);
  yield fact('Report', head.id);
  yield fact('Made with', head.generator);
  yield [];
  const { compliance_score: score, ...counts } = head.summary;
  yield score === null
    ? fact('Compliance score', '–')
    : [label('Compliance score'), { value: score, type: 'percent' }];
  for (const [name, value] of Object.entries(counts)) {
    const words = name.replace(/^./, (first) => first.toUpperCase()).replaceAll('_', ' ');
    yield [label(words), { value, type: 'integer' }];
  }
  for (const text of head.notices ?? []) yield [over(`${toneWords.warn}: ${text}`, 'warn')];
  for (const section of sections) {
    yield [];
    yield [over(section.title, 'heading')];
    for (const block of section.blocks) yield* blockLines(block);
    const sheets = sheetsOf(section);
    if (sheets.length > 0) yield [];
    for (const sheet of sheets) yield sheetLine(sheet);
  }
}

const over = (text: string, style: StyleName): SummaryCell => ({ text, style, span: all });
const label = (text: string): SummaryCell => ({ text, style: 'label', span: 1 });
const rest = (text: string, style: StyleName = 'text'): SummaryCell => ({ text, style, span: all - 1 }); // prettier-ignore
const fact = (name: string, value: string): Line => [label(name), rest(value)];

const sheetLine = ({ name, rows, empty }: SheetNote): Line => [
  { text: `Sheet → ${name}`, style: 'link', span: 1, link: `${quoted(name)}!A1` },
  rest(rows === 0 ? empty : `${rows.toLocaleString('en-US')} ${rows === 1 ? 'row' : 'rows'}`, 'label'), // prettier-ignore
];

function* blockLines(block: Block): Generator<Line> {
  switch (block.kind) {
    case 'heading':
      yield [];
      return yield [over(block.text, 'subheading')];
    case 'paragraph':
      return yield [over(block.text, 'text')];
    case 'notice':
      return yield [over(`${toneWords[block.tone]}: ${block.text}`, block.tone)];
    case 'figures':
      for (const { label: name, value, note, tone } of block.items) {
        const figure: SummaryCell = { text: value, style: tone ?? 'text', span: 2 };
        yield [label(name), figure, { text: note ?? '', style: 'label', span: all - 3 }];
      }
      return;
    case 'chart':
      return yield* chartLines(block);
    case 'table':
      return;
  }
}

/** A chart's numbers, as a table of their own: cells are drawn again by whoever needs a picture. */
function* chartLines(chart: Chart): Generator<Line> {
  const { title, description, form, categories, series, unit } = chart;
  yield [];
  yield [over(unit === undefined ? title : `${title} (${unit})`, 'subheading')];
  yield [over(description, 'label')];
  if (categories.length === 0 || series.length === 0) return;
  const names = series.map(({ name }): SummaryCell => ({ text: name, style: 'headOfNumbers', span: 1 })); // prettier-ignore
  yield [{ text: form === 'lines' ? 'Time (UTC)' : '', style: 'head', span: 1 }, ...names];
  for (const [at, category] of categories.entries()) {
    const values = series.map(({ values }): SummaryCell => {
      const value = values[at] ?? null;
      return { value, type: unit === '%' ? 'percent' : numberType(value) };
    });
    const name: SummaryCell =
      form === 'lines'
        ? { value: category, type: 'timestamp' }
        : { text: category, style: 'text', span: 1 };
    yield [name, ...values];
  }
  yield [];
}

const numberType = (value: number | null): CellType =>
  value === null || Number.isInteger(value) ? 'integer' : 'decimal';
