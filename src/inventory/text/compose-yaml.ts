import { Alias, Composer, Lexer, Parser, isAlias, isMap, isScalar, isSeq, visit } from 'yaml';
import type { CST, Document, Node } from 'yaml';
import { maxDepth } from './depth.ts';

/**
 * YAML 1.2 with keys as text, and `<<` that merges. The library compares each key with each other, which never ends for
 * a map of a million; `findRepeatedKeys` looks them up instead.
 */
const yamlOptions = {
  stringKeys: true,
  uniqueKeys: false,
  merge: true,
  logLevel: 'error',
} as const;

export class TooDeepError extends Error {
  constructor(readonly offset: number) {
    super('too deep');
  }
}

/** @throws TooDeepError before the recursive half of the library sees the text */
export function composeDocuments(text: string): Document.Parsed[] {
  const documents = [...new Composer(yamlOptions).compose(shallowTokens(text), false, text.length)];
  if (text.includes('*')) documents.forEach(resolveOnce);
  return documents;
}

/** Counts as nothing, but as counted: where the library finds 0 it looks through all of the value again. */
const nothing = Number.MIN_VALUE;

/**
 * Finds what each alias names: the last node before it with that anchor. The library looks through the document for
 * each alias, which takes hours for a file of some hundred thousand.
 */
function resolveOnce(document: Document.Parsed): void {
  const anchors = new Map<string, Node>();
  visit(document, {
    Node: (_key, node) => {
      if (!isAlias(node)) {
        if ('anchor' in node && node.anchor) anchors.set(node.anchor, node);
        return;
      }
      const named = anchors.get(node.source) as ReturnType<Alias['resolve']>;
      node.resolve = (doc, context) => {
        if (!context || !named) return named;
        context.aliasResolveCache = [named];
        const found = Alias.prototype.resolve.call(node, doc, context);
        const used = context.anchors.get(named);
        if (used) used.aliasCount ||= nothing;
        return found;
      };
    },
  });
}

function* shallowTokens(text: string): Generator<CST.Token> {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > maxDepth) throw new TooDeepError(parser.offset - lexeme.length);
  }
  yield* parser.end();
}

/** Keys that stand a second time in their map. */
export function findRepeatedKeys(node: unknown, found: Node[] = []): Node[] {
  if (isSeq(node)) {
    for (const item of node.items) findRepeatedKeys(item, found);
  } else if (isMap(node)) {
    const names = new Set<unknown>();
    for (const { key, value } of node.items) {
      if (isScalar(key) && key.value !== '<<') {
        if (names.has(key.value)) found.push(key);
        names.add(key.value);
      }
      if (!isScalar(value)) findRepeatedKeys(value, found);
    }
  }
  return found;
}
