import { afterEach, beforeEach, expect, it } from 'vitest';
import { bytesInUse } from '../support/bytes-in-use.ts';
import { ok, openWorld } from '../server/webhooks/delivery/delivery-world.ts';
import type { DeliveryWorld } from '../server/webhooks/delivery/delivery-world.ts';

let world: DeliveryWorld;
beforeEach(async () => void (world = await openWorld()));
afterEach(() => world.close());

it('what a receiver answers at length is kept of the newest deliveries only, not of each that ever was', async () => {
  const longest = 64 * 1024;
  // As they come from the network: texts of their own.
  world.answerWith(() => ({ ...ok, body: Buffer.alloc(longest, 'x').toString() }));
  const id = await world.addWebhook();
  const send = async (count: number): Promise<number> => {
    await world.emit(count);
    await world.idle();
    return bytesInUse();
  };
  const before = await send(150);
  const after = await send(450);
  expect(await world.deliveries(id)).toHaveLength(600);
  // All of them would be 28 MiB.
  expect(after - before).toBeLessThan(12 << 20);
});
