import type { Format } from './formats/formats.ts';
import { readers } from './formats/readers.ts';
import type { DocumentPath, InputProblem, ReadOptions } from './model.ts';
import { readParsed } from './read.ts';
import type { ParsedText } from './text/parsed-text.ts';
import type { TextPlace } from './text/place.ts';

/** A document of an export that may come in several files. */
export interface ExportPart {
  readonly format: Format;
  /** Parts with a common link belong together. */
  readonly links: readonly string[];
}

/** Undefined for what is complete by itself, such as a template. */
export function exportPartOf(
  { document }: ParsedText,
  { format }: ReadOptions,
): ExportPart | undefined {
  const reader = readers.find((one) =>
    format === undefined ? one.detects(document) : one.format === format,
  );
  const links = reader?.links?.(document) ?? [];
  return reader && links.length > 0 ? { format: reader.format, links } : undefined;
}

export type Group<T> = readonly [T, ...T[]];

/** Those that a chain of common links connects, each group and the groups in the given order. */
export function groupLinked<T extends ExportPart>(parts: readonly T[]): readonly Group<T>[] {
  const parents = parts.map((_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    for (let up = parents[root] ?? root; up !== root; up = parents[root] ?? root) root = up;
    parents[index] = root;
    return root;
  };
  const first = new Map<string, number>();
  for (const [index, { format, links }] of parts.entries()) {
    for (const link of links) {
      const key = `${format} ${link}`;
      const [a, b] = [rootOf(first.get(key) ?? index), rootOf(index)];
      if (a !== b) parents[Math.max(a, b)] = Math.min(a, b);
      if (!first.has(key)) first.set(key, index);
    }
  }
  const groups = new Map<number, [T, ...T[]]>();
  for (const [index, part] of parts.entries()) {
    const root = rootOf(index);
    const group = groups.get(root);
    if (group) group.push(part);
    else groups.set(root, [part]);
  }
  return [...groups.values()];
}

export interface NamedText {
  readonly file: string;
  readonly parsed: ParsedText;
}

/** Reads the parts of an export as if they were one file; places and problems name theirs. */
export const readTogether = (texts: readonly NamedText[], options: ReadOptions) =>
  readParsed(joinTexts(texts), options);

const joinTexts = (texts: readonly NamedText[]): ParsedText => ({
  document: texts.map(({ parsed }) => parsed.document),
  isJoined: true,
  problems: texts.flatMap(({ file, parsed }) => inFile(parsed.problems, file)),
  repeatedKeys: () => texts.flatMap(({ file, parsed }) => inFile(parsed.repeatedKeys(), file)),
  locate: (paths) => locateIn(texts, paths),
});

const inFile = (problems: readonly InputProblem[], file: string): InputProblem[] =>
  problems.map((problem) => ({ ...problem, file }));

/** The first step of a path is the text's number. */
function locateIn(texts: readonly NamedText[], paths: readonly DocumentPath[]): TextPlace[] {
  const found = texts.map(({ file, parsed }, nth) =>
    parsed
      .locate(paths.filter(([text]) => text === nth).map(([, ...path]) => path))
      .map((place) => ({ ...place, file }))
      .values(),
  );
  return paths.map(([text]) => {
    const place = found[Number(text)]?.next();
    return place && !place.done ? place.value : { line: 1, column: 1 };
  });
}
