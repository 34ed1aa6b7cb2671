import type { DocumentPath } from '../model.ts';
import { keyText, scanJson } from './scan-json.ts';
import type { JsonDialect } from './scan-json.ts';

/** A place that is looked for, and those below it. `offset` is of the key, or of a list's item. */
interface Wanted {
  readonly below: Map<string, Wanted>;
  offset: number | undefined;
}

/**
 * Offsets of what stands at each path, in one scan of the text. A path that leads further than the text gives the last
 * place on its way.
 */
export function locateInJson(
  text: string,
  paths: readonly DocumentPath[],
  dialect: JsonDialect = 'strict',
): number[] {
  if (paths.length === 0) return [];
  const root: Wanted = { below: new Map(), offset: 0 };
  for (const path of paths) addPath(root, path);
  scanFor(text, root, dialect);
  return paths.map((path) => offsetOf(root, path));
}

function addPath(root: Wanted, path: DocumentPath): void {
  let here = root;
  for (const step of path) {
    const name = String(step);
    let next = here.below.get(name);
    if (!next) {
      next = { below: new Map(), offset: undefined };
      here.below.set(name, next);
    }
    here = next;
  }
}

function offsetOf(root: Wanted, path: DocumentPath): number {
  let here = root;
  for (const step of path) {
    const next = here.below.get(String(step));
    if (next?.offset === undefined) break;
    here = next;
  }
  return here.offset ?? 0;
}

interface Open {
  readonly wanted: Wanted | undefined;
  /** The next item's index; -1 in an object. */
  index: number;
}

function scanFor(text: string, root: Wanted, dialect: JsonDialect): void {
  const open: Open[] = [];
  let current: Wanted | undefined = root;
  const found = (offset: number, name: string): void => {
    current = open.at(-1)?.wanted?.below.get(name);
    if (current) current.offset = offset;
  };
  scanJson(
    text,
    {
      key(start, end) {
        // Keys are read only where one of them is looked for.
        if (open.at(-1)?.wanted) found(start, keyText(text, start, end));
        else current = undefined;
      },
      value(start) {
        const within = open.at(-1);
        if (!within) root.offset = start;
        else if (within.index >= 0) found(start, String(within.index++));
      },
      open(isObject) {
        open.push({ wanted: current, index: isObject ? -1 : 0 });
      },
      close() {
        open.pop();
      },
    },
    dialect,
  );
}

/** Keys that stand a second time in their object, of which JSON.parse keeps the last without a word. At most `most`. */
export function findRepeatedKeys(
  text: string,
  dialect: JsonDialect,
  most: number,
): { readonly offset: number; readonly key: string }[] {
  const open: Set<string>[] = [];
  const found: { offset: number; key: string }[] = [];
  scanJson(
    text,
    {
      key(start, end) {
        const key = keyText(text, start, end);
        const keys = open.at(-1);
        if (keys?.has(key) && found.length < most) found.push({ offset: start, key });
        keys?.add(key);
      },
      open() {
        open.push(new Set());
      },
      close() {
        open.pop();
      },
    },
    dialect,
  );
  return found;
}
