import { isAlias, isMap, isSeq } from 'yaml';
import type { Document, Node } from 'yaml';
import type { DocumentPath } from '../model.ts';
import { isMergeKey, keyOf, longForm } from './yaml-values.ts';

interface Found {
  /** Of the key, or of a list's item. */
  readonly offset: number;
  readonly node: unknown;
}

/** The offset of what stands at a path, through aliases, merges and short tags, as far as the document goes. */
export function locateInYaml(document: Document.Parsed, path: DocumentPath): number {
  let here: Found = { offset: document.contents?.range[0] ?? 0, node: document.contents };
  for (const step of path) {
    const next = enter(here, step, document, 0);
    if (!next) break;
    here = next;
  }
  return here.offset;
}

/** Merges of merges that are followed; an alias may lead back to itself. */
const maxMerges = 20;

function enter(
  from: Found,
  step: string | number,
  document: Document.Parsed,
  merges: number,
): Found | undefined {
  const node = isAlias(from.node) ? from.node.resolve(document) : from.node;
  if (isNode(node) && node.tag !== undefined && longForm(node.tag) === step) {
    return { offset: from.offset, node };
  }
  if (isSeq(node)) {
    const item = node.items[Number(step)];
    return item === undefined ? undefined : { offset: startOf(item), node: item };
  }
  if (!isMap(node) || merges > maxMerges) return undefined;
  // A key that stands twice counts as its last, as the value does.
  const own = node.items.findLast(({ key }) => !isMergeKey(key) && keyOf(key) === String(step));
  if (own) return { offset: startOf(own.key), node: own.value };
  for (const { key, value } of node.items) {
    if (!isMergeKey(key)) continue;
    const source = isAlias(value) ? value.resolve(document) : value;
    for (const merged of isSeq(source) ? source.items : [source]) {
      const found = enter({ offset: from.offset, node: merged }, step, document, merges + 1);
      if (found) return found;
    }
  }
  return undefined;
}

const isNode = (node: unknown): node is Node & { tag?: string } =>
  typeof node === 'object' && node !== null && 'range' in node;

const startOf = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0);
