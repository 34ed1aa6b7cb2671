// Takes all the memory that its thread may have.
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', () => {
  const kept = [];
  for (;;) kept.push(Array.from({ length: 1_000 }, (_, n) => ({ n })));
});
