import type { Store, Tx } from '../../store/store.ts';

type Write<R> = (tx: Tx) => Promise<R>;

interface Waiting {
  readonly write: Write<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Runs what ends together in one transaction: many small ones cost more than what they write. What comes while one is
 * on its way to the disk would have to wait for the disk anyway, so it makes up the next. Where one fails, its parts are
 * tried one by one, so that one at fault takes no other along.
 */
export function createWriteBatcher(
  store: Pick<Store, 'transact'>,
): <R>(write: Write<R>) => Promise<R> {
  let waiting: Waiting[] = [];
  let running = false;

  async function run(): Promise<void> {
    for (let batch = waiting; batch.length > 0; batch = waiting) {
      waiting = [];
      try {
        const results = await store.transact((tx) => writeAll(tx, batch));
        for (const [at, { resolve }] of batch.entries()) resolve(results[at]);
      } catch (error) {
        if (batch.length === 1) batch[0]?.reject(error);
        else await Promise.all(batch.map(runAlone));
      }
    }
    running = false;
  }

  const runAlone = ({ write, resolve, reject }: Waiting): Promise<void> =>
    store.transact(write).then(resolve, reject);

  return <R>(write: Write<R>) =>
    new Promise<R>((resolve, reject) => {
      // Each gets what its own write gave.
      waiting.push({ write, resolve: resolve as (result: unknown) => void, reject });
      if (running) return;
      running = true;
      // Answers that came in the same turn are one batch.
      setImmediate(() => void run());
    });
}

async function writeAll(tx: Tx, batch: readonly Waiting[]): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const { write } of batch) results.push(await write(tx));
  return results;
}
