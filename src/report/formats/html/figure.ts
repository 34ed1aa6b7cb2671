import { drawChart } from '../../charts/draw-chart.ts';
import type { Drawing, Shape } from '../../charts/drawing.ts';
import { timeText } from '../cell-text.ts';
import type { Chart } from '../../model.ts';
import { escapeText } from './escape.ts';
import { measureText } from './measure-text.ts';

/** Points. The narrow one is for phones; a style shows one of them. */
const widths = { wide: 520, narrow: 270 } as const;
/** Of the numbers under a chart. */
const mostNumbers = 400;

/** A chart as inline SVG, once for wide screens and once for narrow ones, with its numbers to fold out. */
export function figureHtml(chart: Chart, id: string): string {
  const drawings = (['wide', 'narrow'] as const).map((form) => {
    const drawing = drawChart(chart, { width: widths[form], measure: measureText });
    return svgHtml(drawing, chart, `${id}-${form}`, form);
  });
  return `<figure id="${id}"><figcaption>${escapeText(chart.title)}</figcaption>${drawings.join('')}${numbersHtml(chart)}</figure>\n`;
}

function svgHtml(drawing: Drawing, chart: Chart, id: string, className: string): string {
  const { width, height, shapes } = drawing;
  const titles = `<title id="${id}-title">${escapeText(chart.title)}</title><desc id="${id}-desc">${escapeText(chart.description)}</desc>`;
  const named = `role="img" aria-labelledby="${id}-title" aria-describedby="${id}-desc"`;
  return `<svg class="${className}" viewBox="0 0 ${width} ${height}" ${named}>${titles}${shapes.map(shapeSvg).join('')}</svg>`;
}

const anchors = { start: '', middle: ' text-anchor="middle"', end: ' text-anchor="end"' } as const;

function shapeSvg(shape: Shape): string {
  if (shape.kind === 'text') {
    const { x, y, size, anchor, bold, fill, text } = shape;
    const look = `class="f-${fill}${bold ? ' bold' : ''}" font-size="${size}"${anchors[anchor]}`;
    return `<text x="${x}" y="${y}" ${look}>${escapeText(text)}</text>`;
  }
  const { d, fill, stroke, strokeWidth, dash, label } = shape;
  const classes = [fill && `f-${fill}`, stroke && `s-${stroke}`].filter(Boolean).join(' ');
  const width = strokeWidth === undefined ? '' : ` stroke-width="${strokeWidth}"`;
  const dashes = dash === undefined ? '' : ` stroke-dasharray="${dash.join(' ')}"`;
  const start = `<path class="${classes}" d="${d}"${width}${dashes}`;
  return label === undefined ? `${start}/>` : `${start}><title>${escapeText(label)}</title></path>`;
}

/** All that the chart is made of, also what it had no room for. */
function numbersHtml({ form, categories, series, unit }: Chart): string {
  if (categories.length === 0 || series.length === 0) return '';
  const heads = series.map(({ name }) => `<th scope="col" class="number">${escapeText(name)}</th>`);
  const rows = categories.slice(0, mostNumbers).map((category, at) => {
    const values = series.map(({ values }) => {
      const value = values[at] ?? null;
      const text = value === null ? '–' : value.toLocaleString('en-US');
      return `<td class="number">${text}</td>`;
    });
    const name = form === 'lines' ? timeText(category) : category;
    return `<tr><th scope="row">${escapeText(name)}</th>${values.join('')}</tr>`;
  });
  const left = categories.length - rows.length;
  const more = left > 0 ? `<p class="more">${left} more are not listed.</p>` : '';
  const corner = unit === undefined ? '<td></td>' : `<td>${escapeText(unit)}</td>`;
  return `<details><summary>Numbers</summary><table><thead><tr>${corner}${heads.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>${more}</details>`;
}
