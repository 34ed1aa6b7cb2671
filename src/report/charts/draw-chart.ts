import type { Chart } from '../model.ts';
import { drawBars } from './bars.ts';
import { isEmpty, isZero, readChart } from './chart-data.ts';
import type { ChartData } from './chart-data.ts';
import type { DrawOptions, Drawing } from './drawing.ts';
import { drawLines } from './lines.ts';
import { drawRing } from './ring.ts';
import { cutText, textSize } from './text.ts';

const leastWidth = 160;

/**
 * A chart as shapes, without its title and description. It is as high as what it shows takes; where it is narrow, labels
 * go above their bars and legends below their ring. What colours say is said by order, labels, dashes or marks as well.
 * The same chart, width and measures give the same drawing.
 */
export function drawChart(chart: Chart, { width, measure }: DrawOptions): Drawing {
  const room = { width: Math.max(leastWidth, Math.floor(width)), measure };
  const data = readChart(chart);
  const drawing = isEmpty(data)
    ? drawSentence('There is no data for this chart.', room)
    : isZero(data)
      ? drawSentence('All values are 0.', room)
      : drawForm(chart.form, data, room);
  return {
    ...drawing,
    shapes: drawing.shapes.filter((shape) => shape.kind === 'path' || shape.text !== ''),
  };
}

function drawForm(form: Chart['form'], data: ChartData, room: DrawOptions): Drawing {
  switch (form) {
    case 'bars':
      return drawBars(data, room);
    case 'lines':
      return drawLines(data, room);
    case 'ring':
      return drawRing(data, room);
  }
}

function drawSentence(sentence: string, { width, measure }: DrawOptions): Drawing {
  const height = 48;
  const text = cutText(sentence, width - 8, { measure });
  return {
    width,
    height,
    shapes: [
      {
        kind: 'path',
        d: `M0.5,0.5H${width - 0.5}V${height - 0.5}H0.5Z`,
        stroke: 'grid',
        dash: [3, 3],
      },
      { kind: 'text', x: width / 2, y: 27, text, size: textSize, anchor: 'middle', fill: 'muted' },
    ],
  };
}
