import { hash } from 'node:crypto';
import { Recent } from '../recent.ts';
import type { Store } from '../store/store.ts';

/** Points of all answers that a store's memory has: about 10 MB. */
const mostPoints = 50_000;

interface Kept {
  readonly size: number;
  readonly value: unknown;
}

const memories = new WeakMap<Store, Recent<Kept>>();

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
  const memory = memories.get(store) ?? new Recent<Kept>(mostPoints, ({ size }) => size);
  memories.set(store, memory);
  const key = hash('sha256', JSON.stringify(question), 'base64url');
  return (await memory.get(key, make)).value as T; // Of the same question.
}
