import { reportTypeTitles } from '../../../contract/reports.ts';
import { readable } from '../cell-text.ts';
import type { Block, Chart, ReportModel } from '../model.ts';
import { toneWords } from '../tones.ts';
import { columnLetters, tableCell, textCell } from './cells.ts';
import type { StyleName } from './styles.ts';

/** A row of the first sheet: texts with their looks, or numbers. */
type Line = readonly (readonly [text: string, style: StyleName] | number | null)[];

/**
 * The first sheet, from its head down: what the report is, and all of its sections that is no table; where those are.
 * @param sheetsOf names of the sheets of a section's tables
 */
export function* summaryRows(
  model: ReportModel,
  sheetsOf: (section: ReportModel['sections'][number]) => readonly string[],
): Generator<string> {
  let row = 0;
  for (const line of linesOf(model, sheetsOf)) {
    row += 1;
    const cells = line.map((cell, at) => {
      const place = `${columnLetters(at)}${row}`;
      if (cell === null) return '';
      return typeof cell === 'number'
        ? tableCell(place, cell, Number.isInteger(cell) ? 'integer' : 'decimal')
        : textCell(place, cell[0], cell[1]);
    });
    yield `<row r="${row}">${cells.join('')}</row>`;
  }
}

function* linesOf(
  { head, sections }: ReportModel,
  sheetsOf: (section: ReportModel['sections'][number]) => readonly string[],
): Generator<Line> {
  yield [[head.name, 'title']];
  const kind = [reportTypeTitles[head.type], head.framework].filter((part) => part !== undefined);
  yield [[kind.join(' · '), 'heading']];
  if (head.description !== undefined) yield [[head.description, 'text']];
  yield [];
  for (const { label, value } of head.about) yield fact(label, readable(value));
  yield fact('Generated', readable(head.generated_at));
  yield fact('By', head.generated_by);
  yield fact('Report', head.id);
  yield fact('Made with', head.generator);
  yield [];
  const { compliance_score: score, ...counts } = head.summary;
  yield [['Compliance score (%)', 'label'], score ?? ['–', 'text']];
  for (const [name, count] of Object.entries(counts)) {
    yield [
      [name.replace(/^./, (first) => first.toUpperCase()).replaceAll('_', ' '), 'label'],
      count,
    ];
  }
  for (const section of sections) {
    yield [];
    yield [[section.title, 'heading']];
    for (const block of section.blocks) yield* blockLines(block);
    for (const name of sheetsOf(section))
      yield [
        ['Sheet', 'label'],
        [name, 'text'],
      ];
  }
}

const fact = (label: string, value: string): Line => [
  [label, 'label'],
  [value, 'text'],
];

function* blockLines(block: Block): Generator<Line> {
  switch (block.kind) {
    case 'heading':
      return yield [[block.text, 'head']];
    case 'paragraph':
      return yield [[block.text, 'text']];
    case 'notice':
      return yield [[`${toneWords[block.tone]}: ${block.text}`, block.tone]];
    case 'figures':
      for (const { label, value, note, tone } of block.items) {
        yield [
          [label, 'label'],
          [value, tone ?? 'text'],
          note === undefined ? null : [note, 'text'],
        ];
      }
      return;
    case 'chart':
      return yield* chartLines(block);
    case 'table':
      return;
  }
}

/** A chart's numbers: cells are drawn again by whoever needs a picture. */
function* chartLines({ title, categories, series, unit }: Chart): Generator<Line> {
  yield [[unit === undefined ? title : `${title} (${unit})`, 'head'], ...series.map(({ name }) => [name, 'head'] as const)]; // prettier-ignore
  for (const [at, category] of categories.entries()) {
    yield [[category, 'text'], ...series.map(({ values }) => values[at] ?? null)];
  }
}
