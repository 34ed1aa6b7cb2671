// `npm run bench:against -- ../other-checkout [FIGURE...]`: compares the speed of this checkout with another, in alternating
// runs, for changes that must not cost speed. Build both first. Shows the median ratio of the pairs: 1.05 is 5% slower.
import path from 'node:path';
import {
  benchKey,
  govctl,
  loginAt,
  median,
  postPolicies,
  runNode,
  startGovctl,
  tempFolder,
  writeRepo,
} from './harness.js';
import { makeBucketPolicy, writeInventory, writePlan } from './inventory.js';
import { load } from './load.js';
import { deliverOurs, startReceiver } from './webhook-delivery.js';

const rounds = 5;
const port = 18_900;
const env = loginAt(`http://127.0.0.1:${port}`);

/** Milliseconds of a whole process, the median of several runs. */
async function timed(command, args, { runs = 3, ...options } = {}) {
  const times = [];
  for (let run = 0; run < runs; run++) {
    times.push((await runNode([command, ...args], { expect: [0, 2], ...options })).ms);
  }
  return median(times);
}

async function withServer(command, work) {
  const server = await startGovctl(port, { command });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** Milliseconds per request at 64 connections. */
const requests = (method, pathOf) => async (command) =>
  withServer(command, async ({ url }) => {
    await postPolicies(url, 0, 1_000);
    const headers = { authorization: `Bearer ${benchKey}` };
    const { policies } = await (await fetch(`${url}/v1/policies`, { headers })).json();
    const target = pathOf(policies[0].id);
    await load(url, target, method, 2, 64);
    return 1000 / (await load(url, target, method, 4, 64)).rate;
  });

const figures = {
  start: () => (command) => timed(command, ['--version'], { runs: 10 }),
  validate() {
    const cwd = tempFolder();
    writeRepo(cwd, 1_000);
    return (command) => timed(command, ['validate'], { cwd });
  },
  async check() {
    const cwd = tempFolder();
    writeRepo(cwd, 100, undefined, makeBucketPolicy);
    await writePlan(path.join(cwd, 'plan.json'), 1_000);
    return (command) => timed(command, ['check', 'plan.json', '-o', 'json'], { cwd });
  },
  async 'check-ndjson'() {
    const cwd = tempFolder();
    writeRepo(cwd, 100, undefined, makeBucketPolicy);
    await writeInventory(path.join(cwd, 'all.ndjson'), 20_000);
    return (command) =>
      timed(command, ['check', 'all.ndjson', '--jobs', '1', '-o', 'json'], { cwd });
  },
  plan() {
    const cwd = tempFolder();
    writeRepo(cwd, 1_000, `http://127.0.0.1:${port}`);
    return (command) =>
      withServer(command, async () => {
        await runNode([command, 'apply', '--auto-approve'], { cwd, env });
        return timed(command, ['plan', '-o', 'json'], { cwd, env });
      });
  },
  apply() {
    const cwd = tempFolder();
    writeRepo(cwd, 1_000, `http://127.0.0.1:${port}`);
    return (command) =>
      withServer(command, () => timed(command, ['apply', '--auto-approve'], { cwd, env, runs: 1 }));
  },
  GET: () => requests('GET', (id) => `/v1/policies/${id}`),
  list: () => requests('GET', () => '/v1/policies'),
  POST: () => requests('POST', () => '/v1/policies'),
  async deliveries() {
    const receiver = await startReceiver(port + 1);
    const measure = async (command) =>
      (await deliverOurs(port, receiver, 20_000, command)).ms / 20_000;
    return Object.assign(measure, { stop: () => receiver.stop() });
  },
};

const [other, ...names] = process.argv.slice(2);
const unknown = names.filter((name) => !(name in figures));
if (other === undefined || unknown.length > 0) {
  console.error(
    `usage: npm run bench:against -- CHECKOUT [FIGURE...]; figures: ${Object.keys(figures).join(', ')}`,
  );
  process.exit(3);
}
const theirs = path.resolve(other, 'bin', 'govctl.js');

console.log('| figure | this | other | ratio | pairs |');
console.log('|---|---:|---:|---:|---|');
for (const [name, prepare] of Object.entries(figures)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const measure = await prepare();
  const pairs = [];
  for (let round = -1; round < rounds; round++) {
    // Alternate the order: the machine may slow down as it warms up.
    const inTurn = round % 2 === 0 ? [govctl, theirs] : [theirs, govctl];
    const took = new Map();
    for (const command of inTurn) took.set(command, await measure(command));
    if (round >= 0) pairs.push([took.get(govctl), took.get(theirs)]); // the first is a warm-up
  }
  await measure.stop?.();
  const show = (ms) => (ms < 1 ? `${(ms * 1000).toFixed(1)} µs` : `${ms.toFixed(1)} ms`);
  const ratios = pairs.map(([a, b]) => a / b);
  console.log(
    `| ${name} | ${show(median(pairs.map(([a]) => a)))} | ${show(median(pairs.map(([, b]) => b)))} | ${median(ratios).toFixed(3)} | ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')} |`,
  );
}
