import { isMap, isScalar } from 'yaml';
import type { Pair, Scalar, YAMLMap } from 'yaml';
import { canonicalText } from '../canonical-text.ts';
import { YamlLimitError, composeDocuments, findRepeatedKeys } from './compose-yaml.ts';
import { parseText } from './parse.ts';
import type { ParsedText } from './parsed-text.ts';
import { setOwn } from './set-own.ts';
import { isMergeKey, keyOf } from './yaml-values.ts';

/** A text, a truth value, a number, and lists and maps of those. */
export type EditValue =
  string | number | boolean | readonly EditValue[] | { readonly [key: string]: EditValue };

type TextEdit =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly refused: string };

/** A place in the text, and what comes there. */
interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What stands in the way of an edit. */
class RefusedError extends Error {}

const mark = '\ufeff';

/** A value, and where it is set. */
export interface ValueEdit {
  readonly path: readonly string[];
  readonly value: EditValue;
}

/**
 * Sets values in a YAML or JSON document, and leaves every other character as it is: a scalar is replaced where it
 * stands, a missing key comes after the last one of its map, in the form of its neighbours, with the maps on its way.
 * Refuses what it can't do so: anchors, merges, short tags (`!If`), keys that stand twice. What it gives was read again,
 * and differs from before by these values alone. Total.
 * @param parse may know texts already
 */
export function editText(
  given: string,
  edits: readonly ValueEdit[],
  parse: typeof parseText = parseText,
): TextEdit {
  const head = given.startsWith(mark) ? mark : '';
  const text = given.slice(head.length);
  try {
    let edited = text;
    for (const { path, value } of edits) {
      const { start, end, text: added } = findSplice(edited, path, value);
      edited = edited.slice(0, start) + added + edited.slice(end);
    }
    const [before, after] = [parse(given), parse(head + edited)];
    if (!before.ok || !after.ok || !differBy(edits, before.parsed, after.parsed))
      return refuse('its syntax is not supported');
    return { ok: true, text: head + edited };
  } catch (error) {
    if (error instanceof RefusedError) return refuse(error.message);
    if (error instanceof YamlLimitError) {
      return refuse(
        error.limit === 'depth' ? 'the file is nested too deeply' : 'the file is too large',
      );
    }
    throw error;
  }
}

const refuse = (refused: string): TextEdit => ({ ok: false, refused });

function findSplice(text: string, path: readonly string[], value: EditValue): Splice {
  const documents = composeDocuments(text);
  const [document] = documents;
  if (!document || documents.length > 1 || document.errors.length > 0) {
    throw new RefusedError('the file is not a single YAML or JSON document');
  }
  if (findRepeatedKeys(document.contents).length > 0) {
    throw new RefusedError('the file has a duplicate key');
  }
  let map: unknown = document.contents;
  let parent: YAMLMap | undefined;
  for (const [index, step] of path.entries()) {
    const here = requirePlainMap(map, path.slice(0, index));
    const pair = here.items.find(({ key }) => keyOf(key) === step);
    if (!pair) return addKey(text, here, parent, step, nest(path.slice(index + 1), value));
    if (index === path.length - 1) return replaceScalar(text, pair, value);
    parent = here;
    map = pair.value;
  }
  throw new RefusedError('nothing to set');
}

const nest = (path: readonly string[], value: EditValue): EditValue =>
  path.reduceRight<EditValue>((inner, step) => ({ [step]: inner }), value);

function requirePlainMap(node: unknown, path: readonly string[]): YAMLMap {
  const name = path.at(-1) ?? 'the document';
  if (!isMap(node)) throw new RefusedError(`${name} is not written as a map`);
  if (node.anchor !== undefined || node.tag !== undefined) {
    throw new RefusedError(`${name} has an anchor or a tag`);
  }
  if (node.items.some(({ key }) => isMergeKey(key))) {
    throw new RefusedError(`${name} merges another map`);
  }
  if (node.items.some(({ key }) => isExpression(keyOf(key)))) {
    throw new RefusedError(`${name} is an expression`);
  }
  return node;
}

/** A template's function in its long form; a loop stands beside what it does not change. */
const isExpression = (key: string): boolean =>
  key === 'Ref' || (key.startsWith('Fn::') && !key.startsWith('Fn::ForEach::'));

function replaceScalar(text: string, { key, value: node }: Pair, value: EditValue): Splice {
  const name = keyOf(key);
  const { anchor, tag } = (node ?? {}) as { anchor?: string; tag?: string };
  if (anchor !== undefined || tag !== undefined) {
    throw new RefusedError(`the value of ${name} is an expression`);
  }
  if (!isScalar(node) || !node.range || node.value === null) {
    throw new RefusedError(`${name} is not set to a single value`);
  }
  if (typeof value === 'object') throw new RefusedError(`${name} is already set`);
  if (node.type?.startsWith('BLOCK')) throw new RefusedError(`${name} is a multi-line string`);
  const [start, end] = node.range;
  return { start, end, text: scalarText(value, isJson(text), node.type) };
}

const isJson = (text: string): boolean => /^\s*\{/.test(text);

/** What YAML 1.1 and 1.2 read as a text without quotes. */
const plain = /^[A-Za-z][\w./-]*$/;
const word = /^(?:y|yes|n|no|on|off|true|false|null)$/i;

function scalarText(
  value: string | number | boolean,
  json: boolean,
  like?: Scalar['type'],
): string {
  if (typeof value !== 'string') return String(value);
  if (like === 'QUOTE_SINGLE' && !/['\n]/.test(value)) return `'${value}'`;
  const bare = plain.test(value) && !word.test(value);
  return json || like === 'QUOTE_DOUBLE' || !bare ? JSON.stringify(value) : value;
}

function addKey(
  text: string,
  map: YAMLMap,
  parent: YAMLMap | undefined,
  key: string,
  value: EditValue,
): Splice {
  return map.flow ? addToFlow(text, map, key, value) : addToBlock(text, map, parent, key, value);
}

/** Where a line begins. */
const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

const lineBreak = (text: string): string => (/^[^\n]*\r\n/.test(text) ? '\r\n' : '\n');

function addToBlock(
  text: string,
  map: YAMLMap,
  parent: YAMLMap | undefined,
  key: string,
  value: EditValue,
): Splice {
  const first = columnOf(text, map);
  const last = map.items.at(-1);
  const outer = parent && !parent.flow ? columnOf(text, parent) : first;
  const step = first > outer ? first - outer : 2;
  const end = endOf(last?.value) ?? endOf(last?.key);
  if (end === undefined) throw new RefusedError('a map has an unsupported form');
  const nl = lineBreak(text);
  const lines = blockLines({ [key]: value }, step).map((line) => ' '.repeat(first) + line);
  const isAtStart = text[end - 1] === '\n';
  const next = isAtStart ? end : text.indexOf('\n', end) + 1;
  // Without a line break at the end the new lines have none either.
  if (!isAtStart && next === 0) {
    return { start: text.length, end: text.length, text: nl + lines.join(nl) };
  }
  return { start: next, end: next, text: lines.join(nl) + nl };
}

function columnOf(text: string, map: YAMLMap): number {
  const key = map.items[0]?.key;
  const start = isScalar(key) ? key.range?.[0] : undefined;
  if (start === undefined) throw new RefusedError('a map has an unsupported form');
  const from = lineStart(text, start);
  if (!/^[ -]*$/.test(text.slice(from, start))) {
    throw new RefusedError('a map has an unsupported form');
  }
  return start - from;
}

/** After the last character of a value; undefined where it has none. */
function endOf(node: unknown): number | undefined {
  if (isMap(node) && !node.flow) {
    const last = node.items.at(-1);
    return endOf(last?.value) ?? endOf(last?.key);
  }
  const range = (node as { range?: readonly number[] | null } | null | undefined)?.range;
  if (!range) return undefined;
  const items = (node as { items?: readonly unknown[]; flow?: boolean }).items;
  if (items && !(node as { flow?: boolean }).flow) return endOf(items.at(-1)) ?? range[1];
  return range[1];
}

function blockLines(value: EditValue, step: number): string[] {
  if (typeof value !== 'object') return [scalarText(value, false)];
  if (isList(value)) {
    return value.flatMap((item) =>
      blockLines(item, step).map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`)),
    );
  }
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'object'
      ? [`${key}:`, ...blockLines(inner, step).map((line) => ' '.repeat(step) + line)]
      : [`${key}: ${scalarText(inner, false)}`],
  );
}

const isList = (value: EditValue): value is readonly EditValue[] => Array.isArray(value);

function addToFlow(text: string, map: YAMLMap, key: string, value: EditValue): Splice {
  const close = (map.range?.[1] ?? 0) - 1;
  if (text[close] !== '}') throw new RefusedError('a map has an unsupported form');
  const json = isJson(text);
  const last = map.items.at(-1);
  if (!last) {
    const open = (map.range?.[0] ?? 0) + 1;
    const before = indentOfLine(text, open - 1);
    const body =
      json && text.includes('\n') ? spread(text, key, value, `${before}  `, '  ') : undefined;
    const nl = lineBreak(text);
    return {
      start: open,
      end: close,
      text: body === undefined ? inline(key, value, json) : `${nl}${body}${nl}${before}`,
    };
  }
  const end = endOf(last.value) ?? endOf(last.key);
  if (end === undefined || text.slice(end, close).trim() !== '') {
    throw new RefusedError('a map ends with a comma or a comment');
  }
  const start = (last.key as Scalar).range?.[0] ?? 0;
  const indent = text.slice(lineStart(text, start), start);
  const isOwnLine = indent.trim() === '' && lineStart(text, start) > (map.range?.[0] ?? 0);
  const closing = indentOfLine(text, close);
  const step = indent.startsWith(closing) ? indent.slice(closing.length) : '';
  const added =
    isOwnLine && json
      ? `${lineBreak(text)}${spread(text, key, value, indent, step === '' ? '  ' : step)}`
      : ` ${inline(key, value, json)}`;
  return { start: end, end, text: `,${added}` };
}

/** The blanks at the beginning of the line. */
function indentOfLine(text: string, at: number): string {
  const [blanks = ''] = /^[ \t]*/.exec(text.slice(lineStart(text, at), at)) ?? [];
  return blanks;
}

const spread = (
  text: string,
  key: string,
  value: EditValue,
  indent: string,
  step: string,
): string =>
  `${indent}${JSON.stringify(key)}: ${JSON.stringify(value, null, step).replaceAll('\n', lineBreak(text) + indent)}`;

function inline(key: string, value: EditValue, json: boolean): string {
  const write = (one: EditValue): string => {
    if (typeof one !== 'object') return scalarText(one, json);
    if (isList(one)) return `[${one.map(write).join(', ')}]`;
    return `{${Object.entries(one)
      .map(([name, inner]) => pair(name, inner))
      .join(', ')}}`;
  };
  const pair = (name: string, inner: EditValue): string =>
    `${json ? JSON.stringify(name) : name}: ${write(inner)}`;
  return pair(key, value);
}

/** Whether the new text is the old one with these values set, and nothing else. */
function differBy(edits: readonly ValueEdit[], before: ParsedText, after: ParsedText): boolean {
  const expected = edits.reduce<unknown>(
    (document, { path, value }) => withValue(document, path, value),
    before.document,
  );
  return canonicalText(after.document) === canonicalText(expected);
}

function withValue(document: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  const held: Record<string, unknown> = {};
  const fields = (document ?? {}) as Record<string, unknown>;
  for (const [key, inner] of Object.entries(fields)) setOwn(held, key, inner);
  const inner = Object.hasOwn(fields, step) ? fields[step] : undefined;
  setOwn(held, step, withValue(inner, rest, value));
  return held;
}
