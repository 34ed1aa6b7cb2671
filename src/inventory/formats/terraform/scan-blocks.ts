/** A block at the top of a `.tf` file: `resource "aws_subnet" "main" {`. */
export interface Block {
  /** Its kind and its labels: `['resource', 'aws_subnet', 'main']`. */
  readonly labels: readonly string[];
  /** From 1. */
  readonly line: number;
  /** The `source` of a module, where it is a plain text. */
  readonly source?: string;
}

/** The blocks of a file, found without judging it: comments, texts and heredocs are passed over. One scan. */
export function scanBlocks(text: string): Block[] {
  const blocks: { labels: string[]; line: number; source?: string }[] = [];
  let words: string[] = [];
  let depth = 0;
  let line = 1;
  let wordLine = 1;
  let at = 0;
  while (at < text.length) {
    const start = at;
    const character = text[at] ?? '';
    const skipped = endOfSkipped(text, at);
    if (skipped > at) {
      at = skipped;
    } else if (character === '"') {
      at = endOfText(text, at);
      const value = text.slice(start + 1, at - 1);
      words.push(value);
      const block = blocks.at(-1);
      if (depth === 1 && block?.labels[0] === 'module' && words.at(-2) === 'source')
        block.source = value;
    } else if (isWord(character)) {
      while (at < text.length && isWord(text[at] ?? '')) at++;
      if (words.length === 0) wordLine = line;
      words.push(text.slice(start, at));
    } else {
      at++;
      if (character === '{') {
        if (depth === 0 && words.length > 0) blocks.push({ labels: words, line: wordLine });
        depth++;
      } else if (character === '}') {
        depth = Math.max(0, depth - 1);
      }
      if ('{}\n'.includes(character)) words = [];
    }
    for (let index = start; index < at; index++) if (text[index] === '\n') line++;
  }
  return blocks;
}

const isWord = (character: string): boolean => /[\w-]/.test(character);

/** The end of a comment or heredoc that starts here; otherwise the offset itself. */
function endOfSkipped(text: string, at: number): number {
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
