import { createPlaces } from './place.ts';
import type { TextPlace } from './place.ts';
import { scanJson } from './scan-json.ts';
import type { JsonDialect } from './scan-json.ts';

/** Where a text stops being JSON, and what stands there. JSON.parse's own messages give a place only sometimes. */
export function locateJsonError(
  text: string,
  dialect: JsonDialect = 'strict',
): TextPlace & { readonly found: string } {
  const offset = scanJson(text, {}, dialect) ?? text.length;
  const code = text.codePointAt(offset);
  const found = code === undefined ? 'the end' : JSON.stringify(String.fromCodePoint(code));
  return { ...createPlaces(text)(offset), found };
}

/** What is wrong with a text that is no JSON. */
export function explainJsonError(
  text: string,
  dialect: JsonDialect = 'strict',
): TextPlace & { readonly message: string } {
  const { line, column, found } = locateJsonError(text, dialect);
  return { message: `this is not JSON: ${found} is not valid here`, line, column };
}
