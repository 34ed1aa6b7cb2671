import type { Scalar } from 'yaml';

/**
 * Where each character of a scalar's value stands in the file: one offset a UTF-16 unit, and one more for its end.
 * Undefined when the scalar is not written out as this mirrors it (a value made by a tag, say); then only its start
 * is known. It follows YAML 1.2.2, sections 7.3 and 8.1, as the yaml library resolves them.
 */
export function scalarOffsets(text: string, node: Scalar): readonly number[] | undefined {
  const { range, value, type } = node;
  if (!range || typeof value !== 'string') return undefined;
  const [start, end] = range;
  switch (type) {
    case 'PLAIN':
      return matching(value, [mapFolded(text, start, end, false)]);
    case 'QUOTE_SINGLE':
      return matching(value, [mapFolded(text, start + 1, end - 1, true)]);
    case 'QUOTE_DOUBLE':
      return matching(value, [mapDoubleQuoted(text, start + 1, end - 1)]);
    case 'BLOCK_LITERAL':
    case 'BLOCK_FOLDED':
      return matching(value, mapBlock(text, start, end, type === 'BLOCK_FOLDED'));
    default:
      return undefined;
  }
}

/** A value as it grows, each unit with the offset it came from. */
class Mapped {
  value = '';
  readonly offsets: number[] = [];
  /** Where the text after the value stands. */
  end = 0;

  add(characters: string, offset: number): void {
    for (let i = 0; i < characters.length; i++) this.offsets.push(offset);
    this.value += characters;
  }

  copy(text: string, from: number, to: number): void {
    for (let at = from; at < to; at++) this.offsets.push(at);
    this.value += text.slice(from, to);
  }
}

function matching(value: string, candidates: Iterable<Mapped>): readonly number[] | undefined {
  for (const mapped of candidates) {
    if (mapped.value === value) return [...mapped.offsets, mapped.end];
  }
  return undefined;
}

const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t';

/** Plain and single-quoted: lines are trimmed and folded; in quotes `''` is one quote. */
function mapFolded(text: string, start: number, end: number, quoted: boolean): Mapped {
  const mapped = new Mapped();
  let at = start;
  for (let first = true; at <= end; first = false) {
    const newline = text.indexOf('\n', at);
    const isLast = newline < 0 || newline >= end;
    let to = isLast ? end : newline;
    const next = isLast ? end + 1 : newline + 1;
    let from = at;
    if (!first) while (from < to && isBlank(text[from])) from++;
    if (!isLast) {
      if (text[to - 1] === '\r') to--;
      while (to > from && isBlank(text[to - 1])) to--;
    }
    copyUnquoted(mapped, text, from, to, quoted);
    at = next;
    if (isLast) break;
    at = mapBreaks(mapped, text, to, newline, end);
  }
  mapped.end = end;
  return mapped;
}

function copyUnquoted(mapped: Mapped, text: string, from: number, to: number, quoted: boolean) {
  for (let at = from; at < to; at++) {
    mapped.copy(text, at, at + 1);
    if (quoted && text[at] === "'") at++;
  }
}

/** One line break folds to a space, n of them to n - 1 breaks. Returns where the next line with text starts. */
function mapBreaks(mapped: Mapped, text: string, from: number, newline: number, end: number) {
  let at = newline + 1;
  const breaks: number[] = [];
  for (;;) {
    let content = at;
    while (content < end && isBlank(text[content])) content++;
    const lineEnd = text[content] === '\r' && text[content + 1] === '\n' ? content + 1 : content;
    if (lineEnd >= end || text[lineEnd] !== '\n') break;
    breaks.push(lineEnd);
    at = lineEnd + 1;
  }
  if (breaks.length === 0) mapped.add(' ', from);
  for (const offset of breaks) mapped.add('\n', offset);
  return at;
}

const namedEscapes: Partial<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  '\t': '\t',
};
const hexEscapes: Partial<Record<string, number>> = { x: 2, u: 4, U: 8 };

function mapDoubleQuoted(text: string, start: number, end: number): Mapped {
  const mapped = new Mapped();
  mapped.end = end;
  let at = start;
  while (at < end) {
    const character = text[at];
    if (character === '\\') {
      at = mapEscape(mapped, text, at);
    } else if (character === '\n') {
      at = mapBreaks(mapped, text, at, at, end);
      while (at < end && isBlank(text[at])) at++;
    } else if (isBlank(character)) {
      let to = at;
      while (isBlank(text[to])) to++;
      const breaks = text[to] === '\n' || (text[to] === '\r' && text[to + 1] === '\n');
      if (!breaks) mapped.copy(text, at, to);
      at = to;
    } else if (character === '\r' && text[at + 1] === '\n') {
      at++;
    } else {
      mapped.copy(text, at, at + 1);
      at++;
    }
  }
  return mapped;
}

function mapEscape(mapped: Mapped, text: string, at: number): number {
  const letter = text[at + 1] ?? '';
  const named = namedEscapes[letter];
  if (named !== undefined) {
    mapped.add(named, at);
    return at + 2;
  }
  const digits = hexEscapes[letter];
  if (digits !== undefined) {
    const code = Number.parseInt(text.slice(at + 2, at + 2 + digits), 16);
    if (code <= 0x10ffff) mapped.add(String.fromCodePoint(code), at);
    return at + 2 + digits;
  }
  // An escaped line break joins the lines without a space.
  let next = letter === '\r' ? at + 3 : at + 2;
  while (isBlank(text[next])) next++;
  return next;
}

interface Line {
  readonly start: number;
  readonly indent: number;
  /** After the last character before the line break. */
  readonly end: number;
  readonly blank: boolean;
}

/** Block scalars. With an indentation indicator the parent's indentation counts too, so each is tried. */
function* mapBlock(text: string, start: number, end: number, folded: boolean): Generator<Mapped> {
  const bodyStart = text.indexOf('\n', start) + 1;
  if (bodyStart === 0 || bodyStart > end) return;
  const header = text.slice(start, bodyStart).replace(/#.*/, '');
  const chomp = header.includes('+') ? '+' : header.includes('-') ? '-' : '';
  const lines = readLines(text, bodyStart, end);
  if (lines.every(({ blank }) => blank)) {
    yield mapBlankLines(lines, chomp, end);
    return;
  }
  if (/[1-9]/.test(header)) {
    const most = Math.max(0, ...lines.map(({ indent }) => indent));
    for (let trim = 1; trim <= most; trim++) yield mapLines(text, lines, trim, folded, chomp);
  } else {
    const first = lines.find(({ blank }) => !blank);
    yield mapLines(text, lines, first?.indent ?? 0, folded, chomp);
  }
}

/** Without text only `+` keeps anything: the line breaks. */
function mapBlankLines(lines: readonly Line[], chomp: string, end: number): Mapped {
  const mapped = new Mapped();
  mapped.end = end;
  if (chomp !== '+') return mapped;
  const breaks = lines.slice(0, Math.max(1, lines.length - 1));
  for (const line of breaks) mapped.add('\n', line.end);
  return mapped;
}

function readLines(text: string, start: number, end: number): Line[] {
  const lines: Line[] = [];
  for (let at = start; at <= end;) {
    const newline = text.indexOf('\n', at);
    const stop = newline < 0 || newline >= end ? end : newline;
    let indent = 0;
    while (at + indent < stop && text[at + indent] === ' ') indent++;
    const lineEnd = text[stop - 1] === '\r' && stop > at + indent ? stop - 1 : stop;
    lines.push({ start: at, indent, end: lineEnd, blank: at + indent >= lineEnd });
    if (stop === end) break;
    at = stop + 1;
  }
  return lines;
}

function mapLines(
  text: string,
  lines: readonly Line[],
  trim: number,
  folded: boolean,
  chomp: string,
): Mapped {
  const mapped = new Mapped();
  const last = lines.findLastIndex((line) => !line.blank || line.indent > trim);
  const first = lines.findIndex((line) => !line.blank);
  const leading = first < 0 ? 0 : first;
  let separator = '';
  let wasIndented = false;
  for (const [index, line] of lines.entries()) {
    if (index > last) break;
    const from = Math.min(line.start + trim, line.end);
    if (index < leading) {
      mapped.copy(text, from, line.end);
      mapped.add('\n', line.end);
      continue;
    }
    const breakAt = Math.max(line.start - 1, 0);
    if (!folded) {
      mapped.add(separator, breakAt);
      mapped.copy(text, from, line.end);
      separator = '\n';
    } else if (line.indent > trim || text[line.start + line.indent] === '\t') {
      if (separator === ' ') separator = '\n';
      else if (!wasIndented && separator === '\n') separator = '\n\n';
      mapped.add(separator, breakAt);
      mapped.copy(text, from, line.end);
      separator = '\n';
      wasIndented = true;
    } else if (line.blank) {
      if (separator === '\n') mapped.add('\n', breakAt);
      else separator = '\n';
    } else {
      mapped.add(separator, breakAt);
      mapped.copy(text, from, line.end);
      separator = ' ';
      wasIndented = false;
    }
  }
  mapped.end = lines[last]?.end ?? lines[0]?.start ?? 0;
  endBlock(mapped, text, lines, last, trim, chomp);
  return mapped;
}

function endBlock(
  mapped: Mapped,
  text: string,
  lines: readonly Line[],
  last: number,
  trim: number,
  chomp: string,
): void {
  if (chomp === '-') return;
  if (chomp === '') {
    if (last >= 0) mapped.add('\n', mapped.end);
    return;
  }
  for (const line of lines.slice(last + 1)) {
    mapped.add('\n', Math.max(line.start - 1, 0));
    mapped.copy(text, Math.min(line.start + trim, line.end), line.end);
  }
  if (!mapped.value.endsWith('\n')) mapped.add('\n', mapped.end);
  mapped.end = lines.at(-1)?.end ?? mapped.end;
}
