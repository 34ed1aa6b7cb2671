import { isAlias, isMap, isSeq, visit } from 'yaml';
import type { Document, Node, ParsedNode, YAMLError } from 'yaml';
import {
  YamlLimitError,
  composeDocuments,
  findRepeatedKeys,
  tooLarge,
} from '../../inventory/text/compose-yaml.ts';
import { maxDepth } from '../../inventory/text/depth.ts';
import { explainYamlError } from '../../inventory/text/explain-yaml-error.ts';
import { isMergeKey } from '../../inventory/text/yaml-values.ts';
import type { Problem } from '../model.ts';
import { problemAt } from './source.ts';
import type { Finding, Source, Span } from './source.ts';

/** One document of a file: a YAML document, or one item of a top-level list. */
export interface RawDocument {
  readonly node: ParsedNode;
  /** Plain JavaScript values; own properties only, `__proto__` included. */
  readonly value: unknown;
  /** The YAML document it stands in, to resolve aliases with. */
  readonly within: Document.Parsed;
}

export interface ParsedYaml {
  readonly documents: readonly RawDocument[];
  readonly problems: readonly Problem[];
}

/** Times one anchor's uses may multiply (a list of 1,000 policies may share one); a bomb passes it at once. */
export const maxAliasCount = 1_000;
/** Fields that `<<` copies in one document; aliases elsewhere copy nothing. */
const maxMergedFields = 1_000_000;
/** Syntax errors shown per file: one mistake can break the rest of a file in many ways. */
const maxSyntaxErrors = 5;

/** Reads all documents of a file. What is wrong is returned; nothing is thrown, whatever the text is. */
export function parseYaml(source: Source): ParsedYaml {
  const documents: RawDocument[] = [];
  const problems: Problem[] = [];
  let composed: readonly Document.Parsed[];
  try {
    composed = composeDocuments(source.text);
  } catch (error) {
    if (!(error instanceof YamlLimitError)) throw error;
    return { documents, problems: [problemAt(source, spanAt(error.offset), limits[error.limit])] };
  }
  for (const within of composed) {
    const faults = syntaxProblems(source, within);
    problems.push(...faults);
    if (within.contents === null || faults.some(({ level }) => level === 'error')) continue;
    for (const key of findRepeatedKeys(within.contents)) {
      problems.push(problemAt(source, spanOf(key), repeatedKey));
    }
    const value = toValue(source, within, problems);
    if (value === undefined || isEmpty(within.contents)) continue;
    if (isSeq(within.contents) && Array.isArray(value)) {
      within.contents.items.forEach((node, index) => {
        if (isEmpty(node)) return;
        documents.push({ node: resolveNode(node, within), value: value[index], within });
      });
    } else {
      documents.push({ node: within.contents, value, within });
    }
  }
  return { documents, problems };
}

/**
 * Gives a function that parses a file again for who needs a place in it: problems are rare, so no file is kept parsed
 * until its first, and then it is, as a hostile file has thousands of them.
 * @param most the files that are kept, the latest; default: all
 */
export function createReparser(most = Infinity): (source: Source) => ParsedYaml {
  const kept = new Map<Source, ParsedYaml>();
  return (source) => {
    const parsed = kept.get(source) ?? parseYaml(source);
    kept.set(source, parsed);
    for (const one of kept.keys()) if (kept.size > most) kept.delete(one);
    return parsed;
  };
}

const tooDeep: Finding = {
  code: 'too-deep',
  message: `lists and maps are nested more than ${maxDepth} levels deep`,
  hint: 'Check for unclosed brackets.',
};

const limits: Readonly<Record<YamlLimitError['limit'], Finding>> = {
  depth: tooDeep,
  size: {
    code: 'file-too-large',
    message: tooLarge,
    hint: 'Split the file, or add it to .govctlignore if it contains no policies.',
  },
};

/** Nothing was written: no value at all, or null. */
export const isEmpty = (node: unknown): boolean =>
  typeof node === 'object' && node !== null && 'value' in node && node.value === null;

/** An alias stands for what it names. */
export function resolveNode(node: ParsedNode, within: Document.Parsed): ParsedNode {
  if (!isAlias(node)) return node;
  // What an alias of a parsed document resolves to was parsed too.
  return (node.resolve(within) as ParsedNode | undefined) ?? node;
}

const repeatedKey: Finding = {
  code: 'duplicate-field',
  message: 'duplicate field',
  hint: 'Remove one of the two fields.',
};

function toValue(source: Source, within: Document.Parsed, problems: Problem[]): unknown {
  if (mayHoldAliases(source.text)) {
    const cycle = findCycle(within);
    if (cycle) {
      problems.push(
        problemAt(source, spanOf(cycle), {
          code: 'cyclic-alias',
          message: 'the alias refers to a value that contains the alias',
          hint: 'Use the value instead of the alias.',
        }),
      );
      return undefined;
    }
    const costly = findCostlyMerge(within);
    if (costly) {
      problems.push(
        problemAt(source, spanOf(costly), {
          code: 'alias-bomb',
          message: `the << merges of this document copy more than ${maxMergedFields} fields`,
          hint: 'Use values instead of aliases, or split the file.',
        }),
      );
      return undefined;
    }
  }
  try {
    return within.toJS({ maxAliasCount });
  } catch (error) {
    const node = findUnresolved(within) ?? within.contents;
    problems.push(problemAt(source, spanOf(node), conversionFinding(error)));
    return undefined;
  }
}

/** A quick look that spares most files the walk; `&&` is CEL, not an anchor. */
const mayHoldAliases = (text: string): boolean =>
  text.includes('*') && /(?:^|[\s,[{:-])&[^\s&,[\]{}]/.test(text);

function conversionFinding(error: unknown): Finding {
  const { message } = error as Error;
  if (/alias count/i.test(message)) {
    return {
      code: 'alias-bomb',
      message: `the aliases of this document expand to more than ${maxAliasCount} values`,
      hint: 'Use values instead of aliases, or split the file.',
    };
  }
  if (/unresolved alias/i.test(message)) {
    return {
      code: 'alias',
      message: 'the alias refers to an anchor that is not defined earlier in this document',
      hint: 'Add &name before the value; to start a string with *, use quotes.',
    };
  }
  if (/merge sources/i.test(message)) {
    return {
      code: 'syntax',
      message: 'a << merge must refer to a map, or a list of maps',
      hint: 'Use <<: *anchor, with an anchor that is defined before a map.',
    };
  }
  return { code: 'syntax', message: `the document cannot be read: ${message}` };
}

/** The first alias that names a node around it. */
const findCycle = (within: Document.Parsed): Node | undefined =>
  findAlias(within, (target, path) => target !== undefined && path.includes(target));

/** The value of the first `<<` beyond what merges may copy. There are no cycles. */
function findCostlyMerge(within: Document.Parsed): Node | undefined {
  const sizes = new Map<unknown, number>();
  /** Fields, with those that are merged into them. */
  const sizeOf = (node: unknown): number => {
    const named = isAlias(node) ? node.resolve(within) : node;
    const known = sizes.get(named);
    if (known !== undefined) return known;
    let size = 0;
    if (isSeq(named)) for (const item of named.items) size += sizeOf(item);
    else if (isMap(named)) {
      for (const { key, value } of named.items) size += isMergeKey(key) ? sizeOf(value) : 1;
    }
    sizes.set(named, size);
    return size;
  };
  let copied = 0;
  let found: Node | undefined;
  visit(within, {
    Pair: (_key, { key, value }) => {
      if (!isMergeKey(key)) return undefined;
      copied += sizeOf(value);
      if (copied <= maxMergedFields) return undefined;
      found = value as Node;
      return visit.BREAK;
    },
  });
  return found;
}

/** The first alias that names nothing. */
const findUnresolved = (within: Document.Parsed): Node | undefined =>
  findAlias(within, (target) => target === undefined);

function findAlias(
  within: Document.Parsed,
  isWanted: (target: Node | undefined, path: readonly unknown[]) => boolean,
): Node | undefined {
  const anchors = new Map<string, Node>();
  let found: Node | undefined;
  visit(within, {
    Node: (_key, node, path) => {
      if (isAlias(node)) {
        if (!isWanted(anchors.get(node.source), path)) return undefined;
        found = node;
        return visit.BREAK;
      }
      if ('anchor' in node && node.anchor) anchors.set(node.anchor, node);
      return undefined;
    },
  });
  return found;
}

const spanAt = (offset: number) => ({ start: offset, end: offset + 1 });

export function spanOf(node: Node | null | undefined): { start: number; end: number } {
  const [start, end] = node?.range ?? [0, 0];
  return { start, end };
}

function explain(error: YAMLError): Finding {
  if (error.code === 'RESOURCE_EXHAUSTION') return tooDeep;
  const explained = explainYamlError(error);
  if (error.code !== 'TAG_RESOLVE_FAILED') return explained;
  return {
    code: 'tag',
    message: lowerFirst(error.message),
    hint: 'Tags such as !Ref are not supported in policy files; add files of other tools to .govctlignore.',
  };
}

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);

/** Where and what; `condition: !has(x)` is a tag to YAML. */
function explainAt(source: Source, error: YAMLError): [Span, Finding] {
  const [start, end] = error.pos;
  const line = source.line(source.place(start).line);
  const unquoted = /^(\s*(?:- )*condition:\s*)(!.*)$/.exec(line.slice(0, longestLine));
  const [, before = '', condition = ''] = unquoted ?? [];
  if (!unquoted) return [{ start, end }, explain(error)];
  const at = start - source.place(start).column + 1 + before.length;
  const quoted = `'${condition.trim().replaceAll("'", "''")}'`;
  return [
    { start: at, end: at + condition.length },
    {
      level: 'error',
      code: 'tag',
      message: 'a string that begins with ! is a tag in YAML, so the condition must be quoted',
      hint: `Use condition: ${quoted}`,
    },
  ];
}

/** Characters of a line that are looked at. */
const longestLine = 2_000;

function syntaxProblems(source: Source, within: Document.Parsed): Problem[] {
  const problems: Problem[] = [];
  const lines = new Set<number>();
  for (const error of within.errors) {
    const problem = problemAt(source, ...explainAt(source, error));
    // The library reports the same mistake several times over.
    if (lines.has(problem.line)) continue;
    if (lines.size >= maxSyntaxErrors) break;
    lines.add(problem.line);
    problems.push(problem);
  }
  for (const warning of within.warnings) {
    const [span, finding] = explainAt(source, warning);
    problems.push(problemAt(source, span, { level: 'warning', ...finding }));
  }
  return problems;
}
