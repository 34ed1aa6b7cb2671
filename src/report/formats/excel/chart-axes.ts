import { xmlText } from './cells.ts';
import { chartLetters, lettered, stroked, titled } from './chart-look.ts';
import type { Ruler, Scale } from './chart-scales.ts';

const letters = { ...chartLetters, paint: 'muted' } as const;
const line = stroked({ paint: 'grid', points: 0.75 });
const gridLines = `<c:majorGridlines>${line}</c:majorGridlines>`;

// A chart has two axes.
const ids = { categories: 1, values: 2 } as const;
export const axisIds = `<c:axId val="${ids.categories}"/><c:axId val="${ids.values}"/>`;

type Side = 'bottom' | 'left';
const sides = { bottom: 'b', left: 'l' } as const;

interface Start {
  readonly id: number;
  readonly side: Side;
  readonly scale?: Scale;
  readonly isReversed?: boolean;
}

const start = ({ id, side, scale = {}, isReversed = false }: Start): string =>
  `<c:axId val="${id}"/><c:scaling><c:orientation val="${isReversed ? 'maxMin' : 'minMax'}"/>${number('max', scale.max)}${number('min', scale.min)}</c:scaling><c:delete val="0"/><c:axPos val="${sides[side]}"/>`;

/** @param labels beside the axis; or low, where they are out of the way of what is under 0 */
const look = (format: string, labels: 'low' | 'nextTo'): string =>
  `<c:numFmt formatCode="${xmlText(format)}" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="${labels}"/>${line}${lettered(letters)}`;

const number = (name: string, value: number | undefined): string =>
  value === undefined ? '' : `<c:${name} val="${value}"/>`;

/** Names at the left, the first at the top; or times as names at the bottom, of which not each is written. */
export function categoryAxis(side: Side, format = 'General', count = 0): string {
  const skip = count > 8 ? Math.ceil(count / 6) : undefined;
  const isReversed = side === 'left';
  return `<c:catAx>${start({ id: ids.categories, side, isReversed })}${look(format, 'low')}<c:crossAx val="${ids.values}"/><c:crosses val="autoZero"/><c:auto val="0"/><c:lblAlgn val="ctr"/><c:lblOffset val="100"/>${number('tickLblSkip', skip)}<c:noMultiLvlLbl val="1"/></c:catAx>`;
}

/** Times along the bottom, each at its place in time. */
export const timeAxis = ({ scale, format }: Ruler): string =>
  `<c:valAx>${start({ id: ids.categories, side: 'bottom', scale })}${look(format, 'low')}<c:crossAx val="${ids.values}"/><c:crosses val="min"/><c:crossBetween val="midCat"/>${number('majorUnit', scale.step)}</c:valAx>`;

export interface ValueAxis {
  readonly side: Side;
  readonly ruler: Ruler;
  readonly title: string | undefined;
  /** Values stand between ticks of the other axis, not on them. */
  readonly isBetween: boolean;
}

export function valueAxis({ side, ruler, title, isBetween }: ValueAxis): string {
  const { scale, format } = ruler;
  // At the bottom it is beyond the last of the categories, which begin at the top.
  const crosses = side === 'bottom' ? 'max' : 'min';
  const caption = title === undefined ? '' : titled(title, letters, side === 'left');
  return `<c:valAx>${start({ id: ids.values, side, scale })}${gridLines}${caption}${look(format, 'nextTo')}<c:crossAx val="${ids.categories}"/><c:crosses val="${crosses}"/><c:crossBetween val="${isBetween ? 'between' : 'midCat'}"/>${number('majorUnit', scale.step)}</c:valAx>`;
}
