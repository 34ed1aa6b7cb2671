import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Document, Node, Pair, YAMLMap } from 'yaml';
import type { DocumentPath } from '../model.ts';
import { isMergeKey, keyOf, longForm } from './yaml-values.ts';

interface Found {
  /** Of the key, or of a list's item. */
  readonly offset: number;
  readonly node: unknown;
}

/** The offset of what stands at a path. */
export type LocateInYaml = (path: DocumentPath) => number;

/** Merges of merges that are followed; an alias may lead back to itself. */
const maxMerges = 20;

/**
 * Finds what stands at paths, through aliases, merges and short tags, as far as the document goes. What each alias
 * names, and the keys of each map on the way, are found once.
 */
export function createLocateInYaml(document: Document.Parsed): LocateInYaml {
  let named: ReadonlyMap<unknown, unknown> | undefined;
  const entries = new Map<YAMLMap, ReadonlyMap<string, Pair>>();

  const follow = (node: unknown): unknown => {
    if (!isAlias(node)) return node;
    named ??= findNamed(document.contents);
    return named.get(node);
  };
  const entriesOf = (map: YAMLMap): ReadonlyMap<string, Pair> => {
    const known = entries.get(map);
    if (known) return known;
    // A key that stands twice counts as its last, as the value does.
    const made = new Map(
      map.items.flatMap((pair) => (isMergeKey(pair.key) ? [] : [[keyOf(pair.key), pair] as const])),
    );
    entries.set(map, made);
    return made;
  };
  const enter = (from: Found, step: string | number, merges: number): Found | undefined => {
    const node = follow(from.node);
    if (isNode(node) && node.tag !== undefined && longForm(node.tag) === step) {
      return { offset: from.offset, node };
    }
    if (isSeq(node)) {
      const item = node.items[Number(step)];
      return item === undefined ? undefined : { offset: startOf(item), node: item };
    }
    if (!isMap(node) || merges > maxMerges) return undefined;
    const own = entriesOf(node).get(String(step));
    if (own) return { offset: startOf(own.key), node: own.value };
    for (const { key, value } of node.items) {
      if (!isMergeKey(key)) continue;
      const source = follow(value);
      for (const merged of isSeq(source) ? source.items : [source]) {
        const found = enter({ offset: from.offset, node: merged }, step, merges + 1);
        if (found) return found;
      }
    }
    return undefined;
  };
  return (path) => {
    let here: Found = { offset: document.contents?.range[0] ?? 0, node: document.contents };
    for (const step of path) {
      const next = enter(here, step, 0);
      if (!next) break;
      here = next;
    }
    return here.offset;
  };
}

/** What each alias names: the last node before it with that anchor. */
function findNamed(root: unknown): ReadonlyMap<unknown, unknown> {
  const anchors = new Map<string, unknown>();
  const named = new Map<unknown, unknown>();
  const visit = (node: unknown): void => {
    if (isAlias(node)) named.set(node, anchors.get(node.source));
    else if (isMap(node) || isSeq(node) || isScalar(node)) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    }
    if (isSeq(node)) node.items.forEach(visit);
    else if (isMap(node)) for (const { value } of node.items) visit(value);
  };
  visit(root);
  return named;
}

const isNode = (node: unknown): node is Node & { tag?: string } =>
  typeof node === 'object' && node !== null && 'range' in node;

const startOf = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0);
