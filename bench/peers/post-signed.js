// The least that delivering takes: bodies that are signed already, posted with undici, as many at once. Prints the
// milliseconds of that.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';

const [bodiesFile, url, count, concurrency] = process.argv.slice(2);
const messages = JSON.parse(readFileSync(bodiesFile, 'utf8'));
const dispatcher = new Agent({ connections: Number(concurrency) });
let next = 0;
const run = (most) =>
  Promise.all(
    Array.from({ length: Number(concurrency) }, async () => {
      while (next < most) {
        const { headers, body } = messages[next++ % messages.length];
        const answer = await request(url, { method: 'POST', headers, body, dispatcher });
        await answer.body.text();
        if (answer.statusCode !== 200) throw new Error(String(answer.statusCode));
      }
    }),
  );
// The first thousands warm it up.
await run(2_000);
next = 0;
const started = performance.now();
await run(Number(count));
console.log(performance.now() - started);
await dispatcher.close();
