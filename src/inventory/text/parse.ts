import { parseJson } from './parse-json.ts';
import { parseYaml } from './parse-yaml.ts';
import { createPlaces } from './place.ts';
import type { TextParse } from './parsed-text.ts';

/** Reads JSON, JSON lines, JSON with comments, or YAML: told by how it begins. Total. */
export function parseText(given: string): TextParse {
  const text = given.startsWith('\ufeff') ? given.slice(1) : given;
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    const message = 'the input contains a NUL byte, so it is binary, not text';
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
