import type { DocumentPath, InputProblem } from '../model.ts';
import { parseJson } from './parse-json.ts';
import { parseYaml } from './parse-yaml.ts';
import { createPlaces } from './place.ts';
import type { Place } from './place.ts';

/** A text as plain values, and the way back to places in it. */
export interface ParsedText {
  /** One value; several YAML documents, or JSON lines, are a list. Nested at most `maxDepth` deep. */
  readonly document: unknown;
  /** What is wrong with the text, though it can be read. */
  readonly problems: readonly InputProblem[];
  /** Keys that stand twice in their map; looked for when asked, as it takes a pass over the text. */
  repeatedKeys(): readonly InputProblem[];
  /** Where each path leads, as far as the text goes; all in one pass. */
  locate(paths: readonly DocumentPath[]): Place[];
}

export type TextParse =
  | { readonly ok: true; readonly parsed: ParsedText }
  | { readonly ok: false; readonly problem: InputProblem };

/** Reads JSON, JSON lines, JSON with comments, or YAML: told by how it begins. Total. */
export function parseText(given: string): TextParse {
  const text = given.startsWith('\ufeff') ? given.slice(1) : given;
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    const message = 'a NUL byte stands here, so this is no text';
    return { ok: false, problem: { message, ...createPlaces(text)(nul) } };
  }
  const parse = looksLikeJson(text) ? parseJson(text) : parseCommented(text);
  return parse ?? { ok: false, problem: { message: 'the input is empty' } };
}

/** Comments with # in front of JSON are YAML as long as one document follows; of JSON lines, more do. */
function parseCommented(text: string): TextParse | undefined {
  const head = leadingComments(text);
  if (head === 0 || !looksLikeJson(text.slice(head))) return parseYaml(text);
  const json = parseJson(text.slice(0, head).replace(/[^\n]/g, ' ') + text.slice(head));
  if (json.ok) return json;
  const yaml = parseYaml(text);
  return yaml?.ok ? yaml : json;
}

/** How far blank lines and comments go. */
function leadingComments(text: string): number {
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end).trim();
    if (line !== '' && !line.startsWith('#')) return at;
    at = end < 0 ? text.length : end + 1;
  }
  return at;
}

/** JSON begins with a bracket and then a quote, a bracket or a number; `{a: b}` and `[a, b]` are YAML. */
const looksLikeJson = (text: string): boolean =>
  /^\s*(?:\{\s*(?:["}]|\/[/*])|\[\s*(?:["{}[\]\d-]|\/[/*])|"|\/[/*])/.test(text);
