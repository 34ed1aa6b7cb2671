import { xmlText } from './cells.ts';
import type { SheetChart } from './chart-lines.ts';
import type { NumbersPlace } from './chart-series.ts';
import { chartWidth, emu } from './chart-look.ts';
import { heightOfChart } from './chart-part.ts';
import { drawingml, relationships, xmlHead } from './namespaces.ts';

const namespaces = `xmlns:xdr="${drawingml}/spreadsheetDrawing" xmlns:a="${drawingml}/main" xmlns:c="${drawingml}/chart" xmlns:r="${relationships}"`;

/** A chart, the row, from 0, that it begins at, and where its numbers are. */
export interface PlacedChart {
  readonly chart: SheetChart;
  readonly row: number;
  readonly numbers: Omit<NumbersPlace, 'rows'>;
}

/** What is drawn on a sheet: charts at its left, whose files are `rId1` and so on in their order. */
export const drawingPart = (charts: readonly PlacedChart[]): string =>
  `${xmlHead}<xdr:wsDr ${namespaces}>${charts.map(anchor).join('')}</xdr:wsDr>`;

function anchor({ chart, row }: PlacedChart, at: number): string {
  const { title, description } = chart;
  const from = `<xdr:from><xdr:col>0</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>${row}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from>`;
  const size = `<xdr:ext cx="${emu(chartWidth)}" cy="${emu(heightOfChart(chart))}"/>`;
  const frame = `<xdr:nvGraphicFramePr><xdr:cNvPr id="${at + 2}" name="Chart ${at + 1}" descr="${attribute(`${title}: ${description}`)}"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm>`;
  const graphic = `<a:graphic><a:graphicData uri="${drawingml}/chart"><c:chart r:id="rId${at + 1}"/></a:graphicData></a:graphic>`;
  return `<xdr:oneCellAnchor>${from}${size}<xdr:graphicFrame macro="">${frame}${graphic}</xdr:graphicFrame><xdr:clientData/></xdr:oneCellAnchor>`;
}

/** In an attribute, ends of lines are spaces. */
const attribute = (text: string): string => xmlText(text.replace(/\s+/g, ' '));
