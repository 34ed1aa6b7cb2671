import { readFileSync } from 'node:fs';
import { benchKey, median, startGovctl } from './harness.js';

export const title = 'the governance overview and the frameworks of 1,000,000 resources';

const policyCount = 100;
const typeCount = 40;
const perImport = 20_000;
const limit = 5;
/** CPU time is counted in ticks of 10 ms, so it is that of many answers together. */
const asked = 2_000;

const headers = { authorization: `Bearer ${benchKey}`, 'content-type': 'application/json' };
const providers = ['aws', 'azure', 'gcp'];
const environments = ['production', 'staging', 'test', 'development'];
const accounts = Array.from({ length: 200 }, (_, n) => String(100_000_000_000 + n));

/** 2,400 combinations of account, environment and provider; every hundredth fails its policies. */
const makeResource = (n) => ({
  id: `thing-${(Math.imul(n, 2_654_435_761) >>> 0).toString(36)}-${n}`,
  type: `Bench::Row::Thing${n % typeCount}`,
  provider: providers[(n >> 3) % 3],
  account_id: accounts[(n * 7) % 200],
  environment: environments[(n >> 1) % 4],
  encrypted: n % 100 !== 0,
});

const makePolicy = (n) => ({
  name: `bench-${n}`,
  resource_type: `Bench::Row::Thing${n % typeCount}`,
  severity: ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'][n % 4],
  compliance_frameworks: [`SOC2:CC${1 + (n % 9)}.1`, `PCI-DSS:${1 + (n % 12)}.1`],
  rules: [{ condition: 'resource.encrypted == false', effect: 'DENY' }],
});

async function send(url, method, path, body, type) {
  const answer = await fetch(url + path, {
    method,
    headers: type ? { ...headers, 'content-type': type } : headers,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** Milliseconds of CPU time of a process so far. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Each answer is of another part. */
function filterOf(n) {
  const picked = (all, count, step) =>
    Array.from({ length: count }, (_, at) => all[(n * step + at * 3) % all.length]).join(',');
  return [
    ...(n % 2 === 0 ? [`account_ids=${picked(accounts, 1 + (n % 60), 11)}`] : []),
    ...(n % 3 === 0 ? [`environments=${picked(environments, 1, 1)}`] : []),
    ...(n % 5 === 0 ? [`cloud_providers=${picked(providers, 1, 1)}`] : []),
  ].join('&');
}

const overview = async (url, filter = '') =>
  (await send(url, 'GET', `/v1/governance/overview?${filter}`)).governance_overview;

/** All frameworks, or in an account. */
const frameworks = (url, n) =>
  send(
    url,
    'GET',
    `/v1/compliance/frameworks?${n % 2 === 0 ? '' : `account_id=${accounts[(n * 11) % accounts.length]}`}`,
  );

/** CPU milliseconds of the server for each of many answers, and the wall times of all. */
async function costOf(pid, ask) {
  for (let n = 0; n < asked / 10; n++) await ask(n);
  const times = [];
  const before = cpuOf(pid);
  for (let n = 0; n < asked; n++) {
    const started = performance.now();
    await ask(n);
    times.push(performance.now() - started);
  }
  const cpu = (cpuOf(pid) - before) / asked;
  const p99 = [...times].sort((a, b) => a - b)[Math.floor(asked * 0.99)];
  return { cpu, wall: `wall p50 ${median(times).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms` };
}

async function settle(url, expected) {
  while ((await overview(url)).evaluated < expected) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

export async function measure({ port, rounds }) {
  const stored = rounds === 1 ? 100_000 : 1_000_000;
  const server = await startGovctl(port);
  const { url, pid } = server;
  for (let n = 0; n < policyCount; n++) await send(url, 'POST', '/v1/policies', makePolicy(n));
  for (let at = 0; at < stored; at += perImport) {
    const lines = Array.from({ length: perImport }, (_, n) => JSON.stringify(makeResource(at + n)));
    await send(url, 'POST', '/v1/resources/import', lines.join('\n'), 'application/x-ndjson');
  }
  await settle(url, (stored * policyCount) / typeCount);

  const ofOverview = await costOf(pid, (n) => overview(url, filterOf(n)));
  const ofFrameworks = await costOf(pid, (n) => frameworks(url, n));

  const { evaluated } = await overview(url);
  await send(url, 'PUT', '/v1/resources/one-more', { ...makeResource(1), id: 'one-more' });
  if ((await overview(url)).evaluated <= evaluated) throw new Error('it lacks the write before it');
  const peak = await server.stop();
  const rowOf = (what, { cpu, wall }) => ({
    figure: `CPU time of ${what} of ${stored.toLocaleString('en-US')} resources`,
    peer: `${limit} ms (limit)`,
    ours: cpu,
    theirs: limit,
    unit: 'ms',
    ratio: cpu / limit,
    limit: { most: 1 },
    peak,
    note: `2,400 scopes, ${policyCount} policies, random filters; ${wall}`,
  });
  return [rowOf('an overview', ofOverview), rowOf('the list of frameworks', ofFrameworks)];
}
