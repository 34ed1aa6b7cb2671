import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import {
  benchKey,
  median,
  peer,
  startGovctl,
  startServer,
  startTeller,
  tempFolder,
} from './harness.js';
import { makePolicy } from './policies.js';

export const title = 'answers while the server is attacked';

const policyCount = 60;
/** Of the types of the policies, and of types that none is about, for lists. */
const judged = 20_000;
const listed = 80_000;
const perImport = 10_000;
/** Milliseconds between two probes of one address; the most that 99 of 100 answers may take. */
const every = 20;
const limit = 100;
const halfSent = 1_100;
const attackers = ['conditions', 'bodies', 'guesses', 'half-sent'];

const file = (name) => fileURLToPath(new URL(`attack/${name}.js`, import.meta.url));

async function send(url, method, path, body, type = 'application/json') {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${benchKey}`, 'content-type': type },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

const types = ['AWS::S3::Bucket', 'AWS::EC2::SecurityGroup', 'AWS::RDS::DBInstance'];
const makeResource = (n) => ({
  id: `resource-${(Math.imul(n, 2_654_435_761) >>> 0).toString(36)}-${n}`,
  type: n < judged ? types[n % types.length] : `Bench::Row::Thing${n % 40}`,
  name: `name-${(n * 7_919) % 1_000_003}`,
  region: ['eu-west-1', 'us-east-1', 'ap-south-1'][(n % 7) % 3],
  environment: ['production', 'staging', 'staging', 'development'][n % 4],
  account_id: String(100_000_000_000 + (n % 50)),
  tags: { team: `team-${n % 12}` },
  encryption: { enabled: n % 100 !== 0 },
});

/** What the server has before it is attacked. */
async function fill(url) {
  for (let n = 0; n < policyCount; n++) await send(url, 'POST', '/v1/policies', makePolicy(n));
  const total = judged + listed;
  for (let at = 0; at < total; at += perImport) {
    const lines = Array.from({ length: Math.min(perImport, total - at) }, (_, n) =>
      JSON.stringify(makeResource(at + n)),
    );
    await send(url, 'POST', '/v1/resources/import', lines.join('\n'), 'application/x-ndjson');
  }
  const { key: readOnly } = await send(url, 'POST', '/v1/api-keys', {
    name: 'reads',
    scopes: ['governance:read'],
  });
  const { key: writer } = await send(url, 'POST', '/v1/api-keys', {
    name: 'writes',
    scopes: ['governance:read', 'compliance:write'],
  });
  const { policies } = await send(url, 'GET', '/v1/policies?limit=20');
  await settled(url);
  return { readOnly, writer, policy: policies[0].id, link: await linkToReport(url) };
}

/** Waits until what was filled in is evaluated: its background work is no part of the attack. */
async function settled(url) {
  const count = async () => (await send(url, 'GET', '/v1/evaluations?limit=1')).pagination.total;
  for (let [before, same] = [-1, 0]; same < 3;) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const now = await count();
    [before, same] = [now, now === before ? same + 1 : 0];
  }
}

/** The path of a link to a report that takes a password. */
async function linkToReport(url) {
  const report = await send(url, 'POST', '/v1/reports', {
    name: 'Attacked',
    type: 'compliance',
    scope: {},
    format_options: { formats: ['json'], security: { password: 'correct horse' } },
  });
  const id = report.id ?? report.report_id;
  for (;;) {
    const { status } = await send(url, 'GET', `/v1/reports/${id}`);
    if (status === 'completed') break;
    if (status === 'failed') throw new Error(`the report ${id} failed`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const link = await send(url, 'POST', `/v1/reports/${id}/download-link`, { format: 'json' });
  const { pathname, search } = new URL(link.url);
  return pathname + search;
}

const quantile = (times, part) =>
  [...times].sort((a, b) => a - b)[Math.ceil(times.length * part) - 1];

async function probe(targets, probes) {
  const { times, failures } = await startTeller('prober', { targets, probes, every }).told;
  const failed = Object.entries(failures);
  if (failed.length > 0) {
    throw new Error(
      `probes failed: ${failed.map(([what, count]) => `${count} × ${what}`).join('; ')}`,
    );
  }
  return Object.fromEntries(
    Object.entries(times).map(([name, all]) => [
      name,
      { p50: quantile(all, 0.5), p99: quantile(all, 0.99), worst: Math.max(...all) },
    ]),
  );
}

const over = (rounds, name, part) => median(rounds.map((round) => round[name][part]));

export async function measure({ port, rounds }) {
  const probes = rounds === 1 ? 500 : 2_000;
  const server = await startGovctl(port, {
    nodeArgs: process.env.GOVCTL_BENCH_LOOP ? ['--import', file('loop')] : [],
  });
  const { url } = server;
  const { policy, ...known } = await fill(url);
  const empty = path.join(tempFolder(), 'empty');
  writeFileSync(empty, '{}');
  const bareUrl = `http://127.0.0.1:${port + 1}`;
  const bare = await startServer(
    [peer('bare-hono.js'), String(port + 1), empty, empty],
    `${bareUrl}/healthz`,
  );
  const targets = {
    // As a load balancer asks, each time over a new connection.
    health: { urls: [`${url}/healthz`] },
    get: {
      urls: [`${url}/v1/policies/${policy}`, `${url}/v1/policies?limit=20`],
      headers: { authorization: `Bearer ${benchKey}` },
      keep: true,
    },
    bare: { urls: [`${bareUrl}/healthz`] },
  };
  const [quiet, attacked] = [[], []];
  for (let round = 0; round < rounds; round++) {
    quiet.push(await probe(targets, probes));
    const settings = { port, rows: judged + listed, connections: halfSent, ...known };
    const under = attackers.map((name) => [name, startTeller(name, settings)]);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    attacked.push(await probe(targets, probes));
    for (const [name, attacker] of under) {
      process.stderr.write(`  ${name}: ${JSON.stringify(await attacker.stop())}\n`);
    }
    process.stderr.write(
      `  ${JSON.stringify({ quiet: quiet.at(-1), attacked: attacked.at(-1) })}\n`,
    );
  }
  await bare.stop();
  const peak = await server.stop();
  const ms = (value) => `${value.toFixed(1)} ms`;
  const row = (figure, name) => ({
    figure,
    peer: 'limit',
    ours: over(attacked, name, 'p99'),
    theirs: limit,
    unit: 'ms',
    ratio: over(attacked, name, 'p99') / limit,
    limit: { most: 1 },
    peak,
    note: `p50 ${ms(over(attacked, name, 'p50'))}, worst ${ms(Math.max(...attacked.map((round) => round[name].worst)))} of ${probes * rounds}; not attacked p99 ${ms(over(quiet, name, 'p99'))}; a bare server beside it p99 ${ms(over(attacked, 'bare', 'p99'))}`,
  });
  return [row('p99 of `/healthz` under attack', 'health'), row('p99 of a GET under attack', 'get')];
}
