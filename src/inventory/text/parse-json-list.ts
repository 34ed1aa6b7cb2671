import type { DocumentPath, InputProblem } from '../model.ts';
import { findTooDeep, maxDepth, tooDeep } from './depth.ts';
import { explainJsonError } from './explain-json-error.ts';
import { locateInJson, repeatedKeysOf } from './locate-json.ts';
import type { ParsedText } from './parsed-text.ts';
import { createPlaces } from './place.ts';
import { scanJson } from './scan-json.ts';

/** Problems of one kind that are reported of one text. */
const maxProblems = 20;

/** A part of a text that is an object or a list by itself. */
interface Piece {
  readonly value: unknown;
  readonly text: string;
  /** Where it begins in the whole. */
  readonly start: number;
}

/** The value of a JSON text; undefined where it is none. */
export function tryJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/**
 * JSON lines: at least two, of which the first is a whole object or list. A line that can't be read is a problem of its
 * own; one that begins with # is a comment. Undefined: these are none.
 */
export function parseLines(text: string): ParsedText | undefined {
  const pieces: Piece[] = [];
  const problems: InputProblem[] = [];
  let start = 0;
  for (const [index, line] of text.split('\n').entries()) {
    const beginning = start;
    start += line.length + 1;
    if (line.trim() === '' || isComment(line)) continue;
    const value = tryJson(line)?.value;
    if (isPiece(value)) pieces.push({ value, text: line, start: beginning });
    else if (pieces.length === 0) return undefined;
    else if (problems.length < maxProblems)
      problems.push({ ...explainLine(line), line: index + 1 });
  }
  return pieces.length + problems.length < 2 ? undefined : listOf(text, pieces, problems);
}

const isComment = (line: string): boolean => line.trimStart().startsWith('#');

const isPiece = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !findTooDeep(value, maxDepth - 1);

/** Why a line is no object. Its column; the line is the caller's to count. */
export function explainLine(line: string): InputProblem & { readonly column: number } {
  const value = tryJson(line);
  if (!value) return explainJsonError(line);
  const message = findTooDeep(value.value, maxDepth - 1)
    ? tooDeep
    : 'this line is not a JSON object';
  return { message, line: 1, column: 1 };
}

/**
 * Objects or lists one after the other, each over as many lines as it likes, up to the first that can't be read.
 * Undefined: these are not at least two.
 */
export function parseConcatenated(text: string): ParsedText | undefined {
  const pieces: Piece[] = [];
  const problems: InputProblem[] = [];
  for (let start = 0; start < text.length && problems.length === 0;) {
    const rest = text.slice(start);
    const end = scanJson(rest, {}) ?? rest.length;
    const piece = rest.slice(0, end);
    if (piece.trim() === '') break;
    const value = tryJson(piece)?.value;
    if (isPiece(value)) pieces.push({ value, text: piece, start });
    else {
      const message =
        value === undefined ? explainJsonError(piece).message : explainLine(piece).message;
      problems.push({ message, ...createPlaces(text)(start + end) });
    }
    start += end;
  }
  return pieces.length < 2 ? undefined : listOf(text, pieces, problems);
}

function listOf(
  text: string,
  pieces: readonly Piece[],
  problems: readonly InputProblem[],
): ParsedText {
  const places = createPlaces(text);
  return {
    document: pieces.map(({ value }) => value),
    problems,
    repeatedKeys: () =>
      pieces
        .flatMap(({ value, text, start }) =>
          repeatedKeysOf(text, value, 'strict').map(({ offset, message }) => ({
            message,
            ...places(start + offset),
          })),
        )
        .slice(0, maxProblems),
    locate: (paths) => locateInPieces(pieces, paths).map(places),
  };
}

/** As `locateInJson`, of paths whose first step says in which piece; each piece is gone through once. */
function locateInPieces(pieces: readonly Piece[], paths: readonly DocumentPath[]): number[] {
  const byPiece = new Map<
    Piece | undefined,
    { readonly rest: DocumentPath; readonly at: number }[]
  >();
  for (const [at, [item, ...rest]] of paths.entries()) {
    const piece = pieces[Number(item ?? 0)];
    const wanted = byPiece.get(piece);
    if (wanted) wanted.push({ rest, at });
    else byPiece.set(piece, [{ rest, at }]);
  }
  const offsets = paths.map(() => 0);
  for (const [piece, wanted] of byPiece) {
    if (!piece) continue;
    const found = locateInJson(
      piece.text,
      wanted.map(({ rest }) => rest),
    );
    for (const [index, { at }] of wanted.entries()) offsets[at] = piece.start + (found[index] ?? 0);
  }
  return offsets;
}
