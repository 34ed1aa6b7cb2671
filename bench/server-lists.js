import { benchKey, median, startGovctl } from './harness.js';

export const title = 'pages of a list of 1,000,000 resources';

const stored = 1_000_000;
const perImport = 20_000;
const headers = { authorization: `Bearer ${benchKey}` };

const regions = ['eu-west-1', 'us-east-1', 'ap-south-1', 'eu-central-1'];
const environments = ['production', 'staging', 'staging', 'development'];

const makeResource = (n) => ({
  id: `bucket-${(Math.imul(n, 2_654_435_761) >>> 0).toString(36)}-${n}`,
  type: `Bench::Thing${n % 40}`,
  name: `name-${(n * 7_919) % stored}`,
  region: regions[(n % 7) % 4],
  environment: environments[n % 4],
  account_id: String(100_000_000_000 + (n % 50)),
});

async function importAll(url) {
  for (let at = 0; at < stored; at += perImport) {
    const lines = Array.from({ length: perImport }, (_, n) => JSON.stringify(makeResource(at + n)));
    const answer = await fetch(`${url}/v1/resources/import`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    });
    if (!answer.ok) throw new Error(`import ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  }
}

/** Milliseconds of a GET. */
async function timeOf(url) {
  const started = performance.now();
  const answer = await fetch(url, { headers });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
  return performance.now() - started;
}

/** Median of pages that are all different, so that no answer is kept. */
async function latency(url, query, step) {
  const times = [];
  for (let n = 0; n < 60; n++) {
    const time = await timeOf(`${url}/v1/resources?${query(n * step)}`);
    if (n >= 20) times.push(time);
  }
  return median(times);
}

/** What a page can't do without: a look at each row, here at columns of bytes with nothing else in between. */
function barePass(columns) {
  const arrays = Array.from({ length: columns }, (_, column) =>
    Uint8Array.from({ length: stored }, (_, n) => (n * (column + 3)) % 7),
  );
  const times = [];
  let total = 0;
  for (let run = 0; run < 30; run++) {
    const started = performance.now();
    for (let n = 0; n < stored; n++) {
      let all = 1;
      for (let column = 0; column < columns; column++) all &= arrays[column][n] < 4 ? 1 : 0;
      total += all;
    }
    times.push(performance.now() - started);
  }
  if (total === 0) throw new Error('nothing was counted');
  return median(times.slice(10));
}

/** The slowest answer of `/healthz` while `work` goes on, asked again and again. */
async function slowestHealth(url, work) {
  let going = true;
  const times = [];
  const probe = (async () => {
    while (going) times.push(await timeOf(`${url}/healthz`));
  })();
  const started = performance.now();
  await work();
  const took = performance.now() - started;
  going = false;
  await probe;
  return { slowest: Math.max(...times), probes: times.length, took };
}

export async function measure({ port }) {
  const server = await startGovctl(port);
  const { url } = server;
  await importAll(url);
  const sorted = 'limit=20&sort_by=name&order=asc';
  const first = await slowestHealth(url, () => timeOf(`${url}/v1/resources?${sorted}`));
  const one = 'environment=staging';
  const three = `${one}&region=eu-west-1,us-east-1&type=${Array.from({ length: 20 }, (_, n) => `Bench::Thing${n}`).join(',')}`;
  const at = (filters, from) => (n) => `${sorted}&${filters}&offset=${from + n}`;
  const times = {
    one: await latency(url, at(one, 0), 1),
    three: await latency(url, at(three, 0), 1),
    deep: await latency(url, at('', 900_000), 1),
    deepFiltered: await latency(url, at(one, 400_000), 1),
  };
  const peak = await server.stop();
  const pass = { one: barePass(1), three: barePass(3) };
  const row = (figure, columns, ours, most) => ({
    figure: `${figure} of 1,000,000`,
    peer: `a bare pass over ${columns} typed array${columns === 1 ? '' : 's'}`,
    ours,
    theirs: columns === 1 ? pass.one : pass.three,
    unit: 'ms',
    ratio: ours / (columns === 1 ? pass.one : pass.three),
    limit: { most },
    peak,
  });
  return [
    row('page with one filter', 1, times.one, 10),
    row('page with three filters', 3, times.three, 10),
    row('page at offset 900,000', 1, times.deep, 10),
    row('page at offset 400,000 with one filter', 1, times.deepFiltered, 20),
    {
      figure: 'slowest `/healthz` while a list of 1,000,000 is first sorted',
      peer: 'limit',
      ours: first.slowest,
      theirs: 50,
      unit: 'ms',
      ratio: first.slowest / 50,
      limit: { most: 1 },
      peak,
      note: `of ${first.probes}; the page came after ${first.took.toFixed(0)} ms`,
    },
  ];
}
