import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { benchKey, folderSize, median, startGovctl, startTeller, tempFolder } from './harness.js';
import { makePolicy } from './policies.js';

export const title = 'wrong passwords';

const email = 'ada@example.com';
const password = 'correct horse battery staple';
const guessesPerSecond = 1_000;
const probes = 500;
const signIns = 20;
/** Milliseconds within which whoever the password belongs to signs in from a browser that they used before. */
const within = 1_000;

export async function measure({ rounds, port }) {
  const config = path.join(tempFolder(), 'server.yaml');
  writeFileSync(config, 'trusted_proxies: [127.0.0.1/32]\n', { mode: 0o600 });
  const url = `http://127.0.0.1:${port}`;
  const server = await startGovctl(port, { args: ['--config', config, '--public-url', url] });
  const { id } = await send(url, 'POST', '/v1/policies', makePolicy(0));
  const own = await accept(url, await send(url, 'POST', '/v1/users', { email, roles: ['editor'] }));
  const [quiet, attacked] = [[], []];
  for (let round = 0; round < rounds; round++) {
    quiet.push(await probe(url, id, round));
    const stranger = new Visitor(url);
    const csrf = csrfOf(await stranger.open('/auth/sign-in'));
    const settings = { url, email, csrf, cookie: stranger.cookie, rate: guessesPerSecond };
    const attacker = startTeller('passwords', settings);
    await sleep(3_000);
    const size = folderSize(server.dataDir);
    const started = performance.now();
    // What is kept of failures is written once a minute.
    await sleep(rounds === 1 ? 5_000 : 65_000);
    const grown = ((folderSize(server.dataDir) - size) / (performance.now() - started)) * 60;
    const found = await probe(url, id, rounds + round);
    const took = [];
    for (let n = 0; n < signIns; n++) took.push(await own.signIn());
    const { answers, seconds } = await attacker.stop();
    const sent = Object.values(answers).reduce((sum, count) => sum + count, 0);
    process.stderr.write(`  ${Math.round(sent / seconds)} guesses/s: ${JSON.stringify(answers)}\n`);
    attacked.push({ ...found, took, grown });
  }
  const peak = await server.stop();
  const slowest = Math.max(...attacked.flatMap(({ took }) => took));
  const compared = (figure, name) => ({
    figure,
    peer: 'without the attack',
    ours: median(attacked.map((one) => one[name])),
    theirs: median(quiet.map((one) => one[name])),
    unit: 'ms',
    ratio: median(attacked.map((one, n) => one[name] / quiet[n][name])),
    limit: { most: 1.1 },
    peak,
  });
  return [
    {
      figure: 'slowest sign-in from a known browser, 1,000 wrong passwords/s from 100 addresses',
      peer: 'limit',
      ours: slowest,
      theirs: within,
      unit: 'ms',
      ratio: slowest / within,
      limit: { most: 1 },
      peak,
      note: `median ${Math.round(median(attacked.flatMap(({ took }) => took)))} ms of ${signIns * rounds}; the data folder grew by ${Math.round(median(attacked.map(({ grown }) => grown)))} KiB a minute`,
    },
    compared('median of GET one policy meanwhile', 'get'),
    compared('median of POST a policy meanwhile', 'post'),
  ];
}

/** Medians of milliseconds, in turn. */
async function probe(url, id, round) {
  const [get, post] = [[], []];
  const timed = async (into, method, where, body) => {
    const started = performance.now();
    await send(url, method, where, body);
    into.push(performance.now() - started);
  };
  for (let n = 0; n < probes; n++) {
    await timed(get, 'GET', `/v1/policies/${id}`);
    await timed(post, 'POST', '/v1/policies', makePolicy(1 + round * probes + n));
    await sleep(2);
  }
  return { get: median(get), post: median(post) };
}

async function send(url, method, where, body) {
  const answer = await fetch(url + where, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${benchKey}` },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${method} ${where} ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

const csrfOf = (page) => /name="csrf" value="([^"]+)"/.exec(page)[1];

/** A browser: its cookies, its address, and redirects. */
class Visitor {
  #cookies = new Map();

  constructor(url, address = '198.51.100.7') {
    this.url = url;
    this.address = address;
  }

  get cookie() {
    return [...this.#cookies].map((pair) => pair.join('=')).join('; ');
  }

  forget(name) {
    this.#cookies.delete(name);
  }

  async open(where, fields) {
    const answer = await fetch(new URL(where, this.url), {
      method: fields ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: this.cookie, 'x-forwarded-for': this.address },
      ...(fields ? { body: new URLSearchParams(fields) } : {}),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      this.#cookies.set(name, value);
    }
    const to = answer.headers.get('location');
    return to === null ? answer.text() : this.open(to);
  }
}

/** Chooses a password by the link of an invitation. @returns how its person signs in with the same browser */
async function accept(url, { invitation_url: link }) {
  const visitor = new Visitor(url);
  const { pathname, search } = new URL(link);
  const csrf = csrfOf(await visitor.open(pathname + search));
  await visitor.open(pathname + search, { csrf, password, again: password });
  return {
    async signIn() {
      visitor.forget('govctl_session');
      const started = performance.now();
      const form = csrfOf(await visitor.open('/auth/sign-in?next=/auth/account'));
      const fields = { csrf: form, next: '/auth/account', email, password };
      const page = await visitor.open('/auth/sign-in', fields);
      if (!page.includes('Your account')) throw new Error(`not signed in: ${page.slice(0, 2_000)}`);
      return performance.now() - started;
    },
  };
}
