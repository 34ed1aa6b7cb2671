/** Cells refer to these by their number. */
const looks = [
  { name: 'text', font: 0, wrap: true },
  { name: 'head', font: 1, fill: 2, border: 1, wrap: true },
  { name: 'integer', font: 0, format: 3 },
  { name: 'decimal', font: 0, format: 4 },
  { name: 'percent', font: 0, format: 10 },
  { name: 'timestamp', font: 0, format: 164 },
  { name: 'date', font: 0, format: 165 },
  { name: 'title', font: 2 },
  { name: 'heading', font: 3 },
  { name: 'label', font: 4, wrap: true },
  { name: 'id', font: 5 },
  { name: 'good', font: 6 },
  { name: 'bad', font: 7 },
  { name: 'warn', font: 8 },
  { name: 'neutral', font: 9 },
  { name: 'high', font: 10 },
  { name: 'low', font: 9 },
] as const;

export type StyleName = (typeof looks)[number]['name'];

export const styles = Object.fromEntries(looks.map(({ name }, at) => [name, at])) as Readonly<
  // Every name is in the list.
  Record<StyleName, number>
>;

const font = (size: number, colour: string, bold = false, face = 'Calibri'): string =>
  `<font>${bold ? '<b/>' : ''}<sz val="${size}"/><color rgb="FF${colour}"/><name val="${face}"/></font>`;

const fonts = [
  font(10, '1B2733'),
  font(10, '1B2733', true),
  font(16, '1B2733', true),
  font(12, '1F4468', true),
  font(10, '566473'),
  font(9, '1B2733', false, 'Consolas'),
  font(10, '23633F', true),
  font(10, '8F1D2C', true),
  font(10, '7D5200', true),
  font(10, '1F4468', true),
  font(10, 'A63F1C', true),
];

function lookXml(look: (typeof looks)[number]): string {
  const { font, fill = 0, border = 0, format = 0, wrap = false } = { ...look } as Look;
  const align = `<alignment vertical="top"${wrap ? ' wrapText="1"' : ''}/>`;
  return `<xf numFmtId="${format}" fontId="${font}" fillId="${fill}" borderId="${border}" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1">${align}</xf>`;
}

// What the looks above have between them.
interface Look {
  readonly font: number;
  readonly fill?: number;
  readonly border?: number;
  readonly format?: number;
  readonly wrap?: boolean;
}

export const stylesXml = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="${fonts.length}">${fonts.join('')}</fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFE9EEF3"/><bgColor indexed="64"/></patternFill></fill></fills><borders count="2"><border><left/><right/><top/><bottom/><diagonal/></border><border><left/><right/><top/><bottom style="thin"><color rgb="FFC3CCD5"/></bottom><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${looks.length}">${looks.map(lookXml).join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
