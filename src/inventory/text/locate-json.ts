import type { DocumentPath } from '../model.ts';
import { closingQuote, countKeys, countKeysWritten } from './count-keys.ts';
import { endOfComment, keyText, scanJson } from './scan-json.ts';
import type { JsonDialect } from './scan-json.ts';

const quote = 0x22;
const comma = 0x2c;
const slash = 0x2f;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** A place that is looked for, and those below it. `offset` is of the key, or of a list's item. */
interface Wanted {
  readonly below: Map<string, Wanted>;
  offset: number | undefined;
}

/**
 * Offsets of what stands at each path, in one pass over a text that could be parsed, relaxed JSON too. A path that leads
 * further than the text gives the last place on its way.
 */
export function locateInJson(text: string, paths: readonly DocumentPath[]): number[] {
  if (paths.length === 0) return [];
  const root: Wanted = { below: new Map(), offset: passBlank(text, 0) };
  for (const path of paths) addPath(root, path);
  findBelow(text, root.offset ?? 0, root);
  return paths.map((path) => offsetOf(root, path));
}

function addPath(root: Wanted, path: DocumentPath): void {
  let here = root;
  for (const step of path) {
    const name = String(step);
    let next = here.below.get(name);
    if (!next) {
      next = { below: new Map(), offset: undefined };
      here.below.set(name, next);
    }
    here = next;
  }
}

function offsetOf(root: Wanted, path: DocumentPath): number {
  let here = root;
  for (const step of path) {
    const next = here.below.get(String(step));
    if (next?.offset === undefined) break;
    here = next;
  }
  return here.offset ?? 0;
}

/** Finds what is wanted in the value at `start`, and returns where it ends. As deep as the paths lead, and no deeper. */
function findBelow(text: string, start: number, { below }: Wanted): number {
  const first = text.charCodeAt(start);
  const isObject = first === openBrace;
  if (below.size === 0 || !(isObject || first === openBracket)) return endOfValue(text, start);
  let at = start + 1;
  for (let index = 0; ; index++) {
    at = passBlank(text, at);
    const code = text.charCodeAt(at);
    if (code === closeBrace || code === closeBracket) return at + 1;
    if (!(at < text.length)) return at;
    const offset = at;
    const end = isObject ? closingQuote(text, at) + 1 : at;
    const wanted = below.get(isObject ? keyText(text, at, end) : String(index));
    at = passBlank(text, end);
    if (wanted) wanted.offset = offset;
    at = wanted ? findBelow(text, at, wanted) : endOfValue(text, at);
  }
}

/** Where the value that begins here ends: what is in it is passed by, however deep it is. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = closingQuote(text, at);
      if (depth === 0) return at + 1;
    } else if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) {
      depth -= 1;
      if (depth <= 0) return depth < 0 ? at : at + 1;
    } else if (code === comma && depth === 0) return at;
    else if (code === slash) at = (endOfComment(text, at) ?? at + 1) - 1;
  }
  return text.length;
}

/** After blanks, comments, and the marks between keys and values. */
function passBlank(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code <= 0x20 || code === comma || code === colon) at += 1;
    else {
      const end = endOfComment(text, at);
      if (end === undefined) return at;
      at = end;
    }
  }
}

/** Repeated keys that are told of one text. */
const mostRepeated = 20;

/** The keys that stand a second time in their object; JSON.parse made `value` of the last without a word. */
export function repeatedKeysOf(
  text: string,
  value: unknown,
  dialect: JsonDialect,
): { readonly offset: number; readonly message: string }[] {
  if (dialect === 'strict' && countKeysWritten(text) === countKeys(value)) return [];
  return findRepeatedKeys(text, dialect).map(({ offset, key }) => ({
    offset,
    message: `duplicate key ${JSON.stringify(key)}`,
  }));
}

function findRepeatedKeys(
  text: string,
  dialect: JsonDialect,
): { readonly offset: number; readonly key: string }[] {
  const open: Set<string>[] = [];
  const found: { offset: number; key: string }[] = [];
  scanJson(
    text,
    {
      key(start, end) {
        const key = keyText(text, start, end);
        const keys = open.at(-1);
        if (keys?.has(key) && found.length < mostRepeated) found.push({ offset: start, key });
        keys?.add(key);
      },
      open() {
        open.push(new Set());
      },
      close() {
        open.pop();
      },
    },
    dialect,
  );
  return found;
}
