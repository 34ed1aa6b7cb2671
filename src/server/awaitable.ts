/**
 * A value that may be there already: a store in memory answers at once, one over a network later. `await` takes both.
 * Where every request passes, `whenKnown` and `settle` go on without a turn of the event loop, and an answer that is
 * there at once also spares the listener its care for late ones.
 */
export type Awaitable<T> = T | Promise<T>;

export const whenKnown = <T, R>(
  value: Awaitable<T>,
  next: (value: T) => Awaitable<R>,
): Awaitable<R> => (value instanceof Promise ? value.then(next) : next(value));

/** Whatever becomes of `work`, thrown at once or later, ends in one of the two. */
export function settle<T, R>(
  work: () => Awaitable<T>,
  done: (value: T) => R,
  failed: (error: unknown) => R,
): Awaitable<R> {
  try {
    const value = work();
    return value instanceof Promise ? value.then(done).catch(failed) : done(value);
  } catch (error) {
    return failed(error);
  }
}
