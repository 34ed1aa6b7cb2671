import type { InputProblem } from '../model.ts';
import { findTooDeep, maxDepth, tooDeep } from './depth.ts';
import { countKeys, countKeysWritten } from './count-keys.ts';
import { findRepeatedKeys, locateInJson } from './locate-json.ts';
import { explainJsonError } from './explain-json-error.ts';
import type { TextParse } from './parse.ts';
import { createPlaces } from './place.ts';
import { relaxJson } from './relax-json.ts';
import type { JsonDialect } from './scan-json.ts';

/** Problems of one kind that are reported of one text. */
const maxProblems = 20;

/** Reads JSON, JSON lines, or JSON as Azure's tools take it. */
export function parseJson(text: string): TextParse {
  const strict = tryJson(text);
  if (strict) return jsonText(text, strict.value, 'strict');
  const lines = parseLines(text);
  if (lines) return lines;
  const relaxed = tryJson(relaxJson(text));
  if (relaxed) return jsonText(text, relaxed.value, 'relaxed');
  return { ok: false, problem: explainJsonError(text, 'relaxed') };
}

/** The value of a JSON text; undefined where it is none. */
export function tryJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function jsonText(text: string, document: unknown, dialect: JsonDialect): TextParse {
  const places = createPlaces(text);
  const deep = findTooDeep(document);
  if (deep) {
    const [offset = 0] = locateInJson(text, [deep]);
    return { ok: false, problem: { message: tooDeep, ...places(offset) } };
  }
  return {
    ok: true,
    parsed: {
      document,
      problems: [],
      repeatedKeys: () => {
        if (dialect === 'strict' && countKeysWritten(text) === countKeys(document)) return [];
        return findRepeatedKeys(text, dialect, maxProblems).map(({ offset, key }) => ({
          message: `the key ${JSON.stringify(key)} stands here twice`,
          ...places(offset),
        }));
      },
      locate: (paths) => locateInJson(text, paths).map(places),
    },
  };
}

/**
 * JSON lines: at least two, of which the first is a whole object or list. A line that can't be read is a problem of its
 * own. Undefined: these are none.
 */
function parseLines(text: string): TextParse | undefined {
  const lines = text.split('\n');
  const values: unknown[] = [];
  const lineOf: number[] = [];
  const problems: InputProblem[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const value = tryJson(line)?.value;
    if (typeof value === 'object' && value !== null && !findTooDeep(value, maxDepth - 1)) {
      values.push(value);
      lineOf.push(index);
    } else if (values.length === 0) return undefined;
    else if (problems.length < maxProblems)
      problems.push({ ...explainLine(line), line: index + 1 });
  }
  if (values.length + problems.length < 2) return undefined;
  return {
    ok: true,
    parsed: {
      document: values,
      problems,
      repeatedKeys: () => [],
      locate: (paths) =>
        paths.map(([item, ...rest]) => {
          const index = lineOf[Number(item ?? 0)] ?? 0;
          const [offset = 0] = locateInJson(lines[index] ?? '', [rest]);
          return { line: index + 1, column: offset + 1 };
        }),
    },
  };
}

/** Why a line is no object. Its column; the line is the caller's to count. */
export function explainLine(line: string): InputProblem & { readonly column: number } {
  const value = tryJson(line);
  if (!value) return explainJsonError(line);
  const message = findTooDeep(value.value, maxDepth - 1) ? tooDeep : 'this line is no JSON object';
  return { message, line: 1, column: 1 };
}
