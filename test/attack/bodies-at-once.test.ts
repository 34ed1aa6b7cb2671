import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TestService } from '../server/test-service.ts';
import { startTestService } from '../server/test-service.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

const many = 100;
/** Refused once it is checked, so that nothing but checking takes time. */
const body = { filter: {}, reason: 'x'.repeat(20_000) };

it('bodies of one caller that end at once are checked in turns, and that of another is not behind them', async () => {
  const other = await service.keyWith('compliance:write');
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  const answered: string[] = [];
  const send = async (key: string, name: string): Promise<void> => {
    const { status } = await service.send('POST', '/v1/violations/resolve', { body, key });
    expect(status).toBe(400);
    answered.push(name);
  };
  const sent = Array.from({ length: many }, () => send(service.key, 'many'));
  await Promise.all([...sent, send(other, 'other')]);
  isOver = true;
  // Four of them are 64 KiB, after which the others wait.
  expect(turns).toBeGreaterThan(many / 4);
  expect(answered.indexOf('other')).toBeLessThan(10);
});

it('short bodies of one caller are checked as they come', async () => {
  const short = { filter: {}, reason: '' };
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  const send = () => service.send('POST', '/v1/violations/resolve', { body: short });
  await Promise.all(Array.from({ length: many }, send));
  isOver = true;
  expect(turns).toBeLessThan(many / 2);
});
