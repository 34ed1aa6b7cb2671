// A BullMQ worker that does the same posts, its jobs in a local Redis that syncs each write. Prints the milliseconds
// from the first job it takes to the last it has done.
import { readFileSync } from 'node:fs';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Agent, request } from 'undici';

const [bodiesFile, url, count, concurrency, redisPort] = process.argv.slice(2);
const messages = JSON.parse(readFileSync(bodiesFile, 'utf8'));
const connect = () => new Redis({ port: Number(redisPort), maxRetriesPerRequest: null });
const dispatcher = new Agent({ connections: Number(concurrency) });

async function run(name, most) {
  const queue = new Queue(name, { connection: connect() });
  for (let at = 0; at < most; at += 1_000) {
    const jobs = Array.from({ length: Math.min(1_000, most - at) }, (_, n) => ({
      name: 'deliver',
      data: messages[(at + n) % messages.length],
      opts: {
        removeOnComplete: 1_000,
        attempts: 5,
        backoff: { type: 'exponential', delay: 1_000 },
      },
    }));
    await queue.addBulk(jobs);
  }
  const started = performance.now();
  let done = 0;
  await new Promise((resolve, reject) => {
    const worker = new Worker(
      name,
      async ({ data: { headers, body } }) => {
        const answer = await request(url, { method: 'POST', headers, body, dispatcher });
        const text = await answer.body.text();
        if (answer.statusCode !== 200) throw new Error(String(answer.statusCode));
        return { status: answer.statusCode, body: text };
      },
      { connection: connect(), concurrency: Number(concurrency) },
    );
    worker.on('failed', (_, error) => reject(error));
    worker.on('completed', () => {
      if (++done === most) resolve();
    });
  });
  return performance.now() - started;
}

await run('warm-up', 2_000);
console.log(await run('deliveries', Number(count)));
process.exit();
