/** A `.tf` file; its path is relative to the root module, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Offsets in the text; `end` is after the last character. */
export interface HclAttribute {
  readonly name: string;
  readonly start: number;
  readonly valueStart: number;
  /** Without blanks and comments behind the value. */
  readonly valueEnd: number;
}

/** A block of a `.tf` file: `resource "aws_subnet" "main" {`, or one inside another. */
export interface HclBlock {
  /** Its kind and its labels: `['resource', 'aws_subnet', 'main']`. */
  readonly labels: readonly string[];
  /** From 1. */
  readonly line: number;
  readonly start: number;
  /** After `{`. */
  readonly open: number;
  /** Of `}`; the end of the text where it is missing. */
  readonly close: number;
  readonly attributes: readonly HclAttribute[];
  readonly blocks: readonly HclBlock[];
}

/** A comment, with its signs. */
export interface HclComment {
  readonly start: number;
  readonly end: number;
  /** Where it starts, from 1. */
  readonly line: number;
}

export interface HclFile {
  readonly blocks: readonly HclBlock[];
  /** Whether the text has nothing but blocks, attributes and comments, each bracket its other half, and no block too deep. */
  readonly isWhole: boolean;
}

/** Blocks in each other; no provider has ten. What is deeper would end the stack of what recurses. */
const maxDepth = 100;

interface OpenBlock extends HclBlock {
  close: number;
  readonly attributes: HclAttribute[];
  readonly blocks: OpenBlock[];
}

/** The blocks of a file with their places, found without judging it: no expression is read. One scan. Total. */
export function scanHcl(text: string): HclFile {
  const root = openBlock([], 0, 0, 1);
  const open: OpenBlock[] = [root];
  let words: { readonly text: string; readonly start: number; readonly line: number }[] = [];
  let isWhole = true;
  let line = 1;
  for (let at = 0; at < text.length;) {
    const start = at;
    const character = text[at] ?? '';
    const here = open.at(-1) ?? root;
    const [first] = words;
    at = endOfSkipped(text, start);
    if (at > start) {
      isWhole &&= character !== '<';
    } else if (character === '"') {
      at = endOfText(text, start);
      words.push({ text: text.slice(start + 1, at - 1), start, line });
    } else if (isWord(character)) {
      while (at < text.length && isWord(text[at] ?? '')) at++;
      words.push({ text: text.slice(start, at), start, line });
    } else if (character === '=' && first && words.length === 1) {
      const valueStart = endOfBlanks(text, start + 1);
      at = Math.max(start + 1, endOfValue(text, valueStart));
      const valueEnd = Math.max(valueStart, trimmedEnd(text, valueStart, at));
      here.attributes.push({ name: first.text, start: first.start, valueStart, valueEnd });
      words = [];
    } else {
      at = start + 1;
      isWhole &&= /[\s{}]/.test(character) && (character !== '{' || first !== undefined);
      if (character === '{') {
        const block = openBlock(
          words.map((word) => word.text),
          first?.start ?? start,
          at,
          first?.line ?? line,
        );
        here.blocks.push(block);
        open.push(block);
        isWhole &&= open.length <= maxDepth;
      } else if (character === '}') {
        if (open.length > 1) open.pop();
        else isWhole = false;
        here.close = start;
      }
      if ('{}\n'.includes(character)) {
        isWhole &&= character === '{' || words.length === 0;
        words = [];
      }
    }
    for (let index = start; index < at; index++) if (text[index] === '\n') line++;
  }
  for (const block of open) block.close = text.length;
  return { blocks: root.blocks, isWhole: isWhole && open.length === 1 && words.length === 0 };
}

/** The comments of a file in their order: a `#` in a string or heredoc starts none. One scan. Total. */
export function scanComments(text: string): HclComment[] {
  const comments: HclComment[] = [];
  let line = 1;
  for (let at = 0; at < text.length;) {
    const start = at;
    at = text[at] === '"' ? endOfText(text, at) : Math.max(endOfSkipped(text, at), at + 1);
    if (startsComment(text, start)) comments.push({ start, end: at, line });
    for (let index = start; index < at; index++) if (text[index] === '\n') line++;
  }
  return comments;
}

const openBlock = (
  labels: readonly string[],
  start: number,
  open: number,
  line: number,
): OpenBlock => ({ labels, line, start, open, close: open, attributes: [], blocks: [] });

const isWord = (character: string): boolean => /[\w-]/.test(character);

/** After the blanks of a line. */
export function endOfBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at++;
  return at;
}

function trimmedEnd(text: string, from: number, end: number): number {
  let at = end;
  while (at > from && /\s/.test(text[at - 1] ?? '')) at--;
  return at;
}

/** A value ends with its line, its block or a comment, outside of brackets. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length;) {
    const character = text[at] ?? '';
    if (depth === 0 && (character === '\n' || character === '}' || startsComment(text, at)))
      return at;
    const skipped = endOfSkipped(text, at);
    if (skipped > at) at = skipped;
    else if (character === '"') at = endOfText(text, at);
    else {
      if ('([{'.includes(character)) depth++;
      else if (')]}'.includes(character)) depth = Math.max(0, depth - 1);
      at++;
    }
  }
  return text.length;
}

const startsComment = (text: string, at: number): boolean =>
  text[at] === '#' || (text[at] === '/' && (text[at + 1] === '/' || text[at + 1] === '*'));

/** The end of a comment or heredoc that starts here; otherwise the offset itself. */
export function endOfSkipped(text: string, at: number): number {
  const character = text[at];
  if (character === '#' || (character === '/' && text[at + 1] === '/'))
    return endOr(text, text.indexOf('\n', at));
  if (character === '/' && text[at + 1] === '*') {
    const end = text.indexOf('*/', at + 2);
    return end < 0 ? text.length : end + 2;
  }
  return character === '<' && text[at + 1] === '<' ? endOfHeredoc(text, at) : at;
}

const endOr = (text: string, end: number): number => (end < 0 ? text.length : end);

/** How far a heredoc's word is looked for. */
const maxWord = 256;

/** A heredoc (`<<EOF` or `<<-EOF`) ends with the line that holds its word alone. */
function endOfHeredoc(text: string, at: number): number {
  const [first = '', rest] = text.slice(at + 2, at + 2 + maxWord).split('\n', 2);
  const word = first.replace('-', '').trim();
  if (word === '' || rest === undefined) return at;
  for (let start = at + 2 + first.length + 1; start < text.length;) {
    const end = endOr(text, text.indexOf('\n', start));
    if (end - start < maxWord && text.slice(start, end).trim() === word) return end;
    start = end + 1;
  }
  return text.length;
}

/** The offset after a quoted text. `${…}` in it may hold texts again; without its quote it ends with the line. */
function endOfText(text: string, start: number): number {
  const open = ['"'];
  let at = start + 1;
  while (at < text.length && open.length > 0) {
    const character = text[at] ?? '';
    if (open.at(-1) !== '"') {
      if (character === '"' || character === '{') open.push(character);
      else if (character === '}') open.pop();
    } else if (character === '\n') {
      return at;
    } else if (character === '\\') {
      at++;
    } else if (character === '"') {
      open.pop();
    } else if ((character === '$' || character === '%') && text[at + 1] === '{') {
      if (text[at - 1] !== character) open.push('{');
      at++;
    }
    at++;
  }
  return at;
}
