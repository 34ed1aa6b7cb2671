import { expect, it } from 'vitest';
import { OrderedForwarding } from '../../../src/cli/webhook/forward-in-order.ts';

const accepted = () => Promise.resolve({ ms: 1, status: 204 });
const told = () => Promise.resolve();

it('takes no more deliveries while too many, or too large ones, wait for an application', async () => {
  const quit = new AbortController();
  for (const [amount, bytes] of [
    [10_000, 1],
    [64, 1024 * 1024],
  ] as const) {
    // prettier-ignore
    const forwarding = new OrderedForwarding(quit.signal);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    for (let n = 0; n < amount; n++) {
      expect(forwarding.isFull).toBe(false);
      forwarding.add({ object: `o${n % 7}`, bytes }, () => held.then(accepted), told);
    }
    expect(forwarding.isFull).toBe(true);
    release();
    expect(await forwarding.settle()).toBe(0);
    expect(forwarding.isFull).toBe(false);
  }
});

it('counts those that were not forwarded', async () => {
  const quit = new AbortController();
  const forwarding = new OrderedForwarding(quit.signal);
  forwarding.add({ object: 'a', bytes: 1 }, () => Promise.resolve({ ms: 1, status: 500 }), () => {
    quit.abort();
    return told();
  }); // prettier-ignore
  forwarding.add({ object: 'b', bytes: 1 }, accepted, told);
  await forwarding.settle();
  await new Promise((resolve) => setImmediate(resolve));
  expect(await forwarding.settle()).toBe(1);
});
