import { findLineStarts, placeIn } from '../../inventory/text/place.ts';
import type { Place, Problem } from '../model.ts';

/** A file's text, and where its lines start (found only when a place is asked for). */
export interface Source {
  /** As the user would type it. */
  readonly file: string;
  readonly text: string;
  place(offset: number): Place;
  /** The text of a line, counted from 1, without its line break. */
  line(number: number): string;
}

export function createSource(file: string, text: string): Source {
  let starts: number[] | undefined;
  const lineStarts = (): number[] => (starts ??= findLineStarts(text));
  return {
    file,
    text,
    place(offset) {
      if (!starts && offset < nearStart) return countLines(file, text, offset);
      return { file, ...placeIn(lineStarts(), offset) };
    },
    line(number) {
      const start = lineStarts()[number - 1] ?? text.length;
      const end = lineStarts()[number] ?? text.length;
      return text.slice(start, end).replace(/\r?\n$|\r$/, '');
    },
  };
}

/** Up to here counting is faster than finding every line. Characters. */
const nearStart = 1_000;

function countLines(file: string, text: string, offset: number): Place {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', start)) {
    line++;
    start = at + 1;
  }
  return { file, line, column: offset - start + 1 };
}

/** From where to where, as offsets into the text; `end` may lie on a later line. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Finding {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly level?: Problem['level'];
  /** The line holds a secret: it is not repeated in output that ends in a build log. */
  readonly secret?: boolean;
}

/** Longer lines are cut in excerpts; a caret further right than this has no excerpt. */
const maxExcerpt = 500;

/** A finding with its place, its line and how much of that line it is about. */
export function problemAt(source: Source, span: Span, finding: Finding): Problem {
  const start = Math.min(span.start, source.text.length);
  const place = source.place(start);
  const text = source.line(place.line).slice(0, maxExcerpt);
  const left = text.length - place.column + 1;
  const width = Math.max(1, Math.min(span.end - start, left));
  const shown = !finding.secret && left >= 0 && text !== '';
  return {
    level: finding.level ?? 'error',
    code: finding.code,
    message: finding.message,
    ...(finding.hint ? { hint: finding.hint } : {}),
    ...place,
    ...(shown ? { excerpt: { text, width } } : {}),
  };
}

/** In order of file, line, column. */
export function compareProblems(a: Place, b: Place): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
