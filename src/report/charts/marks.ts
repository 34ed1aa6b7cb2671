import type { Paint, PathShape } from './drawing.ts';
import { rectangle, round } from './text.ts';

/** Columns of the first series are filled, others are outlines, so that not only colours tell them apart. */
export const columnOf = (
  at: number,
  paint: Paint,
  { x, y, width, height }: Readonly<Record<'x' | 'y' | 'width' | 'height', number>>,
): Pick<PathShape, 'd' | 'fill' | 'stroke' | 'strokeWidth'> => {
  if (at === 0) return { d: rectangle(x, y, width, height), fill: paint };
  const line = Math.min(1, width / 2);
  const d = rectangle(x + line / 2, y + line / 2, width - line, Math.max(0, height - line));
  return { d, fill: 'background', stroke: paint, strokeWidth: round(line) };
};

/** How far a mark reaches from its middle, in points. */
export const markReach = 3.2;

/** Of the lines of series, by their order; undefined: unbroken. */
export const dashes: readonly (readonly number[] | undefined)[] = [
  undefined,
  [5, 3],
  [1.5, 2],
  [8, 2, 1.5, 2],
];

/** The path data of a point's mark: circle, square, triangle, diamond, by the order of its series. */
export function markOf(at: number, x: number, y: number): string {
  const [left, right, top, bottom] = [x - 3, x + 3, y - 3, y + 3].map(round);
  const [middleX, middleY] = [round(x), round(y)];
  switch (at % 4) {
    case 1:
      return rectangle(x - 2.5, y - 2.5, 5, 5);
    case 2:
      return `M${middleX},${top}L${right},${bottom}H${left}Z`;
    case 3:
      return `M${middleX},${top}L${right},${middleY}L${middleX},${bottom}L${left},${middleY}Z`;
    default:
      return `M${left},${middleY}A3,3,0,1,1,${right},${middleY}A3,3,0,1,1,${left},${middleY}Z`;
  }
}
