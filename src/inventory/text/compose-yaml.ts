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

/** Marks, keys, values, blanks, and line breaks, also those in strings. The library makes some 500 bytes of each. */
const maxTokens = 1_000_000;
/** Characters. Beyond, a text has too many tokens, or a string that is nothing to read. */
const maxLength = 16 * 1024 * 1024;
/** Errors and warnings of one document that are kept. A mistake can break the rest of a file, and each takes a kilobyte. */
const maxErrors = 1_000;

export const tooLarge = `this YAML is too large: at most ${maxTokens.toLocaleString('en-US')} tokens and ${maxLength / 1024 / 1024} MiB are allowed`;

/** What is refused before the costly, recursive half of the library sees it. */
export class YamlLimitError extends Error {
  constructor(
    readonly limit: 'depth' | 'size',
    readonly offset: number,
  ) {
    super(limit);
  }
}

/** @throws YamlLimitError */
export function composeDocuments(text: string): Document.Parsed[] {
  if (text.length > maxLength) throw new YamlLimitError('size', 0);
  const composer = new Composer(yamlOptions);
  const notes = composer as unknown as Notes;
  boundErrors(notes);
  const documents = [...composer.compose(boundedTokens(text, notes), false, text.length)];
  if (text.includes('*')) documents.forEach(resolveOnce);
  return documents;
}

/** What the library's composer keeps: of what it is reading, and of the document before that. */
interface Notes {
  readonly errors: readonly unknown[];
  readonly warnings: readonly unknown[];
  readonly doc: Document.Parsed | null;
  onError(where: unknown, code: unknown, message: unknown, isWarning?: boolean): void;
}

function boundErrors(notes: Notes): void {
  const note = notes.onError;
  notes.onError = (where, code, message, isWarning) => {
    const { length } = isWarning ? notes.warnings : notes.errors;
    if (length < maxErrors) note(where, code, message, isWarning);
  };
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

function* boundedTokens(text: string, notes: Notes): Generator<CST.Token> {
  const parser = new Parser();
  let left = maxTokens;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      // These do not come to `onError`.
      if (token.type !== 'error' || (notes.doc ?? notes).errors.length < maxErrors) yield token;
    }
    left -= 1 + (lexeme.length > 1 ? countLineBreaks(lexeme) : 0);
    const limit = parser.stack.length > maxDepth ? 'depth' : left < 0 ? 'size' : undefined;
    if (limit) throw new YamlLimitError(limit, parser.offset - lexeme.length);
  }
  yield* parser.end();
}

function countLineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
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
