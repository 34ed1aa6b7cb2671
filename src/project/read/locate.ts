import { isMap, isScalar, isSeq } from 'yaml';
import type { Document, Pair, ParsedNode, YAMLMap } from 'yaml';
import { resolveNode, spanOf } from './parse-yaml.ts';
import type { RawDocument } from './parse-yaml.ts';
import type { Source, Span } from './source.ts';

export type FieldPath = readonly (string | number)[];

/** What stands at a path: the pair's key and value; `missing` counts the steps that are not in the file. */
interface Located {
  readonly key?: ParsedNode;
  readonly node: ParsedNode;
  readonly missing: number;
}

/** Walks from a document to the node at `path`, through aliases and merges, as far as the file goes. */
export function locate(document: RawDocument, path: FieldPath): Located {
  let node = document.node;
  let key: ParsedNode | undefined;
  for (const [index, step] of path.entries()) {
    const next = enter(node, step, document.within);
    if (!next) return { ...(key ? { key } : {}), node, missing: path.length - index };
    key = next.key;
    node = resolveNode(next.node, document.within);
  }
  return { ...(key ? { key } : {}), node, missing: 0 };
}

function enter(
  node: ParsedNode,
  step: string | number,
  within: Document.Parsed,
): { key?: ParsedNode; node: ParsedNode } | undefined {
  if (isSeq(node)) {
    // Items of a parsed list are parsed nodes.
    const item = node.items[Number(step)] as ParsedNode | undefined;
    return item && { node: item };
  }
  if (!isMap(node)) return undefined;
  const own = fieldsOf(node).get(String(step));
  if (own) return { key: own.key, node: own.value ?? own.key };
  for (const { key, value } of node.items as ParsedPair[]) {
    if (!isMergeKey(key) || !value) continue;
    const source = resolveNode(value, within);
    for (const merged of isSeq(source) ? source.items : [source]) {
      const found = enter(resolveNode(merged as ParsedNode, within), step, within);
      if (found) return found;
    }
  }
  return undefined;
}

type ParsedPair = Pair<ParsedNode, ParsedNode | null>;

/** The fields of maps that were looked into: a map of a hostile file has as many problems as fields. */
const fieldsOfMaps = new WeakMap<YAMLMap, ReadonlyMap<string, ParsedPair>>();

/** A field that stands twice counts as its last, as the value does. */
function fieldsOf(map: YAMLMap): ReadonlyMap<string, ParsedPair> {
  const known = fieldsOfMaps.get(map);
  if (known) return known;
  const pairs = map.items as ParsedPair[];
  const fields = new Map(
    pairs.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair] as const] : [])),
  );
  fieldsOfMaps.set(map, fields);
  return fields;
}

const isMergeKey = (key: ParsedNode): boolean =>
  isScalar(key) &&
  (key.value === '<<' || (typeof key.value === 'symbol' && key.value.description === '<<'));

/** Where to point for a value: at it, or at its field's name when the value is empty or spans lines. */
export function valueSpan({ key, node }: Located, text: string): Span {
  const span = spanOf(node);
  if (key && (isMap(node) || isSeq(node) || span.end <= span.start)) return spanOf(key);
  if (isMap(node)) return firstKeySpan(node) ?? span;
  return { start: span.start, end: firstLineEnd(text, span) };
}

/** Where to point for a whole document or map: at its first field. */
export function firstKeySpan(node: ParsedNode): Span | undefined {
  if (!isMap(node)) return undefined;
  const first = node.items[0]?.key as ParsedNode | undefined;
  return first && spanOf(first);
}

function firstLineEnd(text: string, span: Span): number {
  const newline = text.indexOf('\n', span.start);
  return newline >= 0 && newline < span.end ? newline : span.end;
}

export const fieldSpan = (source: Source, raw: RawDocument, path: FieldPath): Span =>
  valueSpan(locate(raw, path), source.text);

export const documentSpan = (raw: RawDocument): Span => firstKeySpan(raw.node) ?? spanOf(raw.node);
