import type { Problem } from '../../project/model.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { blanksLike, printable } from '../terminal/printable.ts';

/** Problems as a compiler shows them: place, message, the line, a caret, what to do. */
export function renderProblems(
  problems: readonly Problem[],
  style: Style,
  columns: number,
): string {
  return problems.map((problem) => renderProblem(problem, style, columns)).join('\n');
}

function renderProblem(problem: Problem, style: Style, columns: number): string {
  const { file, line, column, level, code, excerpt, hint } = problem;
  const colour = level === 'error' ? style.red : style.yellow;
  const lines = [
    `${style.bold(printable(`${file}:${line}:${column}`))}: ${colour(`${level}:`)} ${printable(problem.message)} ${style.dim(`[${code}]`)}`,
  ];
  const gutter = ' '.repeat(Math.max(4, String(line).length));
  if (excerpt) {
    const shown = cutAround(excerpt.text, column, excerpt.width, Math.max(40, columns - 10));
    const caret = '^'.repeat(Math.max(1, blanksLike(shown.marked).length));
    lines.push(
      `${style.dim(`${String(line).padStart(gutter.length)} |`)} ${printable(shown.text)}`,
      `${style.dim(`${gutter} |`)} ${blanksLike(shown.before)}${colour(caret)}`,
    );
  }
  if (hint) {
    lines.push(wrapWords(`${style.dim(`${gutter} =`)} ${style.cyan(printable(hint))}`, columns));
  }
  return `${lines.join('\n')}\n`;
}

/** A window of a long line that holds the place. */
function cutAround(
  text: string,
  column: number,
  width: number,
  room: number,
): { text: string; before: string; marked: string } {
  const from = text.length <= room || column <= room - 10 ? 0 : column - Math.ceil(room / 2);
  const head = from > 0 ? '…' : '';
  const tail = text.length - from > room ? '…' : '';
  const shown = `${head}${text.slice(from, from + room)}${tail}`;
  const start = column - 1 - from + head.length;
  return {
    text: shown,
    before: shown.slice(0, start),
    marked: shown.slice(start, Math.min(start + width, shown.length)),
  };
}
