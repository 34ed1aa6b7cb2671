import { isDeepStrictEqual } from 'node:util';
import { isCollection, isMap, isScalar, isSeq, visit } from 'yaml';
import type { Document, Pair, Scalar, YAMLMap } from 'yaml';
import type * as z from 'zod';
import { composeDocuments } from '../../inventory/text/compose-yaml.ts';
import { fieldNames } from '../read/explain-issue.ts';
import type { FieldPath } from '../read/locate.ts';
import { isEmpty, maxAliasCount, parseYaml } from '../read/parse-yaml.ts';
import type { Problem } from '../model.ts';
import { presetKind, schemaOf } from '../read/read-document.ts';
import type { Kind } from '../read/read-document.ts';
import type { Source } from '../read/source.ts';
import { trimEnd } from '../../contract/trim-end.ts';

type Formatted = { readonly text: string } | { readonly problems: readonly Problem[] };

/** Longer flow collections (`[a, b]`) become block ones, an item a line. Characters. */
const maxFlowLength = 100;

/** How YAML files are written. */
export const yamlLayout = { lineWidth: 0, flowCollectionPadding: false, indentSeq: true } as const;

/**
 * The canonical form of a policy file: two blanks a level, fields in the schema's order, one blank line at most, long
 * text in block scalars. Comments, anchors and line ends (LF or CRLF) stay, and the data never changes: where a tidier
 * form would mean something else, the text is given back as it came. Formatting twice changes nothing.
 */
export function formatYaml(source: Source): Formatted {
  const errors = parseYaml(source).problems.filter(({ level }) => level === 'error');
  if (errors.length > 0) return { problems: errors };
  const text = source.text.replaceAll('\r\n', '\n');
  const preset = presetKind(source.file);
  const tidy = settle(text, preset);
  if (tidy === undefined) return { text: source.text };
  return { text: usesCrlf(source.text) ? tidy.replaceAll('\n', '\r\n') : tidy };
}

export const usesCrlf = (text: string): boolean => /^[^\n]*\r\n/.test(text);

function valuesOf(text: string): unknown[] {
  return composeDocuments(text).map((document) =>
    document.errors.length > 0 ? document.errors : document.toJS({ maxAliasCount }),
  );
}

/** A comment may find its final place only on the second round. */
function settle(text: string, preset: Kind): string | undefined {
  let before = text;
  for (let round = 0; round < 4; round++) {
    const after = layOut(before, preset);
    if (after === undefined || after === before) return after;
    before = after;
  }
  return undefined;
}

/** The text in its canonical layout; undefined should that not mean the same. */
function layOut(text: string, preset: Kind): string | undefined {
  const documents = composeDocuments(text);
  if (documents.some(({ contents }) => contents === null || isEmpty(contents))) return text;
  if (documents.length === 0) return text.trim() === '' ? '' : `${text.trimEnd()}\n`;
  const folded: string[] = [];
  const parts = documents.map((given, index) => {
    const document = reorderFields(given, preset);
    settleScalars(document, text, folded);
    if (index > 0 && document.directives) document.directives.docStart = true;
    return document.toString(yamlLayout);
  });
  const laidOut = restoreFolded(parts.join(''), folded);
  return isDeepStrictEqual(valuesOf(text), valuesOf(laidOut)) ? laidOut : undefined;
}

/** The document with its fields in order, unless an alias would then stand before its anchor. */
function reorderFields(document: Document.Parsed, preset: Kind): Document.Parsed {
  // A clone of a parsed document is one.
  const ordered = document.clone() as Document.Parsed;
  const { contents } = ordered;
  for (const node of isSeq(contents) ? contents.items : [contents]) {
    if (!isMap(node)) continue;
    const schema = schemaOf(node.get('kind') ?? preset);
    if (schema) orderFields(node, schema);
  }
  try {
    ordered.toString(yamlLayout);
    return ordered;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('Unresolved alias')) return document;
    throw error;
  }
}

// Stands in a block scalar's comment until the text is written; no file holds it, as it is no character.
const foldedMark = '\ufdd0';

/**
 * The library writes a folded scalar (`>`) as one long line, or folds it elsewhere. To keep the author's lines, it
 * gets them as a literal scalar with a mark, which becomes `>` again afterwards.
 */
function settleScalars(document: Document.Parsed, text: string, folded: string[]): void {
  visit(document, {
    Collection: (_key, node, path) => {
      const [start, end] = node.range ?? [0, 0];
      if (node.flow && end - start > maxFlowLength && !isInFlow(path)) node.flow = false;
    },
    Scalar: (key, node, path) => {
      if (key === 'key' || isInFlow(path)) return;
      const lines = foldedLines(node, text);
      if (lines === undefined) return;
      folded.push(node.comment ?? '');
      node.value = lines;
      node.type = 'BLOCK_LITERAL';
      node.comment = `${foldedMark}${folded.length - 1};`;
    },
  });
}

const isInFlow = (path: readonly unknown[]): boolean =>
  path.some((node) => isCollection(node) && node.flow === true);

/** The lines of a scalar that folds, as its author broke them, ending as the value ends. */
function foldedLines(node: Scalar, text: string): string | undefined {
  if (typeof node.value !== 'string' || !node.range || node.tag || node.anchor) return undefined;
  const [start, end] = node.range;
  const written = text.slice(start, end);
  if (node.type === 'BLOCK_FOLDED') {
    const [header = '', ...body] = written.split('\n');
    if (/[1-9]/.test(header.replace(/#.*/, ''))) return undefined;
    const indent = body.find((line) => line.trim() !== '')?.search(/\S/) ?? 0;
    const lines = body.map((line) => line.slice(indent)).join('\n');
    const ending = node.value.slice(trimEnd(node.value, '\n').length);
    return lines.trimEnd() === '' ? undefined : trimEnd(lines, '\n') + ending;
  }
  const isPlain = node.type === 'PLAIN';
  if ((!isPlain && node.type !== 'QUOTE_SINGLE') || !written.includes('\n')) return undefined;
  const inner = isPlain ? written : written.slice(1, -1).replaceAll("''", "'");
  const lines = inner.split('\n').map((line) => line.trim());
  return lines.join(' ') === node.value ? lines.join('\n') : undefined;
}

function restoreFolded(text: string, folded: readonly string[]): string {
  return text.replace(
    new RegExp(`\\|([-+0-9]*) #${foldedMark}(\\d+);`, 'g'),
    (_whole, chomp: string, index: string) => {
      const comment = folded[Number(index)];
      return `>${chomp}${comment ? ` #${comment}` : ''}`;
    },
  );
}

/** Puts the fields of a document into the order of its schema; fields it does not know stay behind them, as they were. */
function orderFields(node: unknown, schema: z.core.$ZodType, path: FieldPath = []): void {
  if (isSeq(node)) {
    for (const item of node.items) orderFields(item, schema, [...path, 0]);
  } else if (isMap(node)) {
    sortPairs(node, fieldNames(schema, path));
    for (const { key, value } of node.items) {
      if (isScalar(key)) orderFields(value, schema, [...path, String(key.value)]);
    }
  }
}

function sortPairs(map: YAMLMap, names: readonly string[]): void {
  if (names.length === 0) return;
  const rank = ({ key }: Pair): number => {
    const name = isScalar(key) ? String(key.value) : '';
    if (name === '<<' || name === 'Symbol(<<)') return -1;
    const known = names.indexOf(name);
    return known < 0 ? names.length : known;
  };
  const sorted = [...map.items].sort((a, b) => rank(a) - rank(b));
  if (sorted.every((pair, index) => pair === map.items[index])) return;
  const before = map.items[0]?.key;
  map.items = sorted;
  const first = sorted[0]?.key;
  if (!isScalar(first) || !isScalar(before)) return;
  // A blank line before the first field would open the map; what stands above it is about the whole.
  first.spaceBefore = false;
  const comments = [before.commentBefore, first.commentBefore].filter(Boolean);
  if (before === first || comments.length === 0) return;
  before.commentBefore = null;
  first.commentBefore = comments.join('\n');
}
