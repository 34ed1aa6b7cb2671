import { isDeepStrictEqual } from 'node:util';
import { isMap, isSeq, parse } from 'yaml';
import type { YAMLMap } from 'yaml';
import { composeDocuments } from '../../inventory/text/compose-yaml.ts';
import type { LiveItem, LocalDocument } from '../kinds/kind.ts';
import { documentToYaml } from './export.ts';
import { usesCrlf, yamlLayout } from './format.ts';

/** A document of a file, and the live object that it describes. */
export interface Described {
  readonly local: LocalDocument;
  readonly item: LiveItem;
}

/**
 * The text of a file in which some documents describe what is live. Comments, the order of fields and all other documents stay.
 * @param text the file that the documents were read from
 * @returns undefined where one of them is not found in the text, which has changed since
 */
export function updateDocuments(text: string, all: readonly Described[]): string | undefined {
  const byLine = new Map(all.map((each) => [each.local.place.line, each]));
  const lineAt = lineCounter(text);
  const documents = composeDocuments(text);
  let updated = 0;
  for (const document of documents) {
    const { contents } = document;
    for (const node of isSeq(contents) ? contents.items : [contents]) {
      if (!isMap(node)) continue;
      const described = byLine.get(lineAt(node.range?.[0] ?? 0));
      if (described === undefined) continue;
      // The nodes of a parsed document may be of any kind.
      setFields(node as YAMLMap, described, (value) => document.createNode(value));
      updated++;
    }
  }
  if (updated < all.length) return undefined;
  const after = documents.map((each) => each.toString(yamlLayout)).join('');
  return usesCrlf(text) ? after.replaceAll(/\r?\n/g, '\r\n') : after;
}

function setFields(
  node: YAMLMap,
  { local: { kind, key, written }, item }: Described,
  createNode: (value: unknown) => unknown,
): void {
  const wanted = parse(documentToYaml(kind, item, key)) as Readonly<Record<string, unknown>>;
  const [before, after] = [kind.content(written), kind.content(item)];
  for (const field of kind.fields) {
    // What a file writes out may be a default.
    if (isDeepStrictEqual(before[field], after[field])) continue;
    if (wanted[field] === undefined) node.delete(field);
    else node.set(field, createNode(wanted[field]));
  }
}

/** The line of an offset, from 1. Offsets only grow, so a file of very many documents is read through once. */
function lineCounter(text: string): (offset: number) => number {
  let [line, at] = [1, 0];
  return (offset) => {
    for (; at < offset; at++) if (text[at] === '\n') line++;
    return line;
  };
}
