import { readFile } from 'node:fs/promises';
import { GovctlError } from '../../contract/errors.ts';
import type { ReadOptions } from '../../inventory/model.ts';
import { readsAsResource } from '../../inventory/formats/native/read-line.ts';
import { isStandardInput } from '../../project/check/discover-inputs.ts';
import type { InputFile } from '../../project/check/discover-inputs.ts';
import { unreadable } from '../../project/read/read-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { checkDocument } from './check-document.ts';
import type { DocumentOptions } from './check-document.ts';
import { interrupted, noticeAt } from './check-run.ts';
import type { CheckRun } from './check-run.ts';
import { checkStream } from './check-stream.ts';
import { createDocuments, largestDocument } from './documents.ts';
import type { Documents } from './documents.ts';
import type { LineChecker } from './line-checker.ts';
import { openBytes } from '../flags/open-bytes.ts';

export interface InputOptions extends DocumentOptions {
  /** Makes what checks lines, for an input of so many bytes; standard input may have any number. */
  readonly lineCheckerFor: (bytes: number) => LineChecker;
  /** Gets what went wrong inside. */
  readonly tellFault?: (error: unknown) => Promise<void>;
}

/** Bytes. Smaller files are read at once. */
const smallFile = 4 * 1024 * 1024;
/** Bytes of a first line within which a stream of resources is told from a document. */
const longestFirstLine = 1024 * 1024;
/**
 * Checks every input, one after another, then exports that came in several files. What can't be read is noted, and the
 * others go on.
 */
export async function checkInputs(
  inputs: readonly InputFile[],
  options: InputOptions,
  run: CheckRun,
  terminal: Terminal,
): Promise<void> {
  const documents = createDocuments(options, run.holding, inputs.length);
  const attempt = async (file: string, check: () => Promise<void>): Promise<void> => {
    try {
      await check();
    } catch (error) {
      if (run.signal.aborted) throw interrupted();
      if (error instanceof GovctlError) throw error;
      if (isFileError(error)) {
        run.unreadable.add({ file, message: unreadable(error).message });
        return;
      }
      // A fault of ours in one file must not cost the verdict about the others.
      const said = error instanceof Error ? error.message : String(error);
      run.unreadable.add({
        file,
        message: `internal error: ${said}. This is a bug in govctl; use -v for details`,
      });
      await options.tellFault?.(error);
    }
  };
  for (const input of inputs)
    await attempt(input.file, () => checkInput(input, documents, options, run, terminal));
  for (const document of documents.waiting())
    await attempt(document.inputs[0].file, () => checkDocument(document, options, run));
  const notMerged = documents.notMerged();
  if (notMerged) run.notices.add(noticeAt(notMerged, notMerged.file));
}

export const isFileError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && 'code' in error;

async function checkInput(
  input: InputFile,
  documents: Documents,
  options: InputOptions,
  run: CheckRun,
  terminal: Terminal,
): Promise<void> {
  const { head, rest } = await begin(input, terminal, run.signal);
  // Explaining needs each resource at hand, and a filter is about few of them.
  if (!options.complete && !options.wants && isResourceStream(head, options)) {
    await checkStream(input, chain(head, rest), options.lineCheckerFor(input.size), run);
    return;
  }
  const bytes = await readAll(head, rest);
  if (!bytes) {
    run.unreadable.add({
      file: input.file,
      message: `the file is larger than ${largestDocument / 1024 / 1024} MiB; for larger inputs, use NDJSON with one resource per line`,
    });
    return;
  }
  const document = documents.open(input, bytes);
  if (document) await checkDocument(document, options, run);
}

interface Begun {
  /** The first line at least, where it is not too long. */
  readonly head: Uint8Array;
  readonly rest: AsyncIterator<Uint8Array> | undefined;
}

export async function begin(
  input: InputFile,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Begun> {
  const { absolute, size } = input;
  if (size <= smallFile) return { head: await readFile(absolute, { signal }), rest: undefined };
  const source = isStandardInput(input)
    ? terminal.stdinBytes(signal)
    : await openBytes(absolute, signal);
  const rest = source[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  for (let length = 0; length < longestFirstLine;) {
    const { value, done } = await rest.next();
    if (done) return { head: Buffer.concat(parts), rest: undefined };
    parts.push(value);
    length += value.length;
    if (value.includes(newline)) break;
  }
  return { head: Buffer.concat(parts), rest };
}

const newline = 0x0a;

/** Whether the first line is a resource by itself. */
export function isResourceStream(head: Uint8Array, { format = 'native' }: ReadOptions): boolean {
  if (format !== 'native') return false;
  const end = head.indexOf(newline);
  if (end < 0 && head.length >= longestFirstLine) return false;
  const line = new TextDecoder().decode(end < 0 ? head : head.subarray(0, end));
  return readsAsResource(line);
}

/** A byte order mark, as some editors write it. */
const startsWithMark = ([first, second, third]: Uint8Array): boolean =>
  first === 0xef && second === 0xbb && third === 0xbf;

export async function* chain(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array> | undefined,
): AsyncGenerator<Uint8Array> {
  yield startsWithMark(head) ? head.subarray(3) : head;
  if (rest) yield* { [Symbol.asyncIterator]: () => rest };
}

/** Undefined where it is more than `largestDocument`. */
export async function readAll(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array> | undefined,
): Promise<Uint8Array | undefined> {
  if (!rest) return head;
  const parts = [head];
  let length = head.length;
  for await (const part of { [Symbol.asyncIterator]: () => rest }) {
    parts.push(part);
    length += part.length;
    if (length > largestDocument) return undefined;
  }
  return Buffer.concat(parts);
}
