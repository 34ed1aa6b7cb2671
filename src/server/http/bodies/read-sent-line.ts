import { readResourceLine } from '../../../inventory/formats/native/read-line.ts';
import type { LineRead } from '../../../inventory/formats/native/read-line.ts';
import { maxDepth, tooDeep } from '../../../inventory/text/depth.ts';
import { findDeep } from '../../../inventory/text/find-deep.ts';

/** A line of an import; one that nests too deep is refused unparsed. */
export function readSentLine(line: string): LineRead {
  const deep = findDeep(line, maxDepth);
  if (deep === undefined) return readResourceLine(line);
  return { ok: false, problem: { message: tooDeep, column: deep + 1 } };
}
