/** What a terminal showed, with its colors, as SVG. */
export function terminalPicture(title: string, shown: string): string {
  const lines = shown.trimEnd().split('\n').map(runsOf);
  const columns = Math.max(
    ...lines.map((runs) => runs.reduce((sum, { text }) => sum + text.length, 0)),
  );
  const width = Math.ceil(columns * cell.width) + 2 * margin;
  const height = lines.length * cell.height + 2 * margin;
  const rows = lines.map((runs, row) => {
    let column = 0;
    const spans = runs.map(({ text, style }) => {
      const x = margin + column * cell.width;
      column += text.length;
      // Fonts differ in width: the picture's columns stay columns in each.
      return `<tspan x="${x.toFixed(1)}" textLength="${(text.length * cell.width).toFixed(1)}"${style === '' ? '' : ` class="${style}"`}>${escaped(text)}</tspan>`;
    });
    return `<text y="${margin + (row + 0.75) * cell.height}">${spans.join('')}</text>\n`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #e6edf3; white-space: pre; }
${Object.values(styles)
  .map(({ name, css }) => `.${name} { ${css} }`)
  .join('\n')}
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${rows.filter((row) => row.includes('<tspan')).join('')}</svg>
`;
}

const cell = { width: 7.8, height: 18 };
const margin = 16;

/** By the code that turns a style on. */
const styles: Record<number, { name: string; css: string; off: number }> = {
  1: { name: 'bold', css: 'font-weight: bold;', off: 22 },
  2: { name: 'dim', css: 'fill: #8b949e;', off: 22 },
  31: { name: 'red', css: 'fill: #ff7b72;', off: 39 },
  32: { name: 'green', css: 'fill: #7ee787;', off: 39 },
  33: { name: 'yellow', css: 'fill: #e3b341;', off: 39 },
  36: { name: 'cyan', css: 'fill: #76e3ea;', off: 39 },
};

interface Run {
  readonly text: string;
  /** Names of classes. */
  readonly style: string;
}

/** Parts of a line that look alike. */
function runsOf(line: string): readonly Run[] {
  const on = new Set<number>();
  return line.split(/(\x1b\[\d+m)/).flatMap((part) => {
    const code = /^\x1b\[(\d+)m$/.exec(part)?.[1];
    if (code === undefined) {
      const names = [...on].map((one) => styles[one]?.name);
      return part === '' ? [] : [{ text: part, style: names.join(' ') }];
    }
    const ended = [...on].filter((one) => styles[one]?.off === Number(code));
    if (ended.length === 0 && !styles[Number(code)]) throw new Error(`no style for code ${code}`);
    for (const one of ended) on.delete(one);
    if (styles[Number(code)]) on.add(Number(code));
    return [];
  });
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
