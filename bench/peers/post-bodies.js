// The least an apply must send: the same bodies, as many at once, with undici. Prints the milliseconds of that.
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

const [bodiesFile, baseUrl, key, concurrency] = process.argv.slice(2);
const bodies = JSON.parse(readFileSync(bodiesFile, 'utf8')).map((body) => JSON.stringify(body));
const pool = new Pool(baseUrl, { connections: Number(concurrency) });
const started = performance.now();
let next = 0;
await Promise.all(
  Array.from({ length: Number(concurrency) }, async () => {
    while (next < bodies.length) {
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: '/v1/policies',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: bodies[next++],
      });
      await body.json();
      if (statusCode !== 201) throw new Error(String(statusCode));
    }
  }),
);
console.log(performance.now() - started);
await pool.close();
