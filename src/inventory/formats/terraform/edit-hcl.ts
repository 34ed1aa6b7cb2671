import { endOfBlanks, endOfSkipped, scanHcl } from './hcl.ts';
import type { HclAttribute, HclBlock, HclFile } from './hcl.ts';

/** A literal, or an expression that is written as it is: `aws_s3_bucket.main.id`. */
export type HclValue = string | number | boolean | { readonly expression: string };

/** An argument by the blocks around it: `['metadata_options', 'http_tokens']`. */
export interface HclSetting {
  readonly path: readonly string[];
  readonly value: HclValue;
}

type HclEdit =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly refused: string };

/** What stands in the way of an edit. */
class RefusedError extends Error {}

interface Change {
  /** A place in the text, and what comes there. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** What goes from the outline, and what comes into it. */
  readonly gone: readonly string[];
  readonly come: readonly string[];
}

/**
 * Sets one argument of a block at the top of a `.tf` file, and leaves every other character as it is: a literal is replaced
 * where it stands; a missing argument comes after the last plain one of its block, a missing block at the end of its own.
 * Refuses what it can't do so: expressions, dynamic blocks, several blocks of one name. What it gives was scanned again,
 * and differs from before by that argument alone. Total.
 * @param labels of the block: `['resource', 'aws_s3_bucket', 'main']`
 */
export const setArgument = (
  text: string,
  labels: readonly string[],
  { path, value }: HclSetting,
): HclEdit =>
  edited(text, (file) => {
    const block = findBlock(file, labels);
    const { inner, left } = descend(block, path);
    const [name = '', ...below] = left;
    const old = below.length === 0 ? inner.attributes.find((one) => one.name === name) : undefined;
    const come = [entryOf(labels, path, literalText(value))];
    if (!old) {
      return { ...addTo(text, inner, left, value), gone: [], come };
    }
    const { valueStart: start, valueEnd: end } = old;
    const written = text.slice(start, end);
    if (!isLiteral(written)) throw new RefusedError(`the value of ${name} is an expression`);
    return { start, end, text: literalText(value), gone: [entryOf(labels, path, written)], come };
  });

/** Adds a block behind another one at the top of a `.tf` file, with its arguments in their order. Total. */
export const addBlockAfter = (
  text: string,
  after: readonly string[],
  labels: readonly string[],
  settings: readonly HclSetting[],
): HclEdit =>
  edited(text, (file) => {
    const { close } = findBlock(file, after);
    if (file.blocks.some((one) => keyOf(one.labels) === keyOf(labels)))
      throw new RefusedError(`${labels.slice(1).join('.')} already exists`);
    const nl = lineBreak(text);
    const end = endOfLine(text, close + 1);
    const lines = blockLines(labels, bodyLines(settings, '  '), '  ');
    return {
      start: end,
      end,
      text: `${nl}${nl}${lines.join(nl)}`,
      gone: [],
      come: settings.map(({ path, value }) => entryOf(labels, path, literalText(value))),
    };
  });

/** The text of an argument; undefined where the block has none, or it is in a block that is not there. */
export function argumentOf(
  text: string,
  block: HclBlock,
  [name, ...below]: readonly string[],
): string | undefined {
  if (below.length > 0) {
    const inner = block.blocks.find(({ labels: [kind] }) => kind === name);
    return inner && argumentOf(text, inner, below);
  }
  const found = block.attributes.find((one) => one.name === name);
  return found && text.slice(found.valueStart, found.valueEnd);
}

function edited(text: string, change: (file: HclFile) => Change): HclEdit {
  try {
    const file = scanHcl(text);
    if (!file.isWhole) return refuse('the file has an unsupported form');
    const { start, end, text: added, gone, come } = change(file);
    const after = text.slice(0, start) + added + text.slice(end);
    const changed = scanHcl(after);
    const expected = [...minus(outline(text, file.blocks), gone), ...come].sort();
    const found = outline(after, changed.blocks).sort();
    return changed.isWhole && keyOf(found) === keyOf(expected)
      ? { ok: true, text: after }
      : refuse('its syntax is not supported');
  } catch (error) {
    if (error instanceof RefusedError) return refuse(error.message);
    throw error;
  }
}

const refuse = (refused: string): HclEdit => ({ ok: false, refused });

const keyOf = (texts: readonly string[]): string => JSON.stringify(texts);

const entryOf = (labels: readonly string[], path: readonly string[], value: string): string =>
  JSON.stringify([labels.join('.'), ...path, value]);

/** Every argument with the blocks around it and its text. */
function outline(
  text: string,
  blocks: readonly HclBlock[],
  around: readonly string[] = [],
): string[] {
  return blocks.flatMap(({ labels, attributes, blocks: inner }) => {
    const path = [...around, labels.join('.')];
    return [
      ...attributes.map(({ name, valueStart, valueEnd }) =>
        JSON.stringify([...path, name, text.slice(valueStart, valueEnd)]),
      ),
      ...outline(text, inner, path),
    ];
  });
}

function minus(all: readonly string[], gone: readonly string[]): string[] {
  const left = [...all];
  for (const one of gone) {
    const index = left.indexOf(one);
    if (index >= 0) left.splice(index, 1);
  }
  return left;
}

function findBlock(file: HclFile, labels: readonly string[]): HclBlock {
  const found = file.blocks.filter((one) => keyOf(one.labels) === keyOf(labels));
  const [block, ...more] = found;
  const name = labels.slice(1).join('.');
  if (!block) throw new RefusedError(`${name} is not declared in the file`);
  if (more.length > 0) throw new RefusedError(`${name} is declared twice`);
  return block;
}

/** The innermost block that is there, and what is left of the path. */
function descend(
  block: HclBlock,
  path: readonly string[],
): { readonly inner: HclBlock; readonly left: readonly string[] } {
  const [step = '', ...below] = path;
  const blocks = block.blocks.filter(({ labels }) => labels.includes(step));
  if (blocks.some(({ labels }) => labels[0] === 'dynamic'))
    throw new RefusedError(`${step} is a dynamic block`);
  if (below.length === 0) {
    if (blocks.length > 0) throw new RefusedError(`${step} is set by a block`);
    return { inner: block, left: path };
  }
  if (block.attributes.some(({ name }) => name === step))
    throw new RefusedError(`the value of ${step} is an expression`);
  const [inner, ...more] = blocks;
  if (!inner) return { inner: block, left: path };
  if (more.length > 0) throw new RefusedError(`there are several blocks ${step}`);
  return descend(inner, below);
}

/** `true`, `12`, `"text"`, without anything to be worked out. */
export const isLiteral = (written: string): boolean =>
  /^(?:true|false|null|-?\d+(?:\.\d+)?|"(?:[^"\\$%\n]|\\.|[$%](?!\{))*")$/.test(written);

function literalText(value: HclValue): string {
  if (typeof value === 'object') return value.expression;
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value).replace(/[$%](?=\{)/g, (sign) => sign + sign);
}

type Splice = Pick<Change, 'start' | 'end' | 'text'>;

/** A new argument, or a block with it. */
function addTo(text: string, block: HclBlock, path: readonly string[], value: HclValue): Splice {
  const indent = blanksBefore(text, block.start);
  const step = indent.startsWith('\t') ? '\t' : '  ';
  const inside = text.slice(block.open, block.close);
  const nl = lineBreak(text);
  if (!inside.includes('\n')) {
    const old = inside.trim() === '' ? [] : [inside.trim()];
    const lines = [...old, ...bodyLines([{ path, value }], step)];
    const body = lines.map((line) => `${nl}${indent}${step}${line}`).join('');
    return { start: block.open, end: block.close, text: `${body}${nl}${indent}` };
  }
  if (path.length > 1) return addLast(text, block, path, value, indent + step, step);
  return addArgument(text, block, path[0] ?? '', value, indent + step);
}

/** At the end of its block, behind a blank line. */
function addLast(
  text: string,
  block: HclBlock,
  path: readonly string[],
  value: HclValue,
  indent: string,
  step: string,
): Splice {
  const nl = lineBreak(text);
  const at = lineStart(text, block.close);
  if (text.slice(at, block.close).trim() !== '')
    throw new RefusedError('a block ends in an unsupported form');
  const lines = bodyLines([{ path, value }], step).map((line) => indent + line);
  const isFirst = block.attributes.length + block.blocks.length === 0;
  const blank = isFirst || /\n[ \t]*\r?\n$/.test(text.slice(block.open, at)) ? '' : nl;
  return { start: at, end: at, text: `${blank}${lines.join(nl)}${nl}` };
}

/** Behind the last plain argument; what Terraform itself reads, such as `depends_on`, stays last. */
function addArgument(
  text: string,
  block: HclBlock,
  name: string,
  value: HclValue,
  indent: string,
): Splice {
  const nl = lineBreak(text);
  const isPlain = ({ name: one, valueStart, valueEnd }: HclAttribute) =>
    !ownArguments.has(one) && !text.slice(valueStart, valueEnd).includes('\n');
  const firstBlock = block.blocks[0]?.start ?? block.close;
  const above = block.attributes.filter(({ start }) => start < firstBlock);
  const anchor = above.findLast(isPlain) ?? above.findLast((one) => !ownArguments.has(one.name));
  const from = anchor ? anchor.valueEnd : block.open;
  const at = endOfLine(text, from);
  const written = literalText(value);
  const blanks = anchor ? blanksBefore(text, anchor.start) : indent;
  const padded = anchor ? name.padEnd(nameWidth(text, block, anchor)) : name;
  const line = `${blanks}${padded} = ${written}`;
  return { start: at, end: at, text: `${nl}${line}` };
}

const ownArguments: ReadonlySet<string> = new Set([
  'count',
  'depends_on',
  'for_each',
  'provider',
  'providers',
  'source',
  'version',
]);

/** How wide the names are written around an argument: `=` below `=`, as `terraform fmt` does; 0 where they are not. */
function nameWidth(text: string, { attributes }: HclBlock, anchor: HclAttribute): number {
  const last = attributes.indexOf(anchor);
  const lines = (from: number, to: number): number => text.slice(from, to).split('\n').length - 1;
  let first = last;
  for (; first > 0; first--) {
    const [before, here] = [attributes[first - 1], attributes[first]];
    if (!before || !here || lines(before.start, here.start) !== 1) break;
  }
  const widths = new Set(
    attributes
      .slice(first, last + 1)
      .map(({ start, valueStart }) => text.lastIndexOf('=', valueStart - 1) - start - 1),
  );
  const [width = 0, ...others] = widths;
  return others.length > 0 || lines(anchor.start, anchor.valueEnd) > 0 ? 0 : Math.max(0, width);
}

/** Lines of arguments and of the blocks around them; what is in the same block stands together. */
function bodyLines(settings: readonly HclSetting[], step: string): string[] {
  const heads = [...new Set(settings.map(({ path }) => path[0] ?? ''))];
  const plain = heads.filter((head) =>
    settings.some(({ path }) => path.length === 1 && path[0] === head),
  );
  const width = Math.max(0, ...plain.map((name) => name.length));
  let isFirst = true;
  return heads.flatMap((head) => {
    const its = settings.filter(({ path }) => path[0] === head);
    const [only] = its;
    const isBlock = only !== undefined && only.path.length > 1;
    const lines =
      only && !isBlock
        ? [`${head.padEnd(width)} = ${literalText(only.value)}`]
        : blockLines(
            [head],
            bodyLines(
              its.map(({ path, value }) => ({ path: path.slice(1), value })),
              step,
            ),
            step,
          );
    const before = isBlock && !isFirst ? [''] : [];
    isFirst = false;
    return [...before, ...lines];
  });
}

function blockLines(
  [kind = '', ...names]: readonly string[],
  body: readonly string[],
  step: string,
): string[] {
  const head = [kind, ...names.map((name) => JSON.stringify(name))].join(' ');
  return [`${head} {`, ...body.map((line) => (line === '' ? '' : step + line)), '}'];
}

/** Where a line begins. */
const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

const lineBreak = (text: string): string => (/^[^\n]*\r\n/.test(text) ? '\r\n' : '\n');

/** The blanks at the beginning of the line. */
const blanksBefore = (text: string, at: number): string =>
  /^[ \t]*/.exec(text.slice(lineStart(text, at), at))?.[0] ?? '';

/** Before the line break, and behind a comment that stands there. */
function endOfLine(text: string, from: number): number {
  for (let at = from; ;) {
    at = endOfBlanks(text, at);
    const skipped = endOfSkipped(text, at);
    if (skipped === at) {
      if (at < text.length && !/[\r\n]/.test(text[at] ?? ''))
        throw new RefusedError('a line has more than one argument or block');
      return at;
    }
    at = skipped;
  }
}
