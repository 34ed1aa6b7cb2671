/** Cells refer to these by their number. */
const looks = [
  { name: 'text', font: 'text', wrap: true },
  { name: 'head', font: 'strong', fill: 2, border: 1, wrap: true },
  { name: 'integer', font: 'text', format: 3 },
  { name: 'decimal', font: 'text', format: 4 },
  { name: 'percent', font: 'text', format: 10 },
  { name: 'timestamp', font: 'text', format: 164, to: 'left' },
  { name: 'date', font: 'text', format: 165, to: 'left' },
  { name: 'title', font: 'title', wrap: true },
  { name: 'heading', font: 'heading', border: 1, wrap: true },
  { name: 'label', font: 'quiet', wrap: true },
  { name: 'id', font: 'id', wrap: true },
  { name: 'good', font: 'good', wrap: true },
  { name: 'bad', font: 'bad', wrap: true },
  { name: 'warn', font: 'warn', wrap: true },
  { name: 'neutral', font: 'neutral', wrap: true },
  { name: 'high', font: 'high', wrap: true },
  { name: 'low', font: 'neutral', wrap: true },
  { name: 'subtitle', font: 'subtitle', wrap: true },
  { name: 'subheading', font: 'subheading', wrap: true },
  { name: 'headOfNumbers', font: 'strong', fill: 2, border: 1, wrap: true, to: 'right' },
  { name: 'link', font: 'link', wrap: true },
] as const;

export type StyleName = (typeof looks)[number]['name'];

export const styles = Object.fromEntries(looks.map(({ name }, at) => [name, at])) as Readonly<
  // Every name is in the list.
  Record<StyleName, number>
>;

interface Font {
  /** Points. */
  readonly size: number;
  readonly bold: boolean;
  readonly colour: string;
  readonly face?: string;
  readonly underlined?: boolean;
}

/** The first is that of the workbook: the widths of columns are counted in its digits. */
const fonts = {
  text: { size: 10, bold: false, colour: '1B2733' },
  strong: { size: 10, bold: true, colour: '1B2733' },
  title: { size: 18, bold: true, colour: '1B2733' },
  heading: { size: 13, bold: true, colour: '1F4468' },
  quiet: { size: 10, bold: false, colour: '566473' },
  id: { size: 9, bold: false, colour: '1B2733', face: 'Consolas' },
  good: { size: 10, bold: true, colour: '23633F' },
  bad: { size: 10, bold: true, colour: '8F1D2C' },
  warn: { size: 10, bold: true, colour: '7D5200' },
  neutral: { size: 10, bold: true, colour: '1F4468' },
  high: { size: 10, bold: true, colour: 'A63F1C' },
  subtitle: { size: 12, bold: false, colour: '566473' },
  subheading: { size: 11, bold: true, colour: '1B2733' },
  link: { size: 10, bold: false, colour: '0B5CAD', underlined: true },
} as const satisfies Readonly<Record<string, Font>>;

const fontNames = Object.keys(fonts);
const fontOfLook = new Map<StyleName, Font>(looks.map(({ name, font }) => [name, fonts[font]]));

/** The size, in points, and the weight of a style's letters. */
export const lettersOf = (style: StyleName): { readonly size: number; readonly bold: boolean } =>
  fontOfLook.get(style) ?? fonts.text;

const fontXml = ({ size, bold, colour, face = 'Calibri', underlined = false }: Font): string =>
  `<font>${bold ? '<b/>' : ''}${underlined ? '<u/>' : ''}<sz val="${size}"/><color rgb="FF${colour}"/><name val="${face}"/></font>`;

function lookXml(look: (typeof looks)[number]): string {
  const { font, fill = 0, border = 0, format = 0, wrap = false, to } = { ...look } as Look;
  const align = `<alignment${to === undefined ? '' : ` horizontal="${to}"`} vertical="top"${wrap ? ' wrapText="1"' : ''}/>`;
  return `<xf numFmtId="${format}" fontId="${fontNames.indexOf(font)}" fillId="${fill}" borderId="${border}" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1">${align}</xf>`;
}

// What the looks above have between them.
interface Look {
  readonly font: string;
  readonly fill?: number;
  readonly border?: number;
  readonly format?: number;
  readonly wrap?: boolean;
  readonly to?: 'left' | 'right';
}

export const stylesXml = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="${fontNames.length}">${Object.values(fonts).map(fontXml).join('')}</fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFE9EEF3"/><bgColor indexed="64"/></patternFill></fill></fills><borders count="2"><border><left/><right/><top/><bottom/><diagonal/></border><border><left/><right/><top/><bottom style="thin"><color rgb="FFC3CCD5"/></bottom><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${looks.length}">${looks.map(lookXml).join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles><dxfs count="1"><dxf><border><bottom style="thin"><color rgb="FFDDE3E9"/></bottom></border></dxf></dxfs></styleSheet>`;
