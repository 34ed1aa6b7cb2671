import { recordUnknown } from '../../contract/unknown-values.ts';
import type { ReadResource } from '../../inventory/model.ts';

/** Characters that are sent at once: a retry repeats no more. */
const chunkLength = 256 * 1024;

export interface Chunk {
  readonly text: string;
  /** One for each line. */
  readonly resources: readonly ReadResource[];
}

/**
 * Resources as lines of JSON, in pieces of a bounded size; `unknown` counts values that can't be known yet.
 * @param wanted whether a resource is among them
 */
export function* resourceLines(
  read: readonly ReadResource[],
  unknown: (values: number) => void,
  wanted: (one: ReadResource, line: string) => boolean,
): Generator<Chunk> {
  let text = '';
  let resources: ReadResource[] = [];
  for (const one of read) {
    const { resource, count } = recordUnknown(one.resource);
    const line = JSON.stringify(resource);
    if (!wanted(one, line)) continue;
    unknown(count);
    text += `${line}\n`;
    resources.push(one);
    if (text.length < chunkLength) continue;
    yield { text, resources };
    [text, resources] = ['', []];
  }
  if (resources.length > 0) yield { text, resources };
}
