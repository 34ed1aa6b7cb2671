import type { Problem } from '../../project/model.ts';
import { printable } from '../terminal/printable.ts';

/** Bytes. GitHub refuses comments over 65,536 characters; this leaves room for what a caller puts around it. */
const mostBytes = 60_000;

/**
 * A summary, then a table of the problems, cut off where a comment would grow too long.
 * @param summary of one or more lines, each a paragraph
 * @param command shows them all
 * @param hidden problems that are not among the given
 */
export function renderMarkdown(
  title: string,
  summary: string,
  problems: readonly Problem[],
  { command = 'govctl validate', hidden: notGiven = 0 } = {},
): string {
  const paragraphs = summary.split('\n').map(escapeMarkdown).join('\n\n');
  const head = `## ${escapeMarkdown(title)}\n\n${paragraphs}\n`;
  if (problems.length === 0) return head;
  const tableHead = '\n| | Where | What |\n|---|---|---|\n';
  const rows: string[] = [];
  let room = mostBytes - Buffer.byteLength(head + tableHead) - 200;
  for (const problem of problems) {
    const text = row(problem);
    room -= Buffer.byteLength(text);
    if (room < 0) break;
    rows.push(text);
  }
  const hidden = problems.length - rows.length + notGiven;
  const tail = hidden > 0 ? `\n${hidden} more. Run \`${command}\` to see all.\n` : '';
  return `${head}${tableHead}${rows.join('')}${tail}`;
}

function row({ level, file, line, column, message, hint }: Problem): string {
  const mark = level === 'error' ? '❌ error' : '⚠️ warning';
  const what = escapeMarkdown(cut(hint ? `${message}. ${hint}` : message));
  return `| ${mark} | ${escapeMarkdown(`${file}:${line}:${column}`)} | ${what} |\n`;
}

const cut = (text: string): string => (text.length > 1_000 ? `${text.slice(0, 999)}…` : text);

/** What a file says is shown as it is: no markup, no mention, no table cell of its own. */
export function escapeMarkdown(text: string): string {
  return printable(text.replaceAll('\r\n', '\n'))
    .replace(/[\\`*_{}[\]#|~!]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;')
    .replace(/\s*[\r\n]+\s*/g, ' ');
}
