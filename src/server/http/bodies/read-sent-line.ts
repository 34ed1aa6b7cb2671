import { maxNested } from '../../../contract/endpoint.ts';
import { maxTags, tooManyTags } from '../../../contract/resources.ts';
import { readResourceLine } from '../../../inventory/formats/native/read-line.ts';
import type { LineRead } from '../../../inventory/formats/native/read-line.ts';
import { maxDepth, tooDeep } from '../../../inventory/text/depth.ts';
import { findDeep } from '../../../inventory/text/find-deep.ts';
import { hasMore } from './check-body.ts';
import { countNested } from '../../../inventory/count-values.ts';

/**
 * Reads a line of an import. A line that is nested too deep is refused unparsed; one with too many lists and maps is
 * refused before it moves between threads.
 */
export function readSentLine(line: string): LineRead {
  const deep = findDeep(line, maxDepth);
  if (deep !== undefined) return { ok: false, problem: { message: tooDeep, column: deep + 1 } };
  const read = readResourceLine(line);
  if (!read.ok) return read;
  const { resource } = read;
  const message =
    Object.keys(resource.tags).length > maxTags
      ? tooManyTags
      : countNested(resource) > maxNested
        ? hasMore(maxNested)
        : undefined;
  return message === undefined ? read : { ok: false, problem: { message, column: 1 } };
}
