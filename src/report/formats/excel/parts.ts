import type { ReportHead } from '../../model.ts';
import { columnLetters, xmlText } from './cells.ts';
import { chartPart } from './chart-part.ts';
import { drawingPart } from './drawing-part.ts';
import type { PlacedChart } from './drawing-part.ts';
import { drawingId, packages, relationships, spreadsheet, xmlHead } from './namespaces.ts';
import { stylesXml } from './styles.ts';

const office = 'application/vnd.openxmlformats-officedocument';
const types = `${office}.spreadsheetml`;

/** A sheet as the workbook names it. */
export interface NamedSheet {
  readonly name: string;
  /** Of a table: its columns and the rows under its head. */
  readonly table?: { readonly columns: number; readonly rows: number };
}

type Part = readonly [name: string, text: string];

/** The files around the sheets, which are `xl/worksheets/sheet1.xml` and so on in their order. */
export function workbookParts(
  sheets: readonly NamedSheet[],
  charts: readonly PlacedChart[],
  report: ReportHead,
): readonly Part[] {
  const numbers = sheets.map((_, at) => at + 1);
  const overrides = [
    ['/xl/workbook.xml', `${types}.sheet.main+xml`],
    ['/xl/styles.xml', `${types}.styles+xml`],
    ['/docProps/core.xml', 'application/vnd.openxmlformats-package.core-properties+xml'],
    ...numbers.map((n) => [`/xl/worksheets/sheet${n}.xml`, `${types}.worksheet+xml`]),
    ...(charts.length > 0 ? [['/xl/drawings/drawing1.xml', `${office}.drawing+xml`]] : []),
    ...charts.map((_, at) => [`/xl/charts/chart${at + 1}.xml`, `${office}.drawingml.chart+xml`]),
  ].map(([name, type]) => `<Override PartName="${name}" ContentType="${type}"/>`);
  const names = sheets.flatMap(({ name, table }, at) =>
    table
      ? [
          `<definedName name="_xlnm._FilterDatabase" localSheetId="${at}" hidden="1">${xmlText(quoted(name))}!${filtered(table, '$')}</definedName>`,
          `<definedName name="_xlnm.Print_Titles" localSheetId="${at}">${xmlText(quoted(name))}!$1:$1</definedName>`,
        ]
      : [],
  );
  const sheetXml = sheets.map(
    ({ name }, at) => `<sheet name="${xmlText(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`,
  );
  return [
    [
      '[Content_Types].xml',
      `${xmlHead}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}</Types>`,
    ],
    [
      '_rels/.rels',
      rels([
        ['rId1', `${relationships}/officeDocument`, 'xl/workbook.xml'],
        ['rId2', `${packages}/relationships/metadata/core-properties`, 'docProps/core.xml'],
      ]),
    ],
    [
      'docProps/core.xml',
      `${xmlHead}<cp:coreProperties xmlns:cp="${packages}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>${xmlText(report.name)}</dc:title><dc:creator>${xmlText(report.generator)}</dc:creator><dcterms:created xsi:type="dcterms:W3CDTF">${xmlText(report.generated_at)}</dcterms:created></cp:coreProperties>`,
    ],
    [
      'xl/workbook.xml',
      `${xmlHead}<workbook xmlns="${spreadsheet}" xmlns:r="${relationships}"><sheets>${sheetXml.join('')}</sheets>${names.length > 0 ? `<definedNames>${names.join('')}</definedNames>` : ''}</workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      rels([
        ...numbers.map((n) => [`rId${n}`, `${relationships}/worksheet`, `worksheets/sheet${n}.xml`] as const), // prettier-ignore
        [`rId${sheets.length + 1}`, `${relationships}/styles`, 'styles.xml'],
      ]),
    ],
    ['xl/styles.xml', stylesXml],
    ...chartParts(charts),
  ];
}

/** The charts of the first sheet, and what leads to them. */
function chartParts(charts: readonly PlacedChart[]): readonly Part[] {
  if (charts.length === 0) return [];
  return [
    [
      'xl/worksheets/_rels/sheet1.xml.rels',
      rels([[drawingId, `${relationships}/drawing`, '../drawings/drawing1.xml']]),
    ],
    ['xl/drawings/drawing1.xml', drawingPart(charts)],
    [
      'xl/drawings/_rels/drawing1.xml.rels',
      rels(charts.map((_, at) => [`rId${at + 1}`, `${relationships}/chart`, `../charts/chart${at + 1}.xml`])), // prettier-ignore
    ],
    ...charts.map(({ chart, numbers }, at): Part => [`xl/charts/chart${at + 1}.xml`, chartPart(chart, numbers)]), // prettier-ignore
  ];
}

const rels = (all: readonly (readonly [id: string, type: string, target: string])[]): string =>
  `${xmlHead}<Relationships xmlns="${packages}/relationships">${all
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

/** A sheet's name as references have it. */
export const quoted = (name: string): string => `'${name.replaceAll("'", "''")}'`;

/** The head and the rows of a table, as in `A1:H101`. */
export const filtered = (
  { columns, rows }: { readonly columns: number; readonly rows: number },
  fixed = '',
): string =>
  // prettier-ignore
  `${fixed}A${fixed}1:${fixed}${columnLetters(columns - 1)}${fixed}${rows + 1}`;
