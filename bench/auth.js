import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { Pool } from 'undici';
import { benchKey, median, postPolicies, root, runConcurrently, startGovctl } from './harness.js';

export const title = 'authentication';

const keyCount = 10_000;
const requests = 10_000;
const perRun = 5_000;
const connections = 16;
const tokens = '/auth/token';
const nobody = 'nobody';

export async function measure({ rounds, port }) {
  const either = await start(port, withAndWithoutAuthentication());
  const token = await makeToken(either);
  const row = async (figure, peer, unit, ours, theirs) => {
    await ours();
    await theirs();
    const pairs = [];
    for (let round = 0; round < rounds * 5; round++) pairs.push([await ours(), await theirs()]);
    return {
      figure,
      peer,
      ours: median(pairs.map(([a]) => a)),
      theirs: median(pairs.map(([, b]) => b)),
      unit,
      ratio: median(pairs.map(([a, b]) => a / b)),
      limit: { most: 1.1 },
    };
  };
  const same = 'the same server, without authentication';
  const byNobody = () => cpuTime(either, nobody);
  const cpu = [
    await row('CPU time of GET one policy with an API key', same, 'µs', () => cpuTime(either, benchKey), byNobody), // prettier-ignore
    await row('the same with an access token', same, 'µs', () => cpuTime(either, token), byNobody),
  ];
  await either.stop();
  const server = await start(port);
  const keys = await makeKeys(server);
  const rows = [
    ...cpu,
    await row(
      'median of GET one policy, 100,000 a minute with 10,000 keys',
      'with one key',
      'ms',
      () => latency(server, () => keys[Math.floor(Math.random() * keyCount)]),
      () => latency(server, () => benchKey),
    ),
  ];
  const peak = await server.stop();
  return rows.map((each) => ({ ...each, peak }));
}

async function start(port, command) {
  const server = await startGovctl(port, command ? { command } : {});
  await postPolicies(server.url, 0, 100);
  const { policies } = await ask(server, 'GET', '/v1/policies?limit=1');
  return { ...server, path: `/v1/policies/${policies[0].id}` };
}

async function ask({ url }, method, where, body) {
  const answer = await fetch(url + where, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(where === tokens ? {} : { authorization: `Bearer ${benchKey}` }),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${method} ${where} ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

async function makeToken(server) {
  const scopes = ['governance:read'];
  const made = await ask(server, 'POST', '/v1/oauth-clients', { name: 'bench', scopes });
  const { client_id, client_secret } = made;
  const grant = { grant_type: 'client_credentials', client_id, client_secret };
  return (await ask(server, 'POST', tokens, grant)).access_token;
}

async function makeKeys(server) {
  const keys = [];
  await runConcurrently(keyCount, 64, async (n) => {
    const body = { name: `bench ${n}`, scopes: ['governance:read'] };
    keys.push((await ask(server, 'POST', '/v1/api-keys', body)).key);
  });
  return keys;
}

/** Microseconds that the server works for a request, not time that passes: other work on the machine does not count. */
async function cpuTime({ url, pid, path: where }, key) {
  const before = worked(pid);
  const headers = { authorization: `Bearer ${key}` };
  const result = await autocannon({ url: url + where, headers, connections, amount: requests });
  if (result.errors + result.non2xx > 0) throw new Error(`${url}${where}: requests failed`);
  return (worked(pid) - before) / requests;
}

/** Microseconds that the thread which answers has worked, by Linux's accounting. */
const worked = (pid) =>
  Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000;

/** Median of milliseconds, at a rate of 100,000 requests a minute for some seconds. */
async function latency({ url, path: where }, key) {
  const pool = new Pool(url, { connections });
  const took = [];
  const ask = async () => {
    const started = performance.now();
    const headers = { authorization: `Bearer ${key()}` };
    const { statusCode, body } = await pool.request({ method: 'GET', path: where, headers });
    await body.text();
    if (statusCode !== 200) throw new Error(`${url}${where}: ${statusCode}`);
    took.push(performance.now() - started);
  };
  const asked = [];
  const started = performance.now();
  while (asked.length < perRun) {
    while (asked.length < (performance.now() - started) * (100_000 / 60_000)) asked.push(ask());
    await sleep(1);
  }
  await Promise.all(asked);
  await pool.close();
  return median(took);
}

/**
 * A copy of the built program that takes who says to be nobody at their word, without authentication: two processes
 * that do the same differ by more than authentication costs.
 * @returns its script
 */
function withAndWithoutAuthentication() {
  const folder = path.join(root, 'node_modules', '.cache', 'govctl-bench-open');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(path.join(root, 'package.json'), path.join(folder, 'package.json'));
  for (const part of ['bin', 'dist']) {
    cpSync(path.join(root, part), path.join(folder, part), { recursive: true });
  }
  const admits = /function admit\([^)]*,\s*visit\)\s*\{/;
  const [script, ...others] = readdirSync(path.join(folder, 'dist'))
    .map((name) => path.join(folder, 'dist', name))
    .filter((file) => file.endsWith('.js') && admits.test(readFileSync(file, 'utf8')));
  if (!script || others.length > 0) throw new Error('where requests are admitted was not found');
  const scopes = ['governance:read', 'compliance:write'];
  const names = { userId: 'user_bench', via: 'key_bench', countedAs: 'key_bench' };
  const principal = JSON.stringify({ kind: 'key', ...names, scopes });
  writeFileSync(
    script,
    readFileSync(script, 'utf8').replace(
      admits,
      (begin) =>
        `const benchPrincipal=${principal};${begin}const asked=authenticate;` +
        `authenticate=(caller,...rest)=>caller.authorization==='Bearer ${nobody}'?benchPrincipal:asked(caller,...rest);`,
    ),
  );
  return path.join(folder, 'bin', 'govctl.js');
}
