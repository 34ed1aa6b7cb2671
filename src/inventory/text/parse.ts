import type { Document } from 'yaml';
import type { DocumentPath, InputProblem } from '../model.ts';
import { TooDeepError, composeDocuments, findRepeatedKeys, maxDepth } from './compose-yaml.ts';
import { findRepeatedKeys as findRepeatedJsonKeys, locateInJson } from './locate-json.ts';
import { locateInYaml } from './locate-yaml.ts';
import { createPlaces } from './place.ts';
import type { Place } from './place.ts';
import { relaxJson } from './relax-json.ts';
import { scanJson } from './scan-json.ts';
import type { JsonDialect } from './scan-json.ts';
import { AliasError, keyOf, yamlValue } from './yaml-values.ts';
import { isMap } from 'yaml';

/** A text as plain values, and the way back to places in it. */
export interface ParsedText {
  /** One value; several YAML documents, or JSON lines, are a list. */
  readonly document: unknown;
  /** What is wrong with the text, though it can be read. */
  readonly problems: readonly InputProblem[];
  /** Where each path leads, as far as the text goes; all in one pass. */
  locate(paths: readonly DocumentPath[]): Place[];
}

export type TextParse =
  | { readonly ok: true; readonly parsed: ParsedText }
  | { readonly ok: false; readonly problem: InputProblem };

/** Problems of one kind that are reported of one text. */
const maxProblems = 20;

/** Reads JSON, JSON lines, JSON with comments, or YAML: told by how it begins. Total. */
export function parseText(given: string): TextParse {
  const text = given.startsWith('\ufeff') ? given.slice(1) : given;
  const first = /[^\s]/.exec(text)?.[0];
  if (first === undefined) return { ok: false, problem: { message: 'the input is empty' } };
  const nul = text.indexOf('\0');
  if (nul >= 0) return failure(text, nul, 'a NUL byte stands here, so this is no text');
  return looksLikeJson(text) ? parseJson(text) : parseYaml(text);
}

/** JSON begins with a bracket and then a quote, a bracket or a scalar; `{a: b}` and `[a, b]` are YAML. */
const looksLikeJson = (text: string): boolean =>
  /^\s*(?:\{\s*(?:["}]|\/[/*])|\[\s*(?:["{}[\]\d-]|\/[/*])|["\d]|\/[/*]|(?:true|false|null)\s*$)/.test(
    text,
  );

function failure(text: string, offset: number, message: string): TextParse {
  return { ok: false, problem: { message, ...createPlaces(text)(offset) } };
}

function parseJson(text: string): TextParse {
  const value = tryJson(text);
  if (value) return jsonText(text, value.value, 'strict');
  const lines = parseLines(text);
  if (lines) return lines;
  const relaxed = tryJson(relaxJson(text));
  if (relaxed) return jsonText(text, relaxed.value, 'relaxed');
  const offset = scanJson(text, {}, 'relaxed') ?? text.length;
  return failure(text, offset, `this is no JSON: ${describeChar(text, offset)} can not stand here`);
}

function tryJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function describeChar(text: string, offset: number): string {
  const code = text.codePointAt(offset);
  return code === undefined ? 'the end' : JSON.stringify(String.fromCodePoint(code));
}

function jsonText(text: string, document: unknown, dialect: JsonDialect): TextParse {
  const { deepAt } = measureJson(text);
  if (deepAt !== undefined) return failure(text, deepAt, tooDeep);
  const places = createPlaces(text);
  return {
    ok: true,
    parsed: {
      document,
      problems: findRepeatedJsonKeys(text, dialect, maxProblems).map(({ offset, key }) => ({
        message: repeatedKey(key),
        ...places(offset),
      })),
      locate: (paths) => locateInJson(text, paths, dialect).map(places),
    },
  };
}

const tooDeep = `lists and maps are nested more than ${maxDepth} deep here`;
const repeatedKey = (key: string): string => `the key ${JSON.stringify(key)} stands here twice`;

function measureJson(text: string): { readonly deepAt: number | undefined } {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = text.indexOf('"', at + 1);
      while (isEscaped(text, at)) at = text.indexOf('"', at + 1);
      if (at < 0) break;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > maxDepth) return { deepAt: at };
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return { deepAt: undefined };
}

/** Whether an odd number of backslashes stands before. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charCodeAt(before - 1) === 0x5c) before -= 1;
  return (at - before) % 2 === 1;
}

/** JSON lines: at least two, of which the first is a whole value. A line that can't be read is a problem of its own. */
function parseLines(text: string): TextParse | undefined {
  const lines = text.split('\n');
  const values: unknown[] = [];
  const lineOf: number[] = [];
  const problems: InputProblem[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const parsed = line.trim().startsWith('{') ? parseLine(line) : undefined;
    if (values.length === 0 && !parsed?.ok) return undefined;
    if (parsed?.ok) {
      values.push(parsed.parsed.document);
      lineOf.push(index);
    } else if (problems.length < maxProblems) {
      problems.push({ line: index + 1, column: 1, message: 'this line is no JSON object' });
    }
  }
  if (values.length + problems.length < 2) return undefined;
  return {
    ok: true,
    parsed: {
      document: values,
      problems,
      locate: (paths) =>
        paths.map(([item, ...rest]) => {
          const index = lineOf[Number(item ?? 0)] ?? 0;
          const [offset = 0] = locateInJson(lines[index] ?? '', [rest]);
          return { line: index + 1, column: offset + 1 };
        }),
    },
  };
}

function parseLine(line: string): TextParse | undefined {
  const value = tryJson(line);
  return value && jsonText(line, value.value, 'strict');
}

function parseYaml(text: string): TextParse {
  const places = createPlaces(text);
  try {
    const documents = composeDocuments(text).filter((one) => !isEmpty(one));
    for (const { errors } of documents) {
      const [error] = errors;
      if (error)
        return failure(text, error.pos[0], `this is no YAML: ${lowerFirst(error.message)}`);
    }
    const values = documents.map((one) => readYaml(one));
    const [only] = documents;
    return {
      ok: true,
      parsed: {
        document: documents.length === 1 ? values[0] : values,
        problems: documents
          .flatMap((one) => findRepeatedKeys(one.contents))
          .slice(0, maxProblems)
          .map((key) => ({ message: repeatedKey(keyOf(key)), ...places(key.range?.[0] ?? 0) })),
        locate: (paths) =>
          paths.map((path) => {
            if (documents.length === 1 && only) return places(locateInYaml(only, path));
            const one = documents[Number(path[0] ?? 0)];
            return places(one ? locateInYaml(one, path.slice(1)) : 0);
          }),
      },
    };
  } catch (error) {
    if (error instanceof TooDeepError) return failure(text, error.offset, tooDeep);
    if (error instanceof AliasError) {
      return failure(text, error.node.range?.[0] ?? 0, error.message);
    }
    throw error;
  }
}

const isEmpty = (document: Document.Parsed): boolean =>
  document.errors.length === 0 &&
  (document.contents === null ||
    ('value' in document.contents && document.contents.value === null));

function readYaml(document: Document.Parsed): unknown {
  if (document.contents === null) return null;
  return yamlValue(document.contents, isTemplate(document));
}

/** CloudFormation reads YAML 1.1, in which yes and no are booleans. */
const isTemplate = (document: Document.Parsed): boolean =>
  isMap(document.contents) &&
  document.contents.items.some(({ key }) =>
    ['Resources', 'AWSTemplateFormatVersion'].includes(keyOf(key)),
  );

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);
