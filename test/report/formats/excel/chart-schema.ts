import type { Element } from './workbook.ts';

/**
 * What may be in the elements of charts and drawings, in the order that ECMA-376 (part 1, annex A) asks for: of what is
 * used. Excel offers to repair a file in which it is otherwise.
 */
const sequences: Readonly<Record<string, string>> = {
  'xdr:wsDr': 'xdr:oneCellAnchor',
  'xdr:oneCellAnchor': 'xdr:from xdr:ext xdr:graphicFrame xdr:clientData',
  'xdr:from': 'xdr:col xdr:colOff xdr:row xdr:rowOff',
  'xdr:graphicFrame': 'xdr:nvGraphicFramePr xdr:xfrm a:graphic',
  'xdr:nvGraphicFramePr': 'xdr:cNvPr xdr:cNvGraphicFramePr',
  'xdr:xfrm': 'a:off a:ext',
  'a:graphic': 'a:graphicData',
  'a:graphicData': 'c:chart',
  'c:chartSpace': 'c:date1904 c:lang c:roundedCorners c:style c:chart c:spPr c:txPr',
  'c:chart': 'c:title c:autoTitleDeleted c:plotArea c:legend c:plotVisOnly c:dispBlanksAs',
  'c:title': 'c:tx c:layout c:overlay c:spPr c:txPr',
  'c:tx': 'c:strRef c:rich',
  'c:rich': 'a:bodyPr a:lstStyle a:p',
  'c:txPr': 'a:bodyPr a:lstStyle a:p',
  'a:p': 'a:pPr a:r a:endParaRPr',
  'a:pPr': 'a:defRPr',
  'a:r': 'a:rPr a:t',
  'a:rPr': 'a:ln a:solidFill a:latin',
  'a:defRPr': 'a:ln a:solidFill a:latin',
  'c:plotArea': 'c:layout c:barChart c:scatterChart c:doughnutChart c:catAx c:valAx',
  'c:layout': 'c:manualLayout',
  'c:manualLayout': 'c:layoutTarget c:xMode c:yMode c:x c:y c:w c:h',
  'c:barChart': 'c:barDir c:grouping c:varyColors c:ser c:dLbls c:gapWidth c:overlap c:axId',
  'c:scatterChart': 'c:scatterStyle c:varyColors c:ser c:dLbls c:axId',
  'c:doughnutChart': 'c:varyColors c:ser c:dLbls c:firstSliceAng c:holeSize',
  'c:dPt': 'c:idx c:invertIfNegative c:marker c:bubble3D c:explosion c:spPr',
  'c:dLbls':
    'c:numFmt c:spPr c:txPr c:dLblPos c:showLegendKey c:showVal c:showCatName c:showSerName c:showPercent c:showBubbleSize',
  'c:marker': 'c:symbol c:size c:spPr',
  'c:cat': 'c:strRef c:numRef',
  'c:val': 'c:numRef',
  'c:xVal': 'c:numRef',
  'c:yVal': 'c:numRef',
  'c:strRef': 'c:f',
  'c:numRef': 'c:f',
  'c:catAx':
    'c:axId c:scaling c:delete c:axPos c:majorGridlines c:title c:numFmt c:majorTickMark c:minorTickMark c:tickLblPos c:spPr c:txPr c:crossAx c:crosses c:auto c:lblAlgn c:lblOffset c:tickLblSkip c:noMultiLvlLbl',
  'c:valAx':
    'c:axId c:scaling c:delete c:axPos c:majorGridlines c:title c:numFmt c:majorTickMark c:minorTickMark c:tickLblPos c:spPr c:txPr c:crossAx c:crosses c:crossBetween c:majorUnit',
  'c:scaling': 'c:orientation c:max c:min',
  'c:majorGridlines': 'c:spPr',
  'c:legend': 'c:legendPos c:overlay c:spPr c:txPr',
  'c:spPr': 'a:noFill a:solidFill a:ln',
  'a:ln': 'a:noFill a:solidFill a:prstDash a:round',
  'a:solidFill': 'a:srgbClr',
};

/** Of series, by the chart that they are in. */
const series: Readonly<Record<string, string>> = {
  'c:barChart': 'c:idx c:order c:tx c:spPr c:invertIfNegative c:dPt c:dLbls c:cat c:val',
  'c:scatterChart': 'c:idx c:order c:tx c:spPr c:marker c:dLbls c:xVal c:yVal c:smooth',
  'c:doughnutChart': 'c:idx c:order c:tx c:spPr c:explosion c:dPt c:dLbls c:cat c:val',
};

/** Where labels of bars may be, and those of slices nowhere. */
const labelPlaces: Readonly<Record<string, readonly string[]>> = {
  clustered: ['outEnd', 'inEnd', 'ctr', 'inBase'],
  stacked: ['inEnd', 'ctr', 'inBase'],
};

/** What is out of its order, or not allowed where it is. */
export function childrenInOrder(element: Element, parent = ''): string[] {
  const { name, children } = element;
  const names = children.map((child) => child.name);
  const allowed = (name === 'c:ser' ? series[parent] : sequences[name])?.split(' ') ?? [];
  const isReference = name === 'c:chart' && parent === 'a:graphicData';
  const places = names.map((child) => allowed.indexOf(child));
  const here = isReference
    ? names
    : names.filter((_, at) => (places[at] ?? -1) < Math.max(0, places[at - 1] ?? 0));
  const grouping = children.find((child) => child.name === 'c:grouping')?.attributes['val'] ?? '';
  const placed = name.endsWith('Chart') ? find(element, 'c:dLblPos') : [];
  const misplaced = placed.filter((place) => !labelPlaces[grouping]?.includes(place));
  return [
    ...here.map((child) => `${child} in ${name}`),
    ...misplaced.map((place) => `labels at ${place} in ${name} ${grouping}`),
    ...children.flatMap((child) => childrenInOrder(child, name)),
  ];
}

const find = (element: Element, name: string): string[] => [
  ...(element.name === name ? [element.attributes['val'] ?? ''] : []),
  ...element.children.flatMap((child) => find(child, name)),
];
