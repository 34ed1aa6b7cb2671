import { reportTypeTitles } from '../../../contract/reports.ts';
import { generatedAt, readable } from '../cell-text.ts';
import type { Block, ReportModel, Section } from '../../model.ts';
import { linesOfChart } from './chart-lines.ts';
import type { ChartLines } from './chart-lines.ts';
import { beginsWithFigures } from '../reading.ts';
import { toneWords } from '../tones.ts';
import { quoted } from './parts.ts';
import type { StyleName } from './styles.ts';
import { allColumns } from './summary-cells.ts';
import type { Line, SummaryCell } from './summary-cells.ts';

/** A sheet of a table, as the summary tells of it. */
export interface SheetNote {
  readonly name: string;
  readonly rows: number;
  /** What is said where there are no rows. */
  readonly empty: string;
}

/** The first sheet, from its head down: what the report is, and all of its sections that is no table; where those are. */
export function* summaryLines(
  model: ReportModel,
  sheetsOf: (section: Section) => readonly SheetNote[],
): Generator<Line | ChartLines> {
  const { head, sections } = model;
  const notices = beginsWithFigures(model) ? [] : (head.notices ?? []);
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
  for (const text of notices) yield [over(`${toneWords.warn}: ${text}`, 'warn')];
  for (const section of sections) {
    yield [];
    yield [over(section.title, 'heading')];
    for (const block of section.blocks) yield* blockLines(block);
    const sheets = sheetsOf(section);
    if (sheets.length > 0) yield [];
    for (const sheet of sheets) yield sheetLine(sheet);
  }
}

const over = (text: string, style: StyleName): SummaryCell => ({ text, style, span: allColumns });
const label = (text: string): SummaryCell => ({ text, style: 'label', span: 1 });
const rest = (text: string, style: StyleName = 'text'): SummaryCell => ({ text, style, span: allColumns - 1 }); // prettier-ignore
const fact = (name: string, value: string): Line => [label(name), rest(value)];

const sheetLine = ({ name, rows, empty }: SheetNote): Line => [
  { text: `Sheet → ${name}`, style: 'link', span: 1, link: `${quoted(name)}!A1` },
  rest(rows === 0 ? empty : `${rows.toLocaleString('en-US')} ${rows === 1 ? 'row' : 'rows'}`, 'label'), // prettier-ignore
];

function* blockLines(block: Block): Generator<Line | ChartLines> {
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
        yield [label(name), figure, { text: note ?? '', style: 'label', span: allColumns - 3 }];
      }
      return;
    case 'chart':
      yield [];
      yield linesOfChart(block);
      return yield [];
    case 'table':
      return;
  }
}
