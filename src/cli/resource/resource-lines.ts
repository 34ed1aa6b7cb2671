import { UnknownValue } from '../../contract/resources.ts';
import { isFields } from '../../inventory/json.ts';
import type { ReadResource } from '../../inventory/model.ts';

/** Characters that are sent at once: a retry repeats no more. */
const chunkLength = 256 * 1024;

export interface Chunk {
  readonly text: string;
  /** One for each line. */
  readonly resources: readonly ReadResource[];
}

/**
 * Resources as lines of JSON, in pieces of a bounded size; `leftOut` counts values that can't be known yet.
 * @param wanted whether a resource is among them
 */
export function* resourceLines(
  read: readonly ReadResource[],
  leftOut: (values: number) => void,
  wanted: (one: ReadResource, line: string) => boolean,
): Generator<Chunk> {
  let text = '';
  let resources: ReadResource[] = [];
  for (const one of read) {
    const line = knownJson(one, leftOut);
    if (!wanted(one, line)) continue;
    text += `${line}\n`;
    resources.push(one);
    if (text.length < chunkLength) continue;
    yield { text, resources };
    [text, resources] = ['', []];
  }
  if (resources.length > 0) yield { text, resources };
}

/**
 * A list with an item that isn't known is left out as a whole: it would pass for the list of the others. So is an object of
 * which nothing is known: it would pass for an empty one.
 */
function isKnown(value: unknown): boolean {
  if (value instanceof UnknownValue) return false;
  if (Array.isArray(value)) return value.every(isKnown);
  if (!isFields(value)) return true;
  const values = Object.values(value);
  return values.length === 0 || values.some(isKnown);
}

/** How many values that aren't known are left out with one. */
const countUnknown = (value: unknown): number =>
  isFields(value) && !(value instanceof UnknownValue)
    ? Object.values(value).reduce<number>((sum, one) => sum + countUnknown(one), 0)
    : 1;

function knownJson({ resource }: ReadResource, leftOut: (values: number) => void): string {
  return JSON.stringify(resource, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    const values: readonly unknown[] = Object.values(value);
    if (values.every(isKnown)) return value;
    for (const each of values) if (!isKnown(each)) leftOut(countUnknown(each));
    return Object.fromEntries(Object.entries(value).filter(([, each]) => isKnown(each)));
  });
}
