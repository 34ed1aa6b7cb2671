import { findTooDeep, tooDeep } from './depth.ts';
import { locateInJson, repeatedKeysOf } from './locate-json.ts';
import { explainJsonError } from './explain-json-error.ts';
import { parseConcatenated, parseLines, tryJson } from './parse-json-list.ts';
import type { TextParse } from './parsed-text.ts';
import { createPlaces } from './place.ts';
import { relaxJson } from './relax-json.ts';
import type { JsonDialect } from './scan-json.ts';

/** Reads JSON, JSON lines, JSON documents one after the other, or JSON as Azure's tools take it. */
export function parseJson(text: string): TextParse {
  const strict = tryJson(text);
  if (strict) return jsonText(text, strict.value, 'strict');
  const lines = parseLines(text);
  if (lines) return { ok: true, parsed: lines };
  const relaxed = tryJson(relaxJson(text));
  if (relaxed) return jsonText(text, relaxed.value, 'relaxed');
  const documents = parseConcatenated(text);
  if (documents) return { ok: true, parsed: documents };
  return { ok: false, problem: explainJsonError(text, 'relaxed') };
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
      repeatedKeys: () =>
        repeatedKeysOf(text, document, dialect).map(({ offset, message }) => ({
          message,
          ...places(offset),
        })),
      locate: (paths) => locateInJson(text, paths).map(places),
    },
  };
}
