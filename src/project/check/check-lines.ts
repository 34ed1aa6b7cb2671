import type { Finding } from '../../contract/findings.ts';
import type { Checker, Tally } from './checker.ts';
import { hashId } from './id-set.ts';
import { readResourceLine } from './read-resource-line.ts';

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
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  const findings: LinesResult['findings'][number][] = [];
  const problems: LinesResult['problems'][number][] = [];
  let moreProblems = 0;
  const hashes: number[] = [];
  const resourceLines: number[] = [];
  const found: Finding[] = [];
  let line = 0;
  for (let at = 0; at < text.length; line++) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    const read = end > at ? readResourceLine(text.slice(at, end)) : undefined;
    at = end + 1;
    if (!read) continue;
    if (!read.ok) {
      const { message, column } = read;
      if (problems.length < mostProblems) problems.push({ message, line, column });
      else moreProblems++;
      continue;
    }
    const [high, low] = hashId(read.resource.id);
    hashes.push(high, low);
    resourceLines.push(line);
    checker.check(read, found, most - findings.length);
    for (const finding of found) findings.push({ finding, line });
    found.length = 0;
  }
  return {
    bytes,
    lines: line,
    findings,
    problems,
    moreProblems,
    hashes: Uint32Array.from(hashes),
    resourceLines: Uint32Array.from(resourceLines),
    tally: checker.takeTally(),
  };
}
