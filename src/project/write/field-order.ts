import { isMap, isScalar, isSeq } from 'yaml';
import type { Pair, YAMLMap } from 'yaml';
import type * as z from 'zod';
import { fieldNames } from '../read/explain-issue.ts';
import type { FieldPath } from '../read/locate.ts';

/** Puts the fields of a document into the order of its schema; fields it does not know stay behind them, as they were. */
export function orderFields(node: unknown, schema: z.core.$ZodType, path: FieldPath = []): void {
  if (isSeq(node)) {
    for (const item of node.items) orderFields(item, schema, [...path, 0]);
  } else if (isMap(node)) {
    sortPairs(node, fieldNames(schema, path));
    for (const { key, value } of node.items) {
      if (isScalar(key)) orderFields(value, schema, [...path, String(key.value)]);
    }
  }
}

function sortPairs(map: YAMLMap, names: readonly string[]): void {
  if (names.length === 0) return;
  const rank = ({ key }: Pair): number => {
    const name = isScalar(key) ? String(key.value) : '';
    if (name === '<<' || name === 'Symbol(<<)') return -1;
    const known = names.indexOf(name);
    return known < 0 ? names.length : known;
  };
  const sorted = [...map.items].sort((a, b) => rank(a) - rank(b));
  if (sorted.every((pair, index) => pair === map.items[index])) return;
  const before = map.items[0]?.key;
  map.items = sorted;
  const first = sorted[0]?.key;
  if (!isScalar(first) || !isScalar(before)) return;
  // A blank line before the first field would open the map; what stands above it is about the whole.
  first.spaceBefore = false;
  const comments = [before.commentBefore, first.commentBefore].filter(Boolean);
  if (before === first || comments.length === 0) return;
  before.commentBefore = null;
  first.commentBefore = comments.join('\n');
}
