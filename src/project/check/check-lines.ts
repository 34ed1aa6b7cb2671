import type { Finding } from '../../contract/findings.ts';
import { withSpelledType } from '../../inventory/attributes/normalise.ts';
import { readResourceLine } from '../../inventory/formats/native/read-line.ts';
import { mostKeysWritten } from '../../inventory/text/count-keys.ts';
import type { Checker, Tally } from './checker.ts';
import { hashId } from './id-set.ts';

/** What a run of whole lines gave; a plain value, so that a worker can send it. Lines count from 0 within the run. */
export interface LinesResult {
  /** The bytes that were read, given back. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Line breaks. */
  readonly lines: number;
  readonly findings: readonly { readonly finding: Finding; readonly line: number }[];
  readonly problems: readonly {
    readonly message: string;
    readonly line: number;
    readonly column: number;
  }[];
  /** Problems beyond the `mostProblems` that are told. */
  readonly moreProblems: number;
  /** Two halves of the hash of each resource's id, in order. */
  readonly hashes: Uint32Array<ArrayBuffer>;
  /** The line of each resource. */
  readonly resourceLines: Uint32Array<ArrayBuffer>;
  readonly tally: Tally;
}

/** Of one run of lines. */
const mostProblems = 20;

/** Checks resources that stand one a line as JSON. `most` findings are kept; all are counted. */
export function checkLines(
  bytes: Uint8Array<ArrayBuffer>,
  checker: Checker,
  most: number,
): LinesResult {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const findings: LinesResult['findings'][number][] = [];
  const problems: LinesResult['problems'][number][] = [];
  let moreProblems = 0;
  const hashes: number[] = [];
  const resourceLines: number[] = [];
  const found: Finding[] = [];
  let line = 0;
  for (let at = 0; at < buffer.length; line++) {
    const newline = buffer.indexOf(0x0a, at);
    const end = newline < 0 ? buffer.length : newline;
    // Each by itself: V8 parses a text of its own faster than a part of a long one.
    const text = buffer.toString('utf8', at, end);
    const start = at;
    at = end + 1;
    if (isBlank(text)) continue;
    const read = readResourceLine(text, mostKeysWritten(buffer, start, end));
    if (!read.ok) {
      const { message, column } = read.problem;
      if (problems.length < mostProblems) problems.push({ message, line, column });
      else moreProblems++;
      continue;
    }
    const [high, low] = hashId(read.resource.id);
    hashes.push(high, low);
    resourceLines.push(line);
    checker.check({ resource: withSpelledType(read.resource) }, found, most - findings.length);
    for (const finding of found) findings.push({ finding, line });
    found.length = 0;
  }
  return {
    bytes,
    lines: line,
    findings,
    problems,
    moreProblems,
    hashes: new Uint32Array(hashes),
    resourceLines: new Uint32Array(resourceLines),
    tally: checker.takeTally(),
  };
}

const brace = 0x7b;
const isBlank = (line: string): boolean => line.charCodeAt(0) !== brace && line.trim() === '';
