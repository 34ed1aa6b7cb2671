import { hash } from 'node:crypto';
import type { Store } from '../store/store.ts';

/** Points of all answers that a store's memory has: about 10 MB. */
const mostPoints = 50_000;

interface Kept {
  readonly size: number;
  readonly value: unknown;
}

/** The last answers, the oldest use first. */
const memories = new WeakMap<Store, Map<string, Kept>>();

/**
 * The same value for the same question, without making it again while it is remembered.
 * @param question all that the value depends on, as JSON
 * @param make also says how much memory the value takes, in points
 */
export async function recall<T>(
  store: Store,
  question: unknown,
  make: () => Promise<{ readonly size: number; readonly value: T }>,
): Promise<T> {
  const memory = memories.get(store) ?? new Map<string, Kept>();
  memories.set(store, memory);
  const key = hash('sha256', JSON.stringify(question), 'base64url');
  const kept = memory.get(key) ?? (await make());
  memory.delete(key);
  memory.set(key, kept);
  let size = [...memory.values()].reduce((sum, one) => sum + one.size, 0);
  for (const [oldest, one] of memory) {
    if (size <= mostPoints || oldest === key) break;
    memory.delete(oldest);
    size -= one.size;
  }
  return kept.value as T; // Of the same question.
}
