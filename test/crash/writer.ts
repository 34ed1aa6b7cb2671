import { writeSync } from 'node:fs';
import { audit, openBank, transfer } from './accounts.ts';

/*
 * A process of its own that transfers until it is killed or refused: `node writer.js DIR CALLERS
 * CHECKPOINT_BYTES`. It prints a line for each thing it was told: `open`, `ack N`, `refused WHY`, and,
 * when refused, `holds N` (what readers see then), `reason …` and `closed`.
 */
const [dir = '', callers = '8', checkpointBytes = '100000'] = process.argv.slice(2);

const say = (line: string): number => writeSync(1, `${line}\n`);

/** Transfers until a refusal. */
const call = async (store: Awaited<ReturnType<typeof openBank>>): Promise<void> => {
  for (let amount = 1; ; amount += 1) {
    try {
      say(`ack ${await transfer(store, amount, 'x'.repeat(300))}`);
    } catch (error) {
      say(`refused ${String(error)}`);
      return;
    }
  }
};

try {
  const store = await openBank({ dir, checkpointBytes: Number(checkpointBytes) });
  say('open');
  await Promise.all(Array.from({ length: Number(callers) }, () => call(store)));
  say(`holds ${await audit(store)}`);
  say(`reason ${store.health().reason}`);
  await store.close();
  say('closed');
} catch (error) {
  say(`error ${String(error).replaceAll('\n', ' ')}`);
  process.exitCode = 1;
}
