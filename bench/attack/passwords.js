// Sends wrong passwords for one person at a fixed rate, from 100 addresses behind the proxy that this process is.
import { Pool } from 'undici';

const { url, email, cookie, csrf, rate } = JSON.parse(process.argv[2]);
const pool = new Pool(url, { connections: 64 });
const answers = {};
const under = new Set();

async function guess(n) {
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: '/auth/sign-in',
    headers: {
      cookie,
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': `203.0.113.${n % 100}`,
    },
    body: new URLSearchParams({ csrf, next: '/', email, password: `guess ${n}` }).toString(),
  });
  await body.dump();
  answers[statusCode] = (answers[statusCode] ?? 0) + 1;
}

let going = true;
process.once('message', () => (going = false));
const begun = performance.now();
for (let n = 0; going;) {
  for (const due = ((performance.now() - begun) * rate) / 1_000; n < due; n++) {
    const sent = guess(n);
    under.add(sent);
    sent.finally(() => under.delete(sent));
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
}
await Promise.all(under);
const seconds = (performance.now() - begun) / 1_000;
process.send({ answers, seconds }, () => process.exit());
