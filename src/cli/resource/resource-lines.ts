import { defined } from '../../contract/defined.ts';
import { UnknownValue } from '../../contract/resources.ts';
import type { UnknownAttribute } from '../../contract/resources.ts';
import { fieldsOf } from '../../inventory/json.ts';
import type { ReadResource } from '../../inventory/model.ts';

/** Characters that are sent at once: a retry repeats no more. */
const chunkLength = 256 * 1024;

export interface Chunk {
  readonly text: string;
  /** One for each line. */
  readonly resources: readonly ReadResource[];
}

/**
 * Resources as lines of JSON, in pieces of a bounded size. A line lists its unknown values, so that the service does not
 * take them for absent.
 * @param unknown gets the number of unknown values of each resource in a line
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
    const listed = addUnknown(one.resource, [], []);
    const line = JSON.stringify(
      listed.length === 0 ? one.resource : { ...fieldsOf(known(one.resource)), _unknown: listed },
    );
    if (!wanted(one, line)) continue;
    unknown(listed.length);
    text += `${line}\n`;
    resources.push(one);
    if (text.length < chunkLength) continue;
    yield { text, resources };
    [text, resources] = ['', []];
  }
  if (resources.length > 0) yield { text, resources };
}

/** What is known of a value; undefined where nothing is, as an empty map would say that there is nothing. */
function known(value: unknown): unknown {
  if (value instanceof UnknownValue) return undefined;
  if (Array.isArray(value)) return value.map(known); // JSON keeps the places of those that are undefined
  if (typeof value !== 'object' || value === null) return value;
  const all = Object.entries(value);
  const entries = all
    .map(([name, inner]) => [name, known(inner)] as const)
    .filter(([, inner]) => inner !== undefined);
  return all.length > 0 && entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function addUnknown(
  value: unknown,
  path: UnknownAttribute['path'],
  found: UnknownAttribute[],
): UnknownAttribute[] {
  if (value instanceof UnknownValue) {
    const { expression, present, text } = value;
    found.push({
      path: [...path],
      expression,
      ...(present ? {} : { present }),
      ...defined({ text }),
    });
  } else if (typeof value === 'object' && value !== null) {
    for (const [step, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
      path.push(step);
      addUnknown(inner, path, found);
      path.pop();
    }
  }
  return found;
}
